// Tests of upgrades as rows: a node of an old version, its inputs, and what the standard's text of
// that version makes of them, computed by hand. A row's name is the operator and the version, and
// the model imports the opset of that number. Every older version that the operator's row says
// means the same is held to the same result.
#ifndef TERN_TESTS_UNIT_OPS_UPGRADE_CASE_H_
#define TERN_TESTS_UNIT_OPS_UPGRADE_CASE_H_

#include "unit/ops/old_model.h"

typedef struct case_tensor {
  tern_dtype dtype; // 0: none
  const tern_shape *shape;
  const void *data;
  size_t count; // of `data`; must be the shape's
} case_tensor;

// CASE_TENSOR(TERN_FLOAT, float, D(2, 1), 0.5f, 1).
#define D(...) TEST_SHAPE(__VA_ARGS__)
#define CASE_TENSOR(dtype, type, shape, ...)                                                       \
  { (dtype), (shape), (const type[]){__VA_ARGS__}, TERN_COUNT_OF(((const type[]){__VA_ARGS__})) }
#define F32(...) CASE_TENSOR(TERN_FLOAT, float, __VA_ARGS__)
#define I32(...) CASE_TENSOR(TERN_INT32, int32_t, __VA_ARGS__)
#define I64(...) CASE_TENSOR(TERN_INT64, int64_t, __VA_ARGS__)
#define U8(...) CASE_TENSOR(TERN_UINT8, uint8_t, __VA_ARGS__)
#define BOOL(...) CASE_TENSOR(TERN_BOOL, uint8_t, __VA_ARGS__)

#define ATTR_I(attr_name, value)                                                                   \
  { .name = (attr_name), .type = TERN_ATTR_INT, .u.i = (value) }
#define ATTR_F(attr_name, value)                                                                   \
  { .name = (attr_name), .type = TERN_ATTR_FLOAT, .u.f = (value) }
#define ATTR_S(attr_name, value)                                                                   \
  {                                                                                                \
    .name = (attr_name), .type = TERN_ATTR_STRING, .u.s = {(value), sizeof(value) - 1 }            \
  }
#define ATTR_INTS(attr_name, ...)                                                                  \
  {                                                                                                \
    .name = (attr_name), .type = TERN_ATTR_INTS, .u.ints = (const int64_t[]){__VA_ARGS__},         \
    .count = TERN_COUNT_OF(((const int64_t[]){__VA_ARGS__}))                                       \
  }
#define ATTR_FLOATS(attr_name, ...)                                                                \
  {                                                                                                \
    .name = (attr_name), .type = TERN_ATTR_FLOATS, .u.floats = (const float[]){__VA_ARGS__},       \
    .count = TERN_COUNT_OF(((const float[]){__VA_ARGS__}))                                         \
  }

#define CASE_ATTRS(...)                                                                            \
  .attrs = (const tern_attr[]){__VA_ARGS__},                                                       \
  .attr_count = (int32_t)TERN_COUNT_OF(((const tern_attr[]){__VA_ARGS__}))

typedef struct upgrade_case {
  const char *name; // "Gemm-6". Rows of one name stand together and are one test.
  case_tensor inputs[OLD_MAX_INPUTS];
  bool has_constants; // old_node
  const tern_attr *attrs;
  int32_t attr_count;
  // Of the outputs in order; floats may be off by two millionths. A gap is an output that the node
  // does not give.
  case_tensor expected[OLD_MAX_OUTPUTS];
  const char *domain; // NULL: ai.onnx; the opset is of this one
} upgrade_case;

// `cases`, which a row without a name ends, and tests of their own become one program. `--list`
// prints the tests' names for tools/docs/upgrade_doc.c instead of running them.
int upgrade_cases_main(int argc, char **argv, const upgrade_case *cases,
                       const struct CMUnitTest *tests, size_t test_count);

tern_value *case_tensor_make(const case_tensor *tensor); // NULL for none

#endif
