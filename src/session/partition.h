// Partitioning: which provider runs each node, and why not an earlier one; nodes that a provider
// compiles together become one; values that two sides of a border read are copied across it.
//
// Nodes are asked about once, by whoever needs to know first. Nodes that come into the graph later
// are asked about when they are met.
#ifndef TERN_SESSION_PARTITION_H_
#define TERN_SESSION_PARTITION_H_

#include "base/array.h"
#include "session/account.h"
#include "session/failure.h"

// Sets of providers are bits.
enum { TERN_MAX_PROVIDERS = 16 };

// Where a node runs. Lives as long as the partition.
typedef struct tern_placement {
  int32_t index;           // of the provider; where it stands in the partition's list
  tern_provider *provider; // NULL: nobody runs the node as it stands
  tern_claim claim;        // `host_inputs` has those that inference reads too
  // What earlier providers answered: "NAME: reason; NAME: reason". "" where the first one claimed.
  const char *reasons;
  tern_kernel kernel;  // of what is prepared already: groups and copies. `compute` NULL: not yet
  int64_t state_bytes; // of that kernel
} tern_placement;

typedef struct tern_partition {
  tern_allocator *allocator;
  tern_arena arena;
  tern_provider *const *providers; // in priority order; the last accepts what is left
  int32_t provider_count;
  TERN_ARRAY(tern_placement *) placements;  // by node number; NULL: not asked about
  tern_counting_allocator kernel_allocator; // of the kernels prepared here
  tern_failure *failure;                    // the load's; NULL: nobody asks
} tern_partition;

// The account outlives the partition.
void tern_partition_init(tern_account *account, tern_provider *const *providers,
                         int32_t provider_count, tern_failure *failure,
                         tern_partition *out_partition);
// Releases the kernels that it keeps; nobody computes with them any more.
void tern_partition_release_kernels(tern_partition *partition);
// Releases the kernels too: the programs that hold them are gone.
void tern_partition_deinit(tern_partition *partition);

// Where `node` runs. The providers are asked if they have not been.
TERN_MUST_USE tern_status *tern_partition_place(tern_partition *partition, const tern_node *node,
                                                const tern_placement **out_placement);
// The same of a node that has been asked about; NULL for others.
const tern_placement *tern_partition_find(const tern_partition *partition, const tern_node *node);
// Whether `graph` is the body of a node that a provider has compiled: nobody looks into it any
// more.
bool tern_partition_is_compiled(const tern_partition *partition, const tern_graph *graph);

// Has the providers that compile do so. *out_again: some nodes were refused; they are in the graph
// as they were, left to the next providers, and may have to be lowered.
TERN_MUST_USE tern_status *tern_partition_compile(tern_partition *partition, tern_model *model,
                                                  bool *out_again);

// Puts copies where a value lies in the memory of one provider and is read elsewhere. After this
// the graph's nodes and edges stay as they are.
TERN_MUST_USE tern_status *tern_partition_copy(tern_partition *partition, tern_model *model);

// The memory of output `index` of a placed node; NULL: the host's.
const tern_memory_space *tern_placement_output_space(const tern_placement *placement,
                                                     int32_t index);

// ---- Between the files of the partitioner.

// Decides by itself, for nodes that the partitioner makes.
TERN_MUST_USE tern_status *tern_partition_set(tern_partition *partition, const tern_node *node,
                                              const tern_placement *placement);
// Provider `index` does not run `node` after all: the next ones are asked when somebody needs to
// know.
TERN_MUST_USE tern_status *tern_partition_refuse(tern_partition *partition, const tern_node *node,
                                                 int32_t index, const char *reason);

#endif
