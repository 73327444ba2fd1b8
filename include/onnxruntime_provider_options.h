// Option structs of execution providers, by value in older entries of OrtApi. Included by
// onnxruntime_c_api.h; not for inclusion alone. In C++ each default-constructs to its defaults.
#pragma once

typedef enum OrtCudnnConvAlgoSearch {
  OrtCudnnConvAlgoSearchExhaustive,
  OrtCudnnConvAlgoSearchHeuristic,
  OrtCudnnConvAlgoSearchDefault,
} OrtCudnnConvAlgoSearch;

// Memory limits in bytes, durations in milliseconds; ints that end in `enable` are 0 or 1.
typedef struct OrtCUDAProviderOptions {
#ifdef __cplusplus
  OrtCUDAProviderOptions()
      : device_id(0), cudnn_conv_algo_search(OrtCudnnConvAlgoSearchExhaustive),
        gpu_mem_limit(SIZE_MAX), arena_extend_strategy(0), do_copy_in_default_stream(1),
        has_user_compute_stream(0), user_compute_stream(nullptr), default_memory_arena_cfg(nullptr),
        tunable_op_enable(0), tunable_op_tuning_enable(0), tunable_op_max_tuning_duration_ms(0) {}
#endif
  int device_id;
  OrtCudnnConvAlgoSearch cudnn_conv_algo_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy; // 0: powers of two; 1: what is asked for
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void *user_compute_stream;
  OrtArenaCfg *default_memory_arena_cfg;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
} OrtCUDAProviderOptions;

typedef struct OrtROCMProviderOptions {
#ifdef __cplusplus
  OrtROCMProviderOptions()
      : device_id(0), miopen_conv_exhaustive_search(0), gpu_mem_limit(SIZE_MAX),
        arena_extend_strategy(0), do_copy_in_default_stream(1), has_user_compute_stream(0),
        user_compute_stream(nullptr), default_memory_arena_cfg(nullptr), enable_hip_graph(0),
        tunable_op_enable(0), tunable_op_tuning_enable(0), tunable_op_max_tuning_duration_ms(0) {}
#endif
  int device_id;
  int miopen_conv_exhaustive_search;
  size_t gpu_mem_limit;
  int arena_extend_strategy;
  int do_copy_in_default_stream;
  int has_user_compute_stream;
  void *user_compute_stream;
  OrtArenaCfg *default_memory_arena_cfg;
  int enable_hip_graph;
  int tunable_op_enable;
  int tunable_op_tuning_enable;
  int tunable_op_max_tuning_duration_ms;
} OrtROCMProviderOptions;

typedef struct OrtTensorRTProviderOptions {
  int device_id;
  int has_user_compute_stream;
  void *user_compute_stream;
  int trt_max_partition_iterations;
  int trt_min_subgraph_size;
  size_t trt_max_workspace_size;
  int trt_fp16_enable;
  int trt_int8_enable;
  const char *trt_int8_calibration_table_name;
  int trt_int8_use_native_calibration_table;
  int trt_dla_enable;
  int trt_dla_core;
  int trt_dump_subgraphs;
  int trt_engine_cache_enable;
  const char *trt_engine_cache_path;
  int trt_engine_decryption_enable;
  const char *trt_engine_decryption_lib_path;
  int trt_force_sequential_engine_build;
} OrtTensorRTProviderOptions;

typedef struct OrtMIGraphXProviderOptions {
  int device_id;
  int migraphx_fp16_enable;
  int migraphx_fp8_enable;
  int migraphx_int8_enable;
  int migraphx_use_native_calibration_table;
  const char *migraphx_int8_calibration_table_name;
  int migraphx_save_compiled_model;
  const char *migraphx_save_model_path;
  int migraphx_load_compiled_model;
  const char *migraphx_load_model_path;
  bool migraphx_exhaustive_tune;
  size_t migraphx_mem_limit;
  int migraphx_arena_extend_strategy;
} OrtMIGraphXProviderOptions;

typedef struct OrtOpenVINOProviderOptions {
#ifdef __cplusplus
  OrtOpenVINOProviderOptions()
      : device_type(nullptr), enable_npu_fast_compile(0), device_id(nullptr), num_of_threads(0),
        cache_dir(nullptr), context(nullptr), enable_opencl_throttling(0),
        enable_dynamic_shapes(0) {}
#endif
  const char *device_type; // "CPU", "GPU", "NPU" …
  unsigned char enable_npu_fast_compile;
  const char *device_id;
  size_t num_of_threads;
  const char *cache_dir;
  void *context;
  unsigned char enable_opencl_throttling;
  unsigned char enable_dynamic_shapes;
} OrtOpenVINOProviderOptions;
