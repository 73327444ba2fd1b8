// Copies at the borders of a provider's memory. A value that is made there and read on the host is
// copied once, behind the node that makes it: the copy keeps the name, because graph outputs and
// subgraphs know it by that. A value of the host's is copied before the first node that reads it
// there.
#include <string.h>

#include "session/partition.h"

static tern_status *compute_upload(tern_invocation *invocation) {
  const tern_memory_space *space = invocation->state;
  const tern_value *from = invocation->inputs[0];
  if (from->data_bytes == 0) return NULL;
  return space->upload(space->self, invocation->outputs[0]->data, from->data, from->data_bytes,
                       invocation->stream);
}

static tern_status *compute_download(tern_invocation *invocation) {
  const tern_memory_space *space = invocation->state;
  const tern_value *from = invocation->inputs[0];
  if (from->data_bytes == 0) return NULL;
  return space->download(space->self, invocation->outputs[0]->data, from->data, from->data_bytes,
                         invocation->stream);
}

typedef struct copying {
  tern_partition *partition;
  const tern_op *upload, *download;
} copying;

static tern_status *new_edge(tern_graph *graph, const tern_edge *like, tern_edge **out_edge) {
  TERN_TRY(tern_graph_new_edge(graph, NULL, out_edge));
  (*out_edge)->type = like->type;
  (*out_edge)->symints = like->symints;
  return NULL;
}

// The step from `from` to `to` in `graph` before `before`, by the provider of `side`.
static tern_status *add_copy(copying *c, tern_graph *graph, const tern_op *op, tern_edge *from,
                             tern_edge *to, tern_node *before, const tern_placement *side) {
  tern_node *node;
  bool is_upload = op == c->upload;
  TERN_TRY(tern_node_create(graph, op, from->name, &from, 1, &to, 1, NULL, &node));
  tern_graph_insert(graph, node, before);
  const tern_placement placement = {
      .index = side->index,
      .provider = side->provider,
      .claim = {.accepted = true, .host_inputs = is_upload, .host_outputs = !is_upload},
      .reasons = "",
      .kernel = {.name = is_upload ? "copy to the device" : "copy to the host",
                 .provider = side->provider,
                 .state = (void *)(uintptr_t)side->provider->memory,
                 .compute = is_upload ? compute_upload : compute_download}};
  return tern_partition_set(c->partition, node, &placement);
}

// ---- To the host.

static bool reads_on_host(const copying *c, const tern_use *use, const tern_edge *edge,
                          const tern_memory_space *space) {
  if (use->node->graph != edge->graph) return true; // captured
  const tern_placement *reader = tern_partition_find(c->partition, use->node);
  return !reader || reader->provider->memory != space ||
         tern_op_input_bit(reader->claim.host_inputs, use->index);
}

// What leaves the graph leaves the space too, also where the host can read it: nobody outside of
// the run may depend on a provider's memory.
static bool needs_host_copy(const copying *c, const tern_edge *edge,
                            const tern_memory_space *space) {
  for (size_t i = 0; i < edge->uses.count && !space->is_host_visible; ++i)
    if (reads_on_host(c, &edge->uses.data[i], edge, space)) return true;
  return edge->output_uses > 0;
}

static tern_status *copy_to_host(copying *c, tern_node *node, int32_t output,
                                 const tern_placement *placement) {
  tern_edge *edge = node->outputs[output], *inner;
  TERN_TRY(new_edge(node->graph, edge, &inner));
  node->outputs[output] = inner;
  inner->producer = node;
  inner->producer_index = output;
  for (size_t i = 0; i < edge->uses.count;) {
    tern_use use = edge->uses.data[i];
    if (reads_on_host(c, &use, edge, placement->provider->memory))
      ++i;
    else
      TERN_TRY(tern_node_set_input(use.node, use.index, inner)); // takes entry i out of the list
  }
  return add_copy(c, node->graph, c->download, inner, edge, node->next, placement);
}

static tern_status *copy_outputs(copying *c, tern_node *node) {
  const tern_placement *placement = tern_partition_find(c->partition, node);
  for (int32_t i = 0; i < node->output_count; ++i) {
    if (!node->outputs[i]) continue;
    const tern_memory_space *space = tern_placement_output_space(placement, i);
    if (!space || !needs_host_copy(c, node->outputs[i], space)) continue;
    TERN_TRY(copy_to_host(c, node, i, placement));
  }
  return NULL;
}

// ---- To the device.

static bool lives_in(const copying *c, const tern_edge *edge, const tern_graph *graph,
                     const tern_memory_space *space) {
  if (!edge->producer || edge->graph != graph) return false;
  const tern_placement *maker = tern_partition_find(c->partition, edge->producer);
  return maker && tern_placement_output_space(maker, edge->producer_index) == space;
}

// The copy that an earlier node of the graph has had made; NULL: none.
static tern_edge *find_upload(const copying *c, const tern_edge *edge, const tern_graph *graph,
                              const tern_memory_space *space) {
  for (size_t i = 0; i < edge->uses.count; ++i) {
    const tern_node *node = edge->uses.data[i].node;
    if (node->op != c->upload || node->graph != graph) continue;
    if (tern_partition_find(c->partition, node)->provider->memory == space) return node->outputs[0];
  }
  return NULL;
}

static tern_status *copy_inputs(copying *c, tern_node *node) {
  const tern_placement *placement = tern_partition_find(c->partition, node);
  const tern_memory_space *space = placement->provider->memory;
  for (int32_t i = 0; space && i < node->input_count; ++i) {
    tern_edge *edge = node->inputs[i];
    if (!edge || tern_edge_constant(edge) || lives_in(c, edge, node->graph, space)) continue;
    if (tern_op_input_bit(placement->claim.host_inputs, i)) continue;
    tern_edge *copy = find_upload(c, edge, node->graph, space);
    if (!copy) {
      TERN_TRY(new_edge(node->graph, edge, &copy));
      TERN_TRY(add_copy(c, node->graph, c->upload, edge, copy, node, placement));
    }
    TERN_TRY(tern_node_set_input(node, i, copy));
  }
  return NULL;
}

static tern_status *copy_graph(copying *c, tern_graph *graph) {
  TERN_GRAPH_FOREACH(graph, node) TERN_TRY(copy_outputs(c, node));
  TERN_GRAPH_FOREACH(graph, node) TERN_TRY(copy_inputs(c, node));
  return NULL;
}

// Every node is placed, or the program cannot be made.
static tern_status *place_all(tern_partition *partition, const tern_graph *graph, bool *out_all) {
  for (const tern_node *node = graph->first; node; node = node->next) {
    const tern_placement *placement;
    TERN_TRY(tern_partition_place(partition, node, &placement));
    *out_all &= placement->provider != NULL;
  }
  return NULL;
}

tern_status *tern_partition_copy(tern_partition *partition, tern_model *model) {
  copying c = {.partition = partition,
               .upload = tern_op_registry_find(model->registry, TERN_DOMAIN_TERN, "CopyToDevice"),
               .download = tern_op_registry_find(model->registry, TERN_DOMAIN_TERN, "CopyToHost")};
  bool has_memory = false, all = true;
  for (int32_t p = 0; p < partition->provider_count; ++p)
    has_memory |= partition->providers[p]->memory != NULL;
  for (int pass = 0; pass < 2 && all; ++pass) {
    for (size_t g = 0; g < model->graphs.count; ++g) {
      tern_graph *graph = model->graphs.data[g];
      if (!tern_graph_is_live(graph) || tern_partition_is_compiled(partition, graph)) continue;
      if (pass == 0)
        TERN_TRY(place_all(partition, graph, &all));
      else if (has_memory)
        TERN_TRY(copy_graph(&c, graph));
    }
  }
  return NULL;
}
