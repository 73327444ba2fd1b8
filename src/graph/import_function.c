// Calls of model-local functions: the body's nodes are made in the caller's graph, so that nothing
// behind the importer knows functions.
#include "graph/import_internal.h"

static tern_status *make_key(import_context *context, const char *domain, tern_span name,
                             tern_span overload, const char **out_key) {
  return tern_arena_format(&context->arena, out_key, "%s:%.*s:%.*s", tern_import_domain(domain),
                           (int)name.size, name.data ? name.data : "", (int)overload.size,
                           overload.data ? overload.data : "");
}

tern_status *tern_import_collect_functions(import_context *context) {
  for (size_t i = 0; i < context->file->function_count; ++i) {
    const tern_onnx_function *function = &context->file->functions[i];
    const char *domain, *key;
    TERN_TRY(tern_import_text(context, function->domain, &domain));
    TERN_TRY(make_key(context, domain, function->name, function->overload, &key));
    if (tern_map_get(&context->functions, key))
      return TERN_ERROR(TERN_INVALID_GRAPH, "function '%s' is defined twice", key);
    TERN_TRY(tern_map_set(&context->functions, key, (void *)(uintptr_t)function));
  }
  return NULL;
}

tern_status *tern_import_find_function(import_context *context, const char *domain,
                                       const tern_onnx_node *node,
                                       const tern_onnx_function **out_function) {
  *out_function = NULL;
  if (context->functions.count == 0) return NULL;
  const char *key;
  TERN_TRY(make_key(context, domain, node->op_type, node->overload, &key));
  *out_function = tern_map_get(&context->functions, key);
  return NULL;
}

static tern_status *check_call(const import_context *context, const import_scope *scope,
                               const tern_onnx_node *call, const tern_onnx_function *function) {
  for (const import_env *env = scope->env; env; env = env->caller) {
    if (env->function == function)
      return TERN_ERROR(TERN_INVALID_GRAPH, "function '%.*s' calls itself",
                        (int)function->name.size, function->name.data);
  }
  if (call->input_count > function->input_count || call->output_count > function->output_count)
    return TERN_ERROR(
        TERN_INVALID_GRAPH, "the call has %zu inputs and %zu outputs, the function %zu and %zu",
        call->input_count, call->output_count, function->input_count, function->output_count);
  if (context->depth >= TERN_IMPORT_MAX_DEPTH)
    return TERN_ERROR(TERN_INVALID_GRAPH, "functions and graphs nest deeper than %d",
                      TERN_IMPORT_MAX_DEPTH);
  if (function->node_count > (size_t)(TERN_IMPORT_MAX_INLINED_NODES - context->inlined_nodes))
    return TERN_ERROR(TERN_INVALID_GRAPH, "the model's functions expand to more than %d nodes",
                      TERN_IMPORT_MAX_INLINED_NODES);
  return NULL;
}

static tern_status *define_inputs(import_context *context, const import_scope *caller,
                                  const tern_onnx_node *call, import_scope *body) {
  const tern_onnx_function *function = body->env->function;
  for (size_t i = 0; i < function->input_count; ++i) {
    const char *name;
    tern_edge *edge = NULL;
    TERN_TRY(tern_import_text(context, function->inputs[i], &name));
    if (i < call->input_count)
      TERN_TRY(tern_import_lookup(context, caller, call->inputs[i], &edge));
    TERN_TRY(tern_import_define(body, name, edge ? edge : &tern_import_omitted));
  }
  return NULL;
}

static tern_status *bind_outputs(import_context *context, import_scope *caller,
                                 const tern_onnx_node *call, const import_scope *body) {
  const tern_onnx_function *function = body->env->function;
  for (size_t i = 0; i < call->output_count; ++i) {
    if (call->outputs[i].size == 0) continue;
    const char *name;
    tern_edge *edge;
    TERN_TRY(tern_import_text(context, call->outputs[i], &name));
    TERN_TRY(tern_import_lookup(context, body, function->outputs[i], &edge));
    if (!edge)
      return TERN_ERROR(TERN_INVALID_GRAPH, "the function's output %zu is an omitted input", i);
    TERN_TRY(tern_import_bind(context, caller, name, edge));
  }
  return NULL;
}

static tern_status *fill(import_context *context, import_scope *caller, const tern_onnx_node *call,
                         import_scope *body) {
  const tern_onnx_function *function = body->env->function;
  TERN_TRY(define_inputs(context, caller, call, body));
  TERN_TRY(tern_import_declare(context, body, function->value_infos, function->value_info_count));
  TERN_TRY(tern_import_nodes(context, body, function->nodes, function->node_count));
  return bind_outputs(context, caller, call, body);
}

// "outer/inner"; long chains are cut, names of nodes need not be unique.
static tern_status *make_prefix(import_context *context, const import_scope *caller,
                                const tern_onnx_node *call, const char **out_prefix) {
  tern_span name = call->name.size ? call->name : call->op_type;
  return tern_arena_format(&context->arena, out_prefix, "%.160s%.*s/", caller->env->prefix,
                           (int)(name.size < 60 ? name.size : 60), name.data);
}

tern_status *tern_import_call(import_context *context, import_scope *scope,
                              const tern_onnx_node *call, const tern_onnx_function *function) {
  TERN_TRY(check_call(context, scope, call, function));
  import_env env = {.opsets = function->opsets,
                    .opset_count = function->opset_count,
                    .function = function,
                    .call = call,
                    .caller = scope->env,
                    .caller_scope = scope};
  TERN_TRY(make_prefix(context, scope, call, &env.prefix));
  import_scope body;
  tern_import_scope_init(context, NULL, &env, scope->graph, &body);
  context->depth++;
  context->inlined_nodes += (int32_t)function->node_count;
  tern_status *status = fill(context, scope, call, &body);
  context->depth--;
  tern_import_scope_deinit(&body);
  return status;
}
