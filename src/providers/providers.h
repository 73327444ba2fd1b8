// The providers this library has: one row each. Whoever makes a session asks for them by name.
#ifndef TERN_PROVIDERS_PROVIDERS_H_
#define TERN_PROVIDERS_PROVIDERS_H_

#include "providers/provider.h"

typedef struct tern_provider_factory {
  const char *name;  // as providers name themselves: "CPUExecutionProvider"
  const char *alias; // as ORT's SessionOptionsAppendExecutionProvider takes it: "CPU"
  // NULL: it can be used on this machine. Otherwise why not, for people; static text.
  const char *(*find_obstacle)(void);
  // A provider that its user destroys. `options` are the user's, keys and values; a key that the
  // provider does not know is an error that names it. `allocator` outlives the provider.
  tern_status *(*create)(tern_allocator *allocator, const tern_metadata *options,
                         size_t option_count, tern_provider **out_provider);
} tern_provider_factory;

// In the order in which they are listed to programs; the CPU provider comes last.
extern const tern_provider_factory tern_provider_factories[];
extern const size_t tern_provider_factory_count;

// By name or alias; NULL: there is none.
const tern_provider_factory *tern_provider_find(const char *name);
// Creates the provider called `name`. Errors: there is none (TERN_NOT_IMPLEMENTED), or it cannot be
// used here, with the reason.
TERN_MUST_USE tern_status *tern_provider_create(const char *name, tern_allocator *allocator,
                                                const tern_metadata *options, size_t option_count,
                                                tern_provider **out_provider);

#endif
