// Products take in what follows them: each pass fires where it should and stays away where it must
// not, and what it leaves computes what was there.
#include "optimize/pass.h"

#include <string.h>

#include "unit/optimize/support.h"

typedef optimize_fixture fixture;

static tern_edge *image(fixture *f) {
  return optimize_input(f, TERN_FLOAT, TEST_SHAPE(2, 4, 9, 7));
}

static tern_edge *conv_of(fixture *f, tern_edge *x, tern_edge *w, tern_edge *bias) {
  static const int64_t pads[4] = {1, 1, 1, 1};
  return TERN_BUILD(f->b, "Conv", TERN_EDGES(x, w, bias),
                    TERN_ATTR_ARGS(tern_attr_ints("pads", pads, 4)));
}

// 4 channels to 4, the image keeps its size.
static tern_edge *conv(fixture *f, tern_edge *x) {
  return conv_of(f, x, optimize_constant(f, TEST_SHAPE(4, 4, 3, 3)),
                 optimize_constant(f, TEST_SHAPE(4)));
}

static tern_edge *normalize(fixture *f, tern_edge *x, int64_t channels) {
  const tern_shape *shape = TEST_SHAPE(channels);
  return TERN_BUILD(f->b, "BatchNormalization",
                    TERN_EDGES(x, optimize_constant(f, shape), optimize_constant(f, shape),
                               optimize_constant(f, shape), optimize_above(f, 0.5f, shape)),
                    TERN_ATTR_ARGS(tern_attr_f("epsilon", 0.01f)));
}

static tern_edge *relu(fixture *f, tern_edge *x) {
  return tern_build1(f->b, "Relu", x);
}

static tern_edge *add(fixture *f, tern_edge *a, tern_edge *b) {
  return tern_build2(f->b, "Add", a, b);
}

// What a build leaves at `level` without `disabled`: so many nodes of `op`, so many in all (-1:
// any).
static void expect(optimize_build_fn build, int32_t level, const char *disabled, const char *op,
                   int32_t count, int32_t total) {
  fixture f;
  optimize_and_compare(build, level, disabled, &f);
  assert_int_equal(optimize_count(&f, op), count);
  if (total >= 0) assert_int_equal(optimize_count(&f, NULL), total);
  optimize_close(&f);
}

// ---- Batch normalisation and constants for each channel

static void build_normalized(fixture *f) {
  optimize_output(f, normalize(f, conv(f, image(f)), 4));
}
static void build_normalized_without_bias(fixture *f) {
  tern_edge *w = optimize_constant(f, TEST_SHAPE(4, 4, 3, 3));
  optimize_output(f, normalize(f, conv_of(f, image(f), w, NULL), 4));
}
static void build_normalized_transpose(fixture *f) {
  tern_edge *w = optimize_constant(f, TEST_SHAPE(4, 3, 2, 2));
  optimize_output(f, normalize(f, tern_build2(f->b, "ConvTranspose", image(f), w), 3));
}
static void build_normalized_groups(fixture *f) {
  tern_edge *w = optimize_constant(f, TEST_SHAPE(6, 2, 3, 3));
  tern_edge *y =
      TERN_BUILD(f->b, "Conv", TERN_EDGES(image(f), w), TERN_ATTR_ARGS(tern_attr_i("group", 2)));
  optimize_output(f, normalize(f, y, 6));
}
static void build_normalized_gemm(fixture *f) {
  tern_edge *x = optimize_input(f, TERN_FLOAT, TEST_SHAPE(3, 5));
  tern_edge *y = TERN_BUILD(
      f->b, "Gemm",
      TERN_EDGES(x, optimize_constant(f, TEST_SHAPE(6, 5)), optimize_constant(f, TEST_SHAPE(6))),
      TERN_ATTR_ARGS(tern_attr_i("transB", 1), tern_attr_f("alpha", 0.5f)));
  optimize_output(f, normalize(f, y, 6));
}
static void build_scaled(fixture *f) {
  tern_edge *y =
      tern_build2(f->b, "Mul", conv(f, image(f)), optimize_constant(f, TEST_SHAPE(1, 4, 1, 1)));
  y = add(f, optimize_constant(f, TEST_SHAPE(4, 1, 1)), y);
  optimize_output(f, tern_build2(f->b, "Mul", y, tern_build_scalar(f->b, TERN_FLOAT, 3)));
}
static void build_shifted_without_bias(fixture *f) {
  tern_edge *w = optimize_constant(f, TEST_SHAPE(4, 4, 3, 3));
  optimize_output(f, add(f, conv_of(f, image(f), w, NULL), tern_build_scalar(f->b, TERN_FLOAT, 3)));
}

static void test_constants_go_into_weights(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {
      build_normalized,          build_normalized_without_bias, build_normalized_transpose,
      build_normalized_groups,   build_normalized_gemm,         build_scaled,
      build_shifted_without_bias};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i) expect(builds[i], 1, NULL, NULL, 1, 1);
}

static void test_normalization_is_disabled_by_name(void **state) {
  (void)state;
  expect(build_normalized, 1, "ConvBNFusion", "BatchNormalization", 1, 2);
  expect(build_normalized, 0, NULL, "BatchNormalization", 1, 2);
}

// The product's own value is wanted too.
static void build_normalized_and_output(fixture *f) {
  tern_edge *y = conv(f, image(f));
  optimize_output(f, y);
  optimize_output(f, normalize(f, y, 4));
}
static void build_normalized_and_read(fixture *f) {
  tern_edge *y = conv(f, image(f));
  optimize_output(f, tern_build2(f->b, "Sub", tern_build1(f->b, "Exp", y), normalize(f, y, 4)));
}
// Weights that two products share would be there twice.
static void build_shared_weights(fixture *f) {
  tern_edge *w = optimize_constant(f, TEST_SHAPE(4, 4, 3, 3));
  tern_edge *y = normalize(f, conv_of(f, image(f), w, NULL), 4);
  optimize_output(f, conv_of(f, y, w, NULL));
}
static void build_weights_of_a_run(fixture *f) {
  tern_edge *w = optimize_input(f, TERN_FLOAT, TEST_SHAPE(4, 4, 3, 3));
  optimize_output(f, normalize(f, conv_of(f, image(f), w, NULL), 4));
}
static void build_mean_of_a_run(fixture *f) {
  tern_edge *mean = optimize_input(f, TERN_FLOAT, TEST_SHAPE(4));
  tern_edge *c = optimize_above(f, 1, TEST_SHAPE(4));
  optimize_output(
      f, TERN_BUILD(f->b, "BatchNormalization", TERN_EDGES(conv(f, image(f)), c, c, mean, c)));
}
// Beta would scale what is added to C.
static void build_gemm_with_beta(fixture *f) {
  tern_edge *x = optimize_input(f, TERN_FLOAT, TEST_SHAPE(3, 5));
  tern_edge *y = TERN_BUILD(
      f->b, "Gemm",
      TERN_EDGES(x, optimize_constant(f, TEST_SHAPE(5, 6)), optimize_constant(f, TEST_SHAPE(6))),
      TERN_ATTR_ARGS(tern_attr_f("beta", 0.5f)));
  optimize_output(f, normalize(f, y, 6));
}

static void test_normalization_stays(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_normalized_and_output, build_normalized_and_read,
                                             build_shared_weights,        build_weights_of_a_run,
                                             build_mean_of_a_run,         build_gemm_with_beta};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i)
    expect(builds[i], 1, NULL, "BatchNormalization", 1, -1);
}

// Constants along another axis, or that make the result larger.
static void build_row_scale(fixture *f) {
  optimize_output(f,
                  tern_build2(f->b, "Mul", conv(f, image(f)), optimize_constant(f, TEST_SHAPE(7))));
}
static void build_larger_scale(fixture *f) {
  optimize_output(f, tern_build2(f->b, "Mul", conv(f, image(f)),
                                 optimize_constant(f, TEST_SHAPE(1, 1, 1, 1, 1))));
}

static void test_other_constants_stay(void **state) {
  (void)state;
  expect(build_row_scale, 1, NULL, "Mul", 1, 2);
  expect(build_larger_scale, 1, NULL, "Mul", 1, 2);
}

// ---- Activations and residuals

// Each activation that is fused, after a convolution.
static tern_edge *activation(fixture *f, size_t index, tern_edge *x) {
  static const char *const plain[] = {"Relu", "Sigmoid", "HardSwish", "Tanh", "Mish", "Gelu"};
  if (index < TERN_COUNT_OF(plain)) return tern_build1(f->b, plain[index], x);
  switch (index - TERN_COUNT_OF(plain)) {
  case 0:
    return TERN_BUILD(f->b, "LeakyRelu", TERN_EDGES(x), TERN_ATTR_ARGS(tern_attr_f("alpha", 0.3f)));
  case 1:
    return TERN_BUILD(f->b, "Elu", TERN_EDGES(x), TERN_ATTR_ARGS(tern_attr_f("alpha", 0.3f)));
  case 2:
    return TERN_BUILD(f->b, "HardSigmoid", TERN_EDGES(x),
                      TERN_ATTR_ARGS(tern_attr_f("alpha", 0.3f), tern_attr_f("beta", 0.4f)));
  case 3:
    return TERN_BUILD(f->b, "Swish", TERN_EDGES(x), TERN_ATTR_ARGS(tern_attr_f("alpha", 0.7f)));
  case 4:
    return TERN_BUILD(f->b, "Gelu", TERN_EDGES(x),
                      TERN_ATTR_ARGS(tern_attr_s("approximate", "tanh")));
  case 5:
    return TERN_BUILD(f->b, "Clip",
                      TERN_EDGES(x, tern_build_scalar(f->b, TERN_FLOAT, -0.2),
                                 tern_build_scalar(f->b, TERN_FLOAT, 0.4)));
  case 6:
    return TERN_BUILD(f->b, "Clip", TERN_EDGES(x, NULL, tern_build_scalar(f->b, TERN_FLOAT, 0.4)));
  default:
    return NULL;
  }
}

static size_t at_work; // which activation build_activation makes

static void build_activation(fixture *f) {
  optimize_output(f, activation(f, at_work, conv(f, image(f))));
}

static void test_activations_fuse(void **state) {
  (void)state;
  for (at_work = 0; at_work < 13; ++at_work) expect(build_activation, 2, NULL, "FusedConv", 1, 1);
}

static void test_fusions_respect_levels_and_names(void **state) {
  (void)state;
  at_work = 0;
  expect(build_activation, 1, NULL, "FusedConv", 0, 2);
  expect(build_activation, 2, "ConvActivationFusion", "FusedConv", 0, 2);
}

static void build_residual(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, add(f, conv(f, x), x));
}
static void build_residual_first(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, relu(f, add(f, x, conv(f, x))));
}
static void build_residual_last(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, add(f, relu(f, conv(f, x)), x));
}
static void build_residual_of_depthwise(fixture *f) {
  static const int64_t pads[4] = {1, 1, 1, 1};
  tern_edge *x = image(f), *w = optimize_constant(f, TEST_SHAPE(4, 1, 3, 3));
  tern_edge *y =
      TERN_BUILD(f->b, "Conv", TERN_EDGES(x, w),
                 TERN_ATTR_ARGS(tern_attr_i("group", 4), tern_attr_ints("pads", pads, 4)));
  optimize_output(f, relu(f, add(f, y, x)));
}
static void build_residual_of_a_sum(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, relu(f, tern_build2(f->b, "Sum", conv(f, x), x)));
}

static void test_residuals_fuse(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_residual, build_residual_first,
                                             build_residual_last, build_residual_of_depthwise,
                                             build_residual_of_a_sum};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i) expect(builds[i], 2, NULL, "FusedConv", 1, 1);
}

// A block of ResNet: the second path is the first's residual, and all is two nodes.
static void build_two_paths(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, relu(f, add(f, normalize(f, conv(f, x), 4), normalize(f, conv(f, x), 4))));
}
static void test_two_paths_fuse(void **state) {
  (void)state;
  fixture f;
  optimize_and_compare(build_two_paths, 2, NULL, &f);
  assert_int_equal(optimize_count(&f, NULL), 2);
  const tern_node *fused = optimize_find(&f, "FusedConv");
  assert_string_equal(tern_node_attr_s(fused, "activation"), "Relu");
  assert_ptr_equal(fused->inputs[3]->producer, optimize_find(&f, "Conv"));
  optimize_close(&f);
}

static void build_activation_and_output(fixture *f) {
  tern_edge *y = conv(f, image(f));
  optimize_output(f, y);
  optimize_output(f, relu(f, y));
}
static void build_activation_and_read(fixture *f) {
  tern_edge *y = conv(f, image(f));
  optimize_output(f, tern_build2(f->b, "Mul", relu(f, y), tern_build1(f->b, "Exp", y)));
}
static void build_residual_that_broadcasts(fixture *f) {
  optimize_output(f, add(f, conv(f, image(f)), optimize_input(f, TERN_FLOAT, TEST_SHAPE(9, 7))));
}
static void build_residual_that_enlarges(fixture *f) {
  tern_edge *z = optimize_input(f, TERN_FLOAT, TEST_SHAPE(3, 1, 4, 9, 7));
  tern_edge *x = optimize_input(f, TERN_FLOAT, TEST_SHAPE(1, 4, 9, 7));
  optimize_output(f, add(f, conv(f, x), z));
}
static void build_residual_itself(fixture *f) {
  tern_edge *y = conv(f, image(f));
  optimize_output(f, add(f, y, y));
}
static void build_bounds_of_a_run(fixture *f) {
  tern_edge *low = optimize_input(f, TERN_FLOAT, TEST_SCALAR);
  optimize_output(f, TERN_BUILD(f->b, "Clip", TERN_EDGES(conv(f, image(f)), low)));
}
static void build_double(fixture *f) {
  tern_edge *x = optimize_input(f, TERN_DOUBLE, TEST_SHAPE(1, 2, 5, 5));
  tern_edge *w = TERN_BUILD(f->b, "Cast", TERN_EDGES(optimize_constant(f, TEST_SHAPE(2, 2, 3, 3))),
                            TERN_ATTR_ARGS(tern_attr_i("to", TERN_DOUBLE)));
  optimize_output(f, relu(f, tern_build2(f->b, "Conv", x, w)));
}
// Its size is the run's to tell: z may have one row where y has many.
static void build_residual_of_unknown_size(fixture *f) {
  const tern_dim dims[] = {1, 4, test_graph_symbol(&f->graph, "H"), 7};
  const tern_dim other[] = {1, 4, test_graph_symbol(&f->graph, "K"), 7};
  tern_shape x, z;
  tern_shape_set(&x, 4, dims);
  tern_shape_set(&z, 4, other);
  optimize_output(
      f, add(f, conv(f, optimize_input(f, TERN_FLOAT, &x)), optimize_input(f, TERN_FLOAT, &z)));
}

static void test_convolutions_stay(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {
      build_activation_and_output,   build_activation_and_read, build_residual_that_broadcasts,
      build_residual_that_enlarges,  build_residual_itself,     build_bounds_of_a_run,
      build_residual_of_unknown_size};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i) expect(builds[i], 2, NULL, "FusedConv", 0, -1);
  expect(build_double, 2, NULL, "FusedConv", 0, -1);
}

// ---- Matrix products

static tern_edge *rows(fixture *f) {
  return optimize_input(f, TERN_FLOAT, TEST_SHAPE(2, 3, 5));
}
static void build_dense(fixture *f) {
  tern_edge *y = tern_build2(f->b, "MatMul", rows(f), optimize_constant(f, TEST_SHAPE(5, 6)));
  optimize_output(f, tern_build1(f->b, "Gelu", add(f, optimize_constant(f, TEST_SHAPE(6)), y)));
}
// The end of an attention block: bias, then what came in.
static void build_dense_residual(fixture *f) {
  tern_edge *x = rows(f);
  tern_edge *y = tern_build2(f->b, "MatMul", x, optimize_constant(f, TEST_SHAPE(5, 5)));
  optimize_output(f, add(f, x, add(f, y, optimize_constant(f, TEST_SHAPE(5)))));
}
static void build_gemm(fixture *f) {
  tern_edge *x = optimize_input(f, TERN_FLOAT, TEST_SHAPE(3, 5));
  tern_edge *y = TERN_BUILD(
      f->b, "Gemm",
      TERN_EDGES(x, optimize_constant(f, TEST_SHAPE(6, 5)), optimize_constant(f, TEST_SHAPE(6))),
      TERN_ATTR_ARGS(tern_attr_i("transB", 1)));
  optimize_output(f, relu(f, y));
}

static void test_matrix_products_fuse(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_dense, build_dense_residual, build_gemm};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i)
    expect(builds[i], 2, NULL, "FusedMatMul", 1, 1);
}

static void build_batched_weights(fixture *f) {
  tern_edge *y = tern_build2(f->b, "MatMul", rows(f), optimize_constant(f, TEST_SHAPE(2, 5, 6)));
  optimize_output(f, relu(f, add(f, y, optimize_constant(f, TEST_SHAPE(6)))));
}
static void build_two_inputs(fixture *f) {
  tern_edge *y =
      tern_build2(f->b, "MatMul", rows(f), optimize_input(f, TERN_FLOAT, TEST_SHAPE(5, 6)));
  optimize_output(f, relu(f, y));
}
static void build_scaled_gemm(fixture *f) {
  tern_edge *x = optimize_input(f, TERN_FLOAT, TEST_SHAPE(3, 5));
  tern_edge *y = TERN_BUILD(f->b, "Gemm", TERN_EDGES(x, optimize_constant(f, TEST_SHAPE(5, 6))),
                            TERN_ATTR_ARGS(tern_attr_f("alpha", 2)));
  optimize_output(f, relu(f, y));
}

static void test_matrix_products_stay(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_batched_weights, build_two_inputs,
                                             build_scaled_gemm};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i)
    expect(builds[i], 2, NULL, "FusedMatMul", 0, -1);
}

// ---- Gates

static tern_edge *scalar(fixture *f, double number) {
  return tern_build_scalar(f->b, TERN_FLOAT, number);
}
static void build_swish(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, tern_build2(f->b, "Mul", x, tern_build1(f->b, "Sigmoid", x)));
}
static void build_scaled_swish(fixture *f) {
  tern_edge *x = image(f), *scaled = tern_build2(f->b, "Mul", scalar(f, 1.702), x);
  optimize_output(f, tern_build2(f->b, "Mul", tern_build1(f->b, "Sigmoid", scaled), x));
}
static void build_hard_gate(fixture *f) {
  tern_edge *x = image(f);
  tern_edge *gate =
      TERN_BUILD(f->b, "HardSigmoid", TERN_EDGES(x),
                 TERN_ATTR_ARGS(tern_attr_f("alpha", 1.0f / 6), tern_attr_f("beta", 0.5f)));
  optimize_output(f, tern_build2(f->b, "Mul", x, gate));
}
static tern_edge *clipped_gate(fixture *f, tern_edge *x, double highest) {
  return TERN_BUILD(f->b, "Clip",
                    TERN_EDGES(add(f, x, scalar(f, 3)), scalar(f, 0), scalar(f, highest)));
}
static void build_clipped_div(fixture *f) {
  tern_edge *x = image(f), *product = tern_build2(f->b, "Mul", x, clipped_gate(f, x, 6));
  optimize_output(f, tern_build2(f->b, "Div", product, scalar(f, 6)));
}
static void build_clipped_mul(fixture *f) {
  tern_edge *x = image(f), *product = tern_build2(f->b, "Mul", x, clipped_gate(f, x, 6));
  optimize_output(f, tern_build2(f->b, "Mul", product, scalar(f, 1.0 / 6)));
}

static void test_gates_fuse(void **state) {
  (void)state;
  expect(build_swish, 2, NULL, "Swish", 1, 1);
  expect(build_scaled_swish, 2, NULL, "Swish", 1, 1);
  expect(build_hard_gate, 2, NULL, "HardSwish", 1, 1);
  expect(build_clipped_div, 2, NULL, "HardSwish", 1, 1);
  expect(build_clipped_mul, 2, NULL, "HardSwish", 1, 1);
}

static void build_gate_of_another(fixture *f) {
  optimize_output(f, tern_build2(f->b, "Mul", image(f), tern_build1(f->b, "Sigmoid", image(f))));
}
static void build_gate_that_is_read(fixture *f) {
  tern_edge *x = image(f), *gate = tern_build1(f->b, "Sigmoid", x);
  optimize_output(f, tern_build2(f->b, "Mul", x, gate));
  optimize_output(f, gate);
}
static void build_other_slope(fixture *f) {
  tern_edge *x = image(f);
  optimize_output(f, tern_build2(f->b, "Mul", x, tern_build1(f->b, "HardSigmoid", x)));
}
static void build_other_bound(fixture *f) {
  tern_edge *x = image(f), *product = tern_build2(f->b, "Mul", x, clipped_gate(f, x, 5));
  optimize_output(f, tern_build2(f->b, "Div", product, scalar(f, 6)));
}
// The factor has more dimensions than x: so has the gate.
static void build_larger_gate(fixture *f) {
  tern_edge *x = image(f), *one = optimize_constant(f, TEST_SHAPE(1, 1, 1, 1, 1));
  tern_edge *gate = tern_build1(f->b, "Sigmoid", tern_build2(f->b, "Mul", one, x));
  optimize_output(f, tern_build2(f->b, "Mul", x, gate));
}

static void test_gates_stay(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_gate_of_another, build_gate_that_is_read,
                                             build_other_slope, build_other_bound,
                                             build_larger_gate};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i) {
    expect(builds[i], 2, NULL, "Swish", 0, -1);
    expect(builds[i], 2, NULL, "HardSwish", 0, -1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_constants_go_into_weights),
      cmocka_unit_test(test_normalization_is_disabled_by_name),
      cmocka_unit_test(test_normalization_stays),
      cmocka_unit_test(test_other_constants_stay),
      cmocka_unit_test(test_activations_fuse),
      cmocka_unit_test(test_fusions_respect_levels_and_names),
      cmocka_unit_test(test_residuals_fuse),
      cmocka_unit_test(test_two_paths_fuse),
      cmocka_unit_test(test_convolutions_stay),
      cmocka_unit_test(test_matrix_products_fuse),
      cmocka_unit_test(test_matrix_products_stay),
      cmocka_unit_test(test_gates_fuse),
      cmocka_unit_test(test_gates_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
