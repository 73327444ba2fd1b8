// The suite on the CPU provider, under another name: a provider before the last is asked, watched
// and forgiven as any other.
#include "provider/suite.h"
#include "providers/cpu/cpu.h"

static tern_provider twin;

static tern_status *create(void *self, tern_provider **out_provider) {
  (void)self;
  twin = *tern_cpu_provider();
  twin.name = "SecondCPUExecutionProvider";
  *out_provider = &twin;
  return NULL;
}

static void destroy(void *self, tern_provider *provider) {
  (void)self, (void)provider;
}

int main(int argc, char **argv) {
  const provider_subject subject = {
      .name = "the CPU provider", .create = create, .destroy = destroy};
  return provider_suite_run(&subject, argc > 1 ? argv[1] : NULL) ? 1 : 0;
}
