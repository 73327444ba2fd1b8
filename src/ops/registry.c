// The list of families, and the index over all their rows.
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "ops/ops.h"

static const tern_op_family *const families[] = {
    &tern_ops_activation, &tern_ops_cast,     &tern_ops_elementwise, &tern_ops_control,
    &tern_ops_shape,      &tern_ops_conv,     &tern_ops_fused,       &tern_ops_blocked,
    &tern_ops_matmul,     &tern_ops_pool,     &tern_ops_variadic,    &tern_ops_rnn,
    &tern_ops_image,      &tern_ops_random,   &tern_ops_nn,          &tern_ops_sequence,
    &tern_ops_legacy,     &tern_ops_movement, &tern_ops_normalize,   &tern_ops_einsum,
    &tern_ops_reduce,     &tern_ops_indexing, &tern_ops_placement,   NULL,
};

static tern_op_registry registry;
static tern_arena keys; // of the index; lives as long as the process
static tern_status *registry_status;
static tern_os_once once = TERN_OS_ONCE_INIT;

static tern_status *add_op(const tern_op *op) {
  const char *key;
  TERN_TRY(tern_arena_format(&keys, &key, "%s:%s", op->domain, op->name));
  return tern_map_set(&registry.index, key, (void *)(uintptr_t)op);
}

static tern_status *build(void) {
  tern_arena_init(tern_allocator_system(), &keys);
  tern_map_init(tern_allocator_system(), &registry.index);
  for (size_t f = 0; families[f]; ++f) {
    for (size_t i = 0; i < families[f]->count; ++i) TERN_TRY(add_op(&families[f]->ops[i]));
    registry.family_count = f + 1;
  }
  registry.families = families;
  return NULL;
}

static void build_once(void) {
  registry_status = build();
}

tern_status *tern_ops_registry(const tern_op_registry **out_registry) {
  tern_os_once_run(&once, build_once);
  if (registry_status) return tern_status_out_of_memory();
  *out_registry = &registry;
  return NULL;
}
