// Discrete Fourier transforms and determinants.
#ifndef TERN_COMPUTE_SIGNAL_H_
#define TERN_COMPUTE_SIGNAL_H_

#include "base/macros.h"

typedef struct tern_complex {
  double re, im;
} tern_complex;

// Complex numbers of workspace for a transform of length n > 0.
size_t tern_dft_workspace(size_t n);
// values[k] = sum over j of values[j] * exp(-+ 2 pi i j k / n), n > 0; with `inverse` the sign is +
// and the result is divided by n. Lengths that are no power of two go through a convolution of one
// that is (L. Bluestein, 1970): n log n for every length.
void tern_dft(size_t n, bool inverse, tern_complex *values, tern_complex *workspace);

// The determinant of matrix [n, n], which is overwritten: Gaussian elimination with partial
// pivoting. 1 for n = 0.
double tern_determinant(size_t n, double *matrix);

#endif
