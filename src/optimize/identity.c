// Nodes that give back their input: identities by name, and operators whose attributes or inputs
// make them one; casts; transposes.
#include <string.h>

#include "optimize/pass.h"

static bool op_is(const tern_node *node, const char *name) {
  return node->op->domain[0] == 0 && strcmp(node->op->name, name) == 0;
}

// Input and output have the same shape in every run: sizes or equal symbols throughout.
static bool keeps_shape(const tern_node *node) {
  const tern_shape *in = &node->inputs[0]->type.shape, *out = &node->outputs[0]->type.shape;
  if (in->rank < 0 || in->rank != out->rank) return false;
  for (int32_t i = 0; i < in->rank; ++i) {
    if (in->dims[i] != out->dims[i] || in->dims[i] == TERN_DIM_UNKNOWN) return false;
  }
  return true;
}

static bool always(const tern_node *node) {
  (void)node;
  return true;
}

// Dropout while inferring, when nobody reads its mask.
static bool is_inference_dropout(const tern_node *node) {
  if (node->output_count > 1 && node->outputs[1] &&
      (node->outputs[1]->uses.count || node->outputs[1]->output_uses))
    return false;
  if (node->input_count < 3 || !node->inputs[2]) return true;
  const tern_value *training = tern_edge_constant(node->inputs[2]);
  return training && tern_value_count(training) == 1 && *(const uint8_t *)training->data == 0;
}

static bool has_one_input(const tern_node *node) {
  return node->input_count == 1;
}

static bool is_identity_permutation(const tern_node *node) {
  size_t count;
  const int64_t *perm = tern_node_attr_ints(node, "perm", &count);
  if (!perm) return node->inputs[0]->type.shape.rank == 1 || node->inputs[0]->type.shape.rank == 0;
  for (size_t i = 0; i < count; ++i) {
    if (perm[i] != (int64_t)i) return false;
  }
  return true;
}

static bool pads_nothing(const tern_node *node) {
  const tern_value *pads = node->input_count > 1 ? tern_edge_constant(node->inputs[1]) : NULL;
  if (!pads || pads->dtype != TERN_INT64) return false;
  for (int64_t i = 0; i < tern_value_count(pads); ++i) {
    if (tern_dtype_read_i64(pads->dtype, pads->data, i) != 0) return false;
  }
  return true;
}

// Slices that keep every element keep the shape; a negative step would reorder.
static bool slices_nothing(const tern_node *node) {
  if (!keeps_shape(node)) return false;
  if (node->input_count < 5 || !node->inputs[4]) return true;
  const tern_value *steps = tern_edge_constant(node->inputs[4]);
  if (!steps) return false;
  for (int64_t i = 0; i < tern_value_count(steps); ++i) {
    if (tern_dtype_read_i64(steps->dtype, steps->data, i) != 1) return false;
  }
  return true;
}

// Operators that are sometimes an identity of input 0, and when.
static const struct {
  const char *op;
  bool (*holds)(const tern_node *node);
} identities[] = {
    {"Identity", always},      {"Dropout", is_inference_dropout},
    {"Reshape", keeps_shape},  {"Expand", keeps_shape},
    {"Flatten", keeps_shape},  {"Transpose", is_identity_permutation},
    {"Concat", has_one_input}, {"Sum", has_one_input},
    {"Max", has_one_input},    {"Min", has_one_input},
    {"Mean", has_one_input},   {"Pad", pads_nothing},
    {"Slice", slices_nothing},
};

tern_status *tern_pass_eliminate_identity(tern_pass_context *ctx, tern_node *node) {
  if (node->input_count < 1 || !node->inputs[0] || node->output_count < 1 || !node->outputs[0])
    return NULL;
  for (size_t i = 0; i < TERN_COUNT_OF(identities); ++i) {
    if (op_is(node, identities[i].op) && identities[i].holds(node))
      return tern_pass_forward(ctx, node, node->inputs[0]);
  }
  return NULL;
}

// Whether every value of `from` survives a trip through `to`.
static bool is_lossless(tern_dtype from, tern_dtype to) {
  static const struct {
    tern_dtype from;
    tern_dtype_set to;
  } wider[] = {
      {TERN_FLOAT16, TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE)},
      {TERN_BFLOAT16, TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE)},
      {TERN_FLOAT, TERN_DTYPE_BIT(TERN_DOUBLE)},
      {TERN_INT8,
       TERN_DTYPE_BIT(TERN_INT16) | TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)},
      {TERN_INT16, TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)},
      {TERN_INT32, TERN_DTYPE_BIT(TERN_INT64) | TERN_DTYPE_BIT(TERN_DOUBLE)},
      {TERN_UINT8, TERN_TYPES_INT & ~TERN_DTYPE_BIT(TERN_INT8)},
      {TERN_UINT16, TERN_DTYPE_BIT(TERN_UINT32) | TERN_DTYPE_BIT(TERN_UINT64) |
                        TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)},
      {TERN_UINT32, TERN_DTYPE_BIT(TERN_UINT64) | TERN_DTYPE_BIT(TERN_INT64)},
      {TERN_BOOL, TERN_TYPES_INT | TERN_TYPES_FLOAT_BF},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(wider); ++i) {
    if (wider[i].from == from) return tern_dtype_set_has(wider[i].to, to);
  }
  return false;
}

// Casts to the type that is there; x -> wider -> x; and, where casts may change results (Tern's own
// pairs, or when asked), x -> narrower -> x.
tern_status *tern_pass_eliminate_cast(tern_pass_context *ctx, tern_node *node) {
  if (!op_is(node, "Cast") || !node->inputs[0]) return NULL;
  tern_edge *input = node->inputs[0];
  tern_dtype to = node->outputs[0]->type.dtype;
  if (input->type.dtype == to) return tern_pass_forward(ctx, node, input);
  tern_node *inner = input->producer;
  if (!inner || !op_is(inner, "Cast") || !inner->inputs[0]) return NULL;
  tern_edge *source = inner->inputs[0];
  if (source->type.dtype != to) return NULL;
  bool may_change =
      ctx->options->cast_chains || (node->original_version == 0 && inner->original_version == 0);
  if (!is_lossless(to, input->type.dtype) && !may_change) return NULL;
  return tern_pass_forward(ctx, node, source);
}

// The permutation of a Transpose into `out_perm`; false when it is not known.
static bool read_permutation(const tern_node *node, int64_t out_perm[TERN_MAX_RANK],
                             size_t *out_count) {
  const int64_t *perm = tern_node_attr_ints(node, "perm", out_count);
  int32_t rank = node->inputs[0]->type.shape.rank;
  if (!perm && rank < 0) return false;
  if (!perm) *out_count = (size_t)rank;
  if (*out_count > TERN_MAX_RANK) return false;
  for (size_t i = 0; i < *out_count; ++i)
    out_perm[i] = perm ? perm[i] : (int64_t)(*out_count - 1 - i);
  return true;
}

tern_status *tern_pass_merge_transposes(tern_pass_context *ctx, tern_node *node) {
  if (!op_is(node, "Transpose") || !node->inputs[0]) return NULL;
  tern_node *inner = node->inputs[0]->producer;
  if (!inner || !op_is(inner, "Transpose") || !inner->inputs[0]) return NULL;
  int64_t outer_perm[TERN_MAX_RANK], inner_perm[TERN_MAX_RANK], merged[TERN_MAX_RANK];
  size_t outer_count, inner_count;
  if (!read_permutation(node, outer_perm, &outer_count) ||
      !read_permutation(inner, inner_perm, &inner_count) || outer_count != inner_count)
    return NULL;
  bool is_identity = true;
  for (size_t i = 0; i < outer_count; ++i) {
    merged[i] = inner_perm[outer_perm[i]];
    is_identity &= merged[i] == (int64_t)i;
  }
  if (is_identity) return tern_pass_forward(ctx, node, inner->inputs[0]);
  tern_patch patch;
  tern_patch_init(&patch, node, node->name);
  tern_edge *output = TERN_BUILD(&patch.builder, "Transpose", TERN_EDGES(inner->inputs[0]),
                                 TERN_ATTR_ARGS(tern_attr_ints("perm", merged, outer_count)));
  tern_patch_replace(&patch, node->outputs[0], output);
  return tern_pass_apply(ctx, &patch);
}
