// One operator at a time: a node of its newest version is inferred, its outputs are allocated and
// its CPU kernel runs, without a session. Every function fails the test at hand when it cannot do
// what it says.
#ifndef TERN_TESTS_UNIT_OPS_SUPPORT_H_
#define TERN_TESTS_UNIT_OPS_SUPPORT_H_

#include "graph/builder.h"
#include "parallel/parallel.h"
#include "unit/test.h"

#define TEST_SHAPE(...)                                                                            \
  (&(const tern_shape){.rank = (int32_t)TERN_COUNT_OF(((const int64_t[]){__VA_ARGS__})),           \
                       .dims = {__VA_ARGS__}})
#define TEST_SCALAR (&(const tern_shape){.rank = 0})

// A tensor with a copy of `data` (tern_strings for TERN_STRING; packed bytes for sub-byte types).
tern_value *test_tensor(tern_dtype dtype, const tern_shape *shape, const void *data);
// Short forms: TEST_I64S(1, 2, 3) has the shape [3].
#define TEST_LIST(dtype, type, ...)                                                                \
  test_tensor((dtype), TEST_SHAPE((int64_t)TERN_COUNT_OF(((const type[]){__VA_ARGS__}))),          \
              (const type[]){__VA_ARGS__})
#define TEST_I64S(...) TEST_LIST(TERN_INT64, int64_t, __VA_ARGS__)
#define TEST_I32S(...) TEST_LIST(TERN_INT32, int32_t, __VA_ARGS__)
#define TEST_F32S(...) TEST_LIST(TERN_FLOAT, float, __VA_ARGS__)
tern_value *test_i64(int64_t number); // rank 0
tern_value *test_f32(float number);

typedef struct test_node {
  const char *domain; // NULL: ai.onnx
  const char *op;
  tern_value *inputs[6]; // released by the run; NULL: omitted
  int32_t input_count;   // 0: up to the last that is not NULL
  const tern_attr *attrs;
  int32_t attr_count;
  int32_t output_count;          // 0: 1
  bool in_place;                 // output 0 overwrites input 0, which the run then changes
  const tern_parallel *parallel; // NULL: on the test's thread alone
} test_node;

// Runs a node. On success `out_values` has its outputs, references of the caller.
tern_status *test_try_node(const test_node *node, tern_value **out_values);
// As above, and it must succeed; returns output 0 of a node with one output.
tern_value *test_run_node(const test_node *node);
#define TEST_RUN(...) test_run_node(&(const test_node){__VA_ARGS__})
// The run must fail with a message that contains `text`.
void test_node_fails(const test_node *node, const char *text);
#define TEST_FAILS(text, ...) test_node_fails(&(const test_node){__VA_ARGS__}, (text))

// `value` has this type, shape and these elements, bit by bit; it is released.
void test_expect(tern_value *value, tern_dtype dtype, const tern_shape *shape, const void *data);
#define TEST_EXPECT_LIST(value, dtype, type, ...)                                                  \
  test_expect((value), (dtype), TEST_SHAPE((int64_t)TERN_COUNT_OF(((const type[]){__VA_ARGS__}))), \
              (const type[]){__VA_ARGS__})
#define TEST_EXPECT_I64S(value, ...) TEST_EXPECT_LIST(value, TERN_INT64, int64_t, __VA_ARGS__)
#define TEST_EXPECT_F32S(value, ...) TEST_EXPECT_LIST(value, TERN_FLOAT, float, __VA_ARGS__)

// A graph to build in, for tests of inference with symbolic dimensions.
typedef struct test_graph {
  tern_model *model;
  tern_builder builder;
} test_graph;
void test_graph_open(test_graph *out_graph);
// The builder must be without an error.
void test_graph_close(test_graph *graph);
// A graph input; `shape` NULL: unknown rank.
tern_edge *test_graph_input(test_graph *graph, tern_dtype dtype, const tern_shape *shape);
tern_dim test_graph_symbol(test_graph *graph, const char *name);
void test_expect_shape(const tern_edge *edge, const tern_shape *shape);

#endif
