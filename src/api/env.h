// Environments: loggers, settings of shared threads, allocators that sessions share, devices.
#ifndef TERN_API_ENV_H_
#define TERN_API_ENV_H_

#include "api/arena.h"
#include "api/memory.h"
#include "api/pairs.h"
#include "api/threading.h"
#include "base/array.h"
#include "base/os.h"
#include "session/packed_store.h"

struct OrtLogger {
  OrtLoggingFunction function; // NULL: standard error
  void *param;
  _Atomic int severity; // messages below this OrtLoggingLevel are dropped
  char *log_id;         // never NULL
};

TERN_MUST_USE tern_status *tern_api_logger_init(OrtLoggingFunction function, void *param,
                                                OrtLoggingLevel severity, const char *log_id,
                                                OrtLogger *out_logger);
void tern_api_logger_deinit(OrtLogger *logger);
// `code_location` is "file:line function".
void tern_api_log(const OrtLogger *logger, OrtLoggingLevel severity, const char *code_location,
                  const char *message);

// What sessions of an environment share for the memory of one device.
typedef struct tern_api_shared_allocator {
  OrtMemoryInfo *info;
  tern_api_arena *arena;
  OrtAllocator *allocator; // the arena's, or the custom one that was registered
} tern_api_shared_allocator;

struct OrtHardwareDevice {
  OrtHardwareDeviceType type;
  uint32_t vendor_id, device_id;
  char *vendor;
  OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
  const char *name, *vendor;
  OrtKeyValuePairs metadata, options;
  const OrtHardwareDevice *device;
};

struct OrtEnv {
  OrtLogger logger;
  bool has_global_threads;
  OrtThreadingOptions threading; // where has_global_threads
  tern_pool *global_pool;        // likewise
  tern_pool *shared_pool;        // the process's: its threads stay as long as the environment
  OrtThreadPoolCallbacksConfig thread_callbacks;
  OrtKeyValuePairs config;
  tern_packed_store *packed_store; // of its sessions
  tern_os_mutex mutex;             // guards the allocators
  TERN_ARRAY(tern_api_shared_allocator) allocators;
};

// The arena registered for the CPU's memory, the caller's reference; NULL without.
tern_api_arena *tern_api_env_cpu_arena(OrtEnv *env);
// At the environment's end.
void tern_api_env_drop_allocators(OrtEnv *env);

// Another holder of the environment, who releases it as callers do.
OrtEnv *tern_api_env_retain(OrtEnv *env);

// The CPU, as a device and as a provider; static, shared by all environments.
const OrtEpDevice *tern_api_cpu_device(void);

#endif
