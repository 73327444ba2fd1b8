// Kernel of Attention: lays the heads out, joins past and new keys, and runs head after head.
#include "compute/attention.h"

#include <math.h>
#include <string.h>

#include "compute/cast.h"
#include "compute/strided.h"
#include "ops/attention.h"
#include "providers/cpu/nn.h"

// A tensor of heads: element (batch, head, place, i) lies at the sum of their strides.
typedef struct heads {
  char *data;
  int64_t batch, head, place; // strides in elements
} heads;

// An additive mask in the type of the scores.
typedef struct mask {
  const char *data;           // NULL: none
  int64_t batch, head, query; // strides in elements, 0 where it repeats
  int64_t keys;
} mask;

typedef struct attention {
  const tern_parallel *parallel;
  tern_op_attention sizes;
  tern_dtype dtype;
  size_t element;
  heads q, k, v, y;
  mask mask;
  const int64_t *valid_keys; // by batch entry; NULL: all
  tern_value *captured;
  int64_t stage, left, right;
  bool is_causal;
  double scale, softcap;
} attention;

static const tern_value *input_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->input_count ? invocation->inputs[index] : NULL;
}
static tern_value *output_at(const tern_invocation *invocation, int32_t index) {
  return index < invocation->output_count ? invocation->outputs[index] : NULL;
}

static heads heads_of(const tern_value *value, bool is_flat, int64_t count, int64_t places,
                      int64_t size) {
  if (is_flat) return (heads){value->data, places * count * size, size, count * size};
  return (heads){value->data, count * places * size, places * size, size};
}

// Copies [batch, heads, places, size] between two layouts.
static void copy_heads(const attention *a, int64_t places, int64_t size, const heads *from,
                       const heads *to) {
  const tern_strided_axis axes[] = {{a->sizes.batch, from->batch, to->batch},
                                    {a->sizes.kv_heads, from->head, to->head},
                                    {places, from->place, to->place},
                                    {size, 1, 1}};
  tern_strided_copy(a->parallel, axes, 4, a->element, from->data, to->data);
}

// Past keys (or values) followed by the new ones, in output `output` or in scratch memory; where
// there is no past and nobody asks, the new ones where they lie.
static tern_status *join_past(tern_invocation *invocation, const attention *a, int32_t past_input,
                              int32_t output, int64_t size, heads *inout) {
  const tern_value *past = input_at(invocation, past_input);
  tern_value *present = output_at(invocation, output);
  const tern_op_attention *s = &a->sizes;
  if (!past && !present) return NULL;
  const tern_dim dims[] = {s->batch, s->kv_heads, s->past, size};
  tern_shape needed;
  tern_shape_set(&needed, 4, dims);
  if (past && !tern_shape_equal(&past->shape, &needed)) {
    char x[TERN_SHAPE_TEXT_BYTES], y[TERN_SHAPE_TEXT_BYTES];
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the past has shape %s, %s is needed",
                      tern_shape_format(&past->shape, x, sizeof x),
                      tern_shape_format(&needed, y, sizeof y));
  }
  void *data = present ? present->data : NULL;
  size_t bytes = (size_t)(s->batch * s->kv_heads * s->total * size) * a->element;
  if (!present) TERN_TRY(tern_invocation_scratch(invocation, bytes, &data));
  heads joined = {data, s->kv_heads * s->total * size, s->total * size, size};
  if (past) {
    heads old = heads_of(past, false, s->kv_heads, s->past, size);
    copy_heads(a, s->past, size, &old, &joined);
  }
  heads fresh = joined;
  if (fresh.data) fresh.data += (size_t)(s->past * size) * a->element;
  copy_heads(a, s->keys, size, inout, &fresh);
  *inout = joined;
  return NULL;
}

// A mask of truths becomes one of 0 and -infinity.
static tern_status *convert_mask(tern_invocation *invocation, const tern_value *given,
                                 tern_dtype dtype, const char **out_data) {
  int64_t count = tern_value_count(given);
  void *data;
  *out_data = given->data;
  if (given->dtype == dtype) return NULL;
  TERN_TRY(tern_invocation_scratch(invocation, (size_t)count * tern_dtype_size(dtype), &data));
  *out_data = data;
  if (given->dtype != TERN_BOOL) {
    tern_cast(given->dtype, given->data, dtype, data, count, &(tern_cast_options){0});
    return NULL;
  }
  const bool *truths = given->data;
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == TERN_FLOAT)
      ((float *)data)[i] = truths[i] ? 0.0f : -INFINITY;
    else
      ((double *)data)[i] = truths[i] ? 0.0 : -(double)INFINITY;
  }
  return NULL;
}

static tern_status *open_mask(tern_invocation *invocation, attention *a) {
  const tern_value *given = input_at(invocation, 3);
  const tern_op_attention *s = &a->sizes;
  if (!given) return NULL;
  const int64_t needed[] = {s->batch, s->q_heads, s->queries};
  int64_t *strides[] = {&a->mask.batch, &a->mask.head, &a->mask.query};
  int32_t rank = given->shape.rank;
  bool fits = rank >= 1 && rank <= 4 && given->shape.dims[rank - 1] <= s->total;
  int64_t stride = fits ? given->shape.dims[rank - 1] : 0;
  a->mask.keys = stride;
  for (int32_t i = 2; fits && i >= 0; --i) {
    int32_t axis = rank - 4 + i;
    int64_t dim = axis >= 0 ? given->shape.dims[axis] : 1;
    fits = dim == 1 || dim == needed[i];
    *strides[i] = dim == 1 ? 0 : stride;
    stride *= dim;
  }
  char text[TERN_SHAPE_TEXT_BYTES];
  if (!fits)
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "the mask has shape %s, the scores have [%lld,%lld,%lld,%lld]",
                      tern_shape_format(&given->shape, text, sizeof text), (long long)s->batch,
                      (long long)s->q_heads, (long long)s->queries, (long long)s->total);
  return convert_mask(invocation, given, a->dtype, &a->mask.data);
}

static tern_status *open_valid_keys(tern_invocation *invocation, attention *a) {
  const tern_value *valid = input_at(invocation, 6);
  if (!valid) return NULL;
  if (tern_value_count(valid) != a->sizes.batch)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "nonpad_kv_seqlen has %lld values, %lld are needed",
                      (long long)tern_value_count(valid), (long long)a->sizes.batch);
  a->valid_keys = valid->data;
  for (int64_t i = 0; i < a->sizes.batch; ++i) {
    if (a->valid_keys[i] < 0 || a->valid_keys[i] > a->sizes.total)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "nonpad_kv_seqlen holds %lld, there are %lld keys",
                        (long long)a->valid_keys[i], (long long)a->sizes.total);
  }
  return NULL;
}

static tern_status *read_attributes(const tern_node *node, attention *a) {
  a->is_causal = tern_node_attr_i(node, "is_causal") != 0;
  a->left = tern_node_attr_i(node, "left_window_size");
  a->right = tern_node_attr_i(node, "right_window_size");
  a->stage = tern_node_attr_i(node, "qk_matmul_output_mode");
  a->softcap = (double)tern_node_attr_f(node, "softcap");
  a->scale = tern_node_has_attr(node, "scale") ? (double)tern_node_attr_f(node, "scale")
                                               : 1.0 / sqrt((double)a->sizes.size);
  if (a->stage < TERN_ATTENTION_PRODUCT || a->stage > TERN_ATTENTION_WEIGHTS)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'qk_matmul_output_mode' is %lld", (long long)a->stage);
  if (a->left < -1 || a->right < -1)
    return TERN_ERROR(TERN_INVALID_GRAPH, "a window of %lld and %lld", (long long)a->left,
                      (long long)a->right);
  return NULL;
}

static tern_status *open(tern_invocation *invocation, attention *a) {
  const tern_value *q = invocation->inputs[0], *k = invocation->inputs[1],
                   *v = invocation->inputs[2], *past = input_at(invocation, 4);
  *a = (attention){
      .parallel = invocation->parallel, .dtype = q->dtype, .element = tern_dtype_size(q->dtype)};
  if (v->dtype != q->dtype)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "Q is %s and V is %s", tern_dtype_name(q->dtype),
                      tern_dtype_name(v->dtype));
  TERN_TRY(tern_op_attention_read(invocation->node, &q->shape, &k->shape, &v->shape,
                                  past ? &past->shape : NULL, &a->sizes));
  const tern_op_attention *s = &a->sizes;
  if (past && input_at(invocation, 6))
    return TERN_ERROR(TERN_INVALID_GRAPH, "nonpad_kv_seqlen is given together with a past");
  if (past && past->shape.rank != 4)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "past_key has rank %d, 4 is needed", past->shape.rank);
  a->q = heads_of(q, s->is_flat, s->q_heads, s->queries, s->size);
  a->k = heads_of(k, s->is_flat, s->kv_heads, s->keys, s->size);
  a->v = heads_of(v, s->is_flat, s->kv_heads, s->keys, s->value_size);
  a->y = heads_of(invocation->outputs[0], s->is_flat, s->q_heads, s->queries, s->value_size);
  a->captured = output_at(invocation, 3);
  TERN_TRY(read_attributes(invocation->node, a));
  TERN_TRY(join_past(invocation, a, 4, 1, s->size, &a->k));
  TERN_TRY(join_past(invocation, a, 5, 2, s->value_size, &a->v));
  TERN_TRY(open_mask(invocation, a));
  return open_valid_keys(invocation, a);
}

// No window reaches further than any tensor.
#define UNBOUNDED ((int64_t)1 << 60)

// The keys that query 0 of a batch entry sees: [*first, *end), before the border of all.
static void window_of(const attention *a, int64_t batch, int64_t *first, int64_t *end) {
  int64_t offset = a->sizes.past;
  if (a->valid_keys) offset = a->valid_keys[batch] - a->sizes.queries;
  int64_t right = a->right >= 0 ? tern_min_i64(a->right, UNBOUNDED) : UNBOUNDED;
  if (a->is_causal) right = 0;
  *first = a->left >= 0 ? offset - tern_min_i64(a->left, UNBOUNDED) : -UNBOUNDED;
  *end = offset + right + 1;
}

static int64_t blocks_of(const attention *a) {
  return (a->sizes.queries + TERN_ATTENTION_BLOCK - 1) / TERN_ATTENTION_BLOCK;
}

// Both products, and softmax.
static int64_t block_ns(const attention *a) {
  const tern_op_attention *s = &a->sizes;
  const double queries = (double)tern_min_i64(s->queries, TERN_ATTENTION_BLOCK);
  const double each = 2.0 * (double)(s->size + s->value_size) + 40;
  return tern_cost_ns(queries * (double)s->total * each, 0);
}

#define AT(type, of, b, h) ((type *)(void *)(of).data + (b) * (of).batch + (h) * (of).head)

#define DEFINE_RUN(suffix, type)                                                                   \
  static tern_attention_##suffix##_head head_##suffix(const attention *a, int64_t b, int64_t h) {  \
    const tern_op_attention *s = &a->sizes;                                                        \
    int64_t kv = h / (s->q_heads / s->kv_heads);                                                   \
    tern_attention_##suffix##_head head = {.queries = (size_t)s->queries,                          \
                                           .keys = (size_t)s->total,                               \
                                           .size = (size_t)s->size,                                \
                                           .value_size = (size_t)s->value_size,                    \
                                           .q = AT(const type, a->q, b, h),                        \
                                           .k = AT(const type, a->k, b, kv),                       \
                                           .v = AT(const type, a->v, b, kv),                       \
                                           .y = AT(type, a->y, b, h),                              \
                                           .ldq = (size_t)a->q.place,                              \
                                           .ldk = (size_t)a->k.place,                              \
                                           .ldv = (size_t)a->v.place,                              \
                                           .ldy = (size_t)a->y.place,                              \
                                           .scale = (type)a->scale,                                \
                                           .softcap = (type)a->softcap,                            \
                                           .visible = a->valid_keys ? a->valid_keys[b] : s->total, \
                                           .stage = (tern_attention_stage)a->stage};               \
    window_of(a, b, &head.first, &head.end);                                                       \
    if (a->mask.data) {                                                                            \
      head.mask = AT(const type, a->mask, b, h);                                                   \
      head.ld_mask = (size_t)a->mask.query;                                                        \
      head.mask_keys = (size_t)a->mask.keys;                                                       \
    }                                                                                              \
    if (a->captured)                                                                               \
      head.captured = (type *)a->captured->data + (b * s->q_heads + h) * s->queries * s->total;    \
    return head;                                                                                   \
  }                                                                                                \
                                                                                                   \
  /* Blocks of queries, of all heads in turn. */                                                   \
  static void blocks_##suffix(const void *context, int64_t begin, int64_t end, void *workspace) {  \
    const attention *a = context;                                                                  \
    const int64_t blocks = blocks_of(a), queries = a->sizes.queries;                               \
    for (int64_t i = begin; i < end; ++i) {                                                        \
      const int64_t head = i / blocks, first = i % blocks * TERN_ATTENTION_BLOCK;                  \
      const tern_attention_##suffix##_head of =                                                    \
          head_##suffix(a, head / a->sizes.q_heads, head % a->sizes.q_heads);                      \
      tern_attention_##suffix(&of, (size_t)first,                                                  \
                              (size_t)tern_min_i64(first + TERN_ATTENTION_BLOCK, queries),         \
                              workspace);                                                          \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  static tern_status *run_##suffix(tern_invocation *invocation, const attention *a) {              \
    const tern_attention_##suffix##_head head = head_##suffix(a, 0, 0);                            \
    const tern_parallel_job job = {.count = a->sizes.batch * a->sizes.q_heads * blocks_of(a),      \
                                   .item_ns = block_ns(a),                                         \
                                   .workspace_bytes =                                              \
                                       tern_attention_##suffix##_workspace_bytes(&head),           \
                                   .fn = blocks_##suffix,                                          \
                                   .context = a};                                                  \
    void *workspaces;                                                                              \
    TERN_TRY(tern_invocation_scratch(invocation, tern_parallel_job_bytes(a->parallel, &job),       \
                                     &workspaces));                                                \
    tern_parallel_job_run(a->parallel, &job, workspaces);                                          \
    return NULL;                                                                                   \
  }

DEFINE_RUN(f32, float)
DEFINE_RUN(f64, double)

tern_status *tern_cpu_attention(tern_invocation *invocation) {
  attention a;
  TERN_TRY(open(invocation, &a));
  if (a.sizes.batch == 0 || a.sizes.q_heads == 0 || a.sizes.queries == 0) return NULL;
  return a.dtype == TERN_FLOAT ? run_f32(invocation, &a) : run_f64(invocation, &a);
}
