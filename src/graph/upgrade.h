// Bringing a node of an old operator version to the newest one, while it is imported.
#ifndef TERN_GRAPH_UPGRADE_H_
#define TERN_GRAPH_UPGRADE_H_

#include "graph/builder.h"

// A node that is being imported: what the file says, with inputs resolved to edges that have their
// types. An upgrade function changes it in place. Attributes that are left and that the newest row
// does not know are an error.
struct tern_draft {
  tern_builder *builder; // for nodes before this one; constants too
  const char *domain, *op_type, *name;
  int32_t version; // the version of the entry being applied
  tern_edge **inputs;
  int32_t input_count, input_capacity;
  int32_t output_count;
  const char *const *output_names; // "" for omitted
  uint32_t unread_outputs;         // bit i: nothing reads output i, of the first 32
  tern_attr *attrs;
  int32_t attr_count, attr_capacity;
  tern_edge **results; // set by tern_draft_replace: the draft became other nodes
};

// NULL when the file does not give it.
const tern_attr *tern_draft_attr(const tern_draft *draft, const char *name);
int64_t tern_draft_attr_i(const tern_draft *draft, const char *name, int64_t default_value);
float tern_draft_attr_f(const tern_draft *draft, const char *name, float default_value);
const char *tern_draft_attr_s(const tern_draft *draft, const char *name, const char *default_value);
void tern_draft_remove_attr(tern_draft *draft, const char *name);
TERN_MUST_USE tern_status *tern_draft_set_attr(tern_draft *draft, tern_attr attr);
// Omitted inputs are put in between where needed. `edge` may be NULL.
TERN_MUST_USE tern_status *tern_draft_set_input(tern_draft *draft, int32_t index, tern_edge *edge);
// NULL when omitted.
static inline tern_edge *tern_draft_input(const tern_draft *draft, int32_t index) {
  return index < draft->input_count ? draft->inputs[index] : NULL;
}
// Turns an ints attribute into input `index`, an int64 constant of rank 1; nothing happens when the
// attribute is absent. The commonest upgrade.
TERN_MUST_USE tern_status *tern_draft_ints_to_input(tern_draft *draft, const char *name,
                                                    int32_t index);
// The draft becomes an operator of another name or domain, at `version`.
void tern_draft_rename(tern_draft *draft, const char *domain, const char *op_type, int32_t version);
// The draft's outputs are these edges, made by its builder; no node of its own remains. `edges` has
// `count` entries and is copied; a file may name more outputs or fewer.
TERN_MUST_USE tern_status *tern_draft_replace(tern_draft *draft, tern_edge *const *edges,
                                              int32_t count);

static inline bool tern_draft_output_is_read(const tern_draft *draft, int32_t index) {
  if (index >= draft->output_count || !draft->output_names[index][0]) return false;
  return index >= 32 || !(draft->unread_outputs >> index & 1u);
}

// The newest version of a domain of the standard; 0 for any other domain.
int32_t tern_opset_newest(const char *domain);

// Applies the row's history from the version that `opset_version` selects, across renames, until
// the draft is at a newest row (*out_op) or was replaced (*out_op = NULL). Errors name operator,
// version and domain: unknown, newer than Tern knows, or removed.
TERN_MUST_USE tern_status *tern_draft_upgrade(tern_draft *draft, const tern_op_registry *registry,
                                              int32_t opset_version, const tern_op **out_op,
                                              int32_t *out_since);

#endif
