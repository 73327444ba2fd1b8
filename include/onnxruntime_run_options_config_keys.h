// Keys of AddRunConfigEntry, under the names that programs use.
#pragma once

// Devices whose arenas are shrunk after the run, as "cpu:0;gpu:0".
static const char *const kOrtRunOptionsConfigEnableMemoryArenaShrinkage =
    "memory.enable_memory_arena_shrinkage";
// "1": a run returns before its devices have finished.
static const char *const kOrtRunOptionsConfigDisableSynchronizeExecutionProviders =
    "disable_synchronize_execution_providers";
// The number of a captured graph.
static const char *const kOrtRunOptionsConfigCudaGraphAnnotation = "gpu_graph_id";
