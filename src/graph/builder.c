// Builders and patches.
#include "graph/builder.h"

#include <stdio.h>
#include <string.h>

#include "graph/infer.h"

void tern_builder_init(tern_builder *out_builder, tern_graph *graph, tern_node *before,
                       const char *name) {
  *out_builder = (tern_builder){.graph = graph, .before = before, .name = name};
}

tern_status *tern_builder_finish(tern_builder *builder) {
  tern_status *status = builder->status;
  builder->status = NULL;
  return status;
}

tern_attr tern_attr_s(const char *name, const char *value) {
  return (tern_attr){
      .name = name, .type = TERN_ATTR_STRING, .u.s = {.data = value, .size = strlen(value)}};
}

static tern_status *copy_list(tern_arena *arena, size_t element_bytes, size_t count,
                              const void *source, const void **out_copy) {
  void *copy;
  TERN_TRY(tern_arena_calloc(arena, count, element_bytes, &copy));
  if (count) memcpy(copy, source, count * element_bytes);
  *out_copy = copy;
  return NULL;
}

// The given attribute with its texts and lists moved into the model's arena.
static tern_status *keep_attr(tern_arena *arena, const tern_attr *given, const char *name,
                              tern_attr *out) {
  *out = *given;
  out->name = name;
  switch (given->type) {
  case TERN_ATTR_STRING:
    return tern_arena_copy_text(arena, given->u.s.data, given->u.s.size, &out->u.s.data);
  case TERN_ATTR_INTS:
    return copy_list(arena, sizeof(int64_t), given->count, given->u.ints,
                     (const void **)&out->u.ints);
  case TERN_ATTR_FLOATS:
    return copy_list(arena, sizeof(float), given->count, given->u.floats,
                     (const void **)&out->u.floats);
  default: // numbers, and what the model owns already
    return NULL;
  }
}

// The default of a row's attribute; TERN_ATTR_UNDEFINED without one.
static tern_status *default_attr(tern_arena *arena, const tern_attr_def *def, tern_attr *out) {
  *out = (tern_attr){.name = def->name};
  if (!def->has_default) return NULL;
  tern_attr attr = {.name = def->name, .type = def->type, .count = def->count};
  switch (def->type) {
  case TERN_ATTR_INT:
    attr.u.i = def->i;
    break;
  case TERN_ATTR_FLOAT:
    attr.u.f = def->f;
    break;
  case TERN_ATTR_STRING:
    attr = tern_attr_s(def->name, def->s);
    break;
  case TERN_ATTR_INTS:
    attr.u.ints = def->ints;
    break;
  case TERN_ATTR_FLOATS:
    attr.u.floats = def->floats;
    break;
  case TERN_ATTR_STRINGS: {
    tern_string *strings;
    TERN_TRY(TERN_ARENA_ARRAY(arena, def->count, &strings));
    for (size_t i = 0; i < def->count; ++i)
      strings[i] = (tern_string){def->strings[i], strlen(def->strings[i])};
    attr.u.strings = strings;
    break;
  }
  default:
    return NULL; // other kinds have no defaults in the standard
  }
  *out = attr;
  return NULL;
}

tern_status *tern_op_resolve_attrs(const tern_op *op, const tern_attr *given, int32_t given_count,
                                   tern_arena *arena, tern_attr **out_attrs) {
  size_t count = (size_t)tern_op_attr_count(op);
  tern_attr *attrs;
  TERN_TRY(TERN_ARENA_ARRAY(arena, count, &attrs));
  for (size_t i = 0; i < count; ++i) TERN_TRY(default_attr(arena, &op->attrs[i], &attrs[i]));
  for (int32_t i = 0; i < given_count; ++i) {
    if (given[i].type == TERN_ATTR_UNDEFINED) continue;
    int32_t index = tern_op_attr_index(op, given[i].name);
    if (index < 0)
      return TERN_ERROR(TERN_INVALID_GRAPH, "the operator has no attribute '%s'", given[i].name);
    const tern_attr_def *def = &op->attrs[index];
    if (given[i].type != def->type)
      return TERN_ERROR(TERN_INVALID_GRAPH, "attribute '%s' is of type %d, not of type %d",
                        given[i].name, (int)given[i].type, (int)def->type);
    TERN_TRY(keep_attr(arena, &given[i], def->name, &attrs[index]));
  }
  for (size_t i = 0; i < count; ++i) {
    if (op->attrs[i].required && attrs[i].type == TERN_ATTR_UNDEFINED)
      return TERN_ERROR(TERN_INVALID_GRAPH, "lacks its attribute '%s'", op->attrs[i].name);
  }
  *out_attrs = attrs;
  return NULL;
}

static void link_node(tern_builder *builder, tern_node *node) {
  if (!builder->is_staged) tern_graph_insert(builder->graph, node, builder->before);
}

static tern_status *make_node(tern_builder *builder, const char *op_type,
                              const tern_build_args *args, tern_node **out_node) {
  tern_graph *graph = builder->graph;
  tern_arena *arena = &graph->model->arena;
  const tern_op *op =
      tern_op_registry_find(graph->model->registry, args->domain ? args->domain : "", op_type);
  if (!op) return TERN_ERROR(TERN_NOT_IMPLEMENTED, "there is no operator '%s'", op_type);
  tern_attr *attrs;
  TERN_TRY(tern_op_resolve_attrs(op, args->attrs, args->attr_count, arena, &attrs));
  int32_t output_count = args->output_count ? args->output_count : 1;
  tern_edge **outputs;
  TERN_TRY(TERN_ARENA_ARRAY(arena, output_count, &outputs));
  for (int32_t i = 0; i < output_count; ++i)
    TERN_TRY(tern_graph_new_edge(graph, NULL, &outputs[i]));
  if (builder->is_staged)
    TERN_TRY(TERN_ARRAY_RESERVE_ONE(graph->model->allocator, &builder->staged));
  const char *name = "";
  if (builder->name && builder->name[0])
    TERN_TRY(tern_arena_format(arena, &name, "%s/%s", builder->name, op_type));
  tern_node *node;
  TERN_TRY(tern_node_create(graph, op, name, args->inputs, args->input_count, outputs, output_count,
                            attrs, &node));
  if (builder->is_staged) builder->staged.data[builder->staged.count++] = node;
  link_node(builder, node);
  TERN_TRY(tern_infer_node(node));
  *out_node = node;
  return NULL;
}

tern_node *tern_build_node(tern_builder *builder, const char *op_type,
                           const tern_build_args *args) {
  if (builder->status) return NULL;
  tern_node *node = NULL;
  builder->status = make_node(builder, op_type, args, &node);
  if (builder->status) {
    builder->status = tern_status_annotate(builder->status, "building '%s'", op_type);
    return NULL;
  }
  return node;
}

tern_edge *tern_build(tern_builder *builder, const char *op_type, const tern_build_args *args) {
  tern_node *node = tern_build_node(builder, op_type, args);
  return node ? node->outputs[0] : NULL;
}

tern_edge *tern_build_constant(tern_builder *builder, tern_value *value) {
  if (builder->status) {
    tern_value_release(value);
    return NULL;
  }
  tern_edge *edge = NULL;
  builder->status = tern_graph_new_constant(builder->graph, NULL, value, &edge);
  return builder->status ? NULL : edge;
}

static tern_value *new_tensor(tern_builder *builder, tern_dtype dtype, int32_t rank, int64_t size) {
  if (builder->status) return NULL;
  tern_shape shape = {.rank = rank, .dims = {size}};
  tern_value *value = NULL;
  builder->status =
      tern_value_create_tensor(builder->graph->model->value_allocator, dtype, &shape, &value);
  return builder->status ? NULL : value;
}

tern_edge *tern_build_i64s(tern_builder *builder, const int64_t *values, int64_t count) {
  tern_value *value = new_tensor(builder, TERN_INT64, 1, count);
  if (!value) return NULL;
  if (count) memcpy(value->data, values, (size_t)count * sizeof *values);
  return tern_build_constant(builder, value);
}

tern_edge *tern_build_i64(tern_builder *builder, int64_t number) {
  tern_value *value = new_tensor(builder, TERN_INT64, 0, 0);
  if (!value) return NULL;
  *(int64_t *)value->data = number;
  return tern_build_constant(builder, value);
}

tern_edge *tern_build_scalar(tern_builder *builder, tern_dtype dtype, double number) {
  tern_value *value = new_tensor(builder, dtype, 0, 0);
  if (!value) return NULL;
  float narrow = (float)number;
  switch (tern_dtype_get_info(dtype)->class) {
  case TERN_CLASS_F:
    if (dtype == TERN_DOUBLE)
      *(double *)value->data = number;
    else
      *(float *)value->data = narrow;
    break;
  case TERN_CLASS_B:
    tern_dtype_from_f32(dtype, &narrow, 1, true, value->data);
    break;
  case TERN_CLASS_I:
  case TERN_CLASS_U:
    tern_dtype_write_i64(dtype, value->data, 0, (int64_t)number);
    break;
  case TERN_CLASS_L:
    *(uint8_t *)value->data = number != 0.0;
    break;
  default:
    builder->status = TERN_ERROR(TERN_NOT_IMPLEMENTED, "no scalar of type %s can be made",
                                 tern_dtype_name(dtype));
    tern_value_release(value);
    return NULL;
  }
  return tern_build_constant(builder, value);
}

void tern_patch_init(tern_patch *out_patch, tern_node *anchor, const char *name) {
  *out_patch = (tern_patch){.replaced_count = 0};
  tern_builder_init(&out_patch->builder, anchor->graph, anchor, name);
  out_patch->builder.is_staged = true;
}

void tern_patch_replace(tern_patch *patch, tern_edge *from, tern_edge *to) {
  if (patch->builder.status) return;
  if ((size_t)patch->replaced_count == TERN_COUNT_OF(patch->replaced)) {
    patch->builder.status = TERN_ERROR(TERN_FAIL, "a patch replaces too many edges");
    return;
  }
  patch->replaced[patch->replaced_count].from = from;
  patch->replaced[patch->replaced_count++].to = to;
}

static void end_patch(tern_patch *patch) {
  TERN_ARRAY_FREE(patch->builder.graph->model->allocator, &patch->builder.staged);
}

void tern_patch_drop(tern_patch *patch) {
  for (size_t i = patch->builder.staged.count; i > 0; --i)
    tern_graph_remove(patch->builder.staged.data[i - 1]);
  tern_status_free(patch->builder.status);
  patch->builder.status = NULL;
  end_patch(patch);
}

// A replacement must be the same kind of thing; it may know more about its shape.
static tern_status *check_replacement(const tern_edge *from, const tern_edge *to) {
  tern_shape shape = from->type.shape;
  if (from->type.kind == TERN_KIND_NONE || to->type.kind == TERN_KIND_NONE) return NULL;
  if (tern_type_same_kind(&from->type, &to->type) && tern_shape_merge(&shape, &to->type.shape))
    return NULL;
  char a[TERN_TYPE_TEXT_BYTES], b[TERN_TYPE_TEXT_BYTES];
  return TERN_ERROR(TERN_FAIL, "a patch would replace '%s' of type %s by '%s' of type %s",
                    from->name, tern_type_format(&from->type, a, sizeof a), to->name,
                    tern_type_format(&to->type, b, sizeof b));
}

// A graph output keeps its name whoever makes it.
static void keep_output_name(tern_edge *from, tern_edge *to) {
  if (from->output_uses == 0 || !to->producer || to->output_uses > 0) return;
  if (from->graph != to->graph) return;
  const char *name = from->name;
  from->name = to->name;
  to->name = name;
}

tern_status *tern_patch_apply(tern_patch *patch) {
  tern_builder *builder = &patch->builder;
  for (int32_t i = 0; i < patch->replaced_count && !builder->status; ++i)
    builder->status = check_replacement(patch->replaced[i].from, patch->replaced[i].to);
  if (builder->status) {
    tern_status *status = tern_builder_finish(builder);
    tern_patch_drop(patch);
    return status;
  }
  for (size_t i = 0; i < builder->staged.count; ++i)
    tern_graph_insert(builder->graph, builder->staged.data[i], builder->before);
  tern_status *status = NULL;
  for (int32_t i = 0; i < patch->replaced_count && !status; ++i) {
    tern_edge *from = patch->replaced[i].from, *to = patch->replaced[i].to;
    if (from == to) continue;
    keep_output_name(from, to);
    tern_shape_merge(&to->type.shape, &from->type.shape);
    status = tern_edge_replace(from, to);
    if (!status && from->producer) tern_graph_remove_dead(from->producer);
  }
  end_patch(patch);
  return status;
}

static bool is_dead(const tern_node *node) {
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_edge *edge = node->outputs[i];
    if (edge && (edge->uses.count > 0 || edge->output_uses > 0)) return false;
  }
  return true;
}

void tern_graph_remove_dead(tern_node *node) {
  if (!node->graph || !is_dead(node)) return;
  // A worklist threaded through the removed nodes themselves: no recursion, no allocation, and none
  // is listed twice.
  tern_graph_remove(node);
  node->scratch = NULL;
  for (tern_node *pending = node; pending;) {
    tern_node *dead = pending;
    pending = dead->scratch;
    size_t inputs = (size_t)dead->input_count;
    for (size_t i = 0; i < inputs + dead->captures.count; ++i) {
      tern_edge *edge = i < inputs ? dead->inputs[i] : dead->captures.data[i - inputs];
      tern_node *producer = edge ? edge->producer : NULL;
      if (!producer || !producer->graph || !is_dead(producer)) continue;
      tern_graph_remove(producer);
      producer->scratch = pending;
      pending = producer;
    }
  }
}
