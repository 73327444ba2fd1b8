// The sizes of Attention as its inputs and attributes give them.
#ifndef TERN_OPS_ATTENTION_H_
#define TERN_OPS_ATTENTION_H_

#include "graph/infer.h"

typedef struct tern_op_attention {
  bool is_flat; // inputs [batch, sequence, heads * size] instead of [batch, heads, sequence, size]
  tern_dim batch, q_heads, kv_heads, queries, keys, past, total, size, value_size;
} tern_op_attention;

// From the shapes of Q, K, V and past_key (NULL: none); sizes that are not known stay unknown.
// Errors: ranks other than 3 and 4, sizes that contradict each other, heads that do not divide.
TERN_MUST_USE tern_status *tern_op_attention_read(const tern_node *node, const tern_shape *q,
                                                  const tern_shape *k, const tern_shape *v,
                                                  const tern_shape *past,
                                                  tern_op_attention *out_sizes);

#endif
