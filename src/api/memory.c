// Memory infos and arena settings.
#include "api/memory.h"

#include <string.h>

// The names ORT gives to kinds of memory.
static const struct memory_name {
  const char *name;
  OrtMemoryInfoDeviceType type;
  OrtDeviceMemoryType memory_type;
  uint32_t vendor_id;
} memory_names[] = {
    {"Cpu", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, 0},
    {"Cuda", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x10DE},
    {"CudaPinned", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x10DE},
    {"Cann", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_DEFAULT, 0x19E5},
    {"CannPinned", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x19E5},
    {"Dml", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x1414},
    {"Hip", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x1002},
    {"HipPinned", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x1002},
    {"OpenVINO_CPU", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, 0},
    {"OpenVINO_GPU", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x8086},
    {"OpenVINO_RT", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, 0},
    {"OpenVINO_RT_NPU", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_DEFAULT, 0x8086},
    {"QnnHtpShared", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x5143},
    {"WebGPU_Buffer", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0},
    {"WebNN_Tensor", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0},
};

static const struct memory_name *find_name(const char *name) {
  for (size_t i = 0; i < TERN_COUNT_OF(memory_names); ++i)
    if (strcmp(memory_names[i].name, name) == 0) return &memory_names[i];
  return NULL;
}

const OrtMemoryInfo *tern_api_cpu_memory_info(void) {
  static char name[] = "Cpu";
  static const OrtMemoryInfo info = {.name = name, .allocator_type = OrtDeviceAllocator};
  return &info;
}

static bool device_equal(const struct OrtMemoryDevice *a, const struct OrtMemoryDevice *b) {
  return a->type == b->type && a->memory_type == b->memory_type && a->vendor_id == b->vendor_id &&
         a->device_id == b->device_id && a->alignment == b->alignment;
}

bool tern_api_memory_info_equal(const OrtMemoryInfo *a, const OrtMemoryInfo *b) {
  return strcmp(a->name, b->name) == 0 && a->allocator_type == b->allocator_type &&
         a->mem_type == b->mem_type && device_equal(&a->device, &b->device);
}

// A new info with the fields of `fields` and a copy of `name`.
static tern_status *create_info(const OrtMemoryInfo *fields, const char *name,
                                OrtMemoryInfo **out_info) {
  OrtMemoryInfo *info;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &info));
  *info = *fields;
  tern_status *status = tern_api_text_copy(name, &info->name);
  if (status) {
    TERN_DELETE(tern_allocator_system(), info);
    return status;
  }
  *out_info = info;
  return NULL;
}

tern_status *tern_api_memory_info_copy(const OrtMemoryInfo *info, OrtMemoryInfo **out_info) {
  return create_info(info, info->name, out_info);
}

OrtStatus *ort_CreateMemoryInfo(const char *name, OrtAllocatorType type, int id,
                                OrtMemType mem_type, OrtMemoryInfo **out) {
  TERN_API_REQUIRE(name);
  TERN_API_REQUIRE(out);
  const struct memory_name *known = find_name(name);
  if (!known)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "no memory is named \"%s\"", name));
  OrtMemoryInfo info = {.allocator_type = type,
                        .mem_type = mem_type,
                        .device = {known->type, known->memory_type, known->vendor_id, id, 0}};
  return tern_api_status(create_info(&info, name, out));
}

OrtStatus *ort_CreateCpuMemoryInfo(OrtAllocatorType type, OrtMemType mem_type,
                                   OrtMemoryInfo **out) {
  return ort_CreateMemoryInfo("Cpu", type, 0, mem_type, out);
}

OrtStatus *ort_CreateMemoryInfo_V2(const char *name, OrtMemoryInfoDeviceType device_type,
                                   uint32_t vendor_id, int32_t device_id,
                                   OrtDeviceMemoryType mem_type, size_t alignment,
                                   OrtAllocatorType allocator_type, OrtMemoryInfo **out) {
  TERN_API_REQUIRE(name);
  TERN_API_REQUIRE(out);
  OrtMemoryInfo info = {.allocator_type = allocator_type,
                        .device = {device_type, mem_type, vendor_id, device_id, alignment}};
  return tern_api_status(create_info(&info, name, out));
}

void ort_ReleaseMemoryInfo(OrtMemoryInfo *input) {
  if (!input || input == tern_api_cpu_memory_info()) return;
  tern_api_text_free(input->name);
  TERN_DELETE(tern_allocator_system(), input);
}

OrtStatus *ort_CompareMemoryInfo(const OrtMemoryInfo *info1, const OrtMemoryInfo *info2, int *out) {
  TERN_API_REQUIRE(info1);
  TERN_API_REQUIRE(info2);
  TERN_API_REQUIRE(out);
  *out = tern_api_memory_info_equal(info1, info2) ? 0 : -1;
  return NULL;
}

OrtStatus *ort_MemoryInfoGetName(const OrtMemoryInfo *ptr, const char **out) {
  TERN_API_REQUIRE(ptr);
  TERN_API_REQUIRE(out);
  *out = ptr->name;
  return NULL;
}

OrtStatus *ort_MemoryInfoGetId(const OrtMemoryInfo *ptr, int *out) {
  TERN_API_REQUIRE(ptr);
  TERN_API_REQUIRE(out);
  *out = ptr->device.device_id;
  return NULL;
}

OrtStatus *ort_MemoryInfoGetMemType(const OrtMemoryInfo *ptr, OrtMemType *out) {
  TERN_API_REQUIRE(ptr);
  TERN_API_REQUIRE(out);
  *out = ptr->mem_type;
  return NULL;
}

OrtStatus *ort_MemoryInfoGetType(const OrtMemoryInfo *ptr, OrtAllocatorType *out) {
  TERN_API_REQUIRE(ptr);
  TERN_API_REQUIRE(out);
  *out = ptr->allocator_type;
  return NULL;
}

void ort_MemoryInfoGetDeviceType(const OrtMemoryInfo *ptr, OrtMemoryInfoDeviceType *out) {
  if (ptr && out) *out = ptr->device.type;
}

OrtDeviceMemoryType ort_MemoryInfoGetDeviceMemType(const OrtMemoryInfo *ptr) {
  return ptr ? ptr->device.memory_type : OrtDeviceMemoryType_DEFAULT;
}

uint32_t ort_MemoryInfoGetVendorId(const OrtMemoryInfo *ptr) {
  return ptr ? ptr->device.vendor_id : 0;
}

// ---- Memory devices, as providers compare them.

const OrtMemoryDevice *ort_ep_MemoryInfo_GetMemoryDevice(const OrtMemoryInfo *memory_info) {
  return memory_info ? &memory_info->device : NULL;
}

bool ort_ep_MemoryDevice_AreEqual(const OrtMemoryDevice *a, const OrtMemoryDevice *b) {
  return a == b || (a && b && device_equal(a, b));
}

OrtMemoryInfoDeviceType ort_ep_MemoryDevice_GetDeviceType(const OrtMemoryDevice *memory_device) {
  return memory_device ? memory_device->type : OrtMemoryInfoDeviceType_CPU;
}

OrtDeviceMemoryType ort_ep_MemoryDevice_GetMemoryType(const OrtMemoryDevice *memory_device) {
  return memory_device ? memory_device->memory_type : OrtDeviceMemoryType_DEFAULT;
}

uint32_t ort_ep_MemoryDevice_GetVendorId(const OrtMemoryDevice *memory_device) {
  return memory_device ? memory_device->vendor_id : 0;
}

uint32_t ort_ep_MemoryDevice_GetDeviceId(const OrtMemoryDevice *memory_device) {
  return memory_device ? (uint32_t)memory_device->device_id : 0;
}

// ---- Arena settings.

static const OrtArenaCfg default_arena = {0, -1, -1, -1, -1, -1};

OrtStatus *ort_CreateArenaCfg(size_t max_mem, int arena_extend_strategy,
                              int initial_chunk_size_bytes, int max_dead_bytes_per_chunk,
                              OrtArenaCfg **out) {
  TERN_API_REQUIRE(out);
  OrtArenaCfg *cfg;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &cfg));
  *cfg = default_arena;
  cfg->max_bytes = max_mem;
  cfg->extend_strategy = arena_extend_strategy;
  cfg->initial_chunk_bytes = initial_chunk_size_bytes;
  cfg->max_dead_bytes_per_chunk = max_dead_bytes_per_chunk;
  *out = cfg;
  return NULL;
}

static const struct arena_key {
  const char *key;
  size_t offset;
} arena_keys[] = {
    {"max_mem", offsetof(OrtArenaCfg, max_bytes)},
    {"arena_extend_strategy", offsetof(OrtArenaCfg, extend_strategy)},
    {"initial_chunk_size_bytes", offsetof(OrtArenaCfg, initial_chunk_bytes)},
    {"max_dead_bytes_per_chunk", offsetof(OrtArenaCfg, max_dead_bytes_per_chunk)},
    {"initial_growth_chunk_size_bytes", offsetof(OrtArenaCfg, initial_growth_chunk_bytes)},
    {"max_power_of_two_extend_bytes", offsetof(OrtArenaCfg, max_power_of_two_extend_bytes)},
};

static tern_status *set_arena_key(OrtArenaCfg *cfg, const char *key, size_t value) {
  if (key)
    for (size_t i = 0; i < TERN_COUNT_OF(arena_keys); ++i)
      if (strcmp(arena_keys[i].key, key) == 0) {
        memcpy((char *)cfg + arena_keys[i].offset, &value, sizeof value);
        return NULL;
      }
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "no arena setting is named \"%s\"", key ? key : "");
}

OrtStatus *ort_CreateArenaCfgV2(const char *const *arena_config_keys,
                                const size_t *arena_config_values, size_t num_keys,
                                OrtArenaCfg **out) {
  TERN_API_REQUIRE(out);
  if (num_keys) TERN_API_REQUIRE(arena_config_keys);
  if (num_keys) TERN_API_REQUIRE(arena_config_values);
  OrtArenaCfg cfg = default_arena, *result;
  for (size_t i = 0; i < num_keys; ++i)
    TERN_API_TRY(set_arena_key(&cfg, arena_config_keys[i], arena_config_values[i]));
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &result));
  *result = cfg;
  *out = result;
  return NULL;
}

void ort_ReleaseArenaCfg(OrtArenaCfg *input) {
  if (input) TERN_DELETE(tern_allocator_system(), input);
}
