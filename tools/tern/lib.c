// Finding and opening the library. Only entries that every release since API_VERSION has are used,
// so that older libraries can be compared with too.
#include "lib.h"

#include <stdlib.h>
#include <string.h>

#include "os.h"
#include "text.h"

// The ABI version asked for. Tables only grow, so a later library answers it as well.
enum { API_VERSION = 16 };

static cli_status *open_handle(cli_arena *arena, const char *path, void **out_handle) {
  const char *reason = "";
  if (path) {
    // The loader looks for a bare name in its own path only; people mean the file here first.
    if (!strchr(path, '/'))
      *out_handle = cli_os_open_library(cli_print(arena, "./%s", path), &reason);
    if (!*out_handle) *out_handle = cli_os_open_library(path, &reason);
    if (*out_handle) return NULL;
    return cli_fail(CLI_FAILED, "cannot load the library '%s': %s", path, reason);
  }
  const char *folder = cli_os_program_folder(arena);
  if (folder) *out_handle = cli_os_open_library(cli_print(arena, "%s/libtern.so", folder), &reason);
  if (!*out_handle) *out_handle = cli_os_open_library("libtern.so", &reason);
  if (*out_handle) return NULL;
  return cli_fail(CLI_FAILED,
                  "cannot load libtern.so, neither beside this program nor by the "
                  "loader's path: %s; --lib names another library",
                  reason);
}

// "1.30.0" answers ABI versions up to 30; a version that reads otherwise is taken at API_VERSION.
static uint32_t newest_api_version(const char *version) {
  const char *dot = strchr(version, '.');
  unsigned long minor = dot ? strtoul(dot + 1, NULL, 10) : 0;
  return minor > API_VERSION && minor < 10000 ? (uint32_t)minor : API_VERSION;
}

static const TernApi *find_tern(void *handle) {
  const TernApi *(*get_api)(uint32_t);
  void *symbol = cli_os_symbol(handle, "TernGetApi");
  if (!symbol) return NULL;
  memcpy(&get_api, &symbol, sizeof get_api);
  return get_api(TERN_API_VERSION);
}

cli_status *cli_lib_load(cli_arena *arena, const char *path, cli_lib *out_lib) {
  void *handle = NULL;
  CLI_TRY(open_handle(arena, path, &handle));
  const OrtApiBase *(*get_base)(void);
  void *symbol = cli_os_symbol(handle, "OrtGetApiBase");
  const char *name = path ? path : "libtern.so";
  if (!symbol)
    return cli_fail(CLI_FAILED, "'%s' is not an ONNX runtime library: it has no OrtGetApiBase",
                    name);
  memcpy(&get_base, &symbol, sizeof get_base);
  const OrtApiBase *base = get_base();
  cli_lib lib = {.handle = handle, .version = base->GetVersionString()};
  lib.path = cli_os_symbol_file(arena, symbol);
  if (!lib.path) lib.path = name;
  lib.ort = base->GetApi(API_VERSION);
  if (!lib.ort)
    return cli_fail(CLI_FAILED, "'%s' (version %s) does not answer ABI version %d", lib.path,
                    lib.version, API_VERSION);
  lib.tern = find_tern(handle);
  lib.api_version = newest_api_version(lib.version);
  *out_lib = lib;
  return NULL;
}

cli_status *cli_lib_open(cli_arena *arena, const char *path, cli_lib *out_lib) {
  cli_lib lib;
  CLI_TRY(cli_lib_load(arena, path, &lib));
  // Failures come back as statuses and are printed once, so the library's own log stays quiet.
  CLI_TRY(cli_ort(&lib, lib.ort->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "tern", &lib.env)));
  *out_lib = lib;
  return NULL;
}

void cli_lib_close(cli_lib *lib) {
  if (lib->env) lib->ort->ReleaseEnv(lib->env);
  lib->env = NULL;
}

const char *cli_lib_text(cli_arena *arena, const cli_lib *lib) {
  if (lib->tern) return cli_print(arena, "%s (Tern %s)", lib->path, lib->tern->version_string);
  return cli_print(arena, "%s (%s)", lib->path, lib->version);
}

cli_status *cli_ort(const cli_lib *lib, OrtStatus *status) {
  if (!status) return NULL;
  cli_status *failure = cli_fail(CLI_FAILED, "%s", lib->ort->GetErrorMessage(status));
  lib->ort->ReleaseStatus(status);
  return failure;
}
