// Whole families run in every type their rows allow: each operator has a kernel or a function body,
// and each element type a type variable allows is one the kernel takes, or a narrow float that runs
// through float.
#include <string.h>

#include "ops/ops.h"
#include "providers/cpu/cpu.h"
#include "unit/ops/support.h"

static const tern_op_family *const whole_families[] = {
    &tern_ops_elementwise, &tern_ops_activation, &tern_ops_variadic, &tern_ops_cast,
    &tern_ops_reduce,      &tern_ops_shape,      &tern_ops_movement, &tern_ops_indexing,
};

static tern_dtype_set taken_by(const tern_cpu_kernel *kernel, const char *variable) {
  for (const tern_cpu_types *types = kernel->types; types && types->variable; ++types) {
    if (strcmp(types->variable, variable) == 0) return types->dtypes;
  }
  return TERN_TYPES_ALL;
}

// Types that a row allows although the operator has no meaning for them: Col2Im adds elements, and
// texts have no sum.
static tern_dtype_set without_meaning(const tern_cpu_kernel *kernel) {
  return strcmp(kernel->op, "Col2Im") == 0 ? TERN_DTYPE_BIT(TERN_STRING) : 0;
}

// What the row allows and nothing computes.
static tern_dtype_set missing(const tern_cpu_kernel *kernel, const tern_constraint *constraint) {
  tern_dtype_set taken = taken_by(kernel, constraint->name),
                 left = constraint->types.tensor & ~taken;
  left &= ~without_meaning(kernel);
  for (int dtype = 1; dtype < TERN_DTYPE_COUNT; ++dtype) {
    bool is_narrow = tern_dtype_get_info((tern_dtype)dtype)->class == TERN_CLASS_B;
    if (is_narrow && tern_dtype_set_has(taken, TERN_FLOAT))
      left &= ~TERN_DTYPE_BIT((tern_dtype)dtype);
  }
  return left;
}

static bool is_replaced_on_import(const tern_op *op) {
  const tern_op_version *version = op->versions;
  while (version && version->version && version[1].version) ++version;
  return version && version->upgrade != NULL;
}

static int check_op(const tern_op *op) {
  const tern_cpu_kernel *kernel = tern_cpu_find_row(op);
  int faults = 0;
  if (op->body || op->deprecated_since || is_replaced_on_import(op)) return 0;
  if (!kernel) {
    print_error("%s has neither kernel nor body\n", op->name);
    return 1;
  }
  for (const tern_constraint *c = op->constraints; c && c->name; ++c) {
    tern_dtype_set left = missing(kernel, c);
    for (int dtype = 1; dtype < TERN_DTYPE_COUNT; ++dtype) {
      if (!tern_dtype_set_has(left, (tern_dtype)dtype)) continue;
      print_error("%s: %s may be %s, which no kernel takes\n", op->name, c->name,
                  tern_dtype_name((tern_dtype)dtype));
      ++faults;
    }
  }
  return faults;
}

static void test_whole_families(void **state) {
  (void)state;
  int faults = 0;
  for (size_t f = 0; f < TERN_COUNT_OF(whole_families); ++f) {
    for (size_t i = 0; i < whole_families[f]->count; ++i)
      faults += check_op(&whole_families[f]->ops[i]);
  }
  assert_int_equal(faults, 0);
}

// A kernel row for an operator or a type variable that does not exist would never be found.
static void test_kernel_rows_name_what_exists(void **state) {
  (void)state;
  const tern_op_registry *registry;
  assert_null(tern_ops_registry(&registry));
  for (size_t f = 0; f < tern_cpu_family_count; ++f) {
    for (size_t i = 0; i < tern_cpu_families[f]->count; ++i) {
      const tern_cpu_kernel *kernel = &tern_cpu_families[f]->kernels[i];
      const tern_op *op = tern_op_registry_find(registry, kernel->domain, kernel->op);
      if (!op) print_error("a kernel is for '%s', which is no operator\n", kernel->op);
      assert_non_null(op);
      for (const tern_cpu_types *types = kernel->types; types && types->variable; ++types) {
        const tern_constraint *c = op->constraints;
        while (c && c->name && strcmp(c->name, types->variable) != 0) ++c;
        if (!c || !c->name)
          print_error("%s has no type variable '%s'\n", op->name, types->variable);
        assert_true(c && c->name);
      }
    }
  }
}

// A kernel that dispatches on the element type is not chosen where that is not known.
static void test_unknown_types_have_no_kernel(void **state) {
  (void)state;
  test_graph graph;
  test_graph_open(&graph);
  static const tern_dtype dtypes[] = {TERN_FLOAT, TERN_DTYPE_UNDEFINED};
  for (size_t i = 0; i < TERN_COUNT_OF(dtypes); ++i) {
    tern_edge *x = test_graph_input(&graph, dtypes[i], TEST_SHAPE(1, 2, 3, 3));
    tern_edge *y = tern_build1(&graph.builder, "GlobalAveragePool", x);
    assert_non_null(y);
    const char *reason = NULL;
    const tern_cpu_kernel *kernel = tern_cpu_find_kernel(y->producer, &reason);
    assert_true((kernel != NULL) == (i == 0));
    assert_true((reason == NULL) == (i == 0));
  }
  test_graph_close(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_families),
      cmocka_unit_test(test_kernel_rows_name_what_exists),
      cmocka_unit_test(test_unknown_types_have_no_kernel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
