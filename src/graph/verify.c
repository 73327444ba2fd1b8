// The invariants of graph.h, checked from scratch and in time linear in the model (but for
// captures, which are few).
#include <string.h>

#include "graph/import.h"
#include "graph/infer.h"

typedef struct verifier {
  const tern_model *model;
  tern_arena arena;
  bool *is_visited;      // by node id: stands in a graph, before the node at hand
  size_t *first_input;   // by node id: where its inputs begin in `is_used`
  bool *is_used;         // one for each input: listed as a use by its edge
  size_t input_total;    // inputs of visited nodes
  size_t present_inputs; // those that are not omitted
} verifier;

// The names of a graph and, through `outer`, of those around it.
typedef struct name_scope {
  tern_map names;
  const struct name_scope *outer;
} name_scope;

#define BROKEN(...) TERN_ERROR(TERN_FAIL, __VA_ARGS__)

static tern_status *claim_name(name_scope *scope, const tern_edge *edge) {
  if (!edge->name || !edge->name[0]) return BROKEN("an edge has no name");
  for (const name_scope *s = scope; s; s = s->outer) {
    const tern_edge *other = tern_map_get(&s->names, edge->name);
    if (other && other != edge) return BROKEN("two edges are named '%s'", edge->name);
  }
  return tern_map_set(&scope->names, edge->name, (void *)(uintptr_t)edge);
}

static tern_status *check_sources(const tern_graph *graph, name_scope *scope) {
  for (size_t i = 0; i < graph->inputs.count; ++i) {
    const tern_edge *edge = graph->inputs.data[i];
    if (!edge->is_input || edge->graph != graph || edge->producer)
      return BROKEN("'%s' is listed as an input, but is none", edge->name);
    TERN_TRY(claim_name(scope, edge));
  }
  for (size_t i = 0; i < graph->initializers.count; ++i) {
    const tern_edge *edge = graph->initializers.data[i];
    if (!edge->initializer || edge->graph != graph || edge->producer)
      return BROKEN("'%s' is listed as an initializer, but is none", edge->name);
    TERN_TRY(claim_name(scope, edge));
  }
  return NULL;
}

// `reader` may read `edge`: it is made before, in this graph or one around it.
static tern_status *check_read(const verifier *v, const tern_graph *reader, const tern_edge *edge) {
  if (!tern_graph_is_within(reader, edge->graph))
    return BROKEN("'%s' is read outside of its graph", edge->name);
  if (edge->producer) {
    if (!v->is_visited[edge->producer->id])
      return BROKEN("'%s' is read before it is made", edge->name);
  } else if (!edge->is_input && !edge->initializer) {
    return BROKEN("'%s' is made by nobody", edge->name);
  }
  return NULL;
}

static tern_status *check_edges(verifier *v, const tern_graph *graph, const tern_node *node,
                                name_scope *scope) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (!node->inputs[i]) continue;
    v->present_inputs++;
    TERN_TRY(check_read(v, graph, node->inputs[i]));
  }
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_edge *edge = node->outputs[i];
    if (!edge) continue;
    if (edge->producer != node || edge->producer_index != i || edge->graph != graph)
      return BROKEN("output '%s' does not know its producer", edge->name);
    if (edge->is_input || edge->initializer)
      return BROKEN("output '%s' has a second source", edge->name);
    TERN_TRY(claim_name(scope, edge));
  }
  return NULL;
}

static bool is_captured(const tern_node *node, const tern_edge *edge) {
  for (size_t i = 0; i < node->captures.count; ++i) {
    if (node->captures.data[i] == edge) return true;
  }
  return false;
}

static tern_status *check_capture(const tern_node *node, const tern_graph *body,
                                  const tern_edge *edge) {
  if (!edge || tern_graph_is_within(edge->graph, body) || is_captured(node, edge)) return NULL;
  return BROKEN("'%s' is read inside, but is not captured", edge->name);
}

static tern_status *check_body_captures(const tern_node *node, const tern_graph *body) {
  for (const tern_node *inner = body->first; inner; inner = inner->next) {
    for (int32_t i = 0; i < inner->input_count; ++i)
      TERN_TRY(check_capture(node, body, inner->inputs[i]));
    for (size_t i = 0; i < inner->captures.count; ++i)
      TERN_TRY(check_capture(node, body, inner->captures.data[i]));
  }
  for (size_t i = 0; i < body->outputs.count; ++i)
    TERN_TRY(check_capture(node, body, body->outputs.data[i]));
  return NULL;
}

static bool is_read_inside(const tern_node *node, const tern_edge *edge) {
  for (size_t i = 0; i < edge->uses.count; ++i) {
    const tern_graph *graph = edge->uses.data[i].node->graph;
    for (; graph; graph = graph->parent_node ? graph->parent_node->graph : NULL) {
      if (graph->parent_node == node) return true;
    }
  }
  return edge->output_uses > 0; // handed out by an inner graph
}

static tern_status *check_graph(verifier *v, const tern_graph *graph, const name_scope *outer);

static tern_status *check_bodies(verifier *v, const tern_node *node, const name_scope *scope) {
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type != TERN_ATTR_GRAPH) continue;
    const tern_graph *body = node->attrs[i].u.graph;
    if (body->parent_node != node) return BROKEN("graph '%s' has another parent", body->name);
    TERN_TRY(check_graph(v, body, scope));
    TERN_TRY(check_body_captures(node, body));
  }
  for (size_t i = 0; i < node->captures.count; ++i) {
    if (!is_read_inside(node, node->captures.data[i]))
      return BROKEN("'%s' is captured, but not read inside", node->captures.data[i]->name);
  }
  return NULL;
}

static tern_status *check_node(verifier *v, const tern_graph *graph, const tern_node *node,
                               name_scope *scope) {
  if (node->graph != graph) return BROKEN("the node does not know its graph");
  if (node->id < 0 || node->id >= v->model->next_node_id || v->is_visited[node->id])
    return BROKEN("the node's number %d is not its own", node->id);
  v->first_input[node->id] = v->input_total;
  v->input_total += (size_t)node->input_count;
  TERN_TRY(check_edges(v, graph, node, scope));
  TERN_TRY(check_bodies(v, node, scope));
  v->is_visited[node->id] = true;
  return NULL;
}

static tern_status *check_nodes(verifier *v, const tern_graph *graph, name_scope *scope) {
  int32_t count = 0;
  const tern_node *prev = NULL;
  for (const tern_node *node = graph->first; node; prev = node, node = node->next, ++count) {
    char text[TERN_NODE_TEXT_BYTES];
    tern_status *status = node->prev == prev ? check_node(v, graph, node, scope)
                                             : BROKEN("the node is linked wrongly");
    if (status)
      return tern_status_annotate(status, "%s", tern_node_describe(node, text, sizeof text));
    TERN_TRY(tern_node_check(node));
  }
  if (graph->last != prev || graph->node_count != count)
    return BROKEN("graph '%s' has %d nodes, not %d, or another end", graph->name, count,
                  graph->node_count);
  return NULL;
}

static tern_status *check_contents(verifier *v, const tern_graph *graph, name_scope *scope) {
  TERN_TRY(check_sources(graph, scope));
  TERN_TRY(check_nodes(v, graph, scope));
  for (size_t i = 0; i < graph->outputs.count; ++i)
    TERN_TRY(check_read(v, graph, graph->outputs.data[i]));
  return NULL;
}

static tern_status *check_graph(verifier *v, const tern_graph *graph, const name_scope *outer) {
  name_scope scope = {.outer = outer};
  tern_map_init(v->model->allocator, &scope.names);
  tern_status *status = check_contents(v, graph, &scope);
  tern_map_deinit(&scope.names);
  return status;
}

// Every use that an edge lists is an input of a node in a graph, and every such input is listed.
static tern_status *check_uses(verifier *v) {
  size_t listed = 0;
  TERN_TRY(TERN_ARENA_ARRAY(&v->arena, v->input_total, &v->is_used));
  for (size_t e = 0; e < v->model->all_edges.count; ++e) {
    const tern_edge *edge = v->model->all_edges.data[e];
    for (size_t i = 0; i < edge->uses.count; ++i, ++listed) {
      tern_use use = edge->uses.data[i];
      if (!v->is_visited[use.node->id]) return BROKEN("'%s' is used by a node outside", edge->name);
      if (use.index < 0 || use.index >= use.node->input_count ||
          use.node->inputs[use.index] != edge)
        return BROKEN("'%s' lists a use that is none", edge->name);
      bool *is_used = &v->is_used[v->first_input[use.node->id] + (size_t)use.index];
      if (*is_used) return BROKEN("'%s' lists a use twice", edge->name);
      *is_used = true;
    }
  }
  if (listed != v->present_inputs)
    return BROKEN("%zu uses are listed, but nodes have %zu inputs", listed, v->present_inputs);
  return NULL;
}

// Outputs of graphs that a pass has cut off count for nothing; their edges are unread too.
static tern_status *check_output_uses(const verifier *v) {
  int64_t listed = 0, counted = 0;
  for (size_t g = 0; g < v->model->graphs.count; ++g) {
    const tern_graph *graph = v->model->graphs.data[g];
    bool is_live =
        graph == v->model->graph || (graph->parent_node && v->is_visited[graph->parent_node->id]);
    if (!is_live) continue;
    counted += (int64_t)graph->outputs.count;
    for (size_t i = 0; i < graph->outputs.count; ++i) {
      if (graph->outputs.data[i]->output_uses < 1)
        return BROKEN("'%s' does not know that it is an output", graph->outputs.data[i]->name);
    }
  }
  for (size_t e = 0; e < v->model->all_edges.count; ++e) {
    const tern_edge *edge = v->model->all_edges.data[e];
    const tern_graph *graph = edge->graph;
    bool is_live =
        graph == v->model->graph || (graph->parent_node && v->is_visited[graph->parent_node->id]);
    if (is_live) listed += edge->output_uses;
  }
  if (listed != counted)
    return BROKEN("edges count %lld outputs, graphs %lld", (long long)listed, (long long)counted);
  return NULL;
}

static tern_status *verify(verifier *v) {
  const tern_model *model = v->model;
  if (!model->graph || model->graph->parent_node) return BROKEN("the model has no main graph");
  TERN_TRY(TERN_ARENA_ARRAY(&v->arena, model->next_node_id, &v->is_visited));
  TERN_TRY(TERN_ARENA_ARRAY(&v->arena, model->next_node_id, &v->first_input));
  TERN_TRY(check_graph(v, model->graph, NULL));
  TERN_TRY(check_uses(v));
  return check_output_uses(v);
}

tern_status *tern_model_verify(const tern_model *model) {
  verifier v = {.model = model};
  tern_arena_init(model->allocator, &v.arena);
  tern_status *status = verify(&v);
  tern_arena_deinit(&v.arena);
  return tern_status_annotate(status, "the graph is broken");
}
