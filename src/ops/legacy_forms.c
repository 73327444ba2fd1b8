// Upgrades of legacy_forms.h.
#include "ops/legacy_forms.h"

tern_status *tern_upgrade_drop_consumed_inputs(tern_draft *draft) {
  tern_draft_remove_attr(draft, "consumed_inputs");
  return NULL;
}

tern_edge *tern_upgrade_append_dims(tern_builder *builder, tern_edge *edge, int32_t count) {
  if (count <= 0 || !edge) return edge;
  int64_t axes[TERN_MAX_RANK];
  if (count > TERN_MAX_RANK) count = TERN_MAX_RANK;
  for (int32_t i = 0; i < count; ++i) axes[i] = edge->type.shape.rank + i;
  return tern_build2(builder, "Unsqueeze", edge, tern_build_i64s(builder, axes, count));
}

// How many dimensions of A follow those that B is aligned to.
static tern_status *trailing_dims(const tern_draft *draft, int64_t axis, int32_t *out_count) {
  const tern_edge *a = tern_draft_input(draft, 0), *b = tern_draft_input(draft, 1);
  if (!a || !b) return TERN_ERROR(TERN_INVALID_GRAPH, "two inputs are needed");
  const int32_t a_rank = a->type.shape.rank, b_rank = b->type.shape.rank;
  if (a_rank < 0 || b_rank < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'axis' %lld needs inputs of known rank",
                      (long long)axis);
  if (axis < 0) axis += a_rank;
  if (axis < 0 || axis + b_rank > a_rank)
    return TERN_ERROR(TERN_INVALID_GRAPH,
                      "an input of rank %d does not fit into one of rank %d at 'axis' %lld", b_rank,
                      a_rank, (long long)axis);
  *out_count = (int32_t)(a_rank - axis - b_rank);
  return NULL;
}

tern_status *tern_upgrade_legacy_broadcast(tern_draft *draft) {
  const tern_attr *axis = tern_draft_attr(draft, "axis");
  if (axis && tern_draft_attr_i(draft, "broadcast", 0) != 0) {
    int32_t count = 0;
    TERN_TRY(trailing_dims(draft, tern_draft_attr_i(draft, "axis", 0), &count));
    tern_edge *b = tern_upgrade_append_dims(draft->builder, tern_draft_input(draft, 1), count);
    if (b) TERN_TRY(tern_draft_set_input(draft, 1, b));
  }
  tern_draft_remove_attr(draft, "axis");
  tern_draft_remove_attr(draft, "broadcast");
  return tern_upgrade_drop_consumed_inputs(draft);
}
