// The table of providers.
#include "providers/providers.h"

#include <string.h>

#include "providers/cpu/cpu.h"

static const char *no_obstacle(void) {
  return NULL;
}

// ORT's CPU provider has the option "use_arena" alone, and ours leaves memory to the session.
static tern_status *create_cpu(tern_allocator *allocator, const tern_metadata *options,
                               size_t option_count, tern_provider **out_provider) {
  (void)allocator;
  for (size_t i = 0; i < option_count; ++i) {
    if (strcmp(options[i].key, "use_arena") != 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the CPU provider has no option '%s'",
                        options[i].key);
  }
  *out_provider = tern_cpu_provider();
  return NULL;
}

const tern_provider_factory tern_provider_factories[] = {
    {"CPUExecutionProvider", "CPU", no_obstacle, create_cpu},
};
const size_t tern_provider_factory_count = TERN_COUNT_OF(tern_provider_factories);

const tern_provider_factory *tern_provider_find(const char *name) {
  for (size_t i = 0; i < tern_provider_factory_count; ++i) {
    const tern_provider_factory *factory = &tern_provider_factories[i];
    if (strcmp(name, factory->name) == 0 || strcmp(name, factory->alias) == 0) return factory;
  }
  return NULL;
}

tern_status *tern_provider_create(const char *name, tern_allocator *allocator,
                                  const tern_metadata *options, size_t option_count,
                                  tern_provider **out_provider) {
  const tern_provider_factory *factory = tern_provider_find(name);
  if (!factory)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "the %s execution provider is not part of this build",
                      name);
  const char *obstacle = factory->find_obstacle();
  if (obstacle)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "%s cannot be used here: %s", factory->name, obstacle);
  return factory->create(allocator, options, option_count, out_provider);
}
