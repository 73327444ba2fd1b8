// Events as a Chrome trace. Fields that ORT's traces have keep their names, and are texts where
// they are texts there; the others are numbers.
#include "session/trace.h"

#include "session/cost.h"

// Text is handed to the file when it has grown to this.
enum { FLUSH_BYTES = 64 << 10 };

typedef struct writing {
  const tern_trace *trace;
  tern_text text;
  tern_text name; // of the event at work
  bool has_events;
  int64_t process_id;
  // Of the step at work: inputs, then outputs.
  TERN_ARRAY(tern_type) types;
  TERN_ARRAY(const tern_type *) list;
} writing;

static tern_status *flush(writing *w, tern_os_sink *sink) {
  TERN_TRY(tern_text_check(&w->text));
  TERN_TRY(tern_text_check(&w->name));
  TERN_TRY(tern_os_sink_put(sink, w->text.data, w->text.size));
  w->text.size = 0;
  return NULL;
}

// Microseconds in full: most nodes of a small model take less than one. Integers, because how
// printf writes a fraction is the process's choice.
static void put_us(tern_text *text, const char *key, int64_t ns) {
  tern_text_printf(text, ",\"%s\":%lld.%03d", key, (long long)(ns / 1000), (int)(ns % 1000));
}

// What every event has, up to the content of its "args".
static void begin_event(writing *w, const char *category, int64_t thread_id, int64_t start_ns,
                        int64_t end_ns) {
  tern_text *text = &w->text;
  tern_text_printf(text, "%s\n{\"cat\":\"%s\",\"pid\":%lld,\"tid\":%lld", w->has_events ? "," : "[",
                   category, (long long)w->process_id, (long long)thread_id);
  put_us(text, "dur", end_ns - start_ns);
  put_us(text, "ts", start_ns - w->trace->start_ns);
  tern_text_printf(text, ",\"ph\":\"X\",\"name\":");
  tern_text_json_string(text, w->name.data ? w->name.data : "");
  tern_text_printf(text, ",\"args\":{");
  w->has_events = true;
}

static void set_name(writing *w, const char *name, const char *suffix) {
  w->name.size = 0;
  tern_text_printf(&w->name, "%s%s", name, suffix);
}

// Fills `types` and `list` from the event's entries.
static tern_status *read_types(writing *w, const tern_trace_event *event) {
  const int64_t *at = event->entries, *end = at + event->entry_count;
  w->types.count = w->list.count = 0;
  while (at < end) {
    tern_type type = {.kind = TERN_KIND_NONE};
    int32_t rank = (int32_t)(*at >> 8);
    if (*at) {
      type = tern_type_tensor((tern_dtype)(*at & 0xff));
      tern_shape_set(&type.shape, rank, at + 1);
    }
    TERN_ARRAY_PUSH(w->text.allocator, &w->types, type);
    at += 1 + rank;
  }
  for (size_t i = 0; i < w->types.count; ++i) {
    const tern_type *type = w->types.data[i].kind == TERN_KIND_TENSOR ? &w->types.data[i] : NULL;
    TERN_ARRAY_PUSH(w->text.allocator, &w->list, type);
  }
  return NULL;
}

// [{"float":[1,3]},…]
static void put_types(tern_text *text, const char *key, const tern_type *const *types,
                      int32_t count) {
  bool is_first = true;
  tern_text_printf(text, ",\"%s\":[", key);
  for (int32_t i = 0; i < count; ++i) {
    if (!types[i]) continue;
    const tern_shape *shape = &types[i]->shape;
    tern_text_printf(text, "%s{\"%s\":[", is_first ? "" : ",", tern_dtype_name(types[i]->dtype));
    for (int32_t d = 0; d < shape->rank; ++d)
      tern_text_printf(text, "%s%lld", d ? "," : "", (long long)shape->dims[d]);
    tern_text_printf(text, "]}");
    is_first = false;
  }
  tern_text_printf(text, "]");
}

static int64_t total_bytes(const tern_type *const *types, int32_t count) {
  int64_t total = 0;
  for (int32_t i = 0; i < count; ++i) total += tern_cost_size(types[i]);
  return total;
}

static int64_t constant_bytes(const tern_node *node, const tern_type *const *inputs) {
  int64_t total = 0;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (node->inputs[i] && tern_edge_constant(node->inputs[i])) total += tern_cost_size(inputs[i]);
  }
  return total;
}

static void put_costs(tern_text *text, const tern_trace_event *event,
                      const tern_type *const *inputs, const tern_type *const *outputs) {
  const tern_node *node = event->step->node;
  int64_t parameters = constant_bytes(node, inputs);
  tern_text_printf(text, ",\"output_size\":\"%lld\",\"parameter_size\":\"%lld\"",
                   (long long)total_bytes(outputs, node->output_count), (long long)parameters);
  tern_text_printf(text, ",\"activation_size\":\"%lld\"",
                   (long long)(total_bytes(inputs, node->input_count) - parameters));
  tern_cost_bytes bytes = {0, 0};
  if (!event->is_view) bytes = tern_cost_traffic(node, inputs, outputs);
  tern_text_printf(text, ",\"bytes_read\":%lld,\"bytes_written\":%lld", (long long)bytes.read,
                   (long long)bytes.written);
  double flops = tern_cost_flops(node, inputs, outputs);
  if (flops >= 0) tern_text_printf(text, ",\"flops\":%.0f", flops);
}

static tern_status *put_step(writing *w, const tern_trace_item *item) {
  const tern_trace_event *event = item->event;
  const tern_node *node = event->step->node;
  TERN_TRY(read_types(w, event));
  const tern_type *const *inputs = w->list.data, *const *outputs = inputs + node->input_count;
  set_name(w, node->name[0] ? node->name : node->op->name, "_kernel_time");
  begin_event(w, "Node", item->thread_id, event->start_ns, event->end_ns);
  tern_text_printf(&w->text, "\"op_name\":\"%s\",\"provider\":\"%s\",\"node_index\":\"%d\"",
                   node->op->name, event->kernel->provider->name, node->id);
  put_types(&w->text, "input_type_shape", inputs, node->input_count);
  put_types(&w->text, "output_type_shape", outputs, node->output_count);
  put_costs(&w->text, event, inputs, outputs);
  tern_text_printf(&w->text, ",\"kernel\":");
  tern_text_json_string(&w->text, event->kernel->name);
  tern_text_printf(&w->text, "}}");
  return NULL;
}

static void put_phase(writing *w, const tern_trace_item *item) {
  set_name(w, item->event->phase, "");
  begin_event(w, "Session", item->thread_id, item->event->start_ns, item->event->end_ns);
  tern_text_printf(&w->text, "}}");
}

// An event too, because readers of ORT's traces expect nothing else.
static void put_dropped(writing *w) {
  set_name(w, "dropped_events", "");
  begin_event(w, "Session", 0, w->trace->start_ns, w->trace->start_ns);
  tern_text_printf(&w->text, "\"count\":%lld}}", (long long)w->trace->dropped_count);
}

static tern_status *put_all(void *self, tern_os_sink *sink) {
  writing *w = self;
  if (w->trace->dropped_count) put_dropped(w);
  for (size_t i = 0; i < w->trace->item_count; ++i) {
    const tern_trace_item *item = &w->trace->items[i];
    if (item->event->phase)
      put_phase(w, item);
    else
      TERN_TRY(put_step(w, item));
    if (w->text.size >= FLUSH_BYTES) TERN_TRY(flush(w, sink));
  }
  tern_text_printf(&w->text, "%s\n]\n", w->has_events ? "" : "[");
  return flush(w, sink);
}

tern_status *tern_trace_write(const tern_trace *trace) {
  writing w = {.trace = trace, .process_id = tern_os_process_id()};
  tern_text_init(trace->allocator, &w.text);
  tern_text_init(trace->allocator, &w.name);
  tern_status *status = tern_os_file_write_parts(trace->path, put_all, &w);
  tern_text_deinit(&w.text);
  tern_text_deinit(&w.name);
  TERN_ARRAY_FREE(trace->allocator, &w.types);
  TERN_ARRAY_FREE(trace->allocator, &w.list);
  return status;
}
