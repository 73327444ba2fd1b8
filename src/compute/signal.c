// Fourier transforms by halving, and elimination.
#include "compute/signal.h"

#include <math.h>
#include <string.h>

#define TWO_PI 6.283185307179586

static tern_complex multiply(tern_complex a, tern_complex b) {
  return (tern_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// exp(sign * 2 pi i * part / whole)
static tern_complex turn(double sign, size_t part, size_t whole) {
  double angle = sign * TWO_PI * (double)part / (double)whole;
  return (tern_complex){cos(angle), sin(angle)};
}

static size_t power_of_two_from(size_t n) {
  size_t p = 1;
  while (p < n) p *= 2;
  return p;
}

static bool is_power_of_two(size_t n) {
  return (n & (n - 1)) == 0;
}

// A convolution of n numbers with 2n - 1 fits this length.
static size_t convolution_length(size_t n) {
  return power_of_two_from(2 * n);
}

size_t tern_dft_workspace(size_t n) {
  if (is_power_of_two(n)) return n;
  size_t m = convolution_length(n);
  return n + 3 * m;
}

static void reverse_bits(size_t n, tern_complex *values) {
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i >= j) continue;
    tern_complex t = values[i];
    values[i] = values[j];
    values[j] = t;
  }
}

// Radix 2, n a power of two, not divided by n. `factors` has room for n / 2.
static void transform(size_t n, double sign, tern_complex *values, tern_complex *factors) {
  for (size_t k = 0; k < n / 2; ++k) factors[k] = turn(sign, k, n);
  reverse_bits(n, values);
  for (size_t half = 1; half < n; half *= 2) {
    size_t step = n / (2 * half);
    for (size_t begin = 0; begin < n; begin += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        tern_complex *a = &values[begin + k], *b = a + half;
        tern_complex t = multiply(*b, factors[k * step]);
        *b = (tern_complex){a->re - t.re, a->im - t.im};
        *a = (tern_complex){a->re + t.re, a->im + t.im};
      }
    }
  }
}

static void transform_any(size_t n, double sign, tern_complex *values, tern_complex *workspace) {
  size_t m = convolution_length(n);
  tern_complex *chirp = workspace, *a = chirp + n, *b = a + m, *factors = b + m;
  memset(a, 0, m * sizeof *a);
  memset(b, 0, m * sizeof *b);
  for (size_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {
    chirp[k] = turn(sign, square, 2 * n); // square is k^2 modulo 2n
    a[k] = multiply(values[k], chirp[k]);
    b[k] = (tern_complex){chirp[k].re, -chirp[k].im};
    if (k > 0) b[m - k] = b[k];
  }
  transform(m, -1.0, a, factors);
  transform(m, -1.0, b, factors);
  for (size_t k = 0; k < m; ++k) a[k] = multiply(a[k], b[k]);
  transform(m, 1.0, a, factors);
  for (size_t k = 0; k < n; ++k) {
    tern_complex t = multiply(a[k], chirp[k]);
    values[k] = (tern_complex){t.re / (double)m, t.im / (double)m};
  }
}

void tern_dft(size_t n, bool inverse, tern_complex *values, tern_complex *workspace) {
  double sign = inverse ? 1.0 : -1.0;
  if (is_power_of_two(n))
    transform(n, sign, values, workspace);
  else
    transform_any(n, sign, values, workspace);
  for (size_t k = 0; inverse && k < n; ++k) {
    values[k].re /= (double)n;
    values[k].im /= (double)n;
  }
}

double tern_determinant(size_t n, double *matrix) {
  double determinant = 1.0;
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < n; ++row) {
      if (fabs(matrix[row * n + column]) > fabs(matrix[pivot * n + column])) pivot = row;
    }
    double head = matrix[pivot * n + column];
    determinant *= pivot == column ? head : -head;
    if (head == 0.0) return 0.0;
    for (size_t k = column; k < n && pivot != column; ++k) {
      double t = matrix[pivot * n + k];
      matrix[pivot * n + k] = matrix[column * n + k];
      matrix[column * n + k] = t;
    }
    for (size_t row = column + 1; row < n; ++row) {
      double factor = matrix[row * n + column] / head;
      for (size_t k = column; k < n; ++k) matrix[row * n + k] -= factor * matrix[column * n + k];
    }
  }
  return determinant;
}
