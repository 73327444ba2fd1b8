// `tern info`: which library answers, and what it says of itself.
#include <stdio.h>

#include "json.h"
#include "lib.h"
#include "text.h"
#include "verbs.h"

static void print_text(cli_arena *arena, const cli_lib *lib, const char *build,
                       const char *const *providers, size_t count) {
  printf("library: %s\n", lib->path);
  if (lib->tern) printf("tern: %s\n", lib->tern->version_string);
  printf("ORT version: %s (ABI %u)\n", lib->version, lib->api_version);
  printf("build: %s\n", build);
  printf("providers: %s\n", cli_list_names(arena, providers, count));
}

static cli_status *print_json(const cli_lib *lib, const char *build, const char *const *providers,
                              size_t count) {
  cli_json *root = cli_json_object(), *list = cli_json_array();
  if (!root) return cli_json_missing();
  cli_json_set(root, "library", cli_json_text(lib->path));
  if (lib->tern) cli_json_set(root, "tern", cli_json_text(lib->tern->version_string));
  cli_json_set(root, "version", cli_json_text(lib->version));
  cli_json_set(root, "abi", cli_json_integer(lib->api_version));
  cli_json_set(root, "build", cli_json_text(build));
  for (size_t i = 0; i < count; i++) cli_json_add(list, cli_json_text(providers[i]));
  cli_json_set(root, "providers", list);
  cli_status *status = cli_json_print(root, stdout);
  cli_json_free(root);
  return status;
}

cli_status *cli_info(cli_arena *arena, const cli_request *request) {
  cli_lib lib;
  CLI_TRY(cli_lib_load(arena, request->library, &lib));
  char **providers = NULL;
  int count = 0;
  cli_status *status = cli_ort(&lib, lib.ort->GetAvailableProviders(&providers, &count));
  const char *build = lib.ort->GetBuildInfoString();
  const char *const *names = (const char *const *)providers;
  if (!status && request->json)
    status = print_json(&lib, build, names, (size_t)count);
  else if (!status)
    print_text(arena, &lib, build, names, (size_t)count);
  if (providers)
    cli_status_free(cli_ort(&lib, lib.ort->ReleaseAvailableProviders(providers, count)));
  return status;
}
