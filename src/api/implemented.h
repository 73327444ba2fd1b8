// Which entries of the ABI's tables work. Everything not named here is stamped by stubs.h: a status
// that names the entry, or nothing, NULL or 0. A file of src/api defines an entry as ort_<entry>
// (ort_model_editor_<entry> for OrtModelEditorApi, and so on), with the prototype of the table.
#ifndef TERN_API_IMPLEMENTED_H_
#define TERN_API_IMPLEMENTED_H_

// clang-format off
#define ORT_API_IMPLEMENTED(X) \
  /* allocator.c */ \
  X(GetAllocatorWithDefaultOptions) X(AllocatorAlloc) X(AllocatorFree) X(AllocatorGetInfo) \
  X(AllocatorGetStats) X(CreateAllocator) X(ReleaseAllocator) \
  /* devices.c */ \
  X(GetAvailableProviders) X(ReleaseAvailableProviders) X(GetEpDevices) \
  X(GetNumHardwareDevices) X(GetHardwareDevices) X(HardwareDevice_Type) \
  X(HardwareDevice_VendorId) X(HardwareDevice_Vendor) X(HardwareDevice_DeviceId) \
  X(HardwareDevice_Metadata) X(EpDevice_EpName) X(EpDevice_EpVendor) X(EpDevice_EpMetadata) \
  X(EpDevice_EpOptions) X(EpDevice_Device) X(EpDevice_MemoryInfo) \
  /* env.c */ \
  X(ReleaseEnv) X(CreateEnv) X(CreateEnvWithCustomLogger) X(CreateEnvWithGlobalThreadPools) \
  X(CreateEnvWithCustomLoggerAndGlobalThreadPools) X(CreateEnvWithOptions) \
  X(UpdateEnvWithCustomLogLevel) X(EnableTelemetryEvents) X(DisableTelemetryEvents) \
  X(SetLanguageProjection) X(SetPerSessionThreadPoolCallbacks) \
  /* env_allocators.c */ \
  X(RegisterAllocator) X(UnregisterAllocator) X(CreateAndRegisterAllocator) \
  X(CreateAndRegisterAllocatorV2) X(CreateSharedAllocator) X(ReleaseSharedAllocator) \
  X(GetSharedAllocator) \
  /* io_binding.c */ \
  X(CreateIoBinding) X(ReleaseIoBinding) X(BindInput) X(BindOutput) X(BindOutputToDevice) \
  X(ClearBoundInputs) X(ClearBoundOutputs) X(SynchronizeBoundInputs) \
  X(SynchronizeBoundOutputs) X(GetBoundOutputNames) X(GetBoundOutputValues) X(RunWithBinding) \
  /* log.c */ \
  X(Logger_LogMessage) X(Logger_GetLoggingSeverityLevel) \
  /* memory.c */ \
  X(CreateMemoryInfo) X(CreateCpuMemoryInfo) X(CreateMemoryInfo_V2) X(ReleaseMemoryInfo) \
  X(CompareMemoryInfo) X(MemoryInfoGetName) X(MemoryInfoGetId) X(MemoryInfoGetMemType) \
  X(MemoryInfoGetType) X(MemoryInfoGetDeviceType) X(MemoryInfoGetDeviceMemType) \
  X(MemoryInfoGetVendorId) X(CreateArenaCfg) X(CreateArenaCfgV2) X(ReleaseArenaCfg) \
  /* metadata.c */ \
  X(SessionGetModelMetadata) X(ReleaseModelMetadata) X(ModelMetadataGetProducerName) \
  X(ModelMetadataGetGraphName) X(ModelMetadataGetDomain) X(ModelMetadataGetDescription) \
  X(ModelMetadataGetGraphDescription) X(ModelMetadataGetVersion) \
  X(ModelMetadataLookupCustomMetadataMap) X(ModelMetadataGetCustomMetadataMapKeys) \
  /* pairs.c */ \
  X(CreateKeyValuePairs) X(AddKeyValuePair) X(GetKeyValue) X(GetKeyValuePairs) \
  X(RemoveKeyValuePair) X(ReleaseKeyValuePairs) \
  /* run.c */ \
  X(Run) X(RunAsync) \
  /* run_options.c */ \
  X(CreateRunOptions) X(ReleaseRunOptions) X(RunOptionsSetRunLogVerbosityLevel) \
  X(RunOptionsSetRunLogSeverityLevel) X(RunOptionsSetRunTag) \
  X(RunOptionsGetRunLogVerbosityLevel) X(RunOptionsGetRunLogSeverityLevel) \
  X(RunOptionsGetRunTag) X(RunOptionsSetTerminate) X(RunOptionsUnsetTerminate) \
  X(AddRunConfigEntry) X(GetRunConfigEntry) X(RunOptionsEnableProfiling) \
  X(RunOptionsDisableProfiling) X(RunOptionsSetSyncStream) \
  /* session.c */ \
  X(CreateSession) X(CreateSessionFromArray) X(ReleaseSession) \
  X(CreatePrepackedWeightsContainer) X(ReleasePrepackedWeightsContainer) \
  X(CreateSessionWithPrepackedWeightsContainer) \
  X(CreateSessionFromArrayWithPrepackedWeightsContainer) \
  /* session_config.c */ \
  X(AddSessionConfigEntry) X(HasSessionConfigEntry) X(GetSessionConfigEntry) \
  X(GetSessionOptionsConfigEntries) \
  /* session_info.c */ \
  X(SessionGetInputCount) X(SessionGetOutputCount) X(SessionGetOverridableInitializerCount) \
  X(SessionGetInputTypeInfo) X(SessionGetOutputTypeInfo) \
  X(SessionGetOverridableInitializerTypeInfo) X(SessionGetInputName) X(SessionGetOutputName) \
  X(SessionGetOverridableInitializerName) X(SessionGetMemoryInfoForInputs) \
  X(SessionGetMemoryInfoForOutputs) X(SessionGetEpDeviceForInputs) \
  X(SessionGetEpDeviceForOutputs) X(SessionEndProfiling) X(SessionGetProfilingStartTimeNs) \
  X(Session_GetEpGraphAssignmentInfo) X(EpAssignedSubgraph_GetEpName) \
  X(EpAssignedSubgraph_GetNodes) X(EpAssignedNode_GetName) X(EpAssignedNode_GetDomain) \
  X(EpAssignedNode_GetOperatorType) \
  /* session_lists.c */ \
  X(AddFreeDimensionOverride) X(AddFreeDimensionOverrideByName) X(AddInitializer) \
  X(AddExternalInitializers) X(AddExternalInitializersFromFilesInMemory) \
  X(CreateCustomOpDomain) X(ReleaseCustomOpDomain) X(CustomOpDomain_Add) X(AddCustomOpDomain) \
  X(CloneSessionOptions) X(SessionOptionsAppendExecutionProvider) \
  X(SessionOptionsAppendExecutionProvider_V2) X(SessionOptionsSetEpSelectionPolicy) \
  X(SessionOptionsSetEpSelectionPolicyDelegate) X(SessionOptionsSetWeightlessSourceModelBuffer) \
  /* session_options.c */ \
  X(CreateSessionOptions) X(ReleaseSessionOptions) X(SetSessionExecutionMode) \
  X(GetSessionExecutionMode) X(SetOptimizedModelFilePath) X(EnableProfiling) \
  X(DisableProfiling) X(EnableMemPattern) X(DisableMemPattern) X(EnableCpuMemArena) \
  X(DisableCpuMemArena) X(DisablePerSessionThreads) X(GetMemPatternEnabled) X(SetSessionLogId) \
  X(SetSessionLogVerbosityLevel) X(SetSessionLogSeverityLevel) \
  X(SetSessionGraphOptimizationLevel) X(SetIntraOpNumThreads) X(SetInterOpNumThreads) \
  X(SetDeterministicCompute) X(SessionOptionsSetLoadCancellationFlag) \
  X(SessionOptionsSetCustomCreateThreadFn) X(SessionOptionsSetCustomThreadCreationOptions) \
  X(SessionOptionsSetCustomJoinThreadFn) X(SetUserLoggingFunction) \
  /* status.c */ \
  X(CreateStatus) X(GetErrorCode) X(GetErrorMessage) X(ReleaseStatus) \
  /* table.c */ \
  X(GetBuildInfoString) X(GetModelEditorApi) X(GetCompileApi) X(GetInteropApi) X(GetEpApi) \
  /* tensor_info.c */ \
  X(CreateTensorTypeAndShapeInfo) X(ReleaseTensorTypeAndShapeInfo) X(SetTensorElementType) \
  X(SetDimensions) X(SetSymbolicDimensions) X(GetTensorElementType) X(GetDimensionsCount) \
  X(GetDimensions) X(GetSymbolicDimensions) X(GetTensorShapeElementCount) \
  X(TensorTypeAndShape_HasShape) \
  /* threading.c */ \
  X(CreateThreadingOptions) X(ReleaseThreadingOptions) X(SetGlobalIntraOpNumThreads) \
  X(SetGlobalInterOpNumThreads) X(SetGlobalSpinControl) X(SetGlobalDenormalAsZero) \
  X(SetGlobalIntraOpThreadAffinity) X(SetGlobalCustomCreateThreadFn) \
  X(SetGlobalCustomThreadCreationOptions) X(SetGlobalCustomJoinThreadFn) \
  /* type_info.c */ \
  X(ReleaseTypeInfo) X(GetOnnxTypeFromTypeInfo) X(GetDenotationFromTypeInfo) \
  X(CastTypeInfoToTensorInfo) X(CastTypeInfoToMapTypeInfo) X(CastTypeInfoToSequenceTypeInfo) \
  X(CastTypeInfoToOptionalTypeInfo) X(GetMapKeyType) X(GetMapValueType) \
  X(GetSequenceElementType) X(GetOptionalContainedTypeInfo) X(ReleaseMapTypeInfo) \
  X(ReleaseSequenceTypeInfo) \
  /* value.c */ \
  X(CreateTensorAsOrtValue) X(CreateTensorWithDataAsOrtValue) \
  X(CreateTensorWithDataAndDeleterAsOrtValue) X(ReleaseValue) X(GetTensorMutableData) \
  X(GetTensorData) X(GetTensorSizeInBytes) X(GetTensorMemoryInfo) X(TensorAt) X(IsTensor) \
  X(IsSparseTensor) X(HasValue) X(GetValueType) X(GetTypeInfo) X(GetTensorTypeAndShape) \
  X(GetTensorElementTypeAndShapeDataReference) \
  /* value_container.c */ \
  X(GetValueCount) X(GetValue) X(CreateValue) \
  /* value_sparse.c */ \
  X(CreateSparseTensorAsOrtValue) X(FillSparseTensorCoo) X(FillSparseTensorCsr) \
  X(FillSparseTensorBlockSparse) X(CreateSparseTensorWithValuesAsOrtValue) X(UseCooIndices) \
  X(UseCsrIndices) X(UseBlockSparseIndices) X(GetSparseTensorFormat) \
  X(GetSparseTensorValuesTypeAndShape) X(GetSparseTensorValues) \
  X(GetSparseTensorIndicesTypeShape) X(GetSparseTensorIndices) \
  /* value_string.c */ \
  X(FillStringTensor) X(FillStringTensorElement) X(GetResizedStringTensorElementBuffer) \
  X(GetStringTensorDataLength) X(GetStringTensorContent) X(GetStringTensorElementLength) \
  X(GetStringTensorElement)

#define ORT_MODEL_EDITOR_API_IMPLEMENTED(X) \
  /* type_info.c */ \
  X(CreateTensorTypeInfo) X(CreateSparseTensorTypeInfo) X(CreateMapTypeInfo) \
  X(CreateSequenceTypeInfo) X(CreateOptionalTypeInfo)

#define ORT_COMPILE_API_IMPLEMENTED(X)

#define ORT_INTEROP_API_IMPLEMENTED(X)

#define ORT_EP_API_IMPLEMENTED(X) \
  /* memory.c */ \
  X(MemoryInfo_GetMemoryDevice) X(MemoryDevice_AreEqual) X(MemoryDevice_GetDeviceType) \
  X(MemoryDevice_GetMemoryType) X(MemoryDevice_GetVendorId) X(MemoryDevice_GetDeviceId) \
  /* session_lists.c */ \
  X(SessionOptionsGetWeightlessSourceModelBuffer)
// clang-format on

#endif
