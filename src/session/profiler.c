// The profiler: records in chunks of memory, each written by one thread.
#include "session/profiler.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/trace.h"

// A thread's first event takes a chunk, and one larger than that a chunk of its own.
enum { CHUNK_BYTES = 32 << 10 };

typedef struct chunk chunk;
struct chunk {
  chunk *next;         // made before this one
  int64_t thread_id;   // whose it is
  size_t capacity;     // bytes of `events`
  _Atomic size_t used; // of whole events; a reader takes no more than it finds here
  _Alignas(8) char events[];
};

struct tern_profiler {
  tern_allocator *allocator;
  uint64_t number; // no other profiler of the process has had it
  int64_t start_ns;
  size_t max_bytes;
  char *path;
  size_t path_bytes;
  _Atomic bool is_ended;
  _Atomic int64_t dropped_count;
  tern_os_mutex mutex; // over what follows
  chunk *chunks;
  size_t chunk_bytes; // of all chunks
  bool is_written;
};

static _Atomic uint64_t profilers_made;

// The chunk that this thread wrote to last, and the number of the profiler it is of. A profiler
// that is gone leaves a number here that no other profiler gets.
static _Thread_local struct {
  uint64_t profiler;
  chunk *chunk;
} latest;

// Milliseconds, as ORT has them, keep apart the profiles of programs that follow each other.
static tern_status *make_path(tern_profiler *profiler, const char *prefix) {
  char stamp[32];
  int64_t now_us = tern_os_wall_clock_us();
  tern_os_format_time(now_us, stamp, sizeof stamp);
  size_t bytes = strlen(prefix) + strlen(stamp) + sizeof "__123.json";
  TERN_TRY(tern_allocator_alloc(profiler->allocator, bytes, (void **)&profiler->path));
  profiler->path_bytes = bytes;
  snprintf(profiler->path, bytes, "%s_%s_%03d.json", prefix, stamp, (int)(now_us / 1000 % 1000));
  return NULL;
}

tern_status *tern_profiler_create(tern_allocator *allocator, const tern_profiler_options *options,
                                  tern_profiler **out_profiler) {
  tern_profiler *profiler;
  TERN_TRY(TERN_NEW(allocator, &profiler));
  profiler->allocator = allocator;
  profiler->number = atomic_fetch_add(&profilers_made, 1) + 1;
  profiler->start_ns = options->start_ns;
  profiler->max_bytes = options->max_bytes ? options->max_bytes : TERN_PROFILE_MAX_BYTES;
  tern_os_mutex_init(&profiler->mutex);
  tern_status *status = make_path(profiler, options->prefix);
  if (status) {
    tern_profiler_destroy(profiler);
    return status;
  }
  *out_profiler = profiler;
  return NULL;
}

void tern_profiler_destroy(tern_profiler *profiler) {
  if (!profiler) return;
  for (chunk *c = profiler->chunks, *next; c; c = next) {
    next = c->next;
    tern_allocator_free(profiler->allocator, c, sizeof *c + c->capacity);
  }
  tern_allocator_free(profiler->allocator, profiler->path, profiler->path_bytes);
  tern_os_mutex_deinit(&profiler->mutex);
  TERN_DELETE(profiler->allocator, profiler);
}

int64_t tern_profiler_start_ns(const tern_profiler *profiler) {
  return profiler->start_ns;
}

// ---- Recording.

static bool has_room(const chunk *c, size_t bytes) {
  return bytes <= c->capacity - atomic_load_explicit(&c->used, memory_order_relaxed);
}

// NULL where memory, or what the profile may hold of it, is out. Called with the mutex held.
static chunk *add_chunk(tern_profiler *profiler, int64_t thread_id, size_t bytes) {
  size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
  chunk *made;
  if (capacity > profiler->max_bytes - profiler->chunk_bytes) return NULL;
  tern_status *status =
      tern_allocator_alloc(profiler->allocator, sizeof *made + capacity, (void **)&made);
  if (status) {
    tern_status_ignore(status);
    return NULL;
  }
  made->next = profiler->chunks;
  made->thread_id = thread_id;
  made->capacity = capacity;
  atomic_init(&made->used, 0);
  profiler->chunks = made;
  profiler->chunk_bytes += capacity;
  return made;
}

// A thread that writes to several profiles by turns comes back to the chunks it began.
static chunk *find_chunk(tern_profiler *profiler, size_t bytes) {
  int64_t thread_id = tern_os_thread_id();
  tern_os_mutex_lock(&profiler->mutex);
  chunk *c = profiler->chunks;
  while (c && (c->thread_id != thread_id || !has_room(c, bytes))) c = c->next;
  if (!c) c = add_chunk(profiler, thread_id, bytes);
  tern_os_mutex_unlock(&profiler->mutex);
  return c;
}

// Room for an event of `bytes` at the end of a chunk of this thread; the event is there for others
// once it is published. NULL where there is none.
static tern_trace_event *begin_event(tern_profiler *profiler, size_t bytes) {
  if (atomic_load_explicit(&profiler->is_ended, memory_order_relaxed)) return NULL;
  if (latest.profiler != profiler->number || !has_room(latest.chunk, bytes)) {
    chunk *c = find_chunk(profiler, bytes);
    if (!c) {
      atomic_fetch_add_explicit(&profiler->dropped_count, 1, memory_order_relaxed);
      return NULL;
    }
    latest.profiler = profiler->number;
    latest.chunk = c;
  }
  size_t used = atomic_load_explicit(&latest.chunk->used, memory_order_relaxed);
  return (tern_trace_event *)(void *)(latest.chunk->events + used);
}

static size_t event_bytes(size_t entry_count) {
  return sizeof(tern_trace_event) + entry_count * sizeof(int64_t);
}

static void publish(size_t bytes) {
  size_t used = atomic_load_explicit(&latest.chunk->used, memory_order_relaxed);
  atomic_store_explicit(&latest.chunk->used, used + bytes, memory_order_release);
}

static const tern_value *tensor_or_null(const tern_value *value) {
  return value && value->kind == TERN_KIND_TENSOR ? value : NULL;
}

static size_t count_entries(const tern_value *const *values, int32_t count) {
  size_t entries = 0;
  for (int32_t i = 0; i < count; ++i) {
    const tern_value *tensor = tensor_or_null(values[i]);
    entries += 1 + (tensor ? (size_t)tensor->shape.rank : 0);
  }
  return entries;
}

static int64_t *put_entries(int64_t *at, const tern_value *const *values, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    const tern_value *tensor = tensor_or_null(values[i]);
    *at++ = tensor ? tern_trace_entry(tensor) : 0;
    if (!tensor) continue;
    memcpy(at, tensor->shape.dims, (size_t)tensor->shape.rank * sizeof *at);
    at += tensor->shape.rank;
  }
  return at;
}

void tern_profiler_add_step(tern_profiler *profiler, const tern_step *step,
                            const tern_kernel *kernel, const tern_value *const *inputs,
                            tern_value *const *outputs, int64_t start_ns) {
  int64_t end_ns = tern_os_monotonic_ns();
  const tern_node *node = step->node;
  const tern_value *const *results = (const tern_value *const *)outputs;
  size_t entries =
      count_entries(inputs, node->input_count) + count_entries(results, node->output_count);
  tern_trace_event *event = begin_event(profiler, event_bytes(entries));
  if (!event) return;
  *event = (tern_trace_event){.step = step,
                              .kernel = kernel,
                              .start_ns = start_ns,
                              .end_ns = end_ns,
                              .is_view = (node->op->flags & TERN_OP_VIEW) && inputs[0] &&
                                         outputs[0] && inputs[0]->data == outputs[0]->data,
                              .entry_count = (uint32_t)entries};
  put_entries(put_entries(event->entries, inputs, node->input_count), results, node->output_count);
  publish(event_bytes(entries));
}

void tern_profiler_add_phase(tern_profiler *profiler, const char *name, int64_t start_ns) {
  int64_t end_ns = tern_os_monotonic_ns();
  tern_trace_event *event = begin_event(profiler, event_bytes(0));
  if (!event) return;
  *event = (tern_trace_event){.phase = name, .start_ns = start_ns, .end_ns = end_ns};
  publish(event_bytes(0));
}

// ---- The end.

typedef TERN_ARRAY(tern_trace_item) item_list;

static tern_status *list_events(tern_profiler *profiler, item_list *items) {
  for (const chunk *c = profiler->chunks; c; c = c->next) {
    size_t used = atomic_load_explicit(&c->used, memory_order_acquire);
    for (size_t at = 0; at < used;) {
      const tern_trace_event *event = (const void *)(c->events + at);
      const tern_trace_item item = {event, c->thread_id};
      TERN_ARRAY_PUSH(profiler->allocator, items, item);
      at += event_bytes(event->entry_count);
    }
  }
  return NULL;
}

// What contains others comes before them.
static int by_time(const void *a, const void *b) {
  const tern_trace_event *x = ((const tern_trace_item *)a)->event;
  const tern_trace_event *y = ((const tern_trace_item *)b)->event;
  if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
  return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

// Called with the mutex held.
static tern_status *write_trace(tern_profiler *profiler) {
  item_list items = {0};
  tern_status *status = list_events(profiler, &items);
  if (!status) {
    if (items.count) qsort(items.data, items.count, sizeof *items.data, by_time);
    const tern_trace trace = {
        .allocator = profiler->allocator,
        .path = profiler->path,
        .start_ns = profiler->start_ns,
        .dropped_count = atomic_load_explicit(&profiler->dropped_count, memory_order_relaxed),
        .items = items.data,
        .item_count = items.count};
    status = tern_trace_write(&trace);
  }
  TERN_ARRAY_FREE(profiler->allocator, &items);
  return status;
}

tern_status *tern_profiler_end(tern_profiler *profiler, const char **out_path) {
  atomic_store(&profiler->is_ended, true);
  tern_os_mutex_lock(&profiler->mutex);
  tern_status *status = profiler->is_written ? NULL : write_trace(profiler);
  profiler->is_written = !status;
  tern_os_mutex_unlock(&profiler->mutex);
  if (!status) *out_path = profiler->path;
  return status;
}
