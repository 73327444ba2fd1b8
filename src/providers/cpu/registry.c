// The list of kernel families, and finding the row that runs a node.
#include <string.h>

#include "base/os.h"
#include "providers/cpu/blocked.h"

const tern_cpu_family *const tern_cpu_families[] = {
    &tern_cpu_activation,
    &tern_cpu_cast,
    &tern_cpu_elementwise,
    &tern_cpu_control,
    &tern_cpu_shape,
    &tern_cpu_conv,
    &tern_cpu_fused,
    &tern_cpu_blocked,
    &tern_cpu_matmul,
    &tern_cpu_pool,
    &tern_cpu_variadic,
    &tern_cpu_rnn,
    &tern_cpu_image,
    &tern_cpu_random,
    &tern_cpu_nn,
    &tern_cpu_sequence,
    &tern_cpu_movement,
    &tern_cpu_normalize,
    &tern_cpu_einsum,
    &tern_cpu_reduce,
    &tern_cpu_indexing,
    &tern_cpu_placement,
    NULL,
};
const size_t tern_cpu_family_count = TERN_COUNT_OF(tern_cpu_families) - 1;

// Rows by "domain:operator", built on first use.
static tern_map kernel_index;
static tern_arena index_keys;
static bool index_failed;
static tern_os_once once = TERN_OS_ONCE_INIT;

static tern_status *index_row(const tern_cpu_kernel *row) {
  const char *key;
  TERN_TRY(tern_arena_format(&index_keys, &key, "%s:%s", row->domain, row->op));
  return tern_map_set(&kernel_index, key, (void *)(uintptr_t)row);
}

static tern_status *build_index(void) {
  tern_arena_init(tern_allocator_system(), &index_keys);
  tern_map_init(tern_allocator_system(), &kernel_index);
  for (size_t f = 0; f < tern_cpu_family_count; ++f) {
    for (size_t i = 0; i < tern_cpu_families[f]->count; ++i)
      TERN_TRY(index_row(&tern_cpu_families[f]->kernels[i]));
  }
  return NULL;
}

static void build_once(void) {
  tern_status *status = build_index();
  index_failed = status != NULL;
  tern_status_ignore(status);
}

const tern_cpu_kernel *tern_cpu_find_row(const tern_op *op) {
  char key[192];
  tern_os_once_run(&once, build_once);
  size_t domain = strlen(op->domain), name = strlen(op->name);
  if (index_failed || domain + name + 2 > sizeof key) return NULL;
  memcpy(key, op->domain, domain);
  key[domain] = ':';
  memcpy(key + domain + 1, op->name, name + 1);
  return tern_map_get(&kernel_index, key);
}

// A tensor's element type, the undefined one too: a kernel is not chosen for what it might turn out
// to be. Other kinds have none.
static tern_dtype_set dtype_of(const tern_edge *edge) {
  const tern_type *type = &edge->type;
  return type->kind == TERN_KIND_TENSOR || type->dtype != TERN_DTYPE_UNDEFINED
             ? TERN_DTYPE_BIT(type->dtype)
             : 0;
}

// The element types that a type variable has on `node`, over its inputs and outputs.
static tern_dtype_set variable_dtypes(const tern_node *node, const char *variable) {
  tern_dtype_set found = 0;
  for (int32_t i = 0; i < node->input_count; ++i) {
    const tern_formal *formal = tern_formal_at(node->op->inputs, i);
    if (node->inputs[i] && formal && strcmp(formal->type, variable) == 0)
      found |= dtype_of(node->inputs[i]);
  }
  for (int32_t i = 0; i < node->output_count; ++i) {
    const tern_formal *formal = tern_formal_at(node->op->outputs, i);
    if (node->outputs[i] && formal && strcmp(formal->type, variable) == 0)
      found |= dtype_of(node->outputs[i]);
  }
  return found;
}

const tern_cpu_kernel *tern_cpu_find_kernel(const tern_node *node, const char **out_reason) {
  const tern_cpu_kernel *row = tern_cpu_find_row(node->op);
  if (!row) {
    *out_reason = "the CPU provider has no kernel for this operator";
    return NULL;
  }
  for (const tern_cpu_types *types = row->types; types && types->variable; ++types) {
    if (variable_dtypes(node, types->variable) & ~types->dtypes) {
      *out_reason = "the CPU provider's kernel for this operator does not take these types";
      return NULL;
    }
  }
  return row;
}

static tern_claim claims(void *self, const tern_node *node) {
  (void)self;
  const char *reason = NULL;
  const tern_cpu_kernel *row = tern_cpu_find_kernel(node, &reason);
  return (tern_claim){.accepted = row != NULL, .reason = reason};
}

static tern_status *prepare(void *self, const tern_prepare *ctx, tern_kernel *out_kernel) {
  (void)self;
  const char *reason = NULL;
  const tern_cpu_kernel *row = tern_cpu_find_kernel(ctx->node, &reason);
  if (!row) return TERN_ERROR(TERN_NOT_IMPLEMENTED, "%s", reason);
  tern_kernel kernel = {.name = row->op,
                        .provider = tern_cpu_provider(),
                        .compute = row->compute,
                        .release = row->release};
  if (row->prepare) TERN_TRY(row->prepare(ctx, &kernel.state));
  *out_kernel = kernel;
  return NULL;
}

static tern_provider provider = {.name = "CPUExecutionProvider",
                                 .claims = claims,
                                 .prepare = prepare,
                                 .preferred_block = tern_cpu_preferred_block};

tern_provider *tern_cpu_provider(void) {
  return &provider;
}
