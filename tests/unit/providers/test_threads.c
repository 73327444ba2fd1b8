// Kernels on several threads: the bits of one, on inputs large enough to be shared.
#include <stdlib.h>
#include <string.h>

#include "parallel/pool.h"
#include "unit/ops/support.h"
#include "unit/ops/upgrade_case.h"

enum { MOST_THREADS = 4, MOST_INPUTS = 4 };

// An input: numbers from its index, below `limit` for integers.
typedef struct input {
  tern_dtype dtype; // 0: none
  int64_t dims[5];  // up to the first 0
  int64_t limit;
} input;

typedef struct row {
  const char *op;
  input inputs[MOST_INPUTS];
  const tern_attr attrs[4]; // up to the first without a name
} row;

#define FLOATS(...)                                                                                \
  { TERN_FLOAT, {__VA_ARGS__}, 0 }
#define DOUBLES(...)                                                                               \
  { TERN_DOUBLE, {__VA_ARGS__}, 0 }
#define LONGS(limit, ...)                                                                          \
  { TERN_INT64, {__VA_ARGS__}, (limit) }
#define BYTES(limit, ...)                                                                          \
  { TERN_UINT8, {__VA_ARGS__}, (limit) }
#define NIBBLES(...)                                                                               \
  { TERN_INT4, {__VA_ARGS__}, 0 }
#define BOOLS(...)                                                                                 \
  { TERN_BOOL, {__VA_ARGS__}, 2 }
#define NONE                                                                                       \
  { 0 }

static const row rows[] = {
    // elementwise
    {"Exp", {FLOATS(3, 99991)}},
    {"Abs", {DOUBLES(99991)}},
    {"Add", {FLOATS(7, 30011), FLOATS(7, 30011)}},
    {"Add", {FLOATS(300, 7, 111), FLOATS(300, 1, 111)}},
    {"Mul", {FLOATS(64, 5000), FLOATS(64, 1)}},
    {"Div", {FLOATS(20011, 9), FLOATS(9)}},
    {"Pow", {FLOATS(99991), FLOATS(1)}},
    {"Greater", {FLOATS(200003), FLOATS(200003)}},
    {"Where", {BOOLS(40, 1, 6007), FLOATS(40, 3, 6007), FLOATS(1)}},
    {"Clip", {FLOATS(500009)}},
    {"Cast", {FLOATS(300007)}, {ATTR_I("to", TERN_FLOAT16)}},
    {"Cast", {NIBBLES(400009)}, {ATTR_I("to", TERN_FLOAT)}},
    {"Sum", {FLOATS(300007), FLOATS(300007), FLOATS(1)}},
    {"LeakyRelu", {FLOATS(500009)}, {ATTR_F("alpha", 0.1f)}},
    {"Elu", {FLOATS(100003)}, {ATTR_F("alpha", 1)}},
    {"Gelu", {FLOATS(100003)}},
    {"PRelu", {FLOATS(32, 30011), FLOATS(32, 1)}},
    // normalisation
    {"Softmax", {FLOATS(300, 701)}},
    {"Softmax", {FLOATS(3, 50, 3011)}, {ATTR_I("axis", 1)}},
    {"LogSoftmax", {DOUBLES(300, 211)}},
    {"LayerNormalization", {FLOATS(300, 701), FLOATS(701), FLOATS(701)}},
    {"RMSNormalization", {FLOATS(300, 701), FLOATS(701)}},
    {"InstanceNormalization", {FLOATS(2, 31, 50, 51), FLOATS(31), FLOATS(31)}},
    {"GroupNormalization",
     {FLOATS(2, 32, 40, 41), FLOATS(32), FLOATS(32)},
     {ATTR_I("num_groups", 8)}},
    {"BatchNormalization", {FLOATS(2, 31, 50, 51), FLOATS(31), FLOATS(31), FLOATS(31)}},
    {"LRN", {FLOATS(1, 31, 50, 51)}, {ATTR_I("size", 5)}},
    {"Hardmax", {FLOATS(301, 1009)}},
    {"LpNormalization", {FLOATS(31, 64, 301)}, {ATTR_I("axis", 1)}},
    // reduction
    {"ReduceSum", {FLOATS(301, 2003)}, {ATTR_I("keepdims", 0)}},
    {"ReduceMean", {FLOATS(301, 2003), LONGS(1, 1)}},
    {"ReduceMax", {FLOATS(33, 77, 301), LONGS(2, 2)}},
    {"ReduceLogSumExp", {FLOATS(33, 77, 101), LONGS(1, 1)}},
    {"ReduceSumSquare", {LONGS(9, 301, 1009), LONGS(2, 2)}},
    {"ArgMax", {FLOATS(33, 301, 101)}, {ATTR_I("axis", 1)}},
    {"CumSum", {FLOATS(301, 1009), LONGS(1, 1)}},
    // pooling
    {"MaxPool", {FLOATS(2, 33, 60, 61)}, {ATTR_INTS("kernel_shape", 3, 3)}},
    {"AveragePool", {FLOATS(2, 33, 60, 61)}, {ATTR_INTS("kernel_shape", 3, 3)}},
    {"LpPool", {FLOATS(2, 33, 60, 61)}, {ATTR_INTS("kernel_shape", 2, 2)}},
    {"GlobalAveragePool", {FLOATS(3, 301, 20, 21)}},
    {"GlobalMaxPool", {FLOATS(3, 301, 20, 21)}},
    // movement
    {"Transpose", {FLOATS(70, 3001)}},
    {"Transpose", {FLOATS(6, 64, 41, 43)}, {ATTR_INTS("perm", 0, 2, 3, 1)}},
    {"Transpose", {FLOATS(6, 41, 43, 64)}, {ATTR_INTS("perm", 0, 3, 1, 2)}},
    {"Transpose", {BYTES(9, 500, 1001)}},
    {"Concat", {FLOATS(3, 70001), FLOATS(3, 33331), FLOATS(3, 5)}, {ATTR_I("axis", 1)}},
    {"Concat", {FLOATS(700001), FLOATS(333331)}, {ATTR_I("axis", 0)}},
    {"Tile", {FLOATS(701), LONGS(900, 1)}},
    {"Expand", {FLOATS(701, 1), LONGS(700, 2)}},
    {"Gather", {FLOATS(5003, 129), LONGS(5003, 3001)}},
    {"Gather", {FLOATS(31, 503, 9), LONGS(503, 701)}, {ATTR_I("axis", 1)}},
    {"GatherElements", {FLOATS(5003, 29), LONGS(5003, 3001, 29)}},
    {"DepthToSpace", {FLOATS(2, 64, 60, 61)}, {ATTR_I("blocksize", 2)}},
    // products
    {"MatMul", {FLOATS(120, 300), FLOATS(300, 900)}},
    {"MatMul", {FLOATS(12, 70, 64), FLOATS(12, 64, 90)}},
    {"MatMul", {DOUBLES(130, 200), DOUBLES(200, 210)}},
    {"Gemm", {FLOATS(120, 300), FLOATS(900, 300), FLOATS(900)}, {ATTR_I("transB", 1)}},
    {"MatMulInteger", {BYTES(200, 120, 300), BYTES(200, 300, 400)}},
    {"Conv", {FLOATS(1, 32, 40, 41), FLOATS(70, 32, 3, 3), FLOATS(70)}},
    {"Conv", {FLOATS(2, 48, 40, 41), FLOATS(48, 1, 3, 3)}, {ATTR_I("group", 48)}},
    {"ConvTranspose", {FLOATS(1, 32, 30, 31), FLOATS(32, 40, 3, 3)}, {ATTR_INTS("strides", 2, 2)}},
    {"ConvInteger", {BYTES(200, 1, 16, 40, 41), BYTES(200, 40, 16, 3, 3)}},
    {"Attention", {FLOATS(1, 6, 150, 64), FLOATS(1, 6, 130, 64), FLOATS(1, 6, 130, 64)}},
    {"GridSample", {FLOATS(2, 9, 40, 41), FLOATS(2, 50, 51, 2)}},
    {"RoiAlign",
     {FLOATS(1, 64, 40, 41), FLOATS(9, 4), LONGS(1, 9)},
     {ATTR_I("output_height", 7), ATTR_I("output_width", 7), ATTR_I("sampling_ratio", 4)}},
    {"LSTM",
     {FLOATS(40, 8, 64), FLOATS(2, 384, 64), FLOATS(2, 384, 96)},
     {ATTR_I("hidden_size", 96), ATTR_S("direction", "bidirectional")}},
    {"GRU",
     {FLOATS(9, 60, 64), FLOATS(1, 600, 64), FLOATS(1, 600, 200)},
     {ATTR_I("hidden_size", 200)}},
    {"Resize", {FLOATS(1, 30, 40, 41), NONE, FLOATS(4)}, {ATTR_S("mode", "linear")}},
    {"Resize", {FLOATS(1, 1, 300, 301), NONE, FLOATS(4)}, {ATTR_S("mode", "cubic")}},
    {"Resize", {FLOATS(1, 30, 40, 41), NONE, FLOATS(4)}},
};

static tern_value *make(const input *in) {
  tern_shape shape = {.rank = 0};
  tern_value *value;
  if (!in->dtype) return NULL;
  while (shape.rank < 5 && in->dims[shape.rank]) {
    shape.dims[shape.rank] = in->dims[shape.rank];
    shape.rank++;
  }
  assert_null(tern_value_create_tensor(tern_allocator_system(), in->dtype, &shape, &value));
  uint32_t random = 1;
  for (int64_t i = 0; i < tern_value_count(value); ++i) {
    random = random * 1664525u + 1013904223u;
    const double real = (double)(random >> 8) * 0x1p-23 + 0.25;
    const int64_t whole = (int64_t)(random >> 8) % (in->limit ? in->limit : 7);
    if (in->dtype == TERN_FLOAT)
      ((float *)value->data)[i] = (float)real;
    else if (in->dtype == TERN_DOUBLE)
      ((double *)value->data)[i] = real;
    else
      tern_dtype_write_i64(in->dtype, value->data, i, whole);
  }
  return value;
}

// What an operator needs besides random numbers.
static void adapt(const row *r, test_node *node) {
  tern_value *second = node->inputs[1], *third = node->inputs[2];
  if (strcmp(r->op, "Resize") == 0)
    memcpy(third->data, (const float[]){1, 1, 2.5f, 1.7f}, 4 * sizeof(float));
  if (strcmp(r->op, "Tile") == 0) *(int64_t *)second->data = 900;
  if (strcmp(r->op, "Expand") == 0) memcpy(second->data, (const int64_t[]){701, 900}, 16);
  if (strncmp(r->op, "Reduce", 6) == 0 && second)
    for (int64_t i = 0; i < tern_value_count(second); ++i) ((int64_t *)second->data)[i] = i;
  if (strcmp(r->op, "CumSum") == 0) *(int64_t *)second->data = 1;
  if (strcmp(r->op, "BatchNormalization") == 0) node->inputs[4] = make(&r->inputs[3]);
}

static void run(const row *r, const tern_parallel *parallel, tern_value **out_values) {
  test_node node = {.op = r->op, .attrs = r->attrs, .parallel = parallel};
  for (int32_t i = 0; i < MOST_INPUTS; ++i) node.inputs[i] = make(&r->inputs[i]);
  while (node.attr_count < 4 && r->attrs[node.attr_count].name) node.attr_count++;
  adapt(r, &node);
  tern_status *status = test_try_node(&node, out_values);
  if (status) fail_msg("%s: %s", r->op, tern_status_message(status));
}

static void kernels_have_the_bits_of_one_thread(void **state) {
  (void)state;
  tern_pool *pool;
  tern_pool_options options = {.threads = MOST_THREADS, .spin_ns = 50000};
  assert_null(tern_pool_create(&options, &pool));
  for (size_t i = 0; i < TERN_COUNT_OF(rows); ++i) {
    tern_value *alone[8] = {NULL};
    run(&rows[i], NULL, alone);
    for (int32_t threads = 2; threads <= MOST_THREADS; threads += 2) {
      tern_value *shared[8] = {NULL};
      run(&rows[i], &(tern_parallel){.pool = pool, .max_threads = threads}, shared);
      assert_int_equal(alone[0]->data_bytes, shared[0]->data_bytes);
      if (memcmp(alone[0]->data, shared[0]->data, alone[0]->data_bytes) != 0)
        fail_msg("row %zu, %s, differs with %d threads", i, rows[i].op, threads);
      tern_value_release(shared[0]);
    }
    tern_value_release(alone[0]);
  }
  tern_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_have_the_bits_of_one_thread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
