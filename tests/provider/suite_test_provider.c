// The suite on the test provider, in manners that between them use the whole contract.
#include <stdlib.h>

#include "provider/suite.h"
#include "provider/test_provider.h"

static tern_status *create(void *self, tern_provider **out_provider) {
  test_provider *provider;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &provider));
  test_provider_init(self, provider);
  *out_provider = &provider->base;
  return NULL;
}

static void destroy(void *self, tern_provider *provider) {
  test_provider *own = provider->self;
  (void)self;
  if (!test_provider_is_clean(own)) abort(); // a check that fails leaves its mess behind
  TERN_DELETE(tern_allocator_system(), own);
}

typedef struct manner {
  test_provider_options options;
  bool runs_cases;  // those that differ most
  double tolerance; // groups compute with weights as they are, the CPU with packed ones
} manner;

static manner manners[] = {
    {.options = {.name = "HostProvider"}},
    {.options = {.name = "AsynchronousProvider", .is_asynchronous = true}, .runs_cases = true},
    {.options = {.name = "VisibleMemoryProvider", .has_memory = true, .is_host_visible = true}},
    {.options = {.name = "DeviceProvider", .has_memory = true, .is_asynchronous = true},
     .runs_cases = true},
    {.options = {.name = "CompilingProvider", .compiles = true}, .tolerance = 1e-6},
    {.options = {.name = "CompilingDeviceProvider",
                 .compiles = true,
                 .has_memory = true,
                 .is_asynchronous = true},
     .runs_cases = true,
     .tolerance = 1e-6},
};

int main(int argc, char **argv) {
  int failed = 0;
  for (size_t i = 0; i < TERN_COUNT_OF(manners); ++i) {
    manner *m = &manners[i];
    const provider_subject subject = {.name = m->options.name,
                                      .create = create,
                                      .destroy = destroy,
                                      .self = &m->options,
                                      .tolerance = m->tolerance};
    failed += provider_suite_run(&subject, argc > 1 && m->runs_cases ? argv[1] : NULL);
  }
  return failed ? 1 : 0;
}
