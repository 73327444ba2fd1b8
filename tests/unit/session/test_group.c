// Grouping claimed nodes: on random graphs every group is connected and convex, and no two that
// touch could be one. All of it is held to a plain search over the graph with groups as nodes.
#include "session/group.h"

#include <string.h>

#include "support/random.h"
#include "unit/test.h"

enum { MOST_NODES = 14, MOST_LINKS = MOST_NODES * (MOST_NODES - 1) / 2 };

typedef struct sample {
  int32_t nodes;
  bool is_claimed[MOST_NODES];
  tern_group_link links[MOST_LINKS];
  size_t link_count;
  int32_t groups[MOST_NODES], group_count;
} sample;

// A number for the node that `node` is part of once groups `a` and `b` are one; -1 each: as it is.
static int32_t merged(const sample *s, int32_t node, int32_t a, int32_t b) {
  int32_t group = s->groups[node];
  if (group < 0) return MOST_NODES + node;
  return group == b && a >= 0 ? a : group;
}

// Whether the graph with groups as nodes has a cycle: Warshall's closure.
static bool has_cycle(const sample *s, int32_t a, int32_t b) {
  static bool reaches[2 * MOST_NODES][2 * MOST_NODES];
  memset(reaches, 0, sizeof reaches);
  for (size_t l = 0; l < s->link_count; ++l) {
    int32_t from = merged(s, s->links[l].from, a, b), to = merged(s, s->links[l].to, a, b);
    if (from != to) reaches[from][to] = true;
  }
  for (int32_t k = 0; k < 2 * MOST_NODES; ++k) {
    for (int32_t i = 0; i < 2 * MOST_NODES; ++i) {
      for (int32_t j = 0; reaches[i][k] && j < 2 * MOST_NODES; ++j) reaches[i][j] |= reaches[k][j];
    }
  }
  for (int32_t i = 0; i < 2 * MOST_NODES; ++i)
    if (reaches[i][i]) return true;
  return false;
}

static bool is_connected(const sample *s, int32_t group) {
  bool is_seen[MOST_NODES] = {false};
  int32_t first = 0;
  while (s->groups[first] != group) ++first;
  is_seen[first] = true;
  for (int32_t round = 0; round < s->nodes; ++round) {
    for (size_t l = 0; l < s->link_count; ++l) {
      tern_group_link link = s->links[l];
      if (s->groups[link.from] != group || s->groups[link.to] != group) continue;
      if (is_seen[link.from] || is_seen[link.to]) is_seen[link.from] = is_seen[link.to] = true;
    }
  }
  for (int32_t i = 0; i < s->nodes; ++i)
    if (s->groups[i] == group && !is_seen[i]) return false;
  return true;
}

static void run(sample *s) {
  assert_null(tern_group_nodes(tern_allocator_system(), s->nodes, s->is_claimed, s->links,
                               s->link_count, s->groups, &s->group_count));
}

static void check(const sample *s) {
  int32_t next = 0;
  for (int32_t i = 0; i < s->nodes; ++i) {
    assert_int_equal(s->groups[i] >= 0, s->is_claimed[i]);
    assert_true(s->groups[i] <= next);
    next += s->groups[i] == next;
  }
  assert_int_equal(next, s->group_count);
  assert_false(has_cycle(s, -1, -1));
  for (int32_t g = 0; g < s->group_count; ++g) assert_true(is_connected(s, g));
  for (size_t l = 0; l < s->link_count; ++l) {
    int32_t a = s->groups[s->links[l].from], b = s->groups[s->links[l].to];
    if (a >= 0 && b >= 0 && a != b) assert_true(has_cycle(s, a, b));
  }
}

static void test_random_graphs(void **state) {
  (void)state;
  test_random random = {.state = 11};
  int32_t most_groups = 0;
  for (int round = 0; round < 4000; ++round) {
    sample s = {.nodes = 1 + (int32_t)test_random_below(&random, MOST_NODES)};
    size_t density = 1 + test_random_below(&random, 6), claims = test_random_below(&random, 5);
    for (int32_t i = 0; i < s.nodes; ++i) {
      s.is_claimed[i] = test_random_below(&random, 5) <= claims;
      for (int32_t k = 0; k < i; ++k) {
        if (test_random_below(&random, 8) < density)
          s.links[s.link_count++] = (tern_group_link){k, i};
      }
    }
    // In any order.
    for (size_t l = s.link_count; l > 1; --l) {
      size_t other = test_random_below(&random, l);
      tern_group_link link = s.links[l - 1];
      s.links[l - 1] = s.links[other];
      s.links[other] = link;
    }
    run(&s);
    check(&s);
    if (s.group_count > most_groups) most_groups = s.group_count;
  }
  assert_true(most_groups > 3); // the samples were no trivial ones
}

// 0 claimed -> 1 not -> 2 claimed, and 0 -> 2 directly: the path by way of 1 keeps them apart.
static void test_a_path_that_leaves_divides(void **state) {
  (void)state;
  sample s = {.nodes = 3,
              .is_claimed = {true, false, true},
              .links = {{0, 1}, {1, 2}, {0, 2}},
              .link_count = 3};
  run(&s);
  assert_int_equal(s.group_count, 2);
}

// 3 could have been computed with 0 alone, and is worth more to the group that reads it: 0 -> 1 not
// -> 2 -> 4, 3 -> 4.
static void test_a_late_group_takes_early_nodes(void **state) {
  (void)state;
  sample s = {.nodes = 5,
              .is_claimed = {true, false, true, true, true},
              .links = {{0, 1}, {1, 2}, {2, 4}, {3, 4}},
              .link_count = 4};
  run(&s);
  assert_int_equal(s.group_count, 2);
  assert_int_equal(s.groups[2], s.groups[3]);
  assert_int_equal(s.groups[2], s.groups[4]);
}

static void test_nothing_claimed(void **state) {
  (void)state;
  sample s = {.nodes = 2, .links = {{0, 1}}, .link_count = 1};
  run(&s);
  assert_int_equal(s.group_count, 0);
  s = (sample){.nodes = 0};
  run(&s);
  assert_int_equal(s.group_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_graphs),
      cmocka_unit_test(test_a_path_that_leaves_divides),
      cmocka_unit_test(test_a_late_group_takes_early_nodes),
      cmocka_unit_test(test_nothing_claimed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
