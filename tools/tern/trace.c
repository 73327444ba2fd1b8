// Traces, line by line: they can be far larger than what is kept of them.
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text.h"

// A number, also where it is written as a text.
static double number_in(const cli_json *object, const char *key) {
  double number;
  return cli_parse_real(cli_json_text_in(object, key), &number) ? number
                                                                : cli_json_number_in(object, key);
}

static const char *copy(cli_arena *arena, const char *text) {
  return cli_copy(arena, text, strlen(text));
}

// [{"float":[1,3]},{"int64":[2]}] as "1x3 2".
static const char *shapes_text(cli_arena *arena, const cli_json *types) {
  const char *text = "";
  for (size_t i = 0; i < cli_json_count(types); i++) {
    const cli_json *shape = cli_json_first(cli_json_at(types, i));
    int64_t dims[32];
    size_t rank = cli_json_count(shape);
    if (rank > sizeof dims / sizeof dims[0]) continue;
    for (size_t d = 0; d < rank; d++) dims[d] = (int64_t)cli_json_number_at(shape, d);
    text = cli_print(arena, "%s%s%s", text, i ? " " : "", cli_shape_text(arena, rank, dims));
  }
  return text;
}

// Tern tells what is read and written; ORT the sizes of what a node has.
static double bytes_of(const cli_json *args) {
  if (cli_json_get(args, "bytes_read"))
    return number_in(args, "bytes_read") + number_in(args, "bytes_written");
  return number_in(args, "activation_size") + number_in(args, "parameter_size") +
         number_in(args, "output_size");
}

static cli_trace_call read_call(cli_arena *arena, const cli_json *event, const char *name) {
  const cli_json *args = cli_json_get(event, "args");
  double us = cli_json_number_in(event, "dur");
  return (cli_trace_call){.node = cli_copy(arena, name, strlen(name) - strlen("_kernel_time")),
                          .op = copy(arena, cli_json_text_in(args, "op_name")),
                          .kernel = copy(arena, cli_json_text_in(args, "kernel")),
                          .provider = copy(arena, cli_json_text_in(args, "provider")),
                          .shapes = shapes_text(arena, cli_json_get(args, "input_type_shape")),
                          .index = (uint64_t)number_in(args, "node_index"),
                          .thread = (uint64_t)cli_json_number_in(event, "tid"),
                          .start_us = cli_json_number_in(event, "ts"),
                          .us = us,
                          .own_us = us,
                          .flops = cli_json_get(args, "flops") ? number_in(args, "flops") : -1,
                          .bytes = bytes_of(args)};
}

static void keep(cli_arena *arena, cli_trace *trace, const cli_json *event) {
  const char *name = cli_json_text_in(event, "name"), *category = cli_json_text_in(event, "cat");
  if (strcmp(category, "Node") == 0 && cli_ends(name, "_kernel_time")) {
    trace->calls[trace->call_count++] = read_call(arena, event, name);
  } else if (strcmp(name, "dropped_events") == 0) {
    trace->dropped = cli_json_number_in(cli_json_get(event, "args"), "count");
  } else if (strcmp(category, "Session") == 0) {
    trace->phases[trace->phase_count++] =
        (cli_trace_phase){.name = copy(arena, name),
                          .start_us = cli_json_number_in(event, "ts"),
                          .us = cli_json_number_in(event, "dur")};
  }
}

// Each event stands on a line of its own, but for the comma that follows it.
static cli_status *read_lines(cli_arena *arena, char *at, cli_trace *trace) {
  while (*at) {
    size_t size = strcspn(at, "\n"), end = size;
    bool is_last = at[size] == 0;
    at[size] = 0;
    while (end > 0 && (at[end - 1] == ',' || at[end - 1] == '\r')) at[--end] = 0;
    if (at[0] == '{') {
      cli_json *event;
      CLI_TRY(cli_json_read(at, &event));
      keep(arena, trace, event);
      cli_json_free(event);
    }
    at += is_last ? size : size + 1;
  }
  return NULL;
}

static int order(double a, double b) {
  return (a > b) - (a < b);
}

static int by_start(const void *a, const void *b) {
  return order(((const cli_trace_phase *)a)->start_us, ((const cli_trace_phase *)b)->start_us);
}

static int by_thread_and_start(const void *a, const void *b) {
  const cli_trace_call *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  int starts = order(x->start_us, y->start_us);
  return starts ? starts : order(y->us, x->us);
}

// Takes the time of every call out of the call that it lies in: that of the node whose subgraph it
// belongs to. `outer` has room for one index a call.
static void find_own_times(cli_trace *trace, size_t *outer) {
  size_t depth = 0;
  for (size_t i = 0; i < trace->call_count; i++) {
    cli_trace_call *call = &trace->calls[i];
    while (depth > 0) {
      cli_trace_call *around = &trace->calls[outer[depth - 1]];
      bool is_inside =
          around->thread == call->thread && call->start_us < around->start_us + around->us;
      if (is_inside) {
        around->own_us -= call->us;
        break;
      }
      depth--;
    }
    outer[depth++] = i;
  }
}

static size_t count_lines(const char *text) {
  size_t count = 1;
  for (; (text = strchr(text, '\n')); text++) count++;
  return count;
}

cli_status *cli_trace_read(cli_arena *arena, const char *path, cli_trace *out_trace) {
  uint8_t *bytes;
  size_t size;
  CLI_TRY(cli_file_read(arena, path, &bytes, &size));
  char *text = (char *)bytes;
  size_t lines = count_lines(text);
  cli_trace trace = {.calls = cli_arena_array(arena, lines, sizeof *trace.calls),
                     .phases = cli_arena_array(arena, lines, sizeof *trace.phases)};
  CLI_TRY(cli_fail_in(read_lines(arena, text, &trace), "the trace '%s'", path));
  if (trace.call_count)
    qsort(trace.calls, trace.call_count, sizeof *trace.calls, by_thread_and_start);
  if (trace.phase_count) qsort(trace.phases, trace.phase_count, sizeof *trace.phases, by_start);
  find_own_times(&trace, cli_arena_array(arena, trace.call_count, sizeof(size_t)));
  *out_trace = trace;
  return NULL;
}
