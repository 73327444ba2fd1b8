// Grouping: which of the nodes that a provider claims can become one. Works on numbers alone.
#ifndef TERN_SESSION_GROUP_H_
#define TERN_SESSION_GROUP_H_

#include "base/allocator.h"

// Node `to` reads what node `from` makes; from < to, as nodes are numbered in topological order.
typedef struct tern_group_link {
  int32_t from, to;
} tern_group_link;

// Puts the nodes that `is_claimed` marks into groups, numbered from 0 in the order of their first
// nodes: out_groups[i] is node i's, -1 where it is not claimed. A group is connected by links
// between its nodes, and together they are convex: with every group as one node the graph still has
// no cycle, so that no path leaves a group and comes back. No two groups that a link joins could be
// one.
TERN_MUST_USE tern_status *tern_group_nodes(tern_allocator *allocator, int32_t node_count,
                                            const bool *is_claimed, const tern_group_link *links,
                                            size_t link_count, int32_t *out_groups,
                                            int32_t *out_group_count);

#endif
