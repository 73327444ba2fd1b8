// The memory planner.
#include "session/memory_plan.h"

#include <stdlib.h>

#include "base/checked.h"

static int larger_first(const void *a, const void *b) {
  const tern_buffer_usage *x = *(tern_buffer_usage *const *)a, *y = *(tern_buffer_usage *const *)b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x < y ? -1 : x > y; // one order, so one plan
}

static bool overlap_in_time(const tern_buffer_usage *a, const tern_buffer_usage *b) {
  return a->first <= b->last && b->first <= a->last;
}

// `placed` is sorted by offset. Finds the lowest gap for `usage` among those alive with it, and
// inserts it.
static tern_status *place(tern_buffer_usage **placed, size_t placed_count, tern_buffer_usage *usage,
                          size_t *inout_total) {
  size_t bytes, offset = 0, end;
  if (!tern_checked_align(usage->bytes, TERN_BUFFER_ALIGNMENT, &bytes))
    return tern_status_out_of_memory();
  for (size_t i = 0; i < placed_count; ++i) {
    const tern_buffer_usage *other = placed[i];
    if (!overlap_in_time(usage, other)) continue;
    if (other->offset >= offset && other->offset - offset >= bytes) break;
    size_t other_end = other->offset + ((other->bytes + TERN_BUFFER_ALIGNMENT - 1) &
                                        ~(size_t)(TERN_BUFFER_ALIGNMENT - 1));
    if (other_end > offset) offset = other_end;
  }
  if (!tern_checked_add(offset, bytes, &end) || end > (size_t)PTRDIFF_MAX)
    return TERN_ERROR(TERN_FAIL, "the plan needs more memory than can be addressed");
  usage->offset = offset;
  if (end > *inout_total) *inout_total = end;
  size_t at = placed_count;
  for (; at > 0 && placed[at - 1]->offset > offset; --at) placed[at] = placed[at - 1];
  placed[at] = usage;
  return NULL;
}

tern_status *tern_memory_plan(tern_buffer_usage *usages, size_t count, size_t *out_bytes) {
  *out_bytes = 0;
  if (count == 0) return NULL;
  tern_buffer_usage **order;
  tern_allocator *allocator = tern_allocator_system();
  TERN_TRY(tern_allocator_calloc(allocator, count * 2, sizeof *order, (void **)&order));
  tern_buffer_usage **placed = order + count;
  size_t used = 0, placed_count = 0, total = 0;
  for (size_t i = 0; i < count; ++i) {
    usages[i].offset = 0;
    if (usages[i].bytes > 0) order[used++] = &usages[i];
  }
  qsort(order, used, sizeof *order, larger_first);
  tern_status *status = NULL;
  for (size_t i = 0; i < used && !status; ++i) {
    status = place(placed, placed_count, order[i], &total);
    ++placed_count;
  }
  tern_allocator_free(allocator, order, count * 2 * sizeof *order);
  if (!status) *out_bytes = total;
  return status;
}
