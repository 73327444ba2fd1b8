// Images go in blocks of channels from convolution to convolution, are reordered at the borders of
// such regions alone, and what is computed stays the same. Run for every instruction set: the block
// is theirs.
#include "optimize/pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "compute/blocked.h"
#include "unit/optimize/support.h"

typedef optimize_fixture fixture;

// Channels that fill their blocks whatever the block, and that do not.
enum { FULL = 32, PARTIAL = 20 };

static tern_edge *image(fixture *f, int64_t channels) {
  return optimize_input(f, TERN_FLOAT, TEST_SHAPE(2, channels, 9, 7));
}

static tern_edge *conv(fixture *f, tern_edge *x, int64_t in, int64_t out) {
  static const int64_t pads[4] = {1, 1, 1, 1};
  tern_edge *w = optimize_constant(f, TEST_SHAPE(out, in, 3, 3));
  return TERN_BUILD(f->b, "Conv", TERN_EDGES(x, w, optimize_constant(f, TEST_SHAPE(out))),
                    TERN_ATTR_ARGS(tern_attr_ints("pads", pads, 4)));
}

static tern_edge *depthwise(fixture *f, tern_edge *x, int64_t channels) {
  static const int64_t pads[4] = {1, 1, 1, 1}, strides[2] = {2, 1};
  return TERN_BUILD(f->b, "Conv",
                    TERN_EDGES(x, optimize_constant(f, TEST_SHAPE(channels, 1, 3, 3))),
                    TERN_ATTR_ARGS(tern_attr_i("group", channels), tern_attr_ints("pads", pads, 4),
                                   tern_attr_ints("strides", strides, 2)));
}

static tern_edge *pool(fixture *f, const char *op, tern_edge *x) {
  static const int64_t kernel[2] = {3, 2}, pads[4] = {1, 0, 1, 1}, strides[2] = {2, 1};
  return TERN_BUILD(f->b, op, TERN_EDGES(x),
                    TERN_ATTR_ARGS(tern_attr_ints("kernel_shape", kernel, 2),
                                   tern_attr_ints("pads", pads, 4),
                                   tern_attr_ints("strides", strides, 2)));
}

static tern_edge *concat(fixture *f, tern_edge *a, tern_edge *b) {
  return TERN_BUILD(f->b, "Concat", TERN_EDGES(a, b), TERN_ATTR_ARGS(tern_attr_i("axis", 1)));
}

// What is left: convolutions on blocked images, and reorders there and back.
static void expect(optimize_build_fn build, int32_t convs, int32_t there, int32_t back) {
  fixture f;
  optimize_and_compare(build, 3, NULL, &f);
  assert_int_equal(optimize_count(&f, "BlockedConv"), convs);
  assert_int_equal(optimize_count(&f, "ToBlocked"), there);
  assert_int_equal(optimize_count(&f, "FromBlocked"), back);
  optimize_close(&f);
}

// ---- Regions

static int64_t width;  // channels at work
static const char *op; // operator at work

static void build_chain(fixture *f) {
  tern_edge *x = image(f, width);
  tern_edge *y = tern_build1(f->b, "Relu", conv(f, x, width, width));
  y = depthwise(f, conv(f, y, width, width), width);
  y = pool(f, "MaxPool", pool(f, "AveragePool", y));
  optimize_output(f, tern_build1(f->b, "GlobalAveragePool", conv(f, y, width, 24)));
}
static void build_block(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, width);
  tern_edge *y = conv(f, tern_build1(f->b, "Relu", conv(f, x, width, width)), width, width);
  tern_edge *z = tern_build1(f->b, "Relu", tern_build2(f->b, "Add", y, x));
  optimize_output(f, tern_build2(f->b, "Add", conv(f, z, width, width), z));
}
// As squeeze-and-excitation does it.
static void build_gate(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, width);
  tern_edge *y = tern_build1(f->b, "GlobalMaxPool", x);
  y = tern_build1(f->b, "Sigmoid", conv(f, conv(f, y, width, 8), 8, width));
  optimize_output(f, conv(f, tern_build2(f->b, "Mul", x, y), width, width));
}

static void test_regions_have_borders_alone(void **state) {
  (void)state;
  static const int64_t widths[] = {FULL, PARTIAL};
  for (size_t i = 0; i < TERN_COUNT_OF(widths); ++i) {
    width = widths[i];
    expect(build_chain, 4, 1, 1);
    expect(build_block, 4, 0, 1);
    expect(build_gate, 4, 0, 1);
  }
}

static void test_levels_and_names_are_respected(void **state) {
  (void)state;
  fixture f;
  width = FULL;
  optimize_and_compare(build_chain, 2, NULL, &f);
  assert_int_equal(optimize_count(&f, "BlockedConv"), 0);
  optimize_close(&f);
  optimize_and_compare(build_chain, 3, "NchwcTransformer", &f);
  assert_int_equal(optimize_count(&f, "BlockedConv"), 0);
  optimize_close(&f);
}

// ---- Operators between convolutions

static void build_unary(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, width);
  // Twice, and the first is read twice: nothing here goes into a convolution.
  tern_edge *y = tern_build1(f->b, op, x), *z = tern_build1(f->b, "Neg", x);
  optimize_output(f, conv(f, tern_build2(f->b, "Mul", y, z), width, 16));
}
static void build_binary(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, width), *y = tern_build1(f->b, "Abs", x);
  y = tern_build2(f->b, op, x, tern_build1(f->b, "Exp", tern_build1(f->b, "Tanh", y)));
  optimize_output(f, conv(f, y, width, 16));
}
static void build_scaled(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, width);
  tern_edge *y = tern_build2(f->b, op, x, optimize_above(f, 1, TEST_SHAPE(width, 1, 1)));
  y = tern_build2(f->b, op, y, tern_build_scalar(f->b, TERN_FLOAT, 2));
  optimize_output(f, conv(f, tern_build2(f->b, "Add", y, x), width, 16));
}

static void test_elementwise_goes_on(void **state) {
  (void)state;
  static const char *const unary[] = {"Relu", "Tanh", "Abs", "Sigmoid", "Exp", "Softplus", "Gelu"};
  static const char *const binary[] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
  width = FULL;
  for (size_t i = 0; i < TERN_COUNT_OF(unary); ++i) {
    op = unary[i];
    expect(build_unary, 2, 0, 1);
  }
  for (size_t i = 0; i < TERN_COUNT_OF(binary); ++i) {
    op = binary[i];
    expect(build_binary, 2, 0, 1);
    expect(build_scaled, 2, 0, 1);
  }
}

// Where channels do not fill their blocks, the rest must stay 0.
static void test_channels_that_fill_up_stay_zero(void **state) {
  (void)state;
  width = PARTIAL;
  op = "Tanh";
  expect(build_unary, 2, 0, 1);
  op = "Mul";
  expect(build_binary, 2, 1, 2); // Exp makes 1 of 0, and runs on a plain image
  expect(build_scaled, 2, 0, 1);
  fixture f;
  static const char *const others[] = {"Sigmoid", "Exp", "Softplus"};
  for (size_t i = 0; i < TERN_COUNT_OF(others); ++i) {
    op = others[i];
    optimize_and_compare(build_unary, 3, NULL, &f);
    assert_int_equal(optimize_find(&f, op)->inputs[0]->type.shape.rank, 4);
    optimize_close(&f);
  }
  op = "Add"; // of a number
  optimize_and_compare(build_scaled, 3, NULL, &f);
  assert_true(optimize_count(&f, "FromBlocked") > 1);
  optimize_close(&f);
}

// A Sigmoid that goes into the convolution is cleared behind it.
static void build_fused_sigmoid(fixture *f) {
  tern_edge *x = tern_build1(f->b, "Sigmoid", conv(f, image(f, 3), 3, PARTIAL));
  optimize_output(f, tern_build1(f->b, "GlobalAveragePool", conv(f, x, PARTIAL, 16)));
}
static void test_activations_of_zero_are_cleared(void **state) {
  (void)state;
  expect(build_fused_sigmoid, 2, 0, 1);
}

static void build_concat(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, FULL);
  optimize_output(f, conv(f, concat(f, x, conv(f, x, FULL, width)), FULL + width, 16));
}
static void build_uneven_concat(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, PARTIAL);
  optimize_output(f, conv(f, concat(f, x, conv(f, x, PARTIAL, FULL)), PARTIAL + FULL, 16));
}

static void test_concat_joins_whole_blocks(void **state) {
  (void)state;
  width = FULL;
  expect(build_concat, 3, 0, 1);
  width = PARTIAL; // the last one may leave a block half filled
  expect(build_concat, 3, 0, 1);
  expect(build_uneven_concat, 3, 1, 3);
}

// ---- Cutting and resizing

static int64_t first_part; // channels of the first of two parts

static void build_split(fixture *f) {
  const int64_t sizes[2] = {first_part, width - first_part};
  tern_edge *x = conv(f, image(f, 3), 3, width);
  tern_node *split = TERN_BUILD_NODE(f->b, "Split", TERN_EDGES(x, tern_build_i64s(f->b, sizes, 2)),
                                     TERN_ATTR_ARGS(tern_attr_i("axis", 1)), .output_count = 2);
  tern_edge *y = conv(f, split->outputs[0], first_part, FULL);
  optimize_output(f, tern_build2(f->b, "Add", y, conv(f, split->outputs[1], sizes[1], FULL)));
}
static void build_slice(fixture *f) {
  const int64_t begin = first_part - width, end = INT64_MAX, axis = -3;
  tern_edge *x = conv(f, image(f, 3), 3, width);
  tern_edge *y =
      TERN_BUILD(f->b, "Slice",
                 TERN_EDGES(x, tern_build_i64s(f->b, &begin, 1), tern_build_i64s(f->b, &end, 1),
                            tern_build_i64s(f->b, &axis, 1)));
  optimize_output(f, conv(f, y, width - first_part, FULL));
}

static void test_parts_are_cut_between_blocks(void **state) {
  (void)state;
  fixture f;
  width = FULL + PARTIAL;
  first_part = FULL;
  expect(build_split, 3, 0, 1);
  expect(build_slice, 2, 0, 1);
  first_part = PARTIAL;
  optimize_and_compare(build_split, 3, NULL, &f);
  assert_int_equal(optimize_find(&f, "Split")->inputs[0]->type.shape.rank, 4);
  optimize_close(&f);
  optimize_and_compare(build_slice, 3, NULL, &f);
  assert_int_equal(optimize_find(&f, "Slice")->inputs[0]->type.shape.rank, 4);
  optimize_close(&f);
}

static float channel_scale;

static void build_resize(fixture *f) {
  const float scales[4] = {1, channel_scale, 2, 1.5f};
  tern_edge *x = conv(f, image(f, 3), 3, FULL);
  tern_edge *given = tern_build_constant(f->b, test_tensor(TERN_FLOAT, TEST_SHAPE(4), scales));
  tern_edge *y = TERN_BUILD(f->b, "Resize", TERN_EDGES(x, NULL, given),
                            TERN_ATTR_ARGS(tern_attr_s("mode", op)));
  optimize_output(f, conv(f, y, FULL, FULL));
}
static void build_sized(fixture *f) {
  const int64_t sizes[4] = {2, PARTIAL, 11, 20};
  tern_edge *x = conv(f, image(f, 3), 3, PARTIAL);
  tern_edge *y =
      TERN_BUILD(f->b, "Resize", TERN_EDGES(x, NULL, NULL, tern_build_i64s(f->b, sizes, 4)),
                 TERN_ATTR_ARGS(tern_attr_s("mode", op)));
  optimize_output(f, conv(f, y, PARTIAL, FULL));
}

static void test_pixels_are_resized_in_blocks(void **state) {
  (void)state;
  static const char *const modes[] = {"nearest", "linear", "cubic"};
  for (size_t i = 0; i < TERN_COUNT_OF(modes); ++i) {
    op = modes[i];
    channel_scale = 1;
    expect(build_resize, 2, 0, 1);
    expect(build_sized, 2, 0, 1);
    channel_scale = 1.01f; // as many channels, but others
    expect(build_resize, 2, 1, 2);
  }
}

// Batch normalisation that no convolution has taken, and the activation behind it.
static void build_normalization(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, width);
  tern_edge *y = TERN_BUILD(f->b, "BatchNormalization",
                            TERN_EDGES(concat(f, x, tern_build1(f->b, "Tanh", x)),
                                       optimize_constant(f, TEST_SHAPE(2 * width)),
                                       optimize_constant(f, TEST_SHAPE(2 * width)),
                                       optimize_constant(f, TEST_SHAPE(2 * width)),
                                       optimize_above(f, 0.5f, TEST_SHAPE(2 * width))));
  optimize_output(f, conv(f, tern_build1(f->b, "Relu", y), 2 * width, 16));
}
// Its mean is the run's to give.
static void build_open_normalization(fixture *f) {
  tern_edge *mean = optimize_input(f, TERN_FLOAT, TEST_SHAPE(FULL));
  tern_edge *c = optimize_above(f, 1, TEST_SHAPE(FULL));
  tern_edge *x = tern_build1(f->b, "Tanh", conv(f, image(f, 3), 3, FULL));
  tern_edge *y = TERN_BUILD(f->b, "BatchNormalization", TERN_EDGES(x, c, c, mean, c));
  optimize_output(f, conv(f, y, FULL, 16));
}
static void test_normalization_becomes_a_convolution(void **state) {
  (void)state;
  width = FULL;
  expect(build_normalization, 3, 0, 1);
  expect(build_open_normalization, 2, 1, 2);
}

// ---- What stays as it is

static void build_groups(fixture *f) {
  tern_edge *w = optimize_constant(f, TEST_SHAPE(FULL, FULL / 4, 3, 3));
  optimize_output(f, TERN_BUILD(f->b, "Conv", TERN_EDGES(image(f, FULL), w),
                                TERN_ATTR_ARGS(tern_attr_i("group", 4))));
}
static void build_weights_of_a_run(fixture *f) {
  tern_edge *w = optimize_input(f, TERN_FLOAT, TEST_SHAPE(FULL, FULL, 3, 3));
  optimize_output(f, tern_build2(f->b, "Conv", image(f, FULL), w));
}
static void build_signal(fixture *f) {
  tern_edge *x = optimize_input(f, TERN_FLOAT, TEST_SHAPE(1, FULL, 20));
  optimize_output(f, tern_build2(f->b, "Conv", x, optimize_constant(f, TEST_SHAPE(FULL, FULL, 3))));
}
static void build_far_reach(fixture *f) {
  static const int64_t dilations[2] = {100, 1}, pads[4] = {100, 1, 100, 1};
  tern_edge *w = optimize_constant(f, TEST_SHAPE(FULL, FULL, 3, 3));
  optimize_output(f, TERN_BUILD(f->b, "Conv", TERN_EDGES(image(f, FULL), w),
                                TERN_ATTR_ARGS(tern_attr_ints("dilations", dilations, 2),
                                               tern_attr_ints("pads", pads, 4))));
}
// Two channels of a plain image: reordering it costs more than it saves.
static void build_few_outputs(fixture *f) {
  optimize_output(f, conv(f, image(f, FULL), FULL, 2));
}

static void test_other_convolutions_stay(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_groups, build_weights_of_a_run, build_signal,
                                             build_far_reach, build_few_outputs};
  for (size_t i = 0; i < TERN_COUNT_OF(builds); ++i) expect(builds[i], 0, 0, 0);
}

// Rows of a matrix are no channels.
static void build_without_convolutions(fixture *f) {
  optimize_output(f, tern_build1(f->b, "Relu", pool(f, "MaxPool", image(f, FULL))));
}
// A reader of the plain image in the middle of a region.
static void build_plain_reader(fixture *f) {
  tern_edge *x = conv(f, image(f, 3), 3, FULL);
  optimize_output(f, tern_build1(f->b, "Flatten", x));
  optimize_output(f, conv(f, x, FULL, FULL));
}

static void test_plain_images_stay(void **state) {
  (void)state;
  expect(build_without_convolutions, 0, 0, 0);
  expect(build_plain_reader, 2, 0, 2);
}

// Sizes that only the run knows.
static void build_open_sizes(fixture *f) {
  const tern_dim dims[] = {test_graph_symbol(&f->graph, "N"), 3, test_graph_symbol(&f->graph, "H"),
                           test_graph_symbol(&f->graph, "W")};
  tern_shape shape;
  tern_shape_set(&shape, 4, dims);
  tern_edge *x = conv(f, optimize_input(f, TERN_FLOAT, &shape), 3, FULL);
  optimize_output(f, conv(f, pool(f, "MaxPool", tern_build1(f->b, "Relu", x)), FULL, 16));
}

static void test_open_sizes(void **state) {
  (void)state;
  expect(build_open_sizes, 2, 0, 1);
}

// ---- What the operators mean: their bodies compute what their kernels do

static void lower_to_bodies(fixture *f) {
  for (bool changed = true; changed;) {
    changed = false;
    TERN_GRAPH_FOREACH(f->graph.model->graph, node) {
      if (strcmp(node->op->domain, TERN_DOMAIN_TERN) != 0) continue;
      tern_patch patch;
      tern_edge *y = NULL;
      tern_patch_init(&patch, node, node->name);
      assert_null(node->op->body(&patch.builder, node, &y));
      tern_patch_replace(&patch, node->outputs[0], y);
      assert_null(tern_patch_apply(&patch));
      changed = true;
    }
  }
}

static void test_bodies_say_what_kernels_do(void **state) {
  (void)state;
  static const optimize_build_fn builds[] = {build_chain, build_block, build_gate};
  static const int64_t widths[] = {FULL, PARTIAL};
  for (size_t i = 0; i < TERN_COUNT_OF(builds) * TERN_COUNT_OF(widths); ++i) {
    fixture f;
    width = widths[i % TERN_COUNT_OF(widths)];
    optimize_change_and_compare(builds[i / TERN_COUNT_OF(widths)], 3, lower_to_bodies, &f);
    assert_int_equal(optimize_count(&f, "BlockedConv"), 0);
    assert_int_equal(optimize_count(&f, "FusedConv"), 0);
    assert_true(optimize_count(&f, "Transpose") > 0);
    optimize_close(&f);
  }
}

int main(void) {
  const char *wanted = getenv("TERN_ISA");
  if (wanted && strcmp(wanted, tern_cpu_isa_name(tern_cpu_selected_isa())) != 0) return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regions_have_borders_alone),
      cmocka_unit_test(test_levels_and_names_are_respected),
      cmocka_unit_test(test_elementwise_goes_on),
      cmocka_unit_test(test_channels_that_fill_up_stay_zero),
      cmocka_unit_test(test_activations_of_zero_are_cleared),
      cmocka_unit_test(test_concat_joins_whole_blocks),
      cmocka_unit_test(test_parts_are_cut_between_blocks),
      cmocka_unit_test(test_pixels_are_resized_in_blocks),
      cmocka_unit_test(test_normalization_becomes_a_convolution),
      cmocka_unit_test(test_other_convolutions_stay),
      cmocka_unit_test(test_plain_images_stay),
      cmocka_unit_test(test_open_sizes),
      cmocka_unit_test(test_bodies_say_what_kernels_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
