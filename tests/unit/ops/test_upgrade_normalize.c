// Old versions of normalisations, softmax and reductions.
#include "unit/ops/upgrade_case.h"

#define EIGHT -1, 1, 1, -1, 3, 3, 5, 5
#define SAME(x) x, x, x, x, x, x, x, x
#define CUBE(...) F32(D(2, 2, 2), __VA_ARGS__)

// Equal elements, so that each is one over the number of those that are normalised together: all
// from `axis` on, which is 1 where it is not given.
#define SOFTMAX(name, by_four, by_eight)                                                           \
  {(name), {CUBE(SAME(0))}, .expected = {CUBE(SAME(by_four))}}, {                                  \
    (name), {CUBE(SAME(0))}, CASE_ATTRS(ATTR_I("axis", 0)), {                                      \
      CUBE(SAME(by_eight))                                                                         \
    }                                                                                              \
  }

#define EPSILON_0 ATTR_F("epsilon", 0)
#define BATCH_INPUTS                                                                               \
  { CUBE(EIGHT), F32(D(2), 2, 1), F32(D(2), 0, 0), F32(D(2), 1, 3), F32(D(2), 1, 4) }
#define BATCH_RESULT CUBE(-4, 0, -1, -2, 4, 4, 1, 1)
// Statistics of the batch: channel 0 is -1, 1, 3, 3, channel 1 is 1, -1, 5, 5. The running ones are
// half of them and half of what was given.
#define STATISTICS(name, ...)                                                                      \
  {                                                                                                \
    (name), BATCH_INPUTS, CASE_ATTRS(ATTR_F("momentum", 0.5f)), {                                  \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

#define REDUCE(name, ...)                                                                          \
  {                                                                                                \
    (name), {CUBE(EIGHT)}, CASE_ATTRS(ATTR_INTS("axes", 0, 2), ATTR_I("keepdims", 0)), {           \
      F32(D(2), __VA_ARGS__)                                                                       \
    }                                                                                              \
  }

static const upgrade_case cases[] = {
    SOFTMAX("Softmax-11", 0.25f, 0.125f),
    SOFTMAX("LogSoftmax-11", -1.3862944f, -2.0794415f),
    {"Hardmax-11", {CUBE(EIGHT)}, .expected = {CUBE(0, 1, 0, 0, 0, 0, 1, 0)}},
    {"Hardmax-11", {CUBE(EIGHT)}, CASE_ATTRS(ATTR_I("axis", 0)), {CUBE(0, 0, 0, 0, 0, 0, 1, 0)}},
    // Two groups of two channels of one element.
    {"GroupNormalization-18",
     {F32(D(2, 4, 1), -1, 1, 4, 6, 8, 10, -3, -1), F32(D(2), 2, 1), F32(D(2), 0, 10)},
     CASE_ATTRS(ATTR_I("num_groups", 2), EPSILON_0),
     {F32(D(2, 4, 1), -2, 2, 9, 11, -2, 2, 9, 11)}},
    {"InstanceNormalization-1",
     {F32(D(1, 1, 2), 1, 3), F32(D(1), 2), F32(D(1), 1)},
     CASE_ATTRS(EPSILON_0, ATTR_INTS("consumed_inputs", 0)),
     {F32(D(1, 1, 2), -1, 3)}},

    {"BatchNormalization-1",
     BATCH_INPUTS,
     CASE_ATTRS(ATTR_I("is_test", 1), EPSILON_0, ATTR_INTS("consumed_inputs", 0, 0, 0, 1, 1)),
     {BATCH_RESULT}},
    {"BatchNormalization-6",
     BATCH_INPUTS,
     CASE_ATTRS(ATTR_I("is_test", 1), EPSILON_0),
     {BATCH_RESULT}},
    {"BatchNormalization-7", BATCH_INPUTS, CASE_ATTRS(EPSILON_0), {BATCH_RESULT}},
    // Each of the four features of an entry is a channel.
    {"BatchNormalization-7",
     {CUBE(EIGHT), F32(D(2, 2), 1, 1, 1, 1), F32(D(2, 2), -1, 0, 0, 0), F32(D(2, 2), 0, 0, 1, -1),
      F32(D(2, 2), 1, 1, 1, 1)},
     CASE_ATTRS(ATTR_I("spatial", 0), EPSILON_0),
     {CUBE(-2, 1, 0, 0, 2, 3, 4, 6)}},
    {"BatchNormalization-9", BATCH_INPUTS, CASE_ATTRS(EPSILON_0), {BATCH_RESULT}},
    STATISTICS("BatchNormalization-9", {0}, F32(D(2), 1.25f, 2.75f)),
    STATISTICS("BatchNormalization-9", {0}, {0}, F32(D(2), 1.875f, 5.375f)),
    STATISTICS("BatchNormalization-9", {0}, {0}, {0}, F32(D(2), 1.5f, 2.5f)),
    STATISTICS("BatchNormalization-9", {0}, {0}, {0}, {0}, F32(D(2), 2.75f, 6.75f)),

    REDUCE("ReduceL1-13", 8, 12),
    REDUCE("ReduceL2-13", 4.4721360f, 7.2111026f),
    REDUCE("ReduceLogSum-13", 1.7917595f, 2.3025851f),
    REDUCE("ReduceLogSumExp-13", 3.7671645f, 5.7034907f),
    REDUCE("ReduceMax-13", 3, 5),
    REDUCE("ReduceMean-13", 1.5f, 2.5f),
    REDUCE("ReduceMin-13", -1, -1),
    REDUCE("ReduceProd-13", -9, -25),
    REDUCE("ReduceSum-11", 6, 10),
    {"ReduceSum-11", {CUBE(EIGHT)}, .expected = {F32(D(1, 1, 1), 16)}},
    REDUCE("ReduceSumSquare-13", 20, 52),
    {"ReduceLogSum-18", {I64(D(2), 100, 50)}, .expected = {I64(D(1), 5)}},
    {"ReduceLogSumExp-18", {I32(D(2), 100, 0)}, .expected = {I32(D(1), 100)}},
    {0},
};

int main(int argc, char **argv) {
  return upgrade_cases_main(argc, argv, cases, NULL, 0);
}
