// Old versions of products, pooling and recurrences.
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
    // The squares of sums of roots: (1 + 2 + 3)^2.
    {"GlobalLpPool-1",
     {F32(D(1, 1, 3), 1, -4, 9)},
     CASE_ATTRS(ATTR_F("p", 0.5f)),
     {F32(D(1, 1, 1), 36)}},
    {"LpPool-1",
     {F32(D(1, 1, 3), 3, -4, 0)},
     CASE_ATTRS(ATTR_INTS("kernel_shape", 2)),
     {F32(D(1, 1, 2), 5, 4)}},
    {"LpPool-1",
     {F32(D(1, 1, 3), 3, -4, 0)},
     CASE_ATTRS(ATTR_INTS("kernel_shape", 2), ATTR_F("p", 1)),
     {F32(D(1, 1, 2), 7, 4)}},
    {"LpPool-1",
     {F32(D(1, 1, 4), 1, -4, 9, 0)},
     CASE_ATTRS(ATTR_INTS("kernel_shape", 2), ATTR_F("p", 0.5f), ATTR_INTS("strides", 2),
                ATTR_INTS("pads", 1, 1)),
     {F32(D(1, 1, 3), 1, 25, 0)}},

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
    {0},
};

int main(int argc, char **argv) {
  return upgrade_cases_main(argc, argv, cases, NULL, 0);
}
