// Asking providers.
#include "session/partition.h"

#include "base/text.h"

void tern_partition_init(tern_account *account, tern_provider *const *providers,
                         int32_t provider_count, tern_failure *failure,
                         tern_partition *out_partition) {
  tern_allocator *allocator = tern_account_allocator(account, TERN_MEMORY_PROGRAM);
  *out_partition = (tern_partition){.allocator = allocator,
                                    .providers = providers,
                                    .provider_count = provider_count,
                                    .failure = failure};
  tern_arena_init(allocator, &out_partition->arena);
  tern_counting_allocator_init(tern_account_allocator(account, TERN_MEMORY_KERNELS),
                               &out_partition->kernel_allocator);
}

void tern_partition_release_kernels(tern_partition *partition) {
  for (size_t i = 0; i < partition->placements.count; ++i) {
    tern_placement *placement = partition->placements.data[i];
    if (!placement || !placement->kernel.release) continue;
    placement->kernel.release(placement->kernel.state, &partition->kernel_allocator.base);
    placement->kernel.release = NULL;
  }
}

void tern_partition_deinit(tern_partition *partition) {
  tern_partition_release_kernels(partition);
  TERN_ARRAY_FREE(partition->allocator, &partition->placements);
  tern_arena_deinit(&partition->arena);
}

static tern_placement *find(const tern_partition *partition, const tern_node *node) {
  return (size_t)node->id < partition->placements.count ? partition->placements.data[node->id]
                                                        : NULL;
}

const tern_placement *tern_partition_find(const tern_partition *partition, const tern_node *node) {
  return find(partition, node);
}

bool tern_partition_is_compiled(const tern_partition *partition, const tern_graph *graph) {
  const tern_placement *placement = graph->parent_node ? find(partition, graph->parent_node) : NULL;
  return placement && placement->kernel.compute;
}

const tern_memory_space *tern_placement_output_space(const tern_placement *placement,
                                                     int32_t index) {
  if (tern_op_input_bit(placement->claim.host_outputs, index)) return NULL;
  return placement->provider->memory;
}

static tern_status *add(tern_partition *partition, const tern_node *node,
                        tern_placement **out_placement) {
  tern_placement *none = NULL;
  while (partition->placements.count <= (size_t)node->id)
    TERN_ARRAY_PUSH(partition->allocator, &partition->placements, none);
  TERN_TRY(TERN_ARENA_NEW(&partition->arena, out_placement));
  (*out_placement)->reasons = "";
  partition->placements.data[node->id] = *out_placement;
  return NULL;
}

static bool holds_numbers(const tern_edge *edge) {
  return !edge || (edge->type.kind == TERN_KIND_TENSOR &&
                   edge->type.dtype != TERN_DTYPE_UNDEFINED && edge->type.dtype != TERN_STRING);
}

static bool has_numbers_only(const tern_node *node) {
  for (int32_t i = 0; i < node->input_count; ++i)
    if (!holds_numbers(node->inputs[i])) return false;
  for (int32_t i = 0; i < node->output_count; ++i)
    if (!holds_numbers(node->outputs[i])) return false;
  return true;
}

static bool has_subgraphs(const tern_node *node) {
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i)
    if (node->attrs[i].type == TERN_ATTR_GRAPH) return true;
  return false;
}

// What `provider` says of `node`, where it is asked at all.
static tern_claim ask(const tern_provider *provider, bool is_last, const tern_node *node) {
  if (!is_last && has_subgraphs(node))
    return (tern_claim){.reason = "subgraphs run on the last provider"};
  if (provider->memory && !has_numbers_only(node))
    return (tern_claim){.reason = "its memory holds tensors of numbers only"};
  return provider->claims(provider->self, node);
}

static tern_status *add_reason(tern_partition *partition, tern_placement *placement,
                               const char *name, const char *reason) {
  bool is_first = placement->reasons[0] == '\0';
  return tern_arena_format(&partition->arena, &placement->reasons, "%s%s%s: %s", placement->reasons,
                           is_first ? "" : "; ", name, reason ? reason : "not claimed");
}

// From the provider at placement->index on.
static tern_status *ask_from(tern_partition *partition, const tern_node *node,
                             tern_placement *placement) {
  for (; placement->index < partition->provider_count; ++placement->index) {
    tern_provider *provider = partition->providers[placement->index];
    placement->claim = ask(provider, placement->index + 1 == partition->provider_count, node);
    if (placement->claim.accepted) {
      placement->provider = provider;
      placement->claim.host_inputs |= node->op->shape_inputs;
      return NULL;
    }
    TERN_TRY(add_reason(partition, placement, provider->name, placement->claim.reason));
  }
  return NULL;
}

tern_status *tern_partition_place(tern_partition *partition, const tern_node *node,
                                  const tern_placement **out_placement) {
  tern_placement *placement = find(partition, node);
  if (!placement) TERN_TRY(add(partition, node, &placement));
  if (!placement->provider) TERN_TRY(ask_from(partition, node, placement));
  *out_placement = placement;
  return NULL;
}

tern_status *tern_partition_set(tern_partition *partition, const tern_node *node,
                                const tern_placement *placement) {
  tern_placement *own;
  TERN_TRY(add(partition, node, &own));
  *own = *placement;
  return NULL;
}

tern_status *tern_partition_refuse(tern_partition *partition, const tern_node *node, int32_t index,
                                   const char *reason) {
  tern_placement *placement = find(partition, node);
  TERN_TRY(add_reason(partition, placement, partition->providers[index]->name, reason));
  placement->provider = NULL;
  placement->index = index + 1;
  return NULL;
}
