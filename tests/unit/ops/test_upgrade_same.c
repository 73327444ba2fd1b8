// Versions whose rows have no upgrade because they mean the same as the newest: a node of each,
// given the same inputs, gives the same bytes. Most operators get tensors made from their row;
// those that want particular inputs are given them here.
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "unit/ops/upgrade_case.h"

#define IMAGE F32(D(1, 1, 3, 3), 1, -2, 3, 4, 5, -6, 7, 8, 9)
#define WINDOW ATTR_INTS("kernel_shape", 2, 2)
#define SQUARE F32(D(2, 2), 1, -2, 3, 4)
#define PAIR F32(D(2), 0.5f, 2)
#define ONE F32(D(1), 0.5f)
#define SEED ATTR_F("seed", 7)
#define SHAPE_22 ATTR_INTS("shape", 2, 2)

// `name` is the operator's.
static const upgrade_case particular[] = {
    {"Cast", {SQUARE}, CASE_ATTRS(ATTR_I("to", TERN_INT32))},
    {"QuantizeLinear", {SQUARE, F32(TEST_SCALAR, 0.5f), U8(TEST_SCALAR, 100)}},
    {"DequantizeLinear", {U8(D(2), 1, 200), F32(TEST_SCALAR, 0.5f), U8(TEST_SCALAR, 100)}},
    {"BitShift", {U8(D(2), 1, 200), U8(D(2), 3, 1)}, CASE_ATTRS(ATTR_S("direction", "LEFT"))},
    {"Reshape", {SQUARE, I64(D(2), 0, -1)}},
    {"Squeeze", {F32(D(1, 2), 1, 2), I64(D(1), 0)}},
    {"Unsqueeze", {SQUARE, I64(D(1), 1)}},
    {"Expand", {PAIR, I64(D(2), 3, 2)}},
    {"ConstantOfShape", {I64(D(2), 3, 2)}},
    {"Range", {F32(TEST_SCALAR, 1), F32(TEST_SCALAR, 3), F32(TEST_SCALAR, 0.5f)}},
    {"Conv",
     {IMAGE, F32(D(1, 1, 2, 2), 1, 2, 3, 4), ONE},
     CASE_ATTRS(ATTR_S("auto_pad", "SAME_LOWER"))},
    {"ConvTranspose",
     {IMAGE, F32(D(1, 1, 2, 2), 1, 2, 3, 4)},
     CASE_ATTRS(ATTR_INTS("strides", 2, 2), ATTR_INTS("output_shape", 5, 5))},
    {"DeformConv",
     {F32(D(1, 1, 1, 2), 1, 2), F32(D(1, 1, 1, 1), 2), F32(D(1, 2, 1, 2), 0, 0, 0, -0.5f)}},
    {"QLinearMatMul",
     {U8(D(1, 1), 7), F32(TEST_SCALAR, 0.5f), U8(TEST_SCALAR, 2), U8(D(1, 1), 9),
      F32(TEST_SCALAR, 0.25f), U8(TEST_SCALAR, 3), F32(TEST_SCALAR, 0.125f), U8(TEST_SCALAR, 1)}},
    {"AveragePool", {IMAGE}, CASE_ATTRS(WINDOW, ATTR_INTS("pads", 1, 0, 0, 1))},
    {"MaxPool", {IMAGE}, CASE_ATTRS(WINDOW, ATTR_INTS("strides", 2, 1))},
    {"LpPool", {IMAGE}, CASE_ATTRS(WINDOW, ATTR_I("p", 3))},
    {"MaxUnpool",
     {F32(D(1, 1, 1, 2), 5, 6), I64(D(1, 1, 1, 2), 1, 6)},
     CASE_ATTRS(WINDOW, ATTR_INTS("strides", 2, 2))},
    {"RNN",
     {F32(D(2, 1, 1), 1, 2), F32(D(1, 1, 1), 0.5f), F32(D(1, 1, 1), 2)},
     CASE_ATTRS(ATTR_I("hidden_size", 1))},
    {"GRU",
     {F32(D(2, 1, 1), 1, 2), F32(D(1, 3, 1), 0.5f, 1, 2), F32(D(1, 3, 1), 1, 2, 3)},
     CASE_ATTRS(ATTR_I("hidden_size", 1))},
    {"LSTM",
     {F32(D(2, 1, 1), 1, 2), F32(D(1, 4, 1), 0.5f, 1, 2, 3), F32(D(1, 4, 1), 1, 2, 3, 4)},
     CASE_ATTRS(ATTR_I("hidden_size", 1))},
    {"Resize",
     {IMAGE, {TERN_FLOAT, D(0), NULL, 0}, F32(D(4), 1, 1, 1.5f, 0.7f)},
     CASE_ATTRS(ATTR_S("mode", "linear"))},
    {"NonMaxSuppression",
     {F32(D(1, 2, 4), 0, 0, 1, 1, 0, 0, 1, 0.9f), F32(D(1, 1, 2), 0.5f, 0.75f), I64(D(1), 2), ONE}},
    {"GridSample", {IMAGE, F32(D(1, 1, 2, 2), 0.25f, 0, -0.5f, 1)}},
    {"RoiAlign",
     {IMAGE, F32(D(1, 4), 0, 0, 2, 1), I64(D(1), 0)},
     CASE_ATTRS(ATTR_I("output_width", 2))},
    {"MaxRoiPool",
     {IMAGE, F32(D(1, 5), 0, 0, 0, 2, 1)},
     CASE_ATTRS(ATTR_INTS("pooled_shape", 1, 2))},
    {"RandomNormal", {{0}}, CASE_ATTRS(SHAPE_22, SEED)},
    {"RandomUniform", {{0}}, CASE_ATTRS(SHAPE_22, SEED)},
    {"RandomNormalLike", {SQUARE}, CASE_ATTRS(SEED)},
    {"RandomUniformLike", {SQUARE}, CASE_ATTRS(SEED)},
    {"Bernoulli", {F32(D(4), 0.25f, 0.5f, 0.5f, 0.75f)}, CASE_ATTRS(SEED)},
    {"Multinomial", {F32(D(1, 3), 0.5f, 0.25f, 0.25f)}, CASE_ATTRS(SEED, ATTR_I("sample_size", 5))},
    {"NegativeLogLikelihoodLoss", {SQUARE, I64(D(2), 1, 0)}},
    {"SoftmaxCrossEntropyLoss", {SQUARE, I64(D(2), 1, 0)}},
    {"Attention",
     {F32(D(1, 1, 1, 2), 1, 2), F32(D(1, 1, 2, 2), 1, 2, 3, 4), F32(D(1, 1, 2, 2), 4, 3, 2, 1)}},
    {"Optional", {SQUARE}},
    {"Concat", {SQUARE, SQUARE}, CASE_ATTRS(ATTR_I("axis", 1))},
    {"Slice", {SQUARE, I64(D(1), 0), I64(D(1), 1), I64(D(1), 1)}},
    {"Pad", {SQUARE, I64(D(4), 1, 0, 0, 1), F32(TEST_SCALAR, 7)}},
    {"Tile", {SQUARE, I64(D(2), 1, 2)}},
    {"DepthToSpace", {F32(D(1, 4, 1, 1), 1, 2, 3, 4)}, CASE_ATTRS(ATTR_I("blocksize", 2))},
    {"SpaceToDepth", {F32(D(1, 1, 2, 2), 1, 2, 3, 4)}, CASE_ATTRS(ATTR_I("blocksize", 2))},
    {"ReverseSequence", {SQUARE, I64(D(2), 1, 2)}},
    {"BatchNormalization", {SQUARE, PAIR, PAIR, PAIR, PAIR}},
    {"InstanceNormalization", {F32(D(1, 2, 2), 1, 2, 3, 5), PAIR, PAIR}},
    {"LRN", {IMAGE}, CASE_ATTRS(ATTR_I("size", 3))},
    {"MeanVarianceNormalization", {IMAGE}},
    {"Einsum", {SQUARE, SQUARE}, CASE_ATTRS(ATTR_S("equation", "ij,kj->ik"))},
    {"CumSum", {SQUARE, I64(TEST_SCALAR, 1)}},
    {"GatherND", {SQUARE, I64(D(1, 2), 1, 0)}},
    {"ScatterND", {SQUARE, I64(D(1, 2), 1, 0), ONE}},
    {"TopK", {SQUARE, I64(D(1), 1)}},
    {"OneHot", {I64(D(3), 1, 0, 5), I64(TEST_SCALAR, 2), F32(D(2), 3, 7)}},
    {"Compress", {SQUARE, BOOL(D(3), 1, 0, 1)}},
    {0},
};

// They need subgraphs, an attribute that holds a tensor, or an input that is no tensor.
static const char *const left_out[] = {"If", "Loop", "Scan", "Constant", "SequenceMap"};

static const upgrade_case *find_particular(const tern_op *op) {
  for (const upgrade_case *row = particular; row->name; ++row)
    if (strcmp(row->name, op->name) == 0) return row;
  return NULL;
}

static bool is_left_out(const tern_op *op) {
  for (size_t i = 0; i < TERN_COUNT_OF(left_out); ++i)
    if (strcmp(left_out[i], op->name) == 0) return true;
  return false;
}

static const tern_type_set *types_of(const tern_op *op, const tern_formal *formal) {
  for (const tern_constraint *c = op->constraints; c->name; ++c)
    if (strcmp(c->name, formal->type) == 0) return &c->types;
  return NULL;
}

// [4,4] of small numbers in the first of these types that the input may have.
static tern_value *make_input(const tern_op *op, const tern_formal *formal) {
  static const tern_dtype dtypes[] = {TERN_FLOAT, TERN_INT64, TERN_UINT8, TERN_BOOL};
  static const float floats[16] = {0.5f, -0.25f, 0.75f, 1, 0, 0.125f, -1, 0.5f,
                                   1,    1,      0.5f,  0, 1, 0.25f,  0,  -0.5f};
  static const int64_t ints[16] = {1, 0, 2, 3, 1, 2, 0, 1, 3, 1, 2, 0, 1, 1, 0, 2};
  static const uint8_t bytes[16] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0};
  const void *const data[] = {floats, ints, bytes, bytes};
  const tern_type_set *types = types_of(op, formal);
  for (size_t i = 0; types && i < TERN_COUNT_OF(dtypes); ++i)
    if (types->any || types->tensor & TERN_DTYPE_BIT(dtypes[i]))
      return test_tensor(dtypes[i], TEST_SHAPE(4, 4), data[i]);
  fail_msg("%s takes an input '%s' that this test cannot make", op->name, formal->name);
  return NULL;
}

static void make_inputs(const tern_op *op, old_node *out_node) {
  const upgrade_case *row = find_particular(op);
  int32_t count = 0;
  if (row) {
    for (int i = 0; i < OLD_MAX_INPUTS; ++i)
      out_node->inputs[i] = case_tensor_make(&row->inputs[i]);
    out_node->has_constants = row->has_constants;
    out_node->attrs = row->attrs;
    out_node->attr_count = row->attr_count;
    return;
  }
  for (const tern_formal *formal = op->inputs; formal && formal->name; ++formal) {
    if (formal->flags & TERN_FORMAL_OPTIONAL) break;
    out_node->inputs[count++] = make_input(op, formal);
    if (formal->flags & TERN_FORMAL_VARIADIC) out_node->inputs[count++] = make_input(op, formal);
  }
}

static tern_value *run_at(const tern_op *op, int64_t version) {
  static const bool wanted[OLD_MAX_OUTPUTS] = {true};
  tern_value *outputs[OLD_MAX_OUTPUTS] = {NULL};
  old_node node = {.domain = op->domain, .op = op->name, .opset = version};
  make_inputs(op, &node);
  tern_status *status = old_model_try(&node, wanted, outputs);
  if (!status) return outputs[0];
  print_error("%s-%lld: %s (%s)\n", op->name, (long long)version, tern_status_message(status),
              tern_status_where(status));
  tern_status_free(status);
  return NULL;
}

static void same_as_newest(void **state) {
  const tern_op *op = *state;
  int32_t at = 0;
  while (op->versions[at].version != op->since) ++at;
  tern_value *newest = run_at(op, op->since);
  if (!newest) fail_msg("give %s inputs in this file", op->name);
  while (--at >= 0 && !op->versions[at].upgrade) {
    tern_value *old = run_at(op, op->versions[at].version);
    assert_non_null(old);
    if (newest->kind != TERN_KIND_TENSOR) {
      assert_int_equal(old->kind, newest->kind);
      tern_value_release(old);
      continue;
    }
    test_expect(old, newest->dtype, &newest->shape, newest->data);
  }
  tern_value_release(newest);
}

// True when the version before the newest means the same.
static bool has_same(const tern_op *op) {
  const tern_op_version *v = op->versions;
  if (!v || op->deprecated_since || is_left_out(op)) return false;
  for (; v[0].version && v[1].version; ++v)
    if (v[1].version == op->since) return !v[0].upgrade;
  return false;
}

int main(void) {
  static struct CMUnitTest tests[512];
  const tern_op_registry *registry;
  size_t count = 0;
  if (tern_ops_registry(&registry)) return 1;
  for (size_t f = 0; f < registry->family_count; ++f) {
    const tern_op_family *family = registry->families[f];
    for (size_t i = 0; i < family->count && count < TERN_COUNT_OF(tests); ++i)
      if (has_same(&family->ops[i]))
        tests[count++] = (struct CMUnitTest){.name = family->ops[i].name,
                                             .test_func = same_as_newest,
                                             .initial_state = (void *)(uintptr_t)&family->ops[i]};
  }
  return _cmocka_run_group_tests("same", tests, count, NULL, NULL);
}
