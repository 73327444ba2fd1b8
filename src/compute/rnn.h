// Recurrent cells: from the sums of a step to its gates and states, for one batch entry. The
// products that make the sums are gemm's.
#ifndef TERN_COMPUTE_RNN_H_
#define TERN_COMPUTE_RNN_H_

#include "base/macros.h"

// The standard's activation functions for recurrent layers; `alpha` and `beta` are read by those
// that have them.
typedef enum tern_rnn_function {
  TERN_RNN_SIGMOID,
  TERN_RNN_TANH,
  TERN_RNN_RELU,
  TERN_RNN_AFFINE,
  TERN_RNN_LEAKY_RELU,
  TERN_RNN_THRESHOLDED_RELU,
  TERN_RNN_SCALED_TANH,
  TERN_RNN_HARD_SIGMOID,
  TERN_RNN_ELU,
  TERN_RNN_SOFTSIGN,
  TERN_RNN_SOFTPLUS,
} tern_rnn_function;

typedef struct tern_rnn_activation {
  tern_rnn_function function;
  float alpha, beta;
} tern_rnn_activation;

// Everything a cell of one direction needs besides its numbers.
typedef struct tern_rnn_cell {
  size_t hidden;
  tern_rnn_activation f, g, h;
  float clip;        // sums are kept within [-clip, clip]; ≤ 0: not
  bool input_forget; // LSTM: the forget gate is 1 - the input gate
} tern_rnn_cell;

// Declared for float and double. Sizes in elements; nothing overlaps unless said.
#define TERN_RNN_DECLARE(T, S)                                                                     \
  /* y[i] = function(clip(x[i])); x and y may be equal. */                                         \
  void tern_rnn_activate_##S(const tern_rnn_activation *activation, float clip, size_t n,          \
                             const T *x, T *y);                                                    \
  /* gates [4 * hidden] in the order i, o, f, c are overwritten; peephole [3 * hidden] in the      \
     order i, o, f, or NULL; c and h [hidden] become the next states. */                           \
  void tern_rnn_lstm_##S(const tern_rnn_cell *cell, const T *peephole, T *gates, T *c, T *h);      \
  /* The first half of a GRU step: gates [2 * hidden] in the order z, r become the gates. */       \
  void tern_rnn_gru_gates_##S(const tern_rnn_cell *cell, T *gates);                                \
  /* The second half: candidate [hidden] holds the sums of the hidden gate and is overwritten; h   \
     becomes the next state. */                                                                    \
  void tern_rnn_gru_state_##S(const tern_rnn_cell *cell, const T *z, T *candidate, T *h);
TERN_RNN_DECLARE(float, f32)
TERN_RNN_DECLARE(double, f64)
#undef TERN_RNN_DECLARE

#endif
