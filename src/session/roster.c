// Who computes for a session.
#include "session/roster.h"

#include "providers/cpu/cpu.h"
#include "providers/providers.h"

static tern_status *take(tern_allocator *allocator, const tern_provider_request *request,
                         tern_roster *roster) {
  tern_provider *provider = request->instance;
  if (!provider)
    TERN_TRY(tern_provider_create(request->name, allocator, request->options, request->option_count,
                                  &provider));
  roster->is_owned[roster->count] = provider != request->instance;
  roster->providers[roster->count++] = provider;
  return NULL;
}

tern_status *tern_roster_create(tern_allocator *allocator, const tern_session_options *options,
                                tern_roster *out_roster) {
  *out_roster = (tern_roster){.count = 0};
  tern_provider *cpu = tern_cpu_provider();
  for (size_t i = 0; i < options->provider_count; ++i) {
    if (out_roster->count + 1 == TERN_MAX_PROVIDERS)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "a session has at most %d providers",
                        TERN_MAX_PROVIDERS);
    TERN_TRY(take(allocator, &options->providers[i], out_roster));
    if (out_roster->providers[out_roster->count - 1] == cpu) return NULL;
  }
  out_roster->providers[out_roster->count++] = cpu;
  return NULL;
}

void tern_roster_destroy(tern_roster *roster) {
  for (int32_t i = 0; i < roster->count; ++i) {
    tern_provider *provider = roster->providers[i];
    if (roster->is_owned[i] && provider->destroy) provider->destroy(provider);
  }
  roster->count = 0;
}
