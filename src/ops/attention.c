// Sizes of Attention.
#include "ops/attention.h"

static tern_status *mismatch(const tern_shape *q, const tern_shape *k, const tern_shape *v) {
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES], c[TERN_SHAPE_TEXT_BYTES];
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "Q %s, K %s and V %s do not fit",
                    tern_shape_format(q, a, sizeof a), tern_shape_format(k, b, sizeof b),
                    tern_shape_format(v, c, sizeof c));
}

// The part of a hidden size that is one head's.
static bool split(tern_dim hidden, int64_t heads, tern_dim *out_size) {
  if (hidden >= 0 && hidden % heads != 0) return false;
  *out_size = hidden >= 0 ? hidden / heads : TERN_DIM_UNKNOWN;
  return true;
}

static tern_status *read_flat(const tern_node *node, const tern_shape *q, const tern_shape *k,
                              const tern_shape *v, tern_op_attention *s) {
  int64_t q_heads = tern_node_attr_i(node, "q_num_heads");
  int64_t kv_heads = tern_node_attr_i(node, "kv_num_heads");
  tern_dim key_size;
  if (q_heads < 1 || kv_heads < 1)
    return TERN_ERROR(TERN_INVALID_GRAPH, "inputs of rank 3 need q_num_heads and kv_num_heads");
  s->q_heads = q_heads;
  s->kv_heads = kv_heads;
  s->queries = q->dims[1];
  s->keys = k->dims[1];
  if (!split(q->dims[2], q_heads, &s->size) || !split(k->dims[2], kv_heads, &key_size) ||
      !split(v->dims[2], kv_heads, &s->value_size) || !tern_dim_merge(&s->size, key_size) ||
      !tern_dim_merge(&s->keys, v->dims[1]))
    return mismatch(q, k, v);
  return NULL;
}

static tern_status *read_heads(const tern_shape *q, const tern_shape *k, const tern_shape *v,
                               tern_op_attention *s) {
  s->q_heads = q->dims[1];
  s->kv_heads = k->dims[1];
  s->queries = q->dims[2];
  s->keys = k->dims[2];
  s->size = q->dims[3];
  s->value_size = v->dims[3];
  if (!tern_dim_merge(&s->kv_heads, v->dims[1]) || !tern_dim_merge(&s->size, k->dims[3]) ||
      !tern_dim_merge(&s->keys, v->dims[2]))
    return mismatch(q, k, v);
  return NULL;
}

tern_status *tern_op_attention_read(const tern_node *node, const tern_shape *q, const tern_shape *k,
                                    const tern_shape *v, const tern_shape *past,
                                    tern_op_attention *out_sizes) {
  tern_op_attention s = {.is_flat = q->rank == 3, .batch = q->dims[0]};
  if ((q->rank != 3 && q->rank != 4) || k->rank != q->rank || v->rank != q->rank)
    return mismatch(q, k, v);
  if (!tern_dim_merge(&s.batch, k->dims[0]) || !tern_dim_merge(&s.batch, v->dims[0]))
    return mismatch(q, k, v);
  TERN_TRY(s.is_flat ? read_flat(node, q, k, v, &s) : read_heads(q, k, v, &s));
  if (s.q_heads >= 0 && s.kv_heads >= 0 && (s.kv_heads == 0 || s.q_heads % s.kv_heads != 0))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld heads of K do not divide %lld heads of Q",
                      (long long)s.kv_heads, (long long)s.q_heads);
  s.total = s.keys;
  if (past) {
    bool is_known = tern_shape_has_rank(past) && past->rank == 4;
    s.past = is_known ? past->dims[2] : TERN_DIM_UNKNOWN;
    s.total = s.past >= 0 && s.keys >= 0 ? s.past + s.keys : TERN_DIM_UNKNOWN;
  }
  *out_sizes = s;
  return NULL;
}
