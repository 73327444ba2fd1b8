// Old versions of the image and random families.
#include "unit/ops/upgrade_case.h"

#define ROW F32(D(1, 1, 1, 5), 1, 2, 3, 4, 5)
#define IMAGE F32(D(1, 1, 4, 4), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PLACES F32(D(1, 1, 2, 2), 0, 0, 0.5f, 0.25f)
#define NO_REGION                                                                                  \
  { TERN_FLOAT, D(0), NULL, 0 }

static const upgrade_case cases[] = {
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
    {"GridSample-16",
     {IMAGE, PLACES},
     CASE_ATTRS(ATTR_I("align_corners", 1)),
     {F32(D(1, 1, 1, 2), 7.5f, 9.75f)}},
    {"GridSample-16",
     {IMAGE, PLACES},
     CASE_ATTRS(ATTR_I("align_corners", 1), ATTR_S("mode", "bicubic")),
     {F32(D(1, 1, 1, 2), 7.5f, 10.031342f)}},
    // The one sample is at (1, 1), not half a pixel before it.
    {"RoiAlign-10",
     {F32(D(1, 1, 3, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8), F32(D(1, 4), 0, 0, 2, 2), I64(D(1), 0)},
     CASE_ATTRS(ATTR_I("sampling_ratio", 1)),
     {F32(D(1, 1, 1, 1), 4)}},
    {"RoiAlign-10",
     {IMAGE, F32(D(1, 4), 0, 0, 3, 3), I64(D(1), 0)},
     CASE_ATTRS(ATTR_I("output_height", 2), ATTR_I("output_width", 2), ATTR_I("sampling_ratio", 1)),
     {F32(D(1, 1, 2, 2), 3.75f, 5.25f, 9.75f, 11.25f)}},
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
    {"Resize-10", {ROW, F32(D(4), 1, 1, 1, 0.6f)}, .expected = {F32(D(1, 1, 1, 3), 1, 3, 5)}},
    {"Resize-10",
     {ROW, F32(D(4), 1, 1, 1, 1.5f)},
     .expected = {F32(D(1, 1, 1, 7), 1, 1, 2, 3, 3, 4, 5)}},
    {"Resize-10",
     {ROW, F32(D(4), 1, 1, 1, 0.6f)},
     CASE_ATTRS(ATTR_S("mode", "linear")),
     {F32(D(1, 1, 1, 3), 1, 8 / 3.0f, 13 / 3.0f)}},
    // Elements 0.5 / 0.5 and 1.5 / 0.5, where half_pixel has 0.5 and 2.5.
    {"Resize-11",
     {F32(D(1, 1, 1, 4), 1, 2, 3, 4), NO_REGION, F32(D(4), 1, 1, 1, 0.5f)},
     CASE_ATTRS(ATTR_S("coordinate_transformation_mode", "tf_half_pixel_for_nn")),
     {F32(D(1, 1, 1, 2), 2, 4)}},
    {"Resize-11",
     {F32(D(1, 1, 1, 4), 1, 2, 3, 4), NO_REGION, F32(D(4), 1, 1, 1, 0.5f)},
     .expected = {F32(D(1, 1, 1, 2), 1, 3)}},

    {"Resize-11",
     {ROW, NO_REGION, F32(D(4), 1, 1, 1, 0.6f)},
     CASE_ATTRS(ATTR_S("coordinate_transformation_mode", "tf_half_pixel_for_nn"),
                ATTR_S("nearest_mode", "floor")),
     {F32(D(1, 1, 1, 3), 1, 3, 5)}},
    // Axis 1 unless it is given: sums and differences of rows, then of columns.
    {"DFT-17",
     {F32(D(1, 2, 2, 1), 1, 2, 3, 4)},
     .expected = {F32(D(1, 2, 2, 2), 4, 0, 6, 0, -2, 0, -2, 0)}},
    {"DFT-17",
     {F32(D(1, 2, 2, 1), 1, 2, 3, 4)},
     CASE_ATTRS(ATTR_I("axis", 2)),
     {F32(D(1, 2, 2, 2), 3, 0, -1, 0, 7, 0, -1, 0)}},
    {"DFT-17",
     {F32(D(1, 3, 1), 1, 2, 3)},
     CASE_ATTRS(ATTR_I("axis", 1)),
     {F32(D(1, 3, 2), 6, 0, -1.5f, 0.8660254f, -1.5f, -0.8660254f)}},
    {0},
};

int main(int argc, char **argv) {
  return upgrade_cases_main(argc, argv, cases, NULL, 0);
}
