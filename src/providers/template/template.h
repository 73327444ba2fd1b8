// A provider to clone: everything in providers/provider.h, on a device with three operators.
// README.md goes through it step by step.
#ifndef TERN_PROVIDERS_TEMPLATE_TEMPLATE_H_
#define TERN_PROVIDERS_TEMPLATE_TEMPLATE_H_

#include "providers/provider.h"

// For a row of providers.c. It has no options.
const char *tern_template_find_obstacle(void);
TERN_MUST_USE tern_status *tern_template_create(tern_allocator *allocator,
                                                const tern_metadata *options, size_t option_count,
                                                tern_provider **out_provider);

#endif
