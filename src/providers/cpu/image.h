// Kernels of the image family that have a file of their own.
#ifndef TERN_PROVIDERS_CPU_IMAGE_H_
#define TERN_PROVIDERS_CPU_IMAGE_H_

#include "providers/cpu/cpu.h"

tern_status *tern_cpu_resize_prepare(const tern_prepare *prepare, void **out_state);
tern_status *tern_cpu_resize_compute(tern_invocation *invocation);
void tern_cpu_resize_release(void *state, tern_allocator *allocator);

tern_status *tern_cpu_non_max_suppression(tern_invocation *invocation);
tern_status *tern_cpu_grid_sample(tern_invocation *invocation);
tern_status *tern_cpu_affine_grid(tern_invocation *invocation);
tern_status *tern_cpu_roi_align(tern_invocation *invocation);
tern_status *tern_cpu_max_roi_pool(tern_invocation *invocation);

// Position of `text` in a NULL-terminated list; -1: not there.
int32_t tern_cpu_find_text(const char *const *list, const char *text);

#endif
