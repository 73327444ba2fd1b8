// The suite on the template provider.
#include "provider/suite.h"
#include "providers/template/template.h"

static tern_status *create(void *self, tern_provider **out_provider) {
  (void)self;
  return tern_template_create(tern_allocator_system(), NULL, 0, out_provider);
}

static void destroy(void *self, tern_provider *provider) {
  (void)self;
  provider->destroy(provider);
}

int main(int argc, char **argv) {
  const provider_subject subject = {
      .name = "the template provider", .create = create, .destroy = destroy};
  return provider_suite_run(&subject, argc > 1 ? argv[1] : NULL) ? 1 : 0;
}
