// The C ABI of ONNX Runtime, version 30, as Tern speaks it: a program built against ONNX Runtime's
// own header runs on this one unchanged, compiled again or not. Types, names, values and layouts
// are ONNX Runtime's; where a struct has a table of entries, ort_entries/ lists them.
//
// Conventions, which a comment repeats only to depart from them:
// - A status is NULL on success. Otherwise the caller owns it: read it with GetErrorCode and
//   GetErrorMessage, then ReleaseStatus. Outputs are set on success only.
// - `Ort<X> **out` gives a handle that the caller owns and releases with Release<X>. `const Ort<X>
//   **out` and every `const char *` answered are borrowed from the object they were asked of.
// - `char **out` next to an `allocator` is memory of that allocator: free it with AllocatorFree.
// - Handles, names and options passed in are copied or no longer used when the call returns.
// - Strings are UTF-8 and end with NUL. Shapes are arrays of int64_t; a count of 0 is a scalar.
// - Sessions may be run from any number of threads at once; other handles need a lock of the
//   caller's own while they are changed.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onnxruntime_error_code.h"

#define ORT_API_VERSION 30

#ifdef __cplusplus
extern "C" {
#endif

// Source annotations of Microsoft's compilers; programs written against this header use them.
#ifndef _MSC_VER
#define _In_
#define _In_z_
#define _In_opt_
#define _In_opt_z_
#define _Out_
#define _Out_opt_
#define _Outptr_
#define _Outptr_opt_
#define _Inout_
#define _Inout_opt_
#define _Frees_ptr_opt_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Check_return_
#define _Outptr_result_maybenull_
#define _Outptr_result_maybenull_z_
#define _In_reads_(X)
#define _In_reads_opt_
#define _Inout_updates_(X)
#define _Out_writes_(X)
#define _Out_writes_opt_(X)
#define _Inout_updates_all_(X)
#define _Out_writes_bytes_all_(X)
#define _Out_writes_all_(X)
#define _Success_(X)
#define _Outptr_result_buffer_maybenull_(X)
#define ORT_ALL_ARGS_NONNULL __attribute__((nonnull))
#else
#include <specstrings.h>
#define ORT_ALL_ARGS_NONNULL
#endif

// Paths are ORTCHAR_T: wide characters on Windows, char elsewhere.
#ifdef _WIN32
#ifdef ORT_DLL_IMPORT
#define ORT_EXPORT __declspec(dllimport)
#else
#define ORT_EXPORT
#endif
#define ORT_API_CALL __stdcall
#define ORT_MUST_USE_RESULT
#define ORTCHAR_T wchar_t
#else
#if defined(__GNUC__)
#define ORT_EXPORT __attribute__((visibility("default")))
#else
#define ORT_EXPORT
#endif
#define ORT_API_CALL
#define ORT_MUST_USE_RESULT __attribute__((warn_unused_result))
#define ORTCHAR_T char
#endif

// A literal, or a macro that expands to one, as ORTCHAR_T.
#ifndef ORT_TSTR
#ifdef _WIN32
#define ORT_TSTR(X) L##X
#define ORT_TSTR_ON_MACRO(X) L"" X
#else
#define ORT_TSTR(X) X
#define ORT_TSTR_ON_MACRO(X) X
#endif
#endif

#ifndef ORT_FILE
#define ORT_FILE_INTERNAL(x) ORT_TSTR(x)
#define ORT_FILE ORT_FILE_INTERNAL(__FILE__)
#endif

#ifdef __cplusplus
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if (__cplusplus >= 201103L) || (_MSC_VER >= 1900) || __has_feature(cxx_noexcept)
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION throw()
#endif
#else
#define NO_EXCEPTION
#endif

// clang-format off
#define ORT_API(RETURN_TYPE, NAME, ...) RETURN_TYPE ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_T(RETURN_TYPE, NAME, ...) \
  RETURN_TYPE(ORT_API_CALL *NAME)(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_STATUS(NAME, ...) \
  _Success_(return == 0) _Check_return_ _Ret_maybenull_ \
  OrtStatusPtr ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API2_STATUS(NAME, ...) \
  _Check_return_ _Ret_maybenull_ \
  OrtStatusPtr(ORT_API_CALL *NAME)(__VA_ARGS__) NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API_STATUS_IMPL(NAME, ...) \
  _Success_(return == 0) _Check_return_ _Ret_maybenull_ \
  OrtStatusPtr ORT_API_CALL NAME(__VA_ARGS__) NO_EXCEPTION
#define ORT_CLASS_RELEASE(X) void(ORT_API_CALL *Release##X)(_Frees_ptr_opt_ Ort##X *input)
#define ORT_RUNTIME_CLASS(X) \
  struct Ort##X;             \
  typedef struct Ort##X Ort##X
// clang-format on

// ---- Kinds of values.

// Element types, numbered as in ONNX's TensorProto up to FLOAT4E2M1; the later ones differ.
typedef enum ONNXTensorElementDataType {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ,
  // Two elements a byte, the first in the low half.
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1,
  // Four elements a byte, the first in the lowest bits.
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0,
} ONNXTensorElementDataType;

typedef enum ONNXType {
  ONNX_TYPE_UNKNOWN,
  ONNX_TYPE_TENSOR,
  ONNX_TYPE_SEQUENCE,
  ONNX_TYPE_MAP,
  ONNX_TYPE_OPAQUE,
  ONNX_TYPE_SPARSETENSOR,
  ONNX_TYPE_OPTIONAL
} ONNXType;

typedef enum OrtSparseFormat {
  ORT_SPARSE_UNDEFINED = 0,
  ORT_SPARSE_COO = 0x1,
  ORT_SPARSE_CSRC = 0x2,
  ORT_SPARSE_BLOCK_SPARSE = 0x4
} OrtSparseFormat;

enum OrtSparseIndicesFormat {
  ORT_SPARSE_COO_INDICES,
  ORT_SPARSE_CSR_INNER_INDICES,
  ORT_SPARSE_CSR_OUTER_INDICES,
  ORT_SPARSE_BLOCK_SPARSE_INDICES
};

typedef enum OrtLoggingLevel {
  ORT_LOGGING_LEVEL_VERBOSE,
  ORT_LOGGING_LEVEL_INFO,
  ORT_LOGGING_LEVEL_WARNING,
  ORT_LOGGING_LEVEL_ERROR,
  ORT_LOGGING_LEVEL_FATAL,
} OrtLoggingLevel;

typedef enum OrtOpAttrType {
  ORT_OP_ATTR_UNDEFINED = 0,
  ORT_OP_ATTR_INT,
  ORT_OP_ATTR_INTS,
  ORT_OP_ATTR_FLOAT,
  ORT_OP_ATTR_FLOATS,
  ORT_OP_ATTR_STRING,
  ORT_OP_ATTR_STRINGS,
  ORT_OP_ATTR_GRAPH,
  ORT_OP_ATTR_TENSOR,
} OrtOpAttrType;

// ---- Handles.

ORT_RUNTIME_CLASS(Env);
ORT_RUNTIME_CLASS(Status);
ORT_RUNTIME_CLASS(MemoryInfo);
ORT_RUNTIME_CLASS(IoBinding);
ORT_RUNTIME_CLASS(Session);
ORT_RUNTIME_CLASS(Value);
ORT_RUNTIME_CLASS(RunOptions);
ORT_RUNTIME_CLASS(TypeInfo);
ORT_RUNTIME_CLASS(TensorTypeAndShapeInfo);
ORT_RUNTIME_CLASS(MapTypeInfo);
ORT_RUNTIME_CLASS(SequenceTypeInfo);
ORT_RUNTIME_CLASS(OptionalTypeInfo);
ORT_RUNTIME_CLASS(SessionOptions);
ORT_RUNTIME_CLASS(CustomOpDomain);
ORT_RUNTIME_CLASS(ModelMetadata);
ORT_RUNTIME_CLASS(ThreadPoolParams);
ORT_RUNTIME_CLASS(ThreadingOptions);
ORT_RUNTIME_CLASS(ArenaCfg);
ORT_RUNTIME_CLASS(PrepackedWeightsContainer);
ORT_RUNTIME_CLASS(TensorRTProviderOptionsV2);
ORT_RUNTIME_CLASS(NvTensorRtRtxProviderOptions);
ORT_RUNTIME_CLASS(CUDAProviderOptionsV2);
ORT_RUNTIME_CLASS(CANNProviderOptions);
ORT_RUNTIME_CLASS(DnnlProviderOptions);
ORT_RUNTIME_CLASS(Op);
ORT_RUNTIME_CLASS(OpAttr);
ORT_RUNTIME_CLASS(Logger);
ORT_RUNTIME_CLASS(ShapeInferContext);
ORT_RUNTIME_CLASS(LoraAdapter);
ORT_RUNTIME_CLASS(ValueInfo);
ORT_RUNTIME_CLASS(Node);
ORT_RUNTIME_CLASS(Graph);
ORT_RUNTIME_CLASS(Model);
ORT_RUNTIME_CLASS(ModelCompilationOptions);
ORT_RUNTIME_CLASS(HardwareDevice);
ORT_RUNTIME_CLASS(EpDevice);
ORT_RUNTIME_CLASS(KeyValuePairs);
ORT_RUNTIME_CLASS(SyncStream);
ORT_RUNTIME_CLASS(ExternalInitializerInfo);
ORT_RUNTIME_CLASS(ExternalResourceImporter);
ORT_RUNTIME_CLASS(ExternalMemoryHandle);
ORT_RUNTIME_CLASS(ExternalSemaphoreHandle);
ORT_RUNTIME_CLASS(DeviceEpIncompatibilityDetails);
ORT_RUNTIME_CLASS(EpAssignedSubgraph);
ORT_RUNTIME_CLASS(EpAssignedNode);
ORT_RUNTIME_CLASS(KernelInfo);
ORT_RUNTIME_CLASS(KernelContext);
ORT_RUNTIME_CLASS(CustomOp);
ORT_RUNTIME_CLASS(ApiBase);
ORT_RUNTIME_CLASS(Api);
ORT_RUNTIME_CLASS(TrainingApi);
ORT_RUNTIME_CLASS(ModelEditorApi);
ORT_RUNTIME_CLASS(CompileApi);
ORT_RUNTIME_CLASS(InteropApi);
ORT_RUNTIME_CLASS(EpApi);

#ifdef _MSC_VER
typedef _Return_type_success_(return == 0) OrtStatus *OrtStatusPtr;
#else
typedef OrtStatus *OrtStatusPtr;
#endif

// What GetExperimentalFunction answers; cast to the type that goes with the name.
typedef void(ORT_API_CALL *OrtExperimentalFnPtr)(void);

// ---- Memory.

// Provided by this library or by the caller, who fills the members that `version` (the
// ORT_API_VERSION it was compiled with) knows and sets the rest to NULL. Thread-safe.
typedef struct OrtAllocator {
  uint32_t version;
  // NULL when `size`, in bytes, is 0 or cannot be had.
  void *(ORT_API_CALL *Alloc)(struct OrtAllocator *this_, size_t size);
  // `p` may be NULL.
  void(ORT_API_CALL *Free)(struct OrtAllocator *this_, void *p);
  const struct OrtMemoryInfo *(ORT_API_CALL *Info)(const struct OrtAllocator *this_);
  // As Alloc, for memory held long, such as weights; an arena may serve it apart. Since 18.
  void *(ORT_API_CALL *Reserve)(struct OrtAllocator *this_, size_t size);
  // Pairs owned by the caller. May be NULL. Since 23.
  ORT_API2_STATUS(GetStats, const struct OrtAllocator *this_, OrtKeyValuePairs **out);
  // Memory first used on `stream`. May be NULL. Since 23.
  void *(ORT_API_CALL *AllocOnStream)(struct OrtAllocator *this_, size_t size,
                                      OrtSyncStream *stream);
  // Gives unused memory back. May be NULL. Since 25.
  ORT_API2_STATUS(Shrink, struct OrtAllocator *this_);
} OrtAllocator;

typedef enum OrtAllocatorType {
  OrtInvalidAllocator = -1,
  OrtDeviceAllocator = 0,
  OrtArenaAllocator = 1,
  OrtReadOnlyAllocator = 2,
} OrtAllocatorType;

// Where a kernel reads and writes, relative to the device of its provider.
typedef enum OrtMemType {
  OrtMemTypeCPUInput = -2,
  OrtMemTypeCPUOutput = -1,
  OrtMemTypeCPU = OrtMemTypeCPUOutput,
  OrtMemTypeDefault = 0,
} OrtMemType;

typedef enum OrtDeviceMemoryType {
  OrtDeviceMemoryType_DEFAULT = 0,
  OrtDeviceMemoryType_HOST_ACCESSIBLE = 5,
} OrtDeviceMemoryType;

typedef enum OrtMemoryInfoDeviceType {
  OrtMemoryInfoDeviceType_CPU = 0,
  OrtMemoryInfoDeviceType_GPU = 1,
  OrtMemoryInfoDeviceType_FPGA = 2,
  OrtMemoryInfoDeviceType_NPU = 3,
} OrtMemoryInfoDeviceType;

// ---- Environments and sessions.

// `code_location` is "file:line function". The strings are valid during the call only.
typedef void(ORT_API_CALL *OrtLoggingFunction)(void *param, OrtLoggingLevel severity,
                                               const char *category, const char *logid,
                                               const char *code_location, const char *message);

typedef enum GraphOptimizationLevel {
  ORT_DISABLE_ALL = 0,
  ORT_ENABLE_BASIC = 1,
  ORT_ENABLE_EXTENDED = 2,
  ORT_ENABLE_LAYOUT = 3,
  ORT_ENABLE_ALL = 99
} GraphOptimizationLevel;

typedef enum ExecutionMode {
  ORT_SEQUENTIAL = 0,
  ORT_PARALLEL = 1,
} ExecutionMode;

typedef enum OrtLanguageProjection {
  ORT_PROJECTION_C = 0,
  ORT_PROJECTION_CPLUSPLUS = 1,
  ORT_PROJECTION_CSHARP = 2,
  ORT_PROJECTION_PYTHON = 3,
  ORT_PROJECTION_JAVA = 4,
  ORT_PROJECTION_WINML = 5,
  ORT_PROJECTION_NODEJS = 6,
} OrtLanguageProjection;

typedef enum OrtHardwareDeviceType {
  OrtHardwareDeviceType_CPU,
  OrtHardwareDeviceType_GPU,
  OrtHardwareDeviceType_NPU
} OrtHardwareDeviceType;

typedef enum OrtExecutionProviderDevicePolicy {
  OrtExecutionProviderDevicePolicy_DEFAULT,
  OrtExecutionProviderDevicePolicy_PREFER_CPU,
  OrtExecutionProviderDevicePolicy_PREFER_NPU,
  OrtExecutionProviderDevicePolicy_PREFER_GPU,
  OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE,
  OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY,
  OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER,
} OrtExecutionProviderDevicePolicy;

typedef enum OrtDeviceEpIncompatibilityReason {
  OrtDeviceEpIncompatibility_NONE = 0,
  OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE = 1 << 0,
  OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE = 1 << 1,
  OrtDeviceEpIncompatibility_MISSING_DEPENDENCY = 1 << 2,
  OrtDeviceEpIncompatibility_UNKNOWN = -2147483647 - 1 // the highest bit
} OrtDeviceEpIncompatibilityReason;

typedef enum OrtCompiledModelCompatibility {
  OrtCompiledModelCompatibility_EP_NOT_APPLICABLE = 0,
  OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL,
  OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION,
  OrtCompiledModelCompatibility_EP_UNSUPPORTED,
} OrtCompiledModelCompatibility;

// Chooses at most `max_selected` of `num_devices` devices, in order of preference.
// `runtime_metadata` may be NULL.
typedef OrtStatus *(ORT_API_CALL *EpSelectionDelegate)(
    const OrtEpDevice **ep_devices, size_t num_devices, const OrtKeyValuePairs *model_metadata,
    const OrtKeyValuePairs *runtime_metadata, const OrtEpDevice **selected, size_t max_selected,
    size_t *num_selected, void *state);

// Receives a compiled model piece by piece, in order.
typedef OrtStatus *(ORT_API_CALL *OrtWriteBufferFunc)(void *state, const void *buffer,
                                                      size_t buffer_num_bytes);

// Says where an initializer of a compiled model is stored. `external_info` is NULL where the
// source holds it inside the model; `*new_external_info` stays NULL to keep it inside, and is
// otherwise taken over by the library.
typedef OrtStatus *(ORT_API_CALL *OrtGetInitializerLocationFunc)(
    void *state, const char *initializer_name, const OrtValue *initializer_value,
    const OrtExternalInitializerInfo *external_info,
    OrtExternalInitializerInfo **new_external_info);

// `outputs` is the array given to RunAsync. The callback owns `status`.
typedef void (*RunAsyncCallbackFn)(void *user_data, OrtValue **outputs, size_t num_outputs,
                                   OrtStatusPtr status);

// The entry point of a custom operator library, exported as RegisterCustomOps.
typedef OrtStatus *(ORT_API_CALL *RegisterCustomOpsFn)(OrtSessionOptions *options,
                                                       const OrtApiBase *api);

// ---- Threads made by the caller.

typedef void (*OrtThreadWorkerFn)(void *ort_worker_fn_param);
typedef const struct OrtCustomHandleType { char __place_holder; } * OrtCustomThreadHandle;

// Starts a thread that calls the worker with its parameter; NULL fails the session.
typedef OrtCustomThreadHandle (*OrtCustomCreateThreadFn)(void *ort_custom_thread_creation_options,
                                                         OrtThreadWorkerFn ort_thread_worker_fn,
                                                         void *ort_worker_fn_param);
typedef void (*OrtCustomJoinThreadFn)(OrtCustomThreadHandle ort_custom_thread_handle);

// Called around each piece of work that a pool queues. What `on_enqueue` answers, on the queueing
// thread, is the `enqueue_data` of the others; `on_abandon` replaces start and stop for work that
// is dropped.
typedef void *(*OrtThreadPoolWorkEnqueueFn)(void *user_context);
typedef void (*OrtThreadPoolWorkStartFn)(void *user_context, void *enqueue_data);
typedef void (*OrtThreadPoolWorkStopFn)(void *user_context, void *enqueue_data);
typedef void (*OrtThreadPoolWorkAbandonFn)(void *user_context, void *enqueue_data);

// Any callback may be NULL.
typedef struct OrtThreadPoolCallbacksConfig {
  uint32_t version; // ORT_API_VERSION
  OrtThreadPoolWorkEnqueueFn on_enqueue;
  OrtThreadPoolWorkStartFn on_start_work;
  OrtThreadPoolWorkStopFn on_stop_work;
  OrtThreadPoolWorkAbandonFn on_abandon;
  void *user_context;
} OrtThreadPoolCallbacksConfig;

// Options of CreateEnvWithOptions; zeroed members take their defaults, except the level.
typedef struct OrtEnvCreationOptions {
  uint32_t version;               // ORT_API_VERSION
  int32_t logging_severity_level; // an OrtLoggingLevel
  const char *log_id;             // NULL for the default
  OrtLoggingFunction custom_logging_function;
  void *custom_logging_param;
  const OrtThreadingOptions *threading_options; // not NULL: global thread pools
  const OrtKeyValuePairs *config_entries;
} OrtEnvCreationOptions;

// ---- Memory and semaphores shared with other APIs.

typedef enum OrtExternalMemoryHandleType {
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 0,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 1,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_WIN32 = 2,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_OPAQUE_FD = 3,
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION = 4,
} OrtExternalMemoryHandleType;

#ifndef ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32
#define ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_WIN32 ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_WIN32
#endif
#ifndef ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD
#define ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD                                        \
  ORT_EXTERNAL_MEMORY_HANDLE_TYPE_MEMORY_OPAQUE_FD
#endif

typedef struct OrtExternalMemoryDescriptor {
  uint32_t version; // ORT_API_VERSION
  OrtExternalMemoryHandleType handle_type;
  void *native_handle;
  size_t size_bytes;
  size_t offset_bytes;
} OrtExternalMemoryDescriptor;

typedef enum OrtExternalSemaphoreType {
  ORT_EXTERNAL_SEMAPHORE_D3D12_FENCE = 0,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_WIN32 = 1,
  ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD = 2,
} OrtExternalSemaphoreType;

typedef struct OrtExternalSemaphoreDescriptor {
  uint32_t version; // ORT_API_VERSION
  OrtExternalSemaphoreType type;
  void *native_handle;
} OrtExternalSemaphoreDescriptor;

typedef enum OrtGraphicsApi {
  ORT_GRAPHICS_API_NONE = 0,
  ORT_GRAPHICS_API_D3D12 = 1,
  ORT_GRAPHICS_API_VULKAN = 2,
} OrtGraphicsApi;

typedef struct OrtGraphicsInteropConfig {
  uint32_t version; // ORT_API_VERSION
  OrtGraphicsApi graphics_api;
  void *command_queue;
  const OrtKeyValuePairs *additional_options; // may be NULL
} OrtGraphicsInteropConfig;

typedef struct OrtExternalTensorDescriptor {
  uint32_t version; // ORT_API_VERSION
  ONNXTensorElementDataType element_type;
  const int64_t *shape;
  size_t rank;
  size_t offset_bytes; // from the start of the imported memory
} OrtExternalTensorDescriptor;

#include "onnxruntime_provider_options.h"

// ---- The tables.

#define ORT_ENTRY_STATUS(NAME, ...) ORT_API2_STATUS(NAME, __VA_ARGS__);
#define ORT_ENTRY_VALUE(TYPE, NAME, ...) ORT_API_T(TYPE, NAME, __VA_ARGS__);
#define ORT_ENTRY_VOID(NAME, ...) ORT_API_T(void, NAME, __VA_ARGS__);
#define ORT_ENTRY_RELEASE(CLASS) ORT_CLASS_RELEASE(CLASS);

struct OrtApi {
#include "ort_entries/OrtApi.inc"
};

struct OrtModelEditorApi {
#include "ort_entries/OrtModelEditorApi.inc"
};

// Flags of OrtCompileApi's ModelCompilationOptions_SetFlags.
typedef enum OrtCompileApiFlags {
  OrtCompileApiFlags_NONE = 0,
  OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED = 1 << 0,
  OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS = 1 << 1,
} OrtCompileApiFlags;

struct OrtCompileApi {
#include "ort_entries/OrtCompileApi.inc"
};

struct OrtInteropApi {
#include "ort_entries/OrtInteropApi.inc"
};

#undef ORT_ENTRY_STATUS
#undef ORT_ENTRY_VALUE
#undef ORT_ENTRY_VOID
#undef ORT_ENTRY_RELEASE

// ---- Custom operators, provided by the caller.

typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL,
  INPUT_OUTPUT_VARIADIC, // only as the last input or output
} OrtCustomOpInputOutputCharacteristic;

// Members past those that `version` knows are not read. An element type of UNDEFINED admits any.
struct OrtCustomOp {
  uint32_t version; // ORT_API_VERSION
  // The kernel that KernelCompute and KernelDestroy receive.
  void *(ORT_API_CALL *CreateKernel)(const struct OrtCustomOp *op, const OrtApi *api,
                                     const OrtKernelInfo *info);
  const char *(ORT_API_CALL *GetName)(const struct OrtCustomOp *op);
  // NULL for the CPU provider.
  const char *(ORT_API_CALL *GetExecutionProviderType)(const struct OrtCustomOp *op);
  ONNXTensorElementDataType(ORT_API_CALL *GetInputType)(const struct OrtCustomOp *op, size_t index);
  size_t(ORT_API_CALL *GetInputTypeCount)(const struct OrtCustomOp *op);
  ONNXTensorElementDataType(ORT_API_CALL *GetOutputType)(const struct OrtCustomOp *op,
                                                         size_t index);
  size_t(ORT_API_CALL *GetOutputTypeCount)(const struct OrtCustomOp *op);
  // May be called from several threads with one kernel.
  void(ORT_API_CALL *KernelCompute)(void *op_kernel, OrtKernelContext *context);
  void(ORT_API_CALL *KernelDestroy)(void *op_kernel);
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL *GetInputCharacteristic)(
      const struct OrtCustomOp *op, size_t index);
  OrtCustomOpInputOutputCharacteristic(ORT_API_CALL *GetOutputCharacteristic)(
      const struct OrtCustomOp *op, size_t index);
  // NULL: every input in the memory of the provider.
  OrtMemType(ORT_API_CALL *GetInputMemoryType)(const struct OrtCustomOp *op, size_t index);
  // Least number of values, and whether all share one type (not 0), for a variadic input or output.
  int(ORT_API_CALL *GetVariadicInputMinArity)(const struct OrtCustomOp *op);
  int(ORT_API_CALL *GetVariadicInputHomogeneity)(const struct OrtCustomOp *op);
  int(ORT_API_CALL *GetVariadicOutputMinArity)(const struct OrtCustomOp *op);
  int(ORT_API_CALL *GetVariadicOutputHomogeneity)(const struct OrtCustomOp *op);
  // Used in place of CreateKernel and KernelCompute where not NULL: they can fail.
  OrtStatusPtr(ORT_API_CALL *CreateKernelV2)(const struct OrtCustomOp *op, const OrtApi *api,
                                             const OrtKernelInfo *info, void **kernel);
  OrtStatusPtr(ORT_API_CALL *KernelComputeV2)(void *op_kernel, OrtKernelContext *context);
  OrtStatusPtr(ORT_API_CALL *InferOutputShapeFn)(const struct OrtCustomOp *op,
                                                 OrtShapeInferContext *);
  // The first and last opset versions the operator stands for.
  int(ORT_API_CALL *GetStartVersion)(const struct OrtCustomOp *op);
  int(ORT_API_CALL *GetEndVersion)(const struct OrtCustomOp *op);
  // Pairs of input and output that may (inplace) or must (alias) share memory; the number of
  // pairs is answered, and the arrays are given back to the matching release.
  size_t(ORT_API_CALL *GetMayInplace)(int **input_index, int **output_index);
  void(ORT_API_CALL *ReleaseMayInplace)(int *input_index, int *output_index);
  size_t(ORT_API_CALL *GetAliasMap)(int **input_index, int **output_index);
  void(ORT_API_CALL *ReleaseAliasMap)(int *input_index, int *output_index);
};

// ---- Exported functions.

struct OrtApiBase {
  // The table for `version`, from 1 to ORT_API_VERSION; NULL for any other. Static.
  const OrtApi *(ORT_API_CALL *GetApi)(uint32_t version)NO_EXCEPTION;
  // "major.minor.patch"; static.
  const char *(ORT_API_CALL *GetVersionString)(void)NO_EXCEPTION;
};

ORT_EXPORT const OrtApiBase *ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION;

// Providers that this library does not carry answer an error.
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_CUDA, OrtSessionOptions *options,
                          int device_id);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_ROCM, OrtSessionOptions *options,
                          int device_id);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_MIGraphX,
                          OrtSessionOptions *options, int device_id);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_Dnnl, OrtSessionOptions *options,
                          int use_arena);
ORT_EXPORT ORT_API_STATUS(OrtSessionOptionsAppendExecutionProvider_Tensorrt,
                          OrtSessionOptions *options, int device_id);

#ifdef __cplusplus
}
#endif

#include "onnxruntime_ep_c_api.h"
