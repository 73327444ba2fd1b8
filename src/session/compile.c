// Groups: found, offered to their provider, put into one node, compiled; or left to the next.
#include <stdatomic.h>

#include "graph/outline.h"
#include "session/group.h"
#include "session/partition.h"

// One graph while the groups of one provider are compiled.
typedef struct compiling {
  tern_partition *partition;
  tern_provider *provider;
  int32_t index; // of the provider
  tern_graph *graph;
  tern_arena arena;
  int32_t node_count;
  tern_node **nodes; // in the graph's order; later those of the group at work
  bool *is_claimed;
  TERN_ARRAY(tern_group_link) links;
  int32_t *groups;   // by node's place in the graph
  int32_t *group_of; // by node's number; -1: none
  int32_t group_count;
  int32_t id_count; // numbers below it are in `group_of`
  bool refused;
} compiling;

static tern_status *list_link(compiling *c, const int32_t *places, const tern_edge *edge,
                              int32_t to) {
  if (!edge || !edge->producer || edge->producer->graph != c->graph) return NULL;
  const tern_group_link link = {places[edge->producer->id], to};
  TERN_ARRAY_PUSH(c->partition->allocator, &c->links, link);
  return NULL;
}

static tern_status *list_links(compiling *c, const int32_t *places) {
  for (int32_t n = 0; n < c->node_count; ++n) {
    const tern_node *node = c->nodes[n];
    for (int32_t i = 0; i < node->input_count; ++i)
      TERN_TRY(list_link(c, places, node->inputs[i], n));
    for (size_t i = 0; i < node->captures.count; ++i)
      TERN_TRY(list_link(c, places, node->captures.data[i], n));
  }
  return NULL;
}

static tern_status *list_nodes(compiling *c, int32_t *places) {
  int32_t n = 0;
  TERN_GRAPH_FOREACH(c->graph, node) {
    const tern_placement *placement;
    TERN_TRY(tern_partition_place(c->partition, node, &placement));
    c->is_claimed[n] = placement->provider == c->provider && !placement->kernel.compute;
    places[node->id] = n;
    c->nodes[n++] = node;
  }
  return NULL;
}

static tern_status *find_groups(compiling *c) {
  int32_t *places;
  c->node_count = c->graph->node_count;
  c->id_count = c->graph->model->next_node_id;
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, c->node_count, &c->nodes));
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, c->node_count, &c->is_claimed));
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, c->node_count, &c->groups));
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, c->id_count, &c->group_of));
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, c->id_count, &places));
  TERN_TRY(list_nodes(c, places));
  TERN_TRY(list_links(c, places));
  TERN_TRY(tern_group_nodes(c->partition->allocator, c->node_count, c->is_claimed, c->links.data,
                            c->links.count, c->groups, &c->group_count));
  for (int32_t i = 0; i < c->id_count; ++i) c->group_of[i] = -1;
  for (int32_t n = 0; n < c->node_count; ++n) c->group_of[c->nodes[n]->id] = c->groups[n];
  return NULL;
}

static tern_status *refuse(compiling *c, int32_t count, const char *reason) {
  for (int32_t i = 0; i < count; ++i)
    TERN_TRY(tern_partition_refuse(c->partition, c->nodes[i], c->index, reason));
  c->refused = true;
  return NULL;
}

// ---- Compiling.

static bool is_wanted_on_host(const tern_partition *partition, const tern_edge *input) {
  for (size_t i = 0; i < input->uses.count; ++i) {
    const tern_use *use = &input->uses.data[i];
    const tern_placement *reader = tern_partition_find(partition, use->node);
    if (reader && tern_op_input_bit(reader->claim.host_inputs, use->index)) return true;
  }
  return false;
}

// What the node of a group wants on the host is what the nodes in it do.
static tern_claim claim_of(const tern_partition *partition, const tern_graph *body) {
  tern_claim claim = {.accepted = true};
  for (size_t i = 0; i < body->inputs.count; ++i) {
    if (is_wanted_on_host(partition, body->inputs.data[i]))
      claim.host_inputs |= 1u << (i < 31 ? i : 31);
  }
  for (size_t i = 0; i < body->outputs.count; ++i) {
    const tern_edge *edge = body->outputs.data[i];
    const tern_placement *maker = tern_partition_find(partition, edge->producer);
    if (maker && tern_op_input_bit(maker->claim.host_outputs, edge->producer_index))
      claim.host_outputs |= 1u << (i < 31 ? i : 31);
  }
  return claim;
}

static bool is_read_in(const tern_edge *edge, const tern_graph *body) {
  for (size_t i = 0; i < edge->uses.count; ++i) {
    const tern_use *use = &edge->uses.data[i];
    // Inference over the body goes on reading what gives shapes.
    if (use->node->graph != body || tern_op_input_bit(use->node->op->shape_inputs, use->index))
      return false;
  }
  return edge->output_uses == 0;
}

// The kernel has its own copies of the body's constants: what nobody else reads goes.
static void spend_constants(const tern_graph *body) {
  for (const tern_node *node = body->first; node; node = node->next) {
    for (int32_t i = 0; i < node->input_count; ++i) {
      const tern_edge *edge = node->inputs[i];
      if (!edge || !tern_edge_constant(edge) || edge->initializer->is_spent) continue;
      tern_model_discard(body->model, edge->initializer);
      if (is_read_in(edge, body)) tern_value_spend(edge->initializer);
    }
  }
}

static tern_status *call_compile(compiling *c, const tern_node *node, tern_placement *placement) {
  const tern_value **constants;
  bool *consumed, consumed_body = false;
  tern_counting_allocator *counting = &c->partition->kernel_allocator;
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, node->input_count, &constants));
  TERN_TRY(TERN_ARENA_ARRAY(&c->arena, node->input_count, &consumed));
  const tern_prepare prepare = {.node = node,
                                .allocator = &counting->base,
                                .constants = constants,
                                .consumed = consumed,
                                .host_inputs = placement->claim.host_inputs,
                                .host_outputs = placement->claim.host_outputs,
                                .consumed_body = &consumed_body};
  int64_t before = atomic_load_explicit(&counting->live_bytes, memory_order_relaxed);
  TERN_TRY(c->provider->compile(c->provider->self, &prepare, &placement->kernel));
  placement->state_bytes =
      atomic_load_explicit(&counting->live_bytes, memory_order_relaxed) - before;
  if (consumed_body) spend_constants(node->attrs[0].u.graph);
  return NULL;
}

// The kernel is released with the partition as soon as it is in its list, and here before.
static tern_status *keep_kernel(compiling *c, const tern_node *node, tern_placement *placement) {
  tern_status *status = tern_partition_set(c->partition, node, placement);
  if (status && placement->kernel.release)
    placement->kernel.release(placement->kernel.state, &c->partition->kernel_allocator.base);
  return status;
}

static tern_status *compile_group(compiling *c, int32_t count) {
  tern_model *model = c->graph->model;
  const tern_op *op = tern_op_registry_find(model->registry, TERN_DOMAIN_TERN, "Compiled");
  tern_node *node;
  if (!op) return refuse(c, count, "this registry has no operator for groups");
  TERN_TRY(tern_graph_outline(c->graph, op, c->nodes, count, &node));
  tern_placement placement = {.index = c->index,
                              .provider = c->provider,
                              .claim = claim_of(c->partition, node->attrs[0].u.graph),
                              .reasons = ""};
  tern_status *status = call_compile(c, node, &placement);
  if (!status) return keep_kernel(c, node, &placement);
  if (tern_status_get_code(status) != TERN_NOT_IMPLEMENTED) {
    char where[TERN_NODE_TEXT_BYTES];
    status = tern_failure_note(c->partition->failure, c->provider, "compile", node, status);
    return tern_status_annotate(status, "%s: compiling %d nodes from %s", c->provider->name, count,
                                tern_node_describe(c->nodes[0], where, sizeof where));
  }
  tern_status *undone = tern_graph_undo_outline(node);
  if (!undone) undone = refuse(c, count, tern_status_message(status));
  tern_status_free(status);
  return undone;
}

// The graph changes from one group to the next, and with it the order of its nodes.
static int32_t collect_group(compiling *c, int32_t group) {
  int32_t count = 0;
  TERN_GRAPH_FOREACH(c->graph, node) {
    if (node->id < c->id_count && c->group_of[node->id] == group) c->nodes[count++] = node;
  }
  return count;
}

static tern_status *compile_groups(compiling *c) {
  TERN_TRY(find_groups(c));
  for (int32_t g = 0; g < c->group_count; ++g) {
    int32_t count = collect_group(c, g);
    tern_claim claim = {.accepted = true};
    if (c->provider->takes_group)
      claim =
          c->provider->takes_group(c->provider->self, (const tern_node *const *)c->nodes, count);
    TERN_TRY(claim.accepted ? compile_group(c, count) : refuse(c, count, claim.reason));
  }
  return NULL;
}

static tern_status *compile_graph(tern_partition *partition, tern_graph *graph, bool *inout_again) {
  for (int32_t p = 0; p < partition->provider_count; ++p) {
    if (!partition->providers[p]->compile) continue;
    compiling c = {
        .partition = partition, .provider = partition->providers[p], .index = p, .graph = graph};
    tern_arena_init(partition->allocator, &c.arena);
    tern_status *status = compile_groups(&c);
    TERN_ARRAY_FREE(partition->allocator, &c.links);
    tern_arena_deinit(&c.arena);
    if (status) return status;
    *inout_again |= c.refused;
  }
  return NULL;
}

tern_status *tern_partition_compile(tern_partition *partition, tern_model *model, bool *out_again) {
  *out_again = false;
  size_t count = model->graphs.count; // bodies come behind
  for (size_t g = 0; g < count; ++g) {
    tern_graph *graph = model->graphs.data[g];
    if (tern_graph_is_live(graph) && !tern_partition_is_compiled(partition, graph))
      TERN_TRY(compile_graph(partition, graph, out_again));
  }
  return NULL;
}
