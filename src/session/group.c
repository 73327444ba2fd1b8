// Grouping in two passes. The first gives every node a phase: how many times the paths to it have
// left claimed nodes at most. A path never returns to an earlier phase, so claimed nodes of one
// phase that links join are convex groups already. The second joins groups of different phases
// where no other path leads from one to the other, until none is left.
#include "session/group.h"

#include <string.h>

#include "base/arena.h"

typedef struct grouping {
  int32_t node_count;
  const bool *is_claimed;
  const tern_group_link *links;
  size_t link_count;
  int32_t *parent;       // of a forest whose roots stand for groups
  int32_t *first_reader; // where a node's readers begin in `readers`; node_count + 1 entries
  int32_t *readers;
  int32_t *next_member; // the next node of the same group, around in a ring
  int32_t *stack;
  bool *is_seen; // by root
} grouping;

static int32_t root_of(grouping *g, int32_t node) {
  while (g->parent[node] != node) node = g->parent[node] = g->parent[g->parent[node]];
  return node;
}

// The lower root stands for both; two rings become one when a pair exchanges what comes next.
static void join(grouping *g, int32_t a, int32_t b) {
  a = root_of(g, a);
  b = root_of(g, b);
  if (a == b) return;
  g->parent[a < b ? b : a] = a < b ? a : b;
  int32_t next = g->next_member[a];
  g->next_member[a] = g->next_member[b];
  g->next_member[b] = next;
}

static void join_phases(grouping *g, int32_t *phases) {
  // Links come in any order: a node's phase is settled when the nodes before it are.
  for (int32_t i = 0; i < g->node_count; ++i) {
    for (int32_t r = g->first_reader[i]; r < g->first_reader[i + 1]; ++r) {
      int32_t reader = g->readers[r];
      int32_t phase = phases[i] + (g->is_claimed[i] && !g->is_claimed[reader]);
      if (phases[reader] < phase) phases[reader] = phase;
    }
  }
  for (size_t l = 0; l < g->link_count; ++l) {
    tern_group_link link = g->links[l];
    if (g->is_claimed[link.from] && g->is_claimed[link.to] && phases[link.from] == phases[link.to])
      join(g, link.from, link.to);
  }
}

// Puts the groups that read what group `root` makes on the stack, once each.
static void push_readers(grouping *g, int32_t root, int32_t *inout_depth) {
  int32_t node = root;
  do {
    for (int32_t r = g->first_reader[node]; r < g->first_reader[node + 1]; ++r) {
      int32_t reader = root_of(g, g->readers[r]);
      if (g->is_seen[reader]) continue;
      g->is_seen[reader] = true;
      g->stack[(*inout_depth)++] = reader;
    }
    node = g->next_member[node];
  } while (node != root);
}

// Whether a path leads from group `from` to group `to` by way of another.
static bool has_detour(grouping *g, int32_t from, int32_t to) {
  int32_t depth = 0;
  memset(g->is_seen, 0, (size_t)g->node_count * sizeof *g->is_seen);
  g->is_seen[from] = g->is_seen[to] = true; // the direct links do not count
  push_readers(g, from, &depth);
  g->is_seen[to] = false;
  while (depth > 0 && !g->is_seen[to]) push_readers(g, g->stack[--depth], &depth);
  return g->is_seen[to];
}

static bool join_some(grouping *g) {
  bool joined = false;
  for (size_t l = 0; l < g->link_count; ++l) {
    int32_t from = g->links[l].from, to = g->links[l].to;
    if (!g->is_claimed[from] || !g->is_claimed[to]) continue;
    from = root_of(g, from);
    to = root_of(g, to);
    if (from == to || has_detour(g, from, to)) continue;
    join(g, from, to);
    joined = true;
  }
  return joined;
}

static void list_readers(grouping *g) {
  for (size_t l = 0; l < g->link_count; ++l) g->first_reader[g->links[l].from + 1]++;
  for (int32_t i = 0; i < g->node_count; ++i) g->first_reader[i + 1] += g->first_reader[i];
  // Filled from the back of each node's part.
  int32_t *left = g->stack;
  for (int32_t i = 0; i < g->node_count; ++i) left[i] = g->first_reader[i + 1];
  for (size_t l = 0; l < g->link_count; ++l) g->readers[--left[g->links[l].from]] = g->links[l].to;
}

static int32_t number(grouping *g, int32_t *out_groups) {
  int32_t count = 0;
  for (int32_t i = 0; i < g->node_count; ++i) {
    int32_t root = root_of(g, i);
    out_groups[i] = !g->is_claimed[i] ? -1 : root == i ? count++ : out_groups[root];
  }
  return count;
}

tern_status *tern_group_nodes(tern_allocator *allocator, int32_t node_count, const bool *is_claimed,
                              const tern_group_link *links, size_t link_count, int32_t *out_groups,
                              int32_t *out_group_count) {
  grouping g = {
      .node_count = node_count, .is_claimed = is_claimed, .links = links, .link_count = link_count};
  int32_t *phases;
  tern_arena arena;
  tern_arena_init(allocator, &arena);
  tern_status *status = TERN_ARENA_ARRAY(&arena, node_count, &phases);
  if (!status) status = TERN_ARENA_ARRAY(&arena, node_count, &g.parent);
  if (!status) status = TERN_ARENA_ARRAY(&arena, node_count, &g.next_member);
  if (!status) status = TERN_ARENA_ARRAY(&arena, node_count, &g.stack);
  if (!status) status = TERN_ARENA_ARRAY(&arena, node_count, &g.is_seen);
  if (!status) status = TERN_ARENA_ARRAY(&arena, node_count + 1, &g.first_reader);
  if (!status) status = TERN_ARENA_ARRAY(&arena, link_count, &g.readers);
  if (!status) {
    for (int32_t i = 0; i < node_count; ++i) g.parent[i] = g.next_member[i] = i;
    list_readers(&g);
    join_phases(&g, phases);
    while (join_some(&g)) {
    }
    *out_group_count = number(&g, out_groups);
  }
  tern_arena_deinit(&arena);
  return status;
}
