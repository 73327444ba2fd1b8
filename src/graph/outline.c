// Outlining.
#include "graph/outline.h"

// What is known of the new node while its nodes move. Members are marked with the body in their
// `scratch`, nodes that read what members make with the outlining itself.
typedef struct outlining {
  tern_graph *graph, *body;
  TERN_ARRAY(tern_edge *) inputs;  // of the new node
  TERN_ARRAY(tern_edge *) outputs; // likewise
} outlining;

static bool is_member(const outlining *o, const tern_node *node) {
  return node && node->scratch == o->body;
}

static tern_status *new_body_edge(const outlining *o, const tern_edge *like, tern_edge **out_edge) {
  TERN_TRY(tern_graph_new_edge(o->body, NULL, out_edge));
  (*out_edge)->type = like->type;
  (*out_edge)->symints = like->symints;
  return NULL;
}

// The body's input that stands for `edge`, made when it is first read.
static tern_status *body_input(outlining *o, tern_edge *edge, tern_edge **out_input) {
  tern_allocator *allocator = o->graph->model->allocator;
  for (size_t i = 0; i < o->inputs.count; ++i) {
    *out_input = o->body->inputs.data[i];
    if (o->inputs.data[i] == edge) return NULL;
  }
  TERN_TRY(new_body_edge(o, edge, out_input));
  TERN_TRY(tern_graph_add_input(o->body, *out_input));
  TERN_ARRAY_PUSH(allocator, &o->inputs, edge);
  return NULL;
}

static tern_status *take_inputs(outlining *o, tern_node *node) {
  for (int32_t i = 0; i < node->input_count; ++i) {
    tern_edge *edge = node->inputs[i], *input;
    if (!edge || tern_edge_constant(edge) || is_member(o, edge->producer)) continue;
    TERN_TRY(body_input(o, edge, &input));
    TERN_TRY(tern_node_set_input(node, i, input));
  }
  return NULL;
}

static bool is_read_outside(const outlining *o, const tern_edge *edge) {
  for (size_t i = 0; i < edge->uses.count; ++i) {
    if (!is_member(o, edge->uses.data[i].node)) return true;
  }
  return edge->output_uses > 0;
}

// Readers of `from` become readers of `to`: all of them, or the members only.
static tern_status *move_readers(const outlining *members, tern_edge *from, tern_edge *to) {
  for (size_t i = 0; i < from->uses.count;) {
    tern_use use = from->uses.data[i];
    if (members && !is_member(members, use.node))
      ++i;
    else
      TERN_TRY(tern_node_set_input(use.node, use.index, to)); // takes entry i out of the list
  }
  return NULL;
}

static void make_producer(tern_node *node, int32_t index, tern_edge *edge) {
  node->outputs[index] = edge;
  edge->producer = node;
  edge->producer_index = index;
}

// An edge that others read stays where it is; inside, a new one takes its place.
static tern_status *take_outputs(outlining *o, tern_node *node) {
  for (int32_t i = 0; i < node->output_count; ++i) {
    tern_edge *edge = node->outputs[i], *inner;
    if (!edge) continue;
    if (!is_read_outside(o, edge)) {
      edge->graph = o->body;
      continue;
    }
    TERN_TRY(new_body_edge(o, edge, &inner));
    TERN_TRY(move_readers(o, edge, inner));
    make_producer(node, i, inner);
    TERN_TRY(tern_graph_add_output(o->body, inner));
    TERN_ARRAY_PUSH(o->graph->model->allocator, &o->outputs, edge);
  }
  return NULL;
}

static bool is_behind(const outlining *o, const tern_edge *edge) {
  if (!edge || !edge->producer || edge->producer->graph != o->graph) return false;
  return is_member(o, edge->producer) || edge->producer->scratch == o;
}

static bool reads_what_is_behind(const outlining *o, const tern_node *node) {
  for (int32_t i = 0; i < node->input_count; ++i)
    if (is_behind(o, node->inputs[i])) return true;
  for (size_t i = 0; i < node->captures.count; ++i)
    if (is_behind(o, node->captures.data[i])) return true;
  return false;
}

// Leaves the members where they are, side by side: what they need stands before them, and what
// needs them behind.
static void gather(outlining *o, tern_node *first, tern_node *last) {
  tern_node *behind = last->next;
  for (tern_node *node = first, *next; node != last; node = next) {
    next = node->next;
    if (is_member(o, node)) continue;
    node->scratch = reads_what_is_behind(o, node) ? o : NULL;
    if (node->scratch) tern_graph_move(node, o->graph, behind);
  }
}

static tern_status *make_node(outlining *o, const tern_op *op, const char *name, tern_node *before,
                              tern_node **out_node) {
  tern_attr attr = {.name = op->attrs[0].name, .type = TERN_ATTR_GRAPH, .u.graph = o->body};
  TERN_TRY(tern_node_create(o->graph, op, name, o->inputs.data, (int32_t)o->inputs.count,
                            o->outputs.data, (int32_t)o->outputs.count, &attr, out_node));
  tern_graph_insert(o->graph, *out_node, before);
  return tern_node_collect_captures(*out_node);
}

static tern_status *outline(outlining *o, const tern_op *op, tern_node *const *nodes, int32_t count,
                            tern_node **out_node) {
  TERN_GRAPH_FOREACH(o->graph, node) node->scratch = NULL;
  for (int32_t i = 0; i < count; ++i) nodes[i]->scratch = o->body;
  gather(o, nodes[0], nodes[count - 1]);
  for (int32_t i = 0; i < count; ++i) TERN_TRY(take_inputs(o, nodes[i]));
  for (int32_t i = 0; i < count; ++i) TERN_TRY(take_outputs(o, nodes[i]));
  tern_node *before = nodes[count - 1]->next;
  for (int32_t i = 0; i < count; ++i) tern_graph_move(nodes[i], o->body, NULL);
  return make_node(o, op, nodes[0]->name, before, out_node);
}

tern_status *tern_graph_outline(tern_graph *graph, const tern_op *op, tern_node *const *nodes,
                                int32_t count, tern_node **out_node) {
  outlining o = {.graph = graph};
  TERN_TRY(tern_graph_create(graph->model, NULL, "body", &o.body));
  tern_status *status = outline(&o, op, nodes, count, out_node);
  TERN_ARRAY_FREE(graph->model->allocator, &o.inputs);
  TERN_ARRAY_FREE(graph->model->allocator, &o.outputs);
  return status;
}

static void move_home(tern_node *node, tern_graph *graph, tern_node *before) {
  tern_graph_move(node, graph, before);
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (node->outputs[i]) node->outputs[i]->graph = graph;
  }
}

tern_status *tern_graph_undo_outline(tern_node *node) {
  tern_graph *body = node->attrs[0].u.graph;
  for (int32_t i = 0; i < node->input_count; ++i)
    TERN_TRY(move_readers(NULL, body->inputs.data[i], node->inputs[i]));
  for (int32_t i = 0; i < node->output_count; ++i) {
    tern_edge *inner = body->outputs.data[i];
    TERN_TRY(move_readers(NULL, inner, node->outputs[i]));
    make_producer(inner->producer, inner->producer_index, node->outputs[i]);
  }
  while (body->first) move_home(body->first, node->graph, node);
  node->output_count = 0; // they are made by others now
  tern_graph_remove(node);
  return NULL;
}
