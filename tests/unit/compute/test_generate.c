// The generator against its authors' known answers; transforms against the sum that defines them.
#include <math.h>

#include "compute/philox.h"
#include "compute/signal.h"
#include "unit/test.h"

static void assert_near(double a, double b, double bound) {
  if (!(fabs(a - b) <= bound)) fail_msg("%.17g is not within %g of %.17g", a, bound, b);
}

static void philox_gives_the_known_answers(void **state) {
  (void)state;
  // From the Random123 distribution: counter, key, result.
  static const struct {
    uint32_t counter[4];
    uint64_t key;
    uint32_t expected[4];
  } answers[] = {
      {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       UINT64_MAX,
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       UINT64_C(0x299f31d0a4093822),
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(answers); ++i) {
    uint32_t got[4];
    tern_philox(answers[i].key, answers[i].counter, got);
    assert_memory_equal(got, answers[i].expected, sizeof got);
  }
}

static void numbers_have_their_distribution(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  double sum = 0, squares = 0, uniform = 0;
  for (uint64_t i = 0; i < COUNT; ++i) {
    double u = tern_philox_uniform(7, i), n = tern_philox_normal(7, i);
    assert_true(u >= 0.0 && u < 1.0);
    uniform += u;
    sum += n;
    squares += n * n;
  }
  // Five standard deviations of each mean.
  assert_near(uniform / COUNT, 0.5, 5 * 0.2887 / sqrt(COUNT));
  assert_near(sum / COUNT, 0.0, 5 / sqrt(COUNT));
  assert_near(squares / COUNT, 1.0, 5 * 1.4143 / sqrt(COUNT));
}

static void check_transform(size_t n) {
  tern_complex values[40], given[40], workspace[40 + 3 * 128];
  assert_true(tern_dft_workspace(n) <= TERN_COUNT_OF(workspace));
  for (size_t i = 0; i < n; ++i)
    values[i] = given[i] = (tern_complex){tern_philox_uniform(n, i), tern_philox_normal(n, i)};
  tern_dft(n, false, values, workspace);
  for (size_t k = 0; k < n; ++k) {
    tern_complex sum = {0, 0};
    for (size_t j = 0; j < n; ++j) {
      double angle = -6.283185307179586 * (double)(j * k % n) / (double)n;
      sum.re += given[j].re * cos(angle) - given[j].im * sin(angle);
      sum.im += given[j].re * sin(angle) + given[j].im * cos(angle);
    }
    assert_near(values[k].re, sum.re, 1e-11);
    assert_near(values[k].im, sum.im, 1e-11);
  }
  tern_dft(n, true, values, workspace);
  for (size_t i = 0; i < n; ++i) {
    assert_near(values[i].re, given[i].re, 1e-12);
    assert_near(values[i].im, given[i].im, 1e-12);
  }
}

static void transforms_of_every_length(void **state) {
  (void)state;
  for (size_t n = 1; n <= 40; ++n) check_transform(n);
}

static void determinants(void **state) {
  (void)state;
  double swapped[] = {0, 1, 1, 0}, singular[] = {1, 2, 2, 4};
  double three[] = {2, -1, 0, 1, 3, 2, 4, 0, 5};
  assert_near(tern_determinant(2, swapped), -1.0, 0);
  assert_near(tern_determinant(2, singular), 0.0, 0);
  assert_near(tern_determinant(3, three), 27.0, 1e-12);
  assert_near(tern_determinant(0, NULL), 1.0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_gives_the_known_answers),
      cmocka_unit_test(numbers_have_their_distribution),
      cmocka_unit_test(transforms_of_every_length),
      cmocka_unit_test(determinants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
