// Providers and devices: the CPU, and what callers learn of it.
#include <string.h>

#include "api/env.h"

static char cpu_vendor[] = "";
static const OrtHardwareDevice cpu_hardware = {.type = OrtHardwareDeviceType_CPU,
                                               .vendor = cpu_vendor};
static const OrtEpDevice cpu_device = {
    .name = "CPUExecutionProvider", .vendor = "Tern", .device = &cpu_hardware};
static const OrtEpDevice *const ep_devices[] = {&cpu_device};

const OrtEpDevice *tern_api_cpu_device(void) {
  return &cpu_device;
}

static void free_names(char **names, size_t count) {
  for (size_t i = 0; i < count; ++i) tern_api_text_free(names[i]);
  tern_allocator_free(tern_allocator_system(), names, count * sizeof *names);
}

OrtStatus *ort_GetAvailableProviders(char ***out_ptr, int *provider_length) {
  TERN_API_REQUIRE(out_ptr);
  TERN_API_REQUIRE(provider_length);
  const size_t count = TERN_COUNT_OF(ep_devices);
  char **names;
  TERN_API_TRY(
      tern_allocator_calloc(tern_allocator_system(), count, sizeof *names, (void **)&names));
  for (size_t i = 0; i < count; ++i) {
    tern_status *status = tern_api_text_copy(ep_devices[i]->name, &names[i]);
    if (!status) continue;
    free_names(names, count);
    return tern_api_status(status);
  }
  *out_ptr = names;
  *provider_length = (int)count;
  return NULL;
}

OrtStatus *ort_ReleaseAvailableProviders(char **ptr, int providers_length) {
  if (ptr && providers_length > 0) free_names(ptr, (size_t)providers_length);
  return NULL;
}

OrtStatus *ort_GetEpDevices(const OrtEnv *env, const OrtEpDevice *const **devices,
                            size_t *num_ep_devices) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(devices);
  TERN_API_REQUIRE(num_ep_devices);
  *devices = ep_devices;
  *num_ep_devices = TERN_COUNT_OF(ep_devices);
  return NULL;
}

OrtStatus *ort_GetNumHardwareDevices(const OrtEnv *env, size_t *num_devices) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(num_devices);
  *num_devices = 1;
  return NULL;
}

OrtStatus *ort_GetHardwareDevices(const OrtEnv *env, const OrtHardwareDevice **devices,
                                  size_t num_devices) {
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(devices);
  if (num_devices < 1)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "there is room for no device"));
  devices[0] = &cpu_hardware;
  return NULL;
}

OrtHardwareDeviceType ort_HardwareDevice_Type(const OrtHardwareDevice *device) {
  return device ? device->type : OrtHardwareDeviceType_CPU;
}

uint32_t ort_HardwareDevice_VendorId(const OrtHardwareDevice *device) {
  return device ? device->vendor_id : 0;
}

const char *ort_HardwareDevice_Vendor(const OrtHardwareDevice *device) {
  return device ? device->vendor : NULL;
}

uint32_t ort_HardwareDevice_DeviceId(const OrtHardwareDevice *device) {
  return device ? device->device_id : 0;
}

const OrtKeyValuePairs *ort_HardwareDevice_Metadata(const OrtHardwareDevice *device) {
  return device ? &device->metadata : NULL;
}

const char *ort_EpDevice_EpName(const OrtEpDevice *ep_device) {
  return ep_device ? ep_device->name : NULL;
}

const char *ort_EpDevice_EpVendor(const OrtEpDevice *ep_device) {
  return ep_device ? ep_device->vendor : NULL;
}

const OrtKeyValuePairs *ort_EpDevice_EpMetadata(const OrtEpDevice *ep_device) {
  return ep_device ? &ep_device->metadata : NULL;
}

const OrtKeyValuePairs *ort_EpDevice_EpOptions(const OrtEpDevice *ep_device) {
  return ep_device ? &ep_device->options : NULL;
}

const OrtHardwareDevice *ort_EpDevice_Device(const OrtEpDevice *ep_device) {
  return ep_device ? ep_device->device : NULL;
}

const OrtMemoryInfo *ort_EpDevice_MemoryInfo(const OrtEpDevice *ep_device,
                                             OrtDeviceMemoryType memory_type) {
  bool is_cpu = ep_device == &cpu_device && memory_type == OrtDeviceMemoryType_DEFAULT;
  return is_cpu ? tern_api_cpu_memory_info() : NULL;
}
