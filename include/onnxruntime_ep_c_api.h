// The plug-in side of the ABI: what an execution provider built outside this library implements,
// and OrtEpApi, which it calls back into. Included by onnxruntime_c_api.h; not for inclusion alone.
//
// A struct that the plug-in fills begins with `ort_version_supported`, the ORT_API_VERSION it was
// compiled with: members added later are not read. Optional callbacks may be NULL. Pointers passed
// to a callback are borrowed for the call; what a callback creates goes back to the matching
// Release of the struct that made it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

ORT_RUNTIME_CLASS(Ep);
ORT_RUNTIME_CLASS(EpFactory);
ORT_RUNTIME_CLASS(EpGraphSupportInfo);
ORT_RUNTIME_CLASS(MemoryDevice);
ORT_RUNTIME_CLASS(NodeComputeContext);
ORT_RUNTIME_CLASS(DataTransferImpl);
ORT_RUNTIME_CLASS(SyncNotificationImpl);
ORT_RUNTIME_CLASS(SyncStreamImpl);
ORT_RUNTIME_CLASS(ExternalResourceImporterImpl);
ORT_RUNTIME_CLASS(OpSchema);
ORT_RUNTIME_CLASS(OpSchemaTypeConstraint);
ORT_RUNTIME_CLASS(ProfilingEventsContainer);
ORT_RUNTIME_CLASS(ProfilingEvent);
ORT_RUNTIME_CLASS(KernelRegistry);
ORT_RUNTIME_CLASS(KernelDefBuilder);
ORT_RUNTIME_CLASS(KernelDef);
ORT_RUNTIME_CLASS(DataType);
ORT_RUNTIME_CLASS(SharedPrePackedWeightCache);
ORT_RUNTIME_CLASS(NodeFusionOptions);
ORT_RUNTIME_CLASS(NodeComputeInfo);
ORT_RUNTIME_CLASS(KernelImpl);
ORT_RUNTIME_CLASS(LoopKernelHelper);
ORT_RUNTIME_CLASS(ScanKernelHelper);
ORT_RUNTIME_CLASS(EpProfilerImpl);

// ---- Memory and semaphores imported from other APIs. A provider embeds these as the first member
// of its own handle, and copies the descriptor it was given.

struct OrtExternalMemoryHandle {
  uint32_t version;
  const OrtEpDevice *ep_device;
  OrtExternalMemoryDescriptor descriptor;
  void(ORT_API_CALL *Release)(OrtExternalMemoryHandle *handle);
};

struct OrtExternalSemaphoreHandle {
  uint32_t version;
  const OrtEpDevice *ep_device;
  OrtExternalSemaphoreDescriptor descriptor;
  void(ORT_API_CALL *Release)(OrtExternalSemaphoreHandle *handle);
};

// Waits and signals are queued on `stream`; `value` is a point of a timeline.
struct OrtExternalResourceImporterImpl {
  uint32_t ort_version_supported;
  ORT_API_T(bool, CanImportMemory, const OrtExternalResourceImporterImpl *this_ptr,
            OrtExternalMemoryHandleType handle_type);
  ORT_API2_STATUS(ImportMemory, OrtExternalResourceImporterImpl *this_ptr,
                  const OrtExternalMemoryDescriptor *desc, OrtExternalMemoryHandle **out_handle);
  ORT_API_T(void, ReleaseMemory, OrtExternalResourceImporterImpl *this_ptr,
            OrtExternalMemoryHandle *handle);
  ORT_API2_STATUS(CreateTensorFromMemory, OrtExternalResourceImporterImpl *this_ptr,
                  const OrtExternalMemoryHandle *mem_handle,
                  const OrtExternalTensorDescriptor *tensor_desc, OrtValue **out_tensor);
  ORT_API_T(bool, CanImportSemaphore, const OrtExternalResourceImporterImpl *this_ptr,
            OrtExternalSemaphoreType type);
  ORT_API2_STATUS(ImportSemaphore, OrtExternalResourceImporterImpl *this_ptr,
                  const OrtExternalSemaphoreDescriptor *desc,
                  OrtExternalSemaphoreHandle **out_handle);
  ORT_API_T(void, ReleaseSemaphore, OrtExternalResourceImporterImpl *this_ptr,
            OrtExternalSemaphoreHandle *handle);
  ORT_API2_STATUS(WaitSemaphore, OrtExternalResourceImporterImpl *this_ptr,
                  OrtExternalSemaphoreHandle *handle, OrtSyncStream *stream, uint64_t value);
  ORT_API2_STATUS(SignalSemaphore, OrtExternalResourceImporterImpl *this_ptr,
                  OrtExternalSemaphoreHandle *handle, OrtSyncStream *stream, uint64_t value);
  ORT_API_T(void, Release, OrtExternalResourceImporterImpl *this_ptr);
};

// ---- Copies and streams.

struct OrtDataTransferImpl {
  uint32_t ort_version_supported;
  ORT_API_T(void, Release, OrtDataTransferImpl *this_ptr);
  ORT_API_T(bool, CanCopy, const OrtDataTransferImpl *this_ptr,
            const OrtMemoryDevice *src_memory_device, const OrtMemoryDevice *dst_memory_device);
  // `streams` is NULL for a provider without streams; the copies are then done on return.
  ORT_API2_STATUS(CopyTensors, OrtDataTransferImpl *this_ptr, const OrtValue **src_tensors,
                  OrtValue **dst_tensors, OrtSyncStream **streams, size_t num_tensors);
};

// A point in a stream that another stream, or the host, waits for.
struct OrtSyncNotificationImpl {
  uint32_t ort_version_supported;
  ORT_API_T(void, Release, OrtSyncNotificationImpl *this_ptr);
  ORT_API2_STATUS(Activate, OrtSyncNotificationImpl *this_ptr);
  ORT_API2_STATUS(WaitOnDevice, OrtSyncNotificationImpl *this_ptr, OrtSyncStream *consumer_stream);
  ORT_API2_STATUS(WaitOnHost, OrtSyncNotificationImpl *this_ptr);
};

struct OrtSyncStreamImpl {
  uint32_t ort_version_supported;
  ORT_API_T(void, Release, OrtSyncStreamImpl *this_ptr);
  // The stream of the device's own API.
  ORT_API_T(void *, GetHandle, OrtSyncStreamImpl *this_ptr);
  ORT_API2_STATUS(CreateNotification, OrtSyncStreamImpl *this_ptr,
                  OrtSyncNotificationImpl **notification);
  ORT_API2_STATUS(Flush, OrtSyncStreamImpl *this_ptr);
  ORT_API2_STATUS(OnSessionRunEnd, OrtSyncStreamImpl *this_ptr);
};

// ---- Profiling.

typedef enum OrtProfilingEventCategory {
  OrtProfilingEventCategory_SESSION = 0,
  OrtProfilingEventCategory_NODE = 1,
  OrtProfilingEventCategory_KERNEL = 2,
  OrtProfilingEventCategory_API = 3,
} OrtProfilingEventCategory;

struct OrtEpProfilerImpl {
  uint32_t ort_version_supported;
  ORT_API_T(void, Release, OrtEpProfilerImpl *this_ptr);
  // The offset is the time, in nanoseconds, since the profiling of the session began.
  ORT_API2_STATUS(StartProfiling, OrtEpProfilerImpl *this_ptr,
                  int64_t ep_profiling_start_offset_ns);
  // Start and stop of one event come on the same thread and nest.
  ORT_API2_STATUS(StartEvent, OrtEpProfilerImpl *this_ptr, uint64_t ort_event_correlation_id);
  ORT_API2_STATUS(StopEvent, OrtEpProfilerImpl *this_ptr, uint64_t ort_event_correlation_id,
                  const OrtProfilingEvent *ort_event);
  ORT_API2_STATUS(EndProfiling, OrtEpProfilerImpl *this_ptr,
                  OrtProfilingEventsContainer *events_container);
};

// ---- Compiled subgraphs and kernels.

struct OrtNodeFusionOptions {
  uint32_t ort_version_supported;
  // The provider keeps its own copy of constant initializers: they are not inputs of the node.
  bool drop_constant_initializers;
};

struct OrtNodeComputeInfo {
  uint32_t ort_version_supported;
  OrtStatus *(ORT_API_CALL *CreateState)(OrtNodeComputeInfo *this_ptr,
                                         OrtNodeComputeContext *compute_context,
                                         void **compute_state);
  // May be called from several threads with one state.
  OrtStatus *(ORT_API_CALL *Compute)(OrtNodeComputeInfo *this_ptr, void *compute_state,
                                     OrtKernelContext *kernel_context);
  void(ORT_API_CALL *ReleaseState)(OrtNodeComputeInfo *this_ptr, void *compute_state);
};

struct OrtKernelImpl {
  uint32_t ort_version_supported;
  uint32_t flags; // 0
  ORT_API2_STATUS(Compute, OrtKernelImpl *this_ptr, OrtKernelContext *context);
  ORT_API_T(void, Release, OrtKernelImpl *this_ptr);
  // `*is_packed` says that the kernel no longer needs `tensor`. With a cache, packed weights go
  // there and come back through SetSharedPrePackedWeight; without, the kernel keeps them.
  ORT_API2_STATUS(PrePackWeight, OrtKernelImpl *this_ptr, const OrtValue *tensor, int input_index,
                  OrtAllocator *allocator, OrtSharedPrePackedWeightCache *prepacked_weight_cache,
                  bool *is_packed);
  // The buffers are borrowed for the life of the kernel.
  ORT_API2_STATUS(SetSharedPrePackedWeight, OrtKernelImpl *this_ptr,
                  const void *const *buffer_data_ptrs, const size_t *buffer_data_sizes,
                  size_t num_buffers, int input_index);
};

typedef OrtStatus *(ORT_API_CALL *OrtKernelCreateFunc)(void *kernel_create_func_state,
                                                       const OrtKernelInfo *info,
                                                       OrtKernelImpl **kernel_out);

struct OrtLoopKernelHelper {
  uint32_t ort_version_supported;
  ORT_API_T(void, Release, OrtLoopKernelHelper *this_ptr);
  // Stacks the outputs of all iterations along a new first axis.
  ORT_API2_STATUS(ConcatOutput, OrtLoopKernelHelper *this_ptr, void *stream_handle,
                  const OrtValue *const *per_iteration_outputs, size_t num_per_iteration_outputs,
                  void *output, size_t output_size_in_bytes);
};

struct OrtScanKernelHelper {
  uint32_t ort_version_supported;
  ORT_API_T(void, Release, OrtScanKernelHelper *this_ptr);
  ORT_API2_STATUS(Transpose, OrtScanKernelHelper *this_ptr, const size_t *permutation,
                  size_t num_permutation_elems, const OrtValue *input, OrtSyncStream *stream,
                  OrtValue *output);
};

// ---- What a device has left.

typedef enum OrtResourceCountKind {
  OrtResourceCountKind_None = 0,
  OrtResourceCountKind_TotalBytes = 1,
} OrtResourceCountKind;

// 56 bytes, whatever kinds are added.
typedef struct OrtResourceCount {
  uint32_t kind; // an OrtResourceCountKind
  uint32_t reserved;
  union {
    uint64_t total_bytes;
    uint64_t reserved_words[6];
  } value;

#ifdef __cplusplus
  OrtResourceCount() noexcept : kind(OrtResourceCountKind_None), reserved(0), value{} {}
  static OrtResourceCount None() noexcept {
    return OrtResourceCount();
  }
  static OrtResourceCount FromTotalBytes(uint64_t bytes) noexcept {
    OrtResourceCount count;
    count.kind = OrtResourceCountKind_TotalBytes;
    count.value.total_bytes = bytes;
    return count;
  }
  uint64_t AsTotalBytes() const noexcept {
    return value.total_bytes;
  }
#endif
} OrtResourceCount;

#ifdef __cplusplus
static_assert(sizeof(OrtResourceCount) == 56, "part of the ABI");
#endif

// ---- The table a plug-in calls.

#define ORT_ENTRY_STATUS(NAME, ...) ORT_API2_STATUS(NAME, __VA_ARGS__);
#define ORT_ENTRY_VALUE(TYPE, NAME, ...) ORT_API_T(TYPE, NAME, __VA_ARGS__);
#define ORT_ENTRY_VOID(NAME, ...) ORT_API_T(void, NAME, __VA_ARGS__);
#define ORT_ENTRY_RELEASE(CLASS) ORT_CLASS_RELEASE(CLASS);

struct OrtEpApi {
#include "ort_entries/OrtEpApi.inc"
};

#undef ORT_ENTRY_STATUS
#undef ORT_ENTRY_VALUE
#undef ORT_ENTRY_VOID
#undef ORT_ENTRY_RELEASE

// ---- The provider of one session.

typedef enum OrtEpDataLayout {
  OrtEpDataLayout_NCHW = 0,
  OrtEpDataLayout_NHWC,
  OrtEpDataLayout_Default = OrtEpDataLayout_NCHW,
} OrtEpDataLayout;

// What a captured graph demands: every node on the provider, or shape computations on the CPU too.
typedef enum OrtGraphCaptureNodeAssignmentPolicy {
  OrtGraphCaptureNodeAssignmentPolicy_ALL_NODES_ON_EP = 0,
  OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES = 1,
} OrtGraphCaptureNodeAssignmentPolicy;

// Which initializers a compiled model may leave in the source model.
typedef enum OrtWeightlessSupport {
  OrtWeightlessSupport_NONE = 0,
  OrtWeightlessSupport_EXTERNAL_ONLY = 1,
  OrtWeightlessSupport_ALL = 2,
} OrtWeightlessSupport;

struct OrtEp {
  uint32_t ort_version_supported;
  ORT_API_T(const char *, GetName, const OrtEp *this_ptr);
  // Claims nodes of `graph` through OrtEpApi's EpGraphSupportInfo entries.
  ORT_API2_STATUS(GetCapability, OrtEp *this_ptr, const OrtGraph *graph,
                  OrtEpGraphSupportInfo *graph_support_info);
  // One compute info for each of the `count` fused nodes; `ep_context_nodes` may stay NULL where
  // no compiled model is asked for.
  ORT_API2_STATUS(Compile, OrtEp *this_ptr, const OrtGraph **graphs, const OrtNode **fused_nodes,
                  size_t count, OrtNodeComputeInfo **node_compute_infos,
                  OrtNode **ep_context_nodes);
  ORT_API_T(void, ReleaseNodeComputeInfos, OrtEp *this_ptr, OrtNodeComputeInfo **node_compute_infos,
            size_t num_node_compute_infos);
  ORT_API2_STATUS(GetPreferredDataLayout, OrtEp *this_ptr, OrtEpDataLayout *preferred_data_layout);
  // 1 yes, 0 no, -1 as the library thinks.
  ORT_API2_STATUS(ShouldConvertDataLayoutForOp, OrtEp *this_ptr, const char *domain,
                  const char *op_type, OrtEpDataLayout target_data_layout, int *should_convert);
  ORT_API2_STATUS(SetDynamicOptions, OrtEp *this_ptr, const char *const *option_keys,
                  const char *const *option_values, size_t num_options);
  ORT_API2_STATUS(OnRunStart, OrtEp *this_ptr, const OrtRunOptions *run_options);
  ORT_API2_STATUS(OnRunEnd, OrtEp *this_ptr, const OrtRunOptions *run_options, bool sync_stream);
  // Both in place of the factory's own where not NULL.
  ORT_API2_STATUS(CreateAllocator, OrtEp *this_ptr, const OrtMemoryInfo *memory_info,
                  OrtAllocator **allocator);
  ORT_API2_STATUS(CreateSyncStreamForDevice, OrtEp *this_ptr, const OrtMemoryDevice *memory_device,
                  OrtSyncStreamImpl **stream);
  ORT_API_T(const char *, GetCompiledModelCompatibilityInfo, OrtEp *this_ptr,
            const OrtGraph *graph);
  // Borrowed; the provider keeps the registry.
  ORT_API2_STATUS(GetKernelRegistry, OrtEp *this_ptr, const OrtKernelRegistry **kernel_registry);
  ORT_API2_STATUS(IsConcurrentRunSupported, OrtEp *this_ptr, bool *is_supported);
  // Returns when all queued work is done.
  ORT_API2_STATUS(Sync, OrtEp *this_ptr);
  ORT_API2_STATUS(CreateProfiler, OrtEp *this_ptr, OrtEpProfilerImpl **profiler);
  ORT_API_T(bool, IsGraphCaptureEnabled, const OrtEp *this_ptr);
  ORT_API_T(bool, IsGraphCaptured, const OrtEp *this_ptr, int graph_annotation_id);
  ORT_API2_STATUS(ReplayGraph, OrtEp *this_ptr, int graph_annotation_id);
  ORT_API_T(OrtGraphCaptureNodeAssignmentPolicy, GetGraphCaptureNodeAssignmentPolicy,
            const OrtEp *this_ptr);
  ORT_API2_STATUS(GetAvailableResource, const OrtEp *this_ptr, OrtResourceCount *available);
  ORT_API2_STATUS(OnSessionInitializationEnd, OrtEp *this_ptr);
  ORT_API2_STATUS(GetDefaultMemoryDevice, const OrtEp *this_ptr, const OrtMemoryDevice **device);
  ORT_API2_STATUS(ReleaseCapturedGraph, OrtEp *this_ptr, int graph_annotation_id);
  ORT_API2_STATUS(GetWeightlessSupport, const OrtEp *this_ptr, OrtWeightlessSupport *support);
};

// ---- The provider's factory, one for each name the plug-in library registers.

// The two functions a plug-in library exports, as CreateEpFactories and ReleaseEpFactory.
typedef OrtStatus *(*CreateEpApiFactoriesFn)(const char *registered_name,
                                             const OrtApiBase *ort_api_base,
                                             const OrtLogger *default_logger,
                                             OrtEpFactory **factories, size_t max_factories,
                                             size_t *num_factories);
typedef OrtStatus *(*ReleaseEpApiFactoryFn)(OrtEpFactory *factory);

struct OrtEpFactory {
  uint32_t ort_version_supported;
  ORT_API_T(const char *, GetName, const OrtEpFactory *this_ptr);
  ORT_API_T(const char *, GetVendor, const OrtEpFactory *this_ptr);
  // Creates an OrtEpDevice, which the library takes over, for each device it can use.
  ORT_API2_STATUS(GetSupportedDevices, OrtEpFactory *this_ptr,
                  const OrtHardwareDevice *const *devices, size_t num_devices,
                  OrtEpDevice **ep_devices, size_t max_ep_devices, size_t *num_ep_devices);
  ORT_API2_STATUS(CreateEp, OrtEpFactory *this_ptr, const OrtHardwareDevice *const *devices,
                  const OrtKeyValuePairs *const *ep_metadata_pairs, size_t num_devices,
                  const OrtSessionOptions *session_options, const OrtLogger *logger, OrtEp **ep);
  ORT_API_T(void, ReleaseEp, OrtEpFactory *this_ptr, struct OrtEp *ep);
  // The PCI vendor.
  ORT_API_T(uint32_t, GetVendorId, const OrtEpFactory *this_ptr);
  // A semantic version.
  ORT_API_T(const char *, GetVersion, const OrtEpFactory *this_ptr);
  ORT_API2_STATUS(ValidateCompiledModelCompatibilityInfo, OrtEpFactory *this_ptr,
                  const OrtHardwareDevice *const *devices, size_t num_devices,
                  const char *compatibility_info,
                  OrtCompiledModelCompatibility *model_compatibility);
  ORT_API2_STATUS(CreateAllocator, OrtEpFactory *this_ptr, const OrtMemoryInfo *memory_info,
                  const OrtKeyValuePairs *allocator_options, OrtAllocator **allocator);
  ORT_API_T(void, ReleaseAllocator, OrtEpFactory *this_ptr, OrtAllocator *allocator);
  ORT_API2_STATUS(CreateDataTransfer, OrtEpFactory *this_ptr, OrtDataTransferImpl **data_transfer);
  ORT_API_T(bool, IsStreamAware, const OrtEpFactory *this_ptr);
  ORT_API2_STATUS(CreateSyncStreamForDevice, OrtEpFactory *this_ptr,
                  const OrtMemoryDevice *memory_device, const OrtKeyValuePairs *stream_options,
                  OrtSyncStreamImpl **stream);
  ORT_API2_STATUS(GetHardwareDeviceIncompatibilityDetails, OrtEpFactory *this_ptr,
                  const OrtHardwareDevice *hw, OrtDeviceEpIncompatibilityDetails *details);
  ORT_API2_STATUS(CreateExternalResourceImporterForDevice, OrtEpFactory *this_ptr,
                  const OrtEpDevice *ep_device, OrtExternalResourceImporterImpl **out_importer);
  ORT_API2_STATUS(GetNumCustomOpDomains, OrtEpFactory *this_ptr, size_t *num_domains);
  // The factory keeps the domains.
  ORT_API2_STATUS(GetCustomOpDomains, OrtEpFactory *this_ptr, OrtCustomOpDomain **domains,
                  size_t num_domains);
  ORT_API2_STATUS(InitGraphicsInterop, OrtEpFactory *this_ptr, const OrtEpDevice *ep_device,
                  const OrtGraphicsInteropConfig *config);
  ORT_API2_STATUS(DeinitGraphicsInterop, OrtEpFactory *this_ptr, const OrtEpDevice *ep_device);
  ORT_API2_STATUS(SelectBestModelCandidate, OrtEpFactory *this_ptr, const OrtHardwareDevice *device,
                  const OrtKeyValuePairs *const *candidates, size_t num_candidates,
                  const OrtSessionOptions *session_options, size_t *selected_index);
};

#ifdef __cplusplus
}
#endif
