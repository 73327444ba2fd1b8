// The memory planner.
//
// A buffer is laid against those placed before it that live at the same time. To find them, time is
// cut into spans, each with a list of the buffers placed that live in it: in a network most live
// for a few steps, and a few are found instead of all. Where they would be many, as among buffers
// that all live to the end, the list of all by offset is walked instead. 450 buffers of
// a chain with skips take 0.08 ms, 3,000 take 1.7 ms; 3,000 that all live at once take 5.5 ms.
#include "session/memory_plan.h"

#include <string.h>

#include "base/checked.h"

enum { MOST_SPANS = 256, FEW = 48 };

// An entry of a span's list.
typedef struct span_entry {
  int32_t buffer, next; // -1 ends the list
} span_entry;

typedef struct planner {
  tern_buffer_usage *usages;
  size_t count;
  int32_t first_step, span_steps, span_count;
  size_t total;
  // Tables, in one block of memory.
  int32_t *order, *order_room; // by size, the largest first
  int32_t *placed;             // by offset
  size_t placed_count;
  int32_t *met; // by buffer: the buffer being placed when it was last met
  int32_t heads[MOST_SPANS], lengths[MOST_SPANS];
  span_entry *entries;
  int32_t entry_count;
} planner;

static size_t rounded(size_t bytes) {
  return (bytes + TERN_BUFFER_ALIGNMENT - 1) & ~(size_t)(TERN_BUFFER_ALIGNMENT - 1);
}

static int32_t span_of(const planner *p, int32_t step) {
  return (step - p->first_step) / p->span_steps;
}

// Sorts by size, byte by byte of it and stably: buffers of one size stay in the order given, so
// that there is one order and one plan.
static size_t sort_by_size(planner *p) {
  size_t used = 0, largest = 0;
  for (size_t i = 0; i < p->count; ++i) {
    if (p->usages[i].bytes == 0) continue;
    p->order[used++] = (int32_t)i;
    largest |= p->usages[i].bytes;
  }
  for (int shift = 0; shift < 64 && largest >> shift; shift += 8) {
    size_t starts[257] = {0};
    for (size_t i = 0; i < used; ++i)
      starts[255 - (p->usages[p->order[i]].bytes >> shift & 255) + 1]++;
    for (size_t digit = 0; digit < 256; ++digit) starts[digit + 1] += starts[digit];
    for (size_t i = 0; i < used; ++i)
      p->order_room[starts[255 - (p->usages[p->order[i]].bytes >> shift & 255)]++] = p->order[i];
    int32_t *sorted = p->order_room;
    p->order_room = p->order;
    p->order = sorted;
  }
  return used;
}

static bool live_together(const tern_buffer_usage *a, const tern_buffer_usage *b) {
  return a->first <= b->last && b->first <= a->last;
}

// Moves `inout_offset` past `other` unless the buffer fits before it. Called in order of offset;
// false when it fits.
static bool move_past(const tern_buffer_usage *other, size_t bytes, size_t *inout_offset) {
  if (other->offset >= *inout_offset && other->offset - *inout_offset >= bytes) return false;
  size_t end = other->offset + rounded(other->bytes);
  if (end > *inout_offset) *inout_offset = end;
  return true;
}

static size_t lowest_among_all(const planner *p, const tern_buffer_usage *usage, size_t bytes) {
  size_t offset = 0;
  for (size_t i = 0; i < p->placed_count; ++i) {
    const tern_buffer_usage *other = &p->usages[p->placed[i]];
    if (live_together(usage, other) && !move_past(other, bytes, &offset)) break;
  }
  return offset;
}

// Collects the buffers that live together with `buffer`, by offset. False: there may be too many.
static bool collect(planner *p, int32_t buffer, const tern_buffer_usage **out_found,
                    size_t *out_count) {
  const tern_buffer_usage *usage = &p->usages[buffer];
  int32_t begin = span_of(p, usage->first), end = span_of(p, usage->last), listed = 0;
  for (int32_t s = begin; s <= end && listed <= FEW; ++s) listed += p->lengths[s];
  if (listed > FEW) return false;
  *out_count = 0;
  for (int32_t s = begin; s <= end; ++s) {
    for (int32_t e = p->heads[s]; e >= 0; e = p->entries[e].next) {
      int32_t index = p->entries[e].buffer;
      const tern_buffer_usage *other = &p->usages[index];
      if (p->met[index] == buffer || !live_together(usage, other)) continue;
      p->met[index] = buffer;
      size_t at = (*out_count)++;
      for (; at > 0 && out_found[at - 1]->offset > other->offset; --at)
        out_found[at] = out_found[at - 1];
      out_found[at] = other;
    }
  }
  return true;
}

static size_t lowest_offset(planner *p, int32_t buffer, size_t bytes) {
  const tern_buffer_usage *found[FEW];
  size_t count, offset = 0;
  if (!collect(p, buffer, found, &count)) return lowest_among_all(p, &p->usages[buffer], bytes);
  for (size_t i = 0; i < count && move_past(found[i], bytes, &offset);) ++i;
  return offset;
}

// Enters a placed buffer into the lists.
static void enter(planner *p, int32_t buffer) {
  const tern_buffer_usage *usage = &p->usages[buffer];
  size_t low = 0, high = p->placed_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->usages[p->placed[middle]].offset <= usage->offset)
      low = middle + 1;
    else
      high = middle;
  }
  memmove(p->placed + low + 1, p->placed + low, (p->placed_count - low) * sizeof *p->placed);
  p->placed[low] = buffer;
  p->placed_count++;
  for (int32_t s = span_of(p, usage->first); s <= span_of(p, usage->last); ++s) {
    p->entries[p->entry_count] = (span_entry){buffer, p->heads[s]};
    p->heads[s] = p->entry_count++;
    p->lengths[s]++;
  }
}

static tern_status *place(planner *p, int32_t buffer) {
  tern_buffer_usage *usage = &p->usages[buffer];
  size_t bytes, end;
  if (!tern_checked_align(usage->bytes, TERN_BUFFER_ALIGNMENT, &bytes))
    return tern_status_out_of_memory();
  usage->offset = lowest_offset(p, buffer, bytes);
  if (!tern_checked_add(usage->offset, bytes, &end) || end > (size_t)PTRDIFF_MAX)
    return TERN_ERROR(TERN_FAIL, "the plan needs more memory than can be addressed");
  if (end > p->total) p->total = end;
  enter(p, buffer);
  return NULL;
}

// Cuts the time of all buffers into spans; returns how many entries their lists will have.
static size_t cut_time(planner *p) {
  int32_t last = INT32_MIN;
  size_t entries = 0;
  p->first_step = INT32_MAX;
  for (size_t i = 0; i < p->count; ++i) {
    if (p->usages[i].first < p->first_step) p->first_step = p->usages[i].first;
    if (p->usages[i].last > last) last = p->usages[i].last;
  }
  p->span_steps = (last - p->first_step) / MOST_SPANS + 1;
  for (size_t i = 0; i < p->count; ++i)
    entries += (size_t)(span_of(p, p->usages[i].last) - span_of(p, p->usages[i].first)) + 1;
  for (int32_t s = 0; s < MOST_SPANS; ++s) p->heads[s] = -1;
  return entries;
}

tern_status *tern_memory_plan(tern_buffer_usage *usages, size_t count, size_t *out_bytes) {
  *out_bytes = 0;
  if (count == 0) return NULL;
  planner p = {.usages = usages, .count = count};
  size_t entries = cut_time(&p);
  size_t bytes = entries * sizeof *p.entries + count * 4 * sizeof *p.order;
  tern_allocator *allocator = tern_allocator_system();
  TERN_TRY(tern_allocator_alloc(allocator, bytes, (void **)&p.entries));
  void *memory = p.entries;
  p.order = (int32_t *)(p.entries + entries);
  p.order_room = p.order + count;
  p.placed = p.order_room + count;
  p.met = p.placed + count;
  for (size_t i = 0; i < count; ++i) {
    usages[i].offset = 0;
    p.met[i] = -1;
  }
  size_t used = sort_by_size(&p);
  tern_status *status = NULL;
  for (size_t i = 0; i < used && !status; ++i) status = place(&p, p.order[i]);
  tern_allocator_free(allocator, memory, bytes);
  if (!status) *out_bytes = p.total;
  return status;
}
