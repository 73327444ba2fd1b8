// The profile's records, and their way into a file: a Chrome trace (the "Trace Event Format", a
// JSON array) with the fields that ORT's traces have, and more.
#ifndef TERN_SESSION_TRACE_H_
#define TERN_SESSION_TRACE_H_

#include "session/program.h"

// One recorded event: a step's or, with `phase`, the session's. Of a step there is one entry for
// each input and output of its node, one after the other: the rank and element type of a tensor
// (TERN_TRACE_ENTRY), then its dimensions; 0 for anything else.
typedef struct tern_trace_event {
  const char *phase;
  const tern_step *step;
  const tern_kernel *kernel;
  int64_t start_ns, end_ns;
  bool is_view; // output 0 is input 0: nothing was moved
  uint32_t entry_count;
  int64_t entries[];
} tern_trace_event;

static inline int64_t tern_trace_entry(const tern_value *value) {
  return (int64_t)value->shape.rank << 8 | (int64_t)value->dtype;
}

typedef struct tern_trace_item {
  const tern_trace_event *event;
  int64_t thread_id;
} tern_trace_item;

typedef struct tern_trace {
  tern_allocator *allocator;
  const char *path;
  int64_t start_ns;
  int64_t dropped_count; // events that are not there, for want of memory
  const tern_trace_item *items;
  size_t item_count;
} tern_trace;

TERN_MUST_USE tern_status *tern_trace_write(const tern_trace *trace);

#endif
