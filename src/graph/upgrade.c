// The draft: a node on its way from the version a file wrote it in to the newest one. Rows say what
// changes between two versions; this file walks their histories and gives them the tools.
#include "graph/upgrade.h"

#include <string.h>

// A history is at most this many steps long, renames included: a guard against rows that rename in
// circles.
enum { MAX_STEPS = 64 };

int32_t tern_opset_newest(const char *domain) {
  static const tern_opset newest[] = {
      {TERN_DOMAIN_ONNX, 28},
      {TERN_DOMAIN_ML, 5},
      {TERN_DOMAIN_TRAINING, 1},
      {TERN_DOMAIN_PREVIEW, 1},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(newest); ++i) {
    if (strcmp(newest[i].domain, domain) == 0) return newest[i].version;
  }
  return 0;
}

static tern_arena *arena_of(const tern_draft *draft) {
  return &draft->builder->graph->model->arena;
}

static int32_t find_attr(const tern_draft *draft, const char *name) {
  for (int32_t i = 0; i < draft->attr_count; ++i) {
    if (strcmp(draft->attrs[i].name, name) == 0) return i;
  }
  return -1;
}

const tern_attr *tern_draft_attr(const tern_draft *draft, const char *name) {
  int32_t index = find_attr(draft, name);
  return index < 0 ? NULL : &draft->attrs[index];
}

static const tern_attr *attr_of_type(const tern_draft *draft, const char *name,
                                     tern_attr_type type) {
  const tern_attr *attr = tern_draft_attr(draft, name);
  return attr && attr->type == type ? attr : NULL;
}

int64_t tern_draft_attr_i(const tern_draft *draft, const char *name, int64_t default_value) {
  const tern_attr *attr = attr_of_type(draft, name, TERN_ATTR_INT);
  return attr ? attr->u.i : default_value;
}

float tern_draft_attr_f(const tern_draft *draft, const char *name, float default_value) {
  const tern_attr *attr = attr_of_type(draft, name, TERN_ATTR_FLOAT);
  return attr ? attr->u.f : default_value;
}

const char *tern_draft_attr_s(const tern_draft *draft, const char *name,
                              const char *default_value) {
  const tern_attr *attr = attr_of_type(draft, name, TERN_ATTR_STRING);
  return attr ? attr->u.s.data : default_value;
}

void tern_draft_remove_attr(tern_draft *draft, const char *name) {
  int32_t index = find_attr(draft, name);
  if (index < 0) return;
  draft->attr_count--;
  memmove(&draft->attrs[index], &draft->attrs[index + 1],
          (size_t)(draft->attr_count - index) * sizeof *draft->attrs);
}

// Moves an array of `count` elements into one twice as large, at least `needed`.
static tern_status *grow(tern_arena *arena, size_t element_bytes, int32_t count, int32_t needed,
                         void **inout_data, int32_t *inout_capacity) {
  if (needed <= *inout_capacity) return NULL;
  if (needed > INT32_MAX / 2) return tern_status_out_of_memory();
  int32_t capacity = needed * 2;
  void *data;
  TERN_TRY(tern_arena_calloc(arena, (size_t)capacity, element_bytes, &data));
  if (count > 0) memcpy(data, *inout_data, (size_t)count * element_bytes);
  *inout_data = data;
  *inout_capacity = capacity;
  return NULL;
}

tern_status *tern_draft_set_attr(tern_draft *draft, tern_attr attr) {
  int32_t index = find_attr(draft, attr.name);
  if (index < 0) {
    TERN_TRY(grow(arena_of(draft), sizeof *draft->attrs, draft->attr_count, draft->attr_count + 1,
                  (void **)&draft->attrs, &draft->attr_capacity));
    index = draft->attr_count++;
  }
  draft->attrs[index] = attr;
  return NULL;
}

tern_status *tern_draft_set_input(tern_draft *draft, int32_t index, tern_edge *edge) {
  if (index >= draft->input_count) {
    if (!edge) return NULL; // beyond the list is omitted already
    TERN_TRY(grow(arena_of(draft), sizeof *draft->inputs, draft->input_count, index + 1,
                  (void **)&draft->inputs, &draft->input_capacity));
    while (draft->input_count <= index) draft->inputs[draft->input_count++] = NULL;
  }
  draft->inputs[index] = edge;
  return NULL;
}

tern_status *tern_draft_ints_to_input(tern_draft *draft, const char *name, int32_t index) {
  const tern_attr *attr = tern_draft_attr(draft, name);
  if (!attr) return NULL;
  if (attr->type != TERN_ATTR_INTS)
    return TERN_ERROR(TERN_INVALID_GRAPH, "attribute '%s' must be a list of integers", name);
  tern_edge *edge = tern_build_i64s(draft->builder, attr->u.ints, (int64_t)attr->count);
  if (!edge) return tern_builder_finish(draft->builder);
  tern_draft_remove_attr(draft, name);
  return tern_draft_set_input(draft, index, edge);
}

void tern_draft_rename(tern_draft *draft, const char *domain, const char *op_type,
                       int32_t version) {
  draft->domain = domain;
  draft->op_type = op_type;
  draft->version = version;
}

tern_status *tern_draft_replace(tern_draft *draft, tern_edge *const *edges, int32_t count) {
  // A builder that failed hands out NULL edges; its own error says why.
  if (draft->builder->status) return tern_builder_finish(draft->builder);
  tern_edge **results;
  TERN_TRY(TERN_ARENA_ARRAY(arena_of(draft), draft->output_count, &results));
  for (int32_t i = 0; i < draft->output_count; ++i) {
    results[i] = i < count ? edges[i] : NULL;
    if (!results[i] && draft->output_names[i][0])
      return TERN_ERROR(TERN_INVALID_GRAPH, "%s-%d has no output %d", draft->op_type,
                        draft->version, i);
  }
  draft->results = results;
  return NULL;
}

static const char *domain_text(const char *domain) {
  return domain[0] ? domain : "ai.onnx";
}

// A position in an operator's history. Rows without a list have one version, their own.
typedef struct position {
  const tern_op *op;
  int32_t index;
} position;

static tern_op_version version_at(position at) {
  if (!at.op->versions) return (tern_op_version){.version = at.op->since};
  return at.op->versions[at.index];
}

static bool is_newest(position at) {
  return !at.op->versions || at.op->versions[at.index + 1].version == 0;
}

// The newest entry that an opset of `opset_version` has.
static tern_status *select_version(const tern_op_registry *registry, const char *domain,
                                   const char *op_type, int32_t opset_version, position *out) {
  position at = {.op = tern_op_registry_find(registry, domain, op_type)};
  if (!at.op)
    return TERN_ERROR(TERN_INVALID_GRAPH, "there is no operator '%s' in domain '%s', opset %d",
                      op_type, domain_text(domain), opset_version);
  tern_op_version first = version_at(at);
  if (first.version > opset_version)
    return TERN_ERROR(TERN_INVALID_GRAPH,
                      "operator '%s' of domain '%s' came with opset %d; the model imports %d",
                      op_type, domain_text(domain), first.version, opset_version);
  while (!is_newest(at) && at.op->versions[at.index + 1].version <= opset_version) ++at.index;
  *out = at;
  return NULL;
}

static bool names_row(const tern_draft *draft, const tern_op *op) {
  const char *domain = strcmp(draft->domain, "ai.onnx") == 0 ? "" : draft->domain;
  return strcmp(domain, op->domain) == 0 && strcmp(draft->op_type, op->name) == 0;
}

// Applies the entry at `*inout` and moves on: to the next entry, to another row after a rename, or
// (*out_done) nowhere.
static tern_status *step(tern_draft *draft, const tern_op_registry *registry, position *inout,
                         bool *out_done) {
  tern_op_version entry = version_at(*inout);
  draft->version = entry.version;
  if (entry.upgrade) {
    TERN_TRY(entry.upgrade(draft));
    if (draft->builder->status) return tern_builder_finish(draft->builder);
    if (draft->results) {
      *out_done = true;
      return NULL;
    }
  }
  if (!names_row(draft, inout->op))
    return select_version(registry, draft->domain, draft->op_type, draft->version, inout);
  *out_done = is_newest(*inout);
  if (!*out_done) inout->index++;
  return NULL;
}

tern_status *tern_draft_upgrade(tern_draft *draft, const tern_op_registry *registry,
                                int32_t opset_version, const tern_op **out_op, int32_t *out_since) {
  position at;
  TERN_TRY(select_version(registry, draft->domain, draft->op_type, opset_version, &at));
  if (at.op->deprecated_since && opset_version >= at.op->deprecated_since)
    return TERN_ERROR(TERN_INVALID_GRAPH, "operator '%s' of domain '%s' was removed in opset %d",
                      draft->op_type, domain_text(draft->domain), at.op->deprecated_since);
  int32_t since = version_at(at).version;
  bool is_done = false;
  for (int32_t steps = 0; !is_done; ++steps) {
    if (steps == MAX_STEPS)
      return TERN_ERROR(TERN_FAIL, "the history of operator '%s' has no end", draft->op_type);
    TERN_TRY(step(draft, registry, &at, &is_done));
  }
  *out_op = draft->results ? NULL : at.op;
  *out_since = since;
  return NULL;
}
