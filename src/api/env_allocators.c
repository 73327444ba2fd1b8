// The allocators that sessions of an environment share: one for the memory of each device. A new
// one takes the place of the one before; sessions keep what they were created with.
#include <stdlib.h>
#include <string.h>

#include "api/env.h"

// Alignments do not matter: blocks are aligned whatever their allocator gives.
static bool is_same_device(const OrtMemoryInfo *a, const OrtMemoryInfo *b) {
  return a->device.type == b->device.type && a->device.memory_type == b->device.memory_type &&
         a->device.vendor_id == b->device.vendor_id && a->device.device_id == b->device.device_id;
}

// The index of the entry for the device of `info`, or the number of entries. Under the mutex.
static size_t find(const OrtEnv *env, const OrtMemoryInfo *info) {
  size_t i = 0;
  while (i < env->allocators.count && !is_same_device(env->allocators.data[i].info, info)) ++i;
  return i;
}

static void drop(tern_api_shared_allocator *entry) {
  ort_ReleaseMemoryInfo(entry->info);
  tern_api_arena_release(entry->arena);
}

void tern_api_env_drop_allocators(OrtEnv *env) {
  for (size_t i = 0; i < env->allocators.count; ++i) drop(&env->allocators.data[i]);
  TERN_ARRAY_FREE(tern_allocator_system(), &env->allocators);
}

// Takes `entry` over on success.
static tern_status *put(OrtEnv *env, const tern_api_shared_allocator *entry) {
  tern_api_shared_allocator replaced = {0};
  tern_os_mutex_lock(&env->mutex);
  size_t at = find(env, entry->info);
  tern_status *status = NULL;
  if (at == env->allocators.count) {
    status = TERN_ARRAY_RESERVE_ONE(tern_allocator_system(), &env->allocators);
    if (!status) env->allocators.count++;
  } else {
    replaced = env->allocators.data[at];
  }
  if (!status) env->allocators.data[at] = *entry;
  tern_os_mutex_unlock(&env->mutex);
  drop(&replaced);
  return status;
}

// Registers an arena with a limit, on `custom` or the system. `custom` may be NULL.
static tern_status *add(OrtEnv *env, const OrtMemoryInfo *info, OrtAllocator *custom,
                        size_t limit_bytes) {
  tern_api_shared_allocator entry = {0};
  TERN_TRY(tern_api_memory_info_copy(info, &entry.info));
  tern_status *status = tern_api_arena_create(custom, limit_bytes, &entry.arena);
  if (!status) {
    entry.allocator = custom ? custom : tern_api_arena_allocator(entry.arena);
    status = put(env, &entry);
  }
  if (status) drop(&entry);
  return status;
}

static tern_status *take_out(OrtEnv *env, const OrtMemoryInfo *info) {
  tern_api_shared_allocator removed = {0};
  tern_os_mutex_lock(&env->mutex);
  size_t at = find(env, info);
  if (at < env->allocators.count) {
    removed = env->allocators.data[at];
    env->allocators.data[at] = env->allocators.data[--env->allocators.count];
  }
  tern_os_mutex_unlock(&env->mutex);
  if (!removed.arena)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "no allocator for memory \"%s\" is registered",
                      info->name);
  drop(&removed);
  return NULL;
}

tern_api_arena *tern_api_env_cpu_arena(OrtEnv *env) {
  tern_os_mutex_lock(&env->mutex);
  size_t at = find(env, tern_api_cpu_memory_info());
  tern_api_arena *arena =
      at < env->allocators.count ? tern_api_arena_retain(env->allocators.data[at].arena) : NULL;
  tern_os_mutex_unlock(&env->mutex);
  return arena;
}

static tern_status *check_cpu(const OrtMemoryInfo *info) {
  if (info->device.type == OrtMemoryInfoDeviceType_CPU) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "no provider allocates memory \"%s\"", info->name);
}

// ---- Custom allocators.

OrtStatus *ort_RegisterAllocator(OrtEnv *env, OrtAllocator *allocator) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(allocator);
  const OrtMemoryInfo *info = allocator->Info(allocator);
  TERN_API_REQUIRE(info);
  TERN_API_TRY(check_cpu(info));
  if (info->allocator_type == OrtArenaAllocator)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "a custom allocator is registered as OrtDeviceAllocator, "
                                      "also when it is an arena"));
  return tern_api_status(add(env, info, allocator, 0));
}

OrtStatus *ort_UnregisterAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(mem_info);
  return tern_api_status(take_out(env, mem_info));
}

// ---- Arenas.

// Runs take blocks of the sizes that their plans know, and give them back as they are: the settings
// of how an arena grows and what it keeps have nothing to say.
static void log_settings(const OrtEnv *env, const OrtArenaCfg *cfg) {
  bool says_more = cfg->extend_strategy >= 0 || cfg->initial_chunk_bytes >= 0 ||
                   cfg->max_dead_bytes_per_chunk >= 0 || cfg->initial_growth_chunk_bytes >= 0 ||
                   cfg->max_power_of_two_extend_bytes >= 0;
  if (says_more)
    tern_api_log(&env->logger, ORT_LOGGING_LEVEL_INFO, "env_allocators.c",
                 "of an arena's settings max_mem has an effect; chunks and their growth have none, "
                 "because memory is taken in the sizes that plans know");
}

// As ONNX Runtime does, the settings of an arena count where the info asks for one.
static tern_status *add_arena(OrtEnv *env, const OrtMemoryInfo *info, const OrtArenaCfg *cfg) {
  bool is_arena = info->allocator_type == OrtArenaAllocator && cfg;
  TERN_TRY(check_cpu(info));
  if (is_arena) log_settings(env, cfg);
  return add(env, info, NULL, is_arena ? cfg->max_bytes : 0);
}

OrtStatus *ort_CreateAndRegisterAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                          const OrtArenaCfg *arena_cfg) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(mem_info);
  return tern_api_status(add_arena(env, mem_info, arena_cfg));
}

// The CPU provider has no options.
OrtStatus *ort_CreateAndRegisterAllocatorV2(OrtEnv *env, const char *provider_type,
                                            const OrtMemoryInfo *mem_info,
                                            const OrtArenaCfg *arena_cfg,
                                            const char *const *provider_options_keys,
                                            const char *const *provider_options_values,
                                            size_t num_keys) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(provider_type);
  TERN_API_REQUIRE(mem_info);
  (void)provider_options_keys;
  (void)provider_options_values;
  (void)num_keys;
  if (strcmp(provider_type, "CPUExecutionProvider") != 0)
    return tern_api_status(TERN_ERROR(
        TERN_INVALID_ARGUMENT, "no provider that allocates memory is named \"%s\"", provider_type));
  return tern_api_status(add_arena(env, mem_info, arena_cfg));
}

// ---- Shared allocators of devices.

static tern_status *check_device(const OrtEpDevice *device, OrtDeviceMemoryType mem_type) {
  if (device == tern_api_cpu_device() && mem_type == OrtDeviceMemoryType_DEFAULT) return NULL;
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "the device has no memory of type %d", (int)mem_type);
}

// "arena.max_mem" of the options, in bytes; 0 without.
static tern_status *read_limit(const OrtKeyValuePairs *options, size_t *out_bytes) {
  const char *text = options ? tern_api_pairs_get(options, "arena.max_mem") : NULL;
  *out_bytes = 0;
  if (!text) return NULL;
  char *end;
  unsigned long long bytes = strtoull(text, &end, 10);
  if (end == text || *end || text[0] == '-')
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "arena.max_mem is \"%s\", and must be a number", text);
  *out_bytes = (size_t)bytes;
  return NULL;
}

OrtStatus *ort_CreateSharedAllocator(OrtEnv *env, const OrtEpDevice *ep_device,
                                     OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
                                     const OrtKeyValuePairs *allocator_options,
                                     OrtAllocator **allocator) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(ep_device);
  (void)allocator_type; // they are all arenas
  size_t limit_bytes;
  TERN_API_TRY(check_device(ep_device, mem_type));
  TERN_API_TRY(read_limit(allocator_options, &limit_bytes));
  TERN_API_TRY(add(env, tern_api_cpu_memory_info(), NULL, limit_bytes));
  return allocator ? ort_GetSharedAllocator(env, tern_api_cpu_memory_info(), allocator) : NULL;
}

OrtStatus *ort_ReleaseSharedAllocator(OrtEnv *env, const OrtEpDevice *ep_device,
                                      OrtDeviceMemoryType mem_type) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(ep_device);
  TERN_API_TRY(check_device(ep_device, mem_type));
  return tern_api_status(take_out(env, tern_api_cpu_memory_info()));
}

// The CPU's memory has an allocator also where none is registered.
OrtStatus *ort_GetSharedAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                  OrtAllocator **allocator) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(mem_info);
  TERN_API_REQUIRE(allocator);
  OrtAllocator *found = NULL;
  tern_os_mutex_lock(&env->mutex);
  size_t at = find(env, mem_info);
  if (at < env->allocators.count) found = env->allocators.data[at].allocator;
  tern_os_mutex_unlock(&env->mutex);
  if (!found && is_same_device(mem_info, tern_api_cpu_memory_info()))
    found = tern_api_cpu_allocator();
  *allocator = found;
  return NULL;
}
