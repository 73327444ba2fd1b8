// `tern info`: which library answers, and what it says of itself.
#include <stdio.h>

#include "describe.h"
#include "text.h"
#include "verbs.h"

// What the library says of itself.
struct findings {
  const char *build;
  char **providers;
  int provider_count;
  cli_json *runtime; // NULL: it does not say
};

static void print_text(cli_arena *arena, const cli_lib *lib, const struct findings *findings) {
  const char *const *providers = (const char *const *)findings->providers;
  printf("library: %s\n", lib->path);
  if (lib->tern) printf("tern: %s\n", lib->tern->version_string);
  printf("ORT version: %s (ABI %u)\n", lib->version, lib->api_version);
  printf("build: %s\n", findings->build);
  printf("providers: %s\n", cli_list_names(arena, providers, (size_t)findings->provider_count));
  if (findings->runtime) cli_describe_print_runtime(findings->runtime);
}

static cli_status *print_json(const cli_lib *lib, const struct findings *findings) {
  static const char *const of_runtime[] = {"isa", "isas", "features", "kernels"};
  cli_json *root = cli_json_object(), *list = cli_json_array();
  if (!root) return cli_json_missing();
  cli_json_set(root, "library", cli_json_text(lib->path));
  if (lib->tern) cli_json_set(root, "tern", cli_json_text(lib->tern->version_string));
  cli_json_set(root, "version", cli_json_text(lib->version));
  cli_json_set(root, "abi", cli_json_integer(lib->api_version));
  cli_json_set(root, "build", cli_json_text(findings->build));
  for (int i = 0; i < findings->provider_count; i++)
    cli_json_add(list, cli_json_text(findings->providers[i]));
  cli_json_set(root, "providers", list);
  for (size_t i = 0; i < sizeof of_runtime / sizeof *of_runtime; i++)
    if (findings->runtime) cli_json_copy(root, findings->runtime, of_runtime[i]);
  cli_status *status = cli_json_print(root, stdout);
  cli_json_free(root);
  return status;
}

static cli_status *look(cli_arena *arena, const cli_lib *lib, const cli_request *request,
                        struct findings *findings) {
  const OrtApi *ort = lib->ort;
  findings->build = ort->GetBuildInfoString();
  CLI_TRY(
      cli_ort(lib, ort->GetAvailableProviders(&findings->providers, &findings->provider_count)));
  CLI_TRY(cli_describe_runtime(lib, &findings->runtime));
  if (request->json) return print_json(lib, findings);
  print_text(arena, lib, findings);
  return NULL;
}

cli_status *cli_info(cli_arena *arena, const cli_request *request) {
  cli_lib lib;
  struct findings findings = {.providers = NULL};
  CLI_TRY(cli_lib_load(arena, request->library, &lib));
  cli_status *status = look(arena, &lib, request, &findings);
  cli_json_free(findings.runtime);
  if (findings.providers)
    cli_status_free(cli_ort(
        &lib, lib.ort->ReleaseAvailableProviders(findings.providers, findings.provider_count)));
  return status;
}
