// The profiler: events are formatted as they come, under a lock.
#include "session/profiler.h"

#include <stdio.h>
#include <string.h>

struct tern_profiler {
  tern_allocator *allocator;
  tern_os_mutex mutex;
  tern_text events;
  int64_t start_ns;
  char *path;
  size_t path_bytes;
  bool ended;
};

tern_status *tern_profiler_create(tern_allocator *allocator, const char *prefix,
                                  tern_profiler **out_profiler) {
  tern_profiler *profiler;
  TERN_TRY(TERN_NEW(allocator, &profiler));
  profiler->allocator = allocator;
  tern_os_mutex_init(&profiler->mutex);
  tern_text_init(allocator, &profiler->events);
  profiler->start_ns = tern_os_monotonic_ns();
  char stamp[32];
  tern_os_format_time(tern_os_wall_clock_us(), stamp, sizeof stamp);
  profiler->path_bytes = strlen(prefix) + strlen(stamp) + sizeof "_.json";
  tern_status *status =
      tern_allocator_alloc(allocator, profiler->path_bytes, (void **)&profiler->path);
  if (status) {
    profiler->path_bytes = 0;
    tern_profiler_destroy(profiler);
    return status;
  }
  snprintf(profiler->path, profiler->path_bytes, "%s_%s.json", prefix, stamp);
  *out_profiler = profiler;
  return NULL;
}

void tern_profiler_destroy(tern_profiler *profiler) {
  if (!profiler) return;
  tern_text_deinit(&profiler->events);
  tern_allocator_free(profiler->allocator, profiler->path, profiler->path_bytes);
  tern_os_mutex_deinit(&profiler->mutex);
  TERN_DELETE(profiler->allocator, profiler);
}

int64_t tern_profiler_start_ns(const tern_profiler *profiler) {
  return profiler->start_ns;
}

// The fields every event has, up to its "args". Times are microseconds, in full: most nodes of a
// small model take less than one.
static void begin_event(tern_profiler *profiler, const char *category, const char *name,
                        const char *suffix, int64_t start_ns) {
  tern_text *events = &profiler->events;
  int64_t end_ns = tern_os_monotonic_ns();
  tern_text_printf(events, "%s{\"cat\":\"%s\",\"pid\":%lld,\"tid\":%lld,\"dur\":%.3f,\"ts\":%.3f,",
                   events->size ? ",\n" : "", category, (long long)tern_os_process_id(),
                   (long long)tern_os_thread_id(), (double)(end_ns - start_ns) / 1e3,
                   (double)(start_ns - profiler->start_ns) / 1e3);
  tern_text quoted;
  tern_text_init(profiler->allocator, &quoted);
  tern_text_printf(&quoted, "%s%s", name, suffix);
  tern_text_append(events, "\"ph\":\"X\",\"name\":", 16);
  tern_text_json_string(events, quoted.data ? quoted.data : "");
  tern_text_deinit(&quoted);
}

// [{"float":[1,3]},…], and the total of bytes.
static int64_t add_types(tern_text *events, const char *key, const tern_value *const *values,
                         int32_t count) {
  int64_t total = 0;
  tern_text_printf(events, ",\"%s\":[", key);
  bool is_first = true;
  for (int32_t i = 0; i < count; ++i) {
    if (!values[i] || values[i]->kind != TERN_KIND_TENSOR) continue;
    char shape[TERN_SHAPE_TEXT_BYTES];
    tern_text_printf(events, "%s{\"%s\":%s}", is_first ? "" : ",",
                     tern_dtype_name(values[i]->dtype),
                     tern_shape_format(&values[i]->shape, shape, sizeof shape));
    total += (int64_t)values[i]->data_bytes;
    is_first = false;
  }
  tern_text_append(events, "]", 1);
  return total;
}

void tern_profiler_add_step(tern_profiler *profiler, const tern_step *step,
                            const tern_value *const *inputs, tern_value *const *outputs,
                            int64_t start_ns) {
  const tern_node *node = step->node;
  tern_text *events = &profiler->events;
  int64_t parameters = 0;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (inputs[i] && node->inputs[i] && tern_edge_constant(node->inputs[i]))
      parameters += (int64_t)inputs[i]->data_bytes;
  }
  tern_os_mutex_lock(&profiler->mutex);
  begin_event(profiler, "Node", node->name[0] ? node->name : node->op->name, "_kernel_time",
              start_ns);
  tern_text_printf(events,
                   ",\"args\":{\"op_name\":\"%s\",\"provider\":\"%s\",\"node_index\":\"%d\"",
                   node->op->name, step->kernel.provider->name, node->id);
  int64_t in = add_types(events, "input_type_shape", inputs, node->input_count);
  int64_t out = add_types(events, "output_type_shape", (const tern_value *const *)outputs,
                          node->output_count);
  tern_text_printf(events,
                   ",\"output_size\":\"%lld\",\"parameter_size\":\"%lld\","
                   "\"activation_size\":\"%lld\",\"kernel\":\"%s\"}}",
                   (long long)out, (long long)parameters, (long long)(in - parameters),
                   step->kernel.name);
  tern_os_mutex_unlock(&profiler->mutex);
}

void tern_profiler_add_phase(tern_profiler *profiler, const char *name, int64_t start_ns) {
  tern_os_mutex_lock(&profiler->mutex);
  begin_event(profiler, "Session", name, "", start_ns);
  tern_text_append(&profiler->events, ",\"args\":{}}", 11);
  tern_os_mutex_unlock(&profiler->mutex);
}

tern_status *tern_profiler_end(tern_profiler *profiler, const char **out_path) {
  tern_os_mutex_lock(&profiler->mutex);
  tern_status *status = NULL;
  if (!profiler->ended) {
    tern_text file;
    tern_text_init(profiler->allocator, &file);
    tern_text_printf(&file, "[\n");
    tern_text_append(&file, profiler->events.data, profiler->events.size);
    tern_text_printf(&file, "\n]\n");
    status = tern_text_check(&file);
    if (!status) status = tern_os_file_write(profiler->path, file.data, file.size);
    tern_text_deinit(&file);
    profiler->ended = !status;
  }
  tern_os_mutex_unlock(&profiler->mutex);
  if (!status) *out_path = profiler->path;
  return status;
}
