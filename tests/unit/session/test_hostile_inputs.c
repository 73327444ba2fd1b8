// Numbers that reach an operator only with the run: graph inputs of fixed shapes. Sizes are known
// to the plan, what the numbers mean to the operator is not.
#include <string.h>

#include "support/load_run.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

typedef enum outcome { FAILS, RUNS, EITHER } outcome;

enum { MOST_INPUTS = 7, MOST_ATTRS = 3 };

// Inputs are named a, b, c ...; what is NULL is omitted. Their numbers are small, but for the ones
// of `hostile`.
typedef struct input {
  tern_dtype dtype;
  const char *dims;
} input;

typedef struct attribute {
  const char *name;
  int64_t ints[4];
  size_t count; // 0: one number, no list
} attribute;

typedef struct hostile_case {
  const char *op;
  input inputs[MOST_INPUTS];
  char hostile; // the input's name
  outcome expected;
  attribute attrs[MOST_ATTRS];
  const char *outputs; // NULL: y
} hostile_case;

#define F32(dims)                                                                                  \
  { TERN_FLOAT, dims }
#define I64(dims)                                                                                  \
  { TERN_INT64, dims }
#define I32(dims)                                                                                  \
  { TERN_INT32, dims }
#define NONE                                                                                       \
  { 0 }

static const hostile_case cases[] = {
    {"CumSum", {F32("2,3"), I64("")}, 'b', FAILS},
    {"CumSum", {F32(""), I64("")}, 'b', FAILS},
    {"CumProd", {F32("2,3"), I32("1")}, 'b', FAILS},
    {"Gather", {F32("4,3"), I64("2")}, 'b', FAILS},
    {"GatherElements", {F32("2,3"), I64("2,3")}, 'b', FAILS},
    {"GatherND", {F32("2,3"), I64("2,2")}, 'b', FAILS},
    {"ScatterElements", {F32("2,3"), I64("2,3"), F32("2,3")}, 'b', FAILS},
    {"ScatterND", {F32("2,3"), I64("1,2"), F32("1")}, 'b', FAILS},
    {"TensorScatter", {F32("2,4,3"), F32("2,1,3"), I64("2")}, 'c', FAILS, {{"axis", {1}}}},
    // One index for each of the batch, whatever shape they come in.
    {"TensorScatter", {F32("2,4,3"), F32("2,1,3"), I64("0,3")}, 'c', FAILS, {{"axis", {1}}}},
    {"TensorScatter", {F32("2,4,3"), F32("2,1,3"), I64("1,1")}, 'c', FAILS, {{"axis", {1}}}},
    {"OneHot", {I64("3"), I64(""), F32("2")}, 'a', RUNS},
    {"OneHot", {I64("3"), I64(""), F32("2")}, 'b', EITHER},
    {"TopK", {F32("2,3"), I64("1")}, 'b', FAILS},
    {"Trilu", {F32("3,3"), I64("")}, 'b', RUNS},
    {"ReverseSequence", {F32("4,2"), I64("2")}, 'b', FAILS},
    {"LSTM", {F32("2,1,3"), F32("1,8,3"), F32("1,8,2"), NONE, I32("1")}, 'e', FAILS},
    {"GRU", {F32("2,1,3"), F32("1,6,3"), F32("1,6,2"), NONE, I32("1")}, 'e', FAILS},
    {"RNN", {F32("2,1,3"), F32("1,2,3"), F32("1,2,2"), NONE, I32("1")}, 'e', FAILS},
    {"Slice", {F32("4"), I64("1"), I64("1")}, 'b', RUNS},
    {"Slice", {F32("4"), I64("1"), I64("1"), I64("1")}, 'd', FAILS},
    {"Slice", {F32("4"), I64("1"), I64("1"), NONE, I64("1")}, 'e', RUNS},
    {"Slice", {F32(""), I64("1"), I64("1")}, 'b', FAILS},
    {"Pad", {F32("2,3"), I64("4")}, 'b', EITHER},
    {"Pad", {F32("2,3"), I64("2"), NONE, I64("1")}, 'd', FAILS},
    {"Pad", {F32(""), I64("2")}, 'b', FAILS},
    {"Pad", {F32(""), I64("400")}, 'b', FAILS},
    {"Pad", {F32(""), I64("2"), NONE, I64("1")}, 'd', FAILS},
    {"Pad", {F32(""), I64("0"), NONE, I64("2")}, 'd', FAILS},
    {"Squeeze", {F32("1,3"), I64("1")}, 'b', FAILS},
    {"Unsqueeze", {F32("1,3"), I64("1")}, 'b', FAILS},
    {"ReduceSum", {F32("2,3"), I64("1")}, 'b', FAILS},
    {"ReduceMax", {F32(""), I64("1")}, 'b', FAILS},
    {"ReduceMax", {F32(""), I64("90")}, 'b', FAILS},
    {"Tile", {F32("2,3"), I64("2")}, 'b', EITHER},
    {"Tile", {F32(""), I64("2")}, 'b', FAILS},
    {"Expand", {F32("1,1"), I64("2")}, 'b', EITHER},
    {"Reshape", {F32("2,3"), I64("2")}, 'b', FAILS},
    {"ConstantOfShape", {I64("2")}, 'a', EITHER},
    {"Range", {I64(""), I64(""), I64("")}, 'b', EITHER},
    {"Range", {I64(""), I64(""), I64("")}, 'c', EITHER},
    {"Split", {F32("2,3"), I64("1")}, 'b', FAILS},
    {"Split", {F32("2,3"), I64("0")}, 'b', FAILS},
    {"Split", {F32("2,3"), I64("3")}, 'b', FAILS},
    {"SplitToSequence", {F32("4"), I64("")}, 'b', EITHER},
    {"SplitToSequence", {F32("4"), I64("2")}, 'b', FAILS},
    {"CenterCropPad", {F32("2,3"), I64("2")}, 'b', EITHER},
    {"Resize", {F32("1,1,2,2"), NONE, NONE, I64("4")}, 'd', FAILS},
    {"AffineGrid", {F32("1,2,3"), I64("4")}, 'b', FAILS},
    {"RoiAlign", {F32("1,1,4,4"), F32("1,4"), I64("1")}, 'c', FAILS},
    {"MaxUnpool", {F32("1,1,2"), I64("1,1,2")}, 'b', FAILS, {{"kernel_shape", {2}, 1}}},
    {"Col2Im", {F32("1,4,1"), I64("2"), I64("2")}, 'b', FAILS},
    {"Col2Im", {F32("1,4,1"), I64("2"), I64("2")}, 'c', FAILS},
    {"DFT", {F32("1,4,1"), I64("")}, 'b', EITHER},
    {"DFT", {F32("1,4,1"), NONE, I64("")}, 'c', FAILS},
    {"DFT", {F32("1,4,1"), NONE, I64("0")}, 'c', FAILS},
    {"STFT", {F32("1,8,1"), I64(""), F32("4")}, 'b', EITHER},
    {"STFT", {F32("1,8,1"), I64(""), NONE, I64("")}, 'd', FAILS},
    {"HannWindow", {I64("")}, 'a', EITHER},
    {"NonMaxSuppression", {F32("1,2,4"), F32("1,1,2"), I64("1")}, 'c', RUNS},
    {"NegativeLogLikelihoodLoss", {F32("2,3"), I64("2")}, 'b', FAILS},
    {"SoftmaxCrossEntropyLoss", {F32("2,3"), I64("2")}, 'b', FAILS},
    {"Attention",
     {F32("1,1,1,4"), F32("1,1,2,4"), F32("1,1,2,4"), NONE, NONE, NONE, I64("1")},
     'g',
     FAILS},
    {"RotaryEmbedding", {F32("1,1,2,4"), F32("3,2"), F32("3,2"), I64("1,2")}, 'd', FAILS},
    {"Div", {I64("2"), I64("2")}, 'b', RUNS},
    {"Mod", {I64("2"), I64("2")}, 'b', RUNS},
    {"Mod", {I32("2"), I32("2")}, 'a', EITHER},
    {"Div", {I64("2"), I64("2")}, 'a', EITHER},
    {"Pow", {I64("2"), I64("2")}, 'b', RUNS},
};

static void put_attribute(tern_pb_writer *writer, const attribute *attr) {
  if (attr->count)
    put_attr_ints(writer, attr->name, attr->ints, attr->count);
  else
    put_attr_i(writer, attr->name, attr->ints[0]);
}

static void put_case(tern_pb_writer *writer, const hostile_case *c) {
  char names[2 * MOST_INPUTS + 1] = "";
  put_model(writer, 13, 26);
  size_t graph = open_graph(writer);
  for (size_t i = 0; i < MOST_INPUTS; ++i) {
    if (!c->inputs[i].dims) continue;
    const char name[] = {(char)('a' + i), '\0'};
    put_info(writer, GRAPH_INPUT, name, c->inputs[i].dtype, c->inputs[i].dims);
  }
  size_t used = 0;
  for (size_t i = 0, last = 0; i < MOST_INPUTS; ++i) {
    if (!c->inputs[i].dims) continue;
    for (; last < i; ++last) names[used++] = ',';
    names[used++] = (char)('a' + i);
  }
  size_t node = open_node(writer, "n", c->op, names, c->outputs ? c->outputs : "y");
  for (size_t i = 0; i < MOST_ATTRS && c->attrs[i].name; ++i) put_attribute(writer, &c->attrs[i]);
  if (strstr("LSTM GRU RNN", c->op)) put_attr_i(writer, "hidden_size", 2);
  tern_pb_end_message(writer, node);
  put_info(writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(writer, graph);
}

// False, and says so, where the outcome is another, or the run takes too long.
static bool run_case(const hostile_case *c, int64_t number) {
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_case(&writer, c);
  const char name[] = {c->hostile, '\0'};
  const test_given given = {
      .name = name, .shape = {.rank = TERN_RANK_UNKNOWN}, .has_number = true, .number = number};
  const test_load_run_options limits = {.memory_bytes = (int64_t)64 << 20,
                                        .run_cpu_ms = 5000,
                                        .runs = 1,
                                        .given = &given,
                                        .given_count = 1};
  test_load_run_result result;
  test_load_run(writer.data, writer.size, &limits, &result);
  tern_pb_writer_deinit(&writer);
  bool as_expected = result.loaded && !result.stopped &&
                     (c->expected == EITHER || (result.completed == 1) == (c->expected == RUNS));
  if (!as_expected)
    print_error("%s of %lld: %s\n", c->op, (long long)number,
                result.completed ? "it runs" : result.message);
  return as_expected;
}

static void numbers_that_no_plan_has_seen(void **state) {
  (void)state;
  static const int64_t numbers[] = {INT64_MIN,     INT64_MIN + 1, INT64_MIN / 2, -(1ll << 40),
                                    -1000,         1000,          1ll << 40,     INT64_MAX / 2,
                                    INT64_MAX - 1, INT64_MAX};
  int failures = 0;
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    for (size_t k = 0; k < TERN_COUNT_OF(numbers); ++k) {
      const input *hostile = &cases[i].inputs[cases[i].hostile - 'a'];
      int64_t number = numbers[k];
      if (hostile->dtype == TERN_INT32)
        number = tern_max_i64(INT32_MIN, tern_min_i64(number, INT32_MAX));
      failures += !run_case(&cases[i], number);
    }
  }
  assert_int_equal(failures, 0);
}

// No query sees a key, and the values have no elements: there is nothing to clear in an output
// without memory, while the scores are asked for.
static void attention_to_nothing(void **state) {
  (void)state;
  static const hostile_case attention = {
      "Attention",
      {F32("1,1,2,4"), F32("1,1,2,4"), F32("1,1,2,0"), NONE, NONE, NONE, I64("1")},
      'g',
      RUNS,
      .outputs = "y,,,s"};
  assert_true(run_case(&attention, 0));
}

// Samples that an attribute asks for: more of them than anybody waits for.
static void samples_without_end(void **state) {
  (void)state;
  static const hostile_case align = {"RoiAlign",
                                     {F32("1,1,4,4"), F32("1,4"), I64("1")},
                                     'c',
                                     FAILS,
                                     {{"sampling_ratio", {60000}}}};
  assert_true(run_case(&align, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(samples_without_end),
                                     cmocka_unit_test(numbers_that_no_plan_has_seen),
                                     cmocka_unit_test(attention_to_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
