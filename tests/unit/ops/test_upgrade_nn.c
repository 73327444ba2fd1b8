// Old versions of products, pooling, recurrences, image operators and transforms.
#include "unit/ops/upgrade_case.h"

#define GEMM(name)                                                                                 \
  {(name),                                                                                         \
   {F32(D(2, 2), 1, 2, 3, 4), F32(D(2, 2), 1, 0, 0, 1), F32(D(2), 10, 20)},                        \
   CASE_ATTRS(ATTR_I("broadcast", 1)),                                                             \
   {F32(D(2, 2), 11, 22, 13, 24)}},                                                                \
  {                                                                                                \
    (name), {F32(D(2, 1), 1, 2), F32(D(1, 2), 1, 2), F32(D(2, 2), 1, 1, 2, 2)},                    \
        CASE_ATTRS(ATTR_F("alpha", 2), ATTR_F("beta", 0.5f)), {                                    \
      F32(D(2, 2), 2.5f, 4.5f, 5, 9)                                                               \
    }                                                                                              \
  }

#define GRU_INPUTS                                                                                 \
  {                                                                                                \
    F32(D(2, 1, 1), 1, 2), F32(D(1, 3, 1), 0.5f, 1, 2), F32(D(1, 3, 1), 1, 0.5f, -1),              \
        F32(D(1, 6), 0, 0, 0, 0, 0, 0.5f)                                                          \
  }
#define GRU_RESULT                                                                                 \
  { F32(D(2, 1, 1, 1), 0.37248702f, 0.49928416f), F32(D(1, 1, 1), 0.49928416f) }
#define SEQUENCE ATTR_I("output_sequence", 1)
#define HIDDEN_1 ATTR_I("hidden_size", 1)

static const upgrade_case cases[] = {
    GEMM("Gemm-1"),
    GEMM("Gemm-6"),

    {"GlobalLpPool-1", {F32(D(1, 1, 2), 3, -4)}, .expected = {F32(D(1, 1, 1), 5)}},
    {"GlobalLpPool-1", {F32(D(1, 1, 2), 3, -4)}, CASE_ATTRS(ATTR_F("p", 1)), {F32(D(1, 1, 1), 7)}},
    {"LpPool-1",
     {F32(D(1, 1, 3), 3, -4, 0)},
     CASE_ATTRS(ATTR_INTS("kernel_shape", 2)),
     {F32(D(1, 1, 2), 5, 4)}},
    {"LpPool-1",
     {F32(D(1, 1, 3), 3, -4, 0)},
     CASE_ATTRS(ATTR_INTS("kernel_shape", 2), ATTR_F("p", 1)),
     {F32(D(1, 1, 2), 7, 4)}},

    // h = tanh(x + h / 4).
    {"RNN-1",
     {F32(D(2, 1, 1), 0.5f, 1), F32(D(1, 1, 1), 1), F32(D(1, 1, 1), 0.25f)},
     CASE_ATTRS(HIDDEN_1, SEQUENCE),
     {F32(D(2, 1, 1, 1), 0.46211716f, 0.80600823f), F32(D(1, 1, 1), 0.80600823f)}},
    {"RNN-1",
     {F32(D(2, 1, 1), 0.5f, 1), F32(D(1, 1, 1), 1), F32(D(1, 1, 1), 0.25f)},
     CASE_ATTRS(HIDDEN_1),
     {{0}, F32(D(1, 1, 1), 0.80600823f)}},
    {"LSTM-1",
     {F32(D(2, 1, 1), 1, 2), F32(D(1, 4, 1), 0.5f, 1, -0.5f, 2),
      F32(D(1, 4, 1), 1, 0.5f, 0.25f, -1)},
     CASE_ATTRS(HIDDEN_1, SEQUENCE),
     {F32(D(2, 1, 1, 1), 0.39265005f, 0.67498083f), F32(D(1, 1, 1), 0.67498083f),
      F32(D(1, 1, 1), 0.97306068f)}},
    {"GRU-1", GRU_INPUTS, CASE_ATTRS(HIDDEN_1, SEQUENCE), GRU_RESULT},
    {"GRU-3", GRU_INPUTS, CASE_ATTRS(HIDDEN_1, SEQUENCE), GRU_RESULT},
    {"GRU-3",
     GRU_INPUTS,
     CASE_ATTRS(HIDDEN_1, ATTR_I("linear_before_reset", 1)),
     {{0}, F32(D(1, 1, 1), 0.49819769f)}},

    // Both ways half way between two rows; the point is column 0's middle, then the middle of all.
    {"GridSample-16",
     {F32(D(1, 1, 2, 2), 1, 2, 3, 4), F32(D(1, 1, 1, 2), -0.5f, 0)},
     .expected = {F32(D(1, 1, 1, 1), 2)}},
    {"GridSample-16",
     {F32(D(1, 1, 2, 2), 1, 2, 3, 4), F32(D(1, 1, 1, 2), -0.5f, 0)},
     CASE_ATTRS(ATTR_S("mode", "bilinear")),
     {F32(D(1, 1, 1, 1), 2)}},
    {"GridSample-16",
     {F32(D(1, 1, 2, 2), 1, 2, 3, 4), F32(D(1, 1, 1, 2), 0, 0)},
     CASE_ATTRS(ATTR_S("mode", "bicubic"), ATTR_S("padding_mode", "border")),
     {F32(D(1, 1, 1, 1), 2.5f)}},
    {"GridSample-16",
     {F32(D(1, 1, 2, 2), 1, 2, 3, 4), F32(D(1, 1, 1, 2), 0.4f, 0.4f)},
     CASE_ATTRS(ATTR_S("mode", "nearest")),
     {F32(D(1, 1, 1, 1), 4)}},
    // The one sample is at (1, 1), not half a pixel before it.
    {"RoiAlign-10",
     {F32(D(1, 1, 3, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8), F32(D(1, 4), 0, 0, 2, 2), I64(D(1), 0)},
     CASE_ATTRS(ATTR_I("sampling_ratio", 1)),
     {F32(D(1, 1, 1, 1), 4)}},
    {"Resize-10",
     {F32(D(1, 1, 1, 2), 1, 2), F32(D(4), 1, 1, 1, 2)},
     .has_constants = true,
     .expected = {F32(D(1, 1, 1, 4), 1, 1, 2, 2)}},
    {"Resize-10",
     {F32(D(1, 1, 1, 2), 1, 2), F32(D(4), 1, 1, 1, 2)},
     CASE_ATTRS(ATTR_S("mode", "linear")),
     {F32(D(1, 1, 1, 4), 1, 1.5f, 2, 2)}},
    // Element 1 / 0.6 is 2 where the axis shrinks, element 1 / 1.5 is 0 where it grows.
    {"Resize-10",
     {F32(D(1, 1, 1, 4), 1, 2, 3, 4), F32(D(4), 1, 1, 1, 0.6f)},
     .expected = {F32(D(1, 1, 1, 2), 1, 3)}},
    {"Resize-10",
     {F32(D(1, 1, 1, 2), 1, 2), F32(D(4), 1, 1, 1, 1.5f)},
     .expected = {F32(D(1, 1, 1, 3), 1, 1, 2)}},
    // Elements 0.5 / 0.5 and 1.5 / 0.5, where half_pixel has 0.5 and 2.5.
    {"Resize-11",
     {F32(D(1, 1, 1, 4), 1, 2, 3, 4), F32(D(8), 0, 0, 0, 0, 0, 0, 0, 0), F32(D(4), 1, 1, 1, 0.5f)},
     CASE_ATTRS(ATTR_S("coordinate_transformation_mode", "tf_half_pixel_for_nn")),
     {F32(D(1, 1, 1, 2), 2, 4)}},
    {"Resize-11",
     {F32(D(1, 1, 1, 4), 1, 2, 3, 4), F32(D(8), 0, 0, 0, 0, 0, 0, 0, 0), F32(D(4), 1, 1, 1, 0.5f)},
     .expected = {F32(D(1, 1, 1, 2), 1, 3)}},

    // Axis 1 unless it is given: sums and differences of rows, then of columns.
    {"DFT-17",
     {F32(D(1, 2, 2, 1), 1, 2, 3, 4)},
     .expected = {F32(D(1, 2, 2, 2), 4, 0, 6, 0, -2, 0, -2, 0)}},
    {"DFT-17",
     {F32(D(1, 2, 2, 1), 1, 2, 3, 4)},
     CASE_ATTRS(ATTR_I("axis", 2)),
     {F32(D(1, 2, 2, 2), 3, 0, -1, 0, 7, 0, -1, 0)}},
    {0},
};

int main(int argc, char **argv) {
  return upgrade_cases_main(argc, argv, cases, NULL, 0);
}
