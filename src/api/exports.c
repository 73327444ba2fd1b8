// The symbols of the library. Programs linked against a release of ONNX Runtime ask for its symbols
// under that release's version, so the ones they use are defined under every version there was; the
// newest is the default. Versions and their aliases come from the list in CMakeLists.txt.
#include "api/describe.h"
#include "cpu_provider_factory.h"
#include "tern.h"

const TernApi *TernGetApi(uint32_t version) {
  static const TernApi table = {.version_string = TERN_VERSION,
                                .DescribeSession = tern_api_describe_session,
                                .DescribeRuntime = tern_api_describe_runtime};
  return version >= 1 && version <= TERN_API_VERSION ? &table : NULL;
}

#if defined(__ELF__)
// A function that is exported under versions only: VERSIONED(name) is what it is called here.
#define VERSIONED(function) versioned_##function
#define DECLARE_VERSIONED(function) ORT_EXPORT extern __typeof__(function) VERSIONED(function)
DECLARE_VERSIONED(OrtGetApiBase);
DECLARE_VERSIONED(OrtSessionOptionsAppendExecutionProvider_CPU);
DECLARE_VERSIONED(OrtSessionOptionsAppendExecutionProvider_CUDA);
DECLARE_VERSIONED(OrtSessionOptionsAppendExecutionProvider_Tensorrt);
#else
#define VERSIONED(function) function
#endif

const OrtApiBase *VERSIONED(OrtGetApiBase)(void) {
  return tern_api_base();
}

OrtStatus *VERSIONED(OrtSessionOptionsAppendExecutionProvider_CPU)(OrtSessionOptions *options,
                                                                   int use_arena) {
  const OrtApi *api = tern_api_base()->GetApi(ORT_API_VERSION);
  return use_arena ? api->EnableCpuMemArena(options) : api->DisableCpuMemArena(options);
}

// A function for a provider that this build does not carry.
#define ABSENT_PROVIDER(function, provider)                                                        \
  OrtStatus *function(OrtSessionOptions *options, int setting) {                                   \
    (void)options, (void)setting;                                                                  \
    return tern_api_status(TERN_ERROR(                                                             \
        TERN_NOT_IMPLEMENTED, "the %s execution provider is not part of this build", provider));   \
  }
ABSENT_PROVIDER(VERSIONED(OrtSessionOptionsAppendExecutionProvider_CUDA), "CUDA")
ABSENT_PROVIDER(VERSIONED(OrtSessionOptionsAppendExecutionProvider_Tensorrt), "TensorRT")
ABSENT_PROVIDER(OrtSessionOptionsAppendExecutionProvider_Dnnl, "oneDNN")
ABSENT_PROVIDER(OrtSessionOptionsAppendExecutionProvider_ROCM, "ROCm")
ABSENT_PROVIDER(OrtSessionOptionsAppendExecutionProvider_MIGraphX, "MIGraphX")

#if defined(__ELF__)
// Exports the versioned function as `function`, "@" or "@@" (the default), `version`.
#if defined(__has_attribute) && __has_attribute(symver)
#define ALIAS(function, id, version)                                                               \
  ORT_EXPORT extern __typeof__(function) release_##id##_##function                                 \
      __attribute__((alias("versioned_" #function), symver(#function version)));
#else
#define ALIAS(function, id, version)                                                               \
  ORT_EXPORT extern __typeof__(function) release_##id##_##function                                 \
      __attribute__((alias("versioned_" #function)));                                              \
  __asm__(".symver release_" #id "_" #function ", " #function version);
#endif

#define RELEASE(id, version)                                                                       \
  ALIAS(OrtGetApiBase, id, version)                                                                \
  ALIAS(OrtSessionOptionsAppendExecutionProvider_CPU, id, version)                                 \
  ALIAS(OrtSessionOptionsAppendExecutionProvider_CUDA, id, version)                                \
  ALIAS(OrtSessionOptionsAppendExecutionProvider_Tensorrt, id, version)
#include "ort_releases.inc"
#endif
