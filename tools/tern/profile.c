// Profiles: calls are given to the runs they fall in and summed by what they have in common; of
// each row, and of what a run does besides, the median over the runs is taken. Their sum is the
// whole: on a busy machine hardly a run is free of interruptions, but most calls are.
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

// A call, and the run it belongs to.
struct call {
  const cli_trace_call *call;
  size_t run;
};

struct row {
  const cli_trace_call *example;
  double us; // a run, as the rest: median
  double calls;
  double flops, bytes; // flops below 0: not told
};

struct profile {
  const cli_trace_phase **runs; // without the first
  size_t run_count;
  struct call *calls;
  size_t call_count;
  struct row *rows;
  size_t row_count;
  double kernel_us;   // of all rows
  double around_us;   // of a run, outside of kernels: median
  double planning_us; // of that: median
  double run_us;      // median
};

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts them; `count` is above 0.
static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void find_runs(cli_arena *arena, const cli_trace *trace, struct profile *profile) {
  bool is_first = true;
  profile->runs = cli_arena_array(arena, trace->phase_count, sizeof *profile->runs);
  for (size_t i = 0; i < trace->phase_count; i++) {
    if (strcmp(trace->phases[i].name, "model_run") != 0) continue;
    if (!is_first) profile->runs[profile->run_count++] = &trace->phases[i];
    is_first = false;
  }
}

// The run that was under way at `us`: the last that began before. False where none had.
static bool run_at(const struct profile *profile, double us, size_t *out_run) {
  size_t low = 0, high = profile->run_count; // the answer is in [low, high) once low has begun
  if (!high || us < profile->runs[0]->start_us) return false;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (profile->runs[middle]->start_us <= us)
      low = middle;
    else
      high = middle;
  }
  *out_run = low;
  return true;
}

static void find_calls(cli_arena *arena, const cli_trace *trace, struct profile *profile) {
  profile->calls = cli_arena_array(arena, trace->call_count, sizeof *profile->calls);
  for (size_t i = 0; i < trace->call_count; i++) {
    struct call call = {&trace->calls[i], 0};
    if (run_at(profile, call.call->start_us, &call.run))
      profile->calls[profile->call_count++] = call;
  }
}

// ---- Rows. Calls that compare equal share one.

static int by_operator(const void *a, const void *b) {
  const cli_trace_call *x = ((const struct call *)a)->call, *y = ((const struct call *)b)->call;
  int order = strcmp(x->op, y->op);
  return order ? order : strcmp(x->provider, y->provider);
}

static int by_kernel(const void *a, const void *b) {
  const cli_trace_call *x = ((const struct call *)a)->call, *y = ((const struct call *)b)->call;
  int order = by_operator(a, b);
  return order ? order : strcmp(x->kernel, y->kernel);
}

static int by_step(const void *a, const void *b) {
  const cli_trace_call *x = ((const struct call *)a)->call, *y = ((const struct call *)b)->call;
  if (x->index != y->index) return x->index < y->index ? -1 : 1;
  int order = strcmp(x->node, y->node);
  return order ? order : by_kernel(a, b);
}

// What has a row, and how rows are told apart.
struct grouping {
  const char *name;
  int (*order)(const void *a, const void *b);
  bool has_kernel, has_node;
};

static const struct grouping groupings[] = {
    {"operator", by_operator, false, false},
    {"kernel", by_kernel, true, false},
    {"step", by_step, true, true},
};

static const struct grouping *find_grouping(const char *name) {
  size_t i = 0;
  while (strcmp(groupings[i].name, name) != 0) i++; // the options allow no other
  return &groupings[i];
}

// Sums calls[0..count), which share a row. `sums` is room for one number a run.
static struct row sum_calls(const struct call *calls, size_t count, double *sums,
                            size_t run_count) {
  struct row row = {.example = calls[0].call};
  for (size_t i = 0; i < run_count; i++) sums[i] = 0;
  for (size_t i = 0; i < count; i++) {
    const cli_trace_call *call = calls[i].call;
    sums[calls[i].run] += call->own_us;
    row.flops = call->flops < 0 || row.flops < 0 ? -1 : row.flops + call->flops;
    row.bytes += call->bytes;
  }
  row.us = median(sums, run_count);
  row.calls = (double)count / (double)run_count;
  row.bytes /= (double)run_count;
  if (row.flops > 0) row.flops /= (double)run_count;
  return row;
}

static int longer_first(const void *a, const void *b) {
  double x = ((const struct row *)a)->us, y = ((const struct row *)b)->us;
  return (x < y) - (x > y);
}

static void make_rows(cli_arena *arena, const struct grouping *grouping, struct profile *profile) {
  double *sums = cli_arena_array(arena, profile->run_count, sizeof *sums);
  profile->rows = cli_arena_array(arena, profile->call_count, sizeof *profile->rows);
  struct call *calls = profile->calls;
  if (profile->call_count) qsort(calls, profile->call_count, sizeof *calls, grouping->order);
  for (size_t begin = 0, end; begin < profile->call_count; begin = end) {
    for (end = begin + 1; end < profile->call_count; end++)
      if (grouping->order(&calls[begin], &calls[end]) != 0) break;
    profile->rows[profile->row_count++] =
        sum_calls(calls + begin, end - begin, sums, profile->run_count);
  }
  if (profile->row_count)
    qsort(profile->rows, profile->row_count, sizeof *profile->rows, longer_first);
}

static double find_planning(cli_arena *arena, const cli_trace *trace,
                            const struct profile *profile) {
  double *sums = cli_arena_array(arena, profile->run_count, sizeof *sums);
  for (size_t i = 0; i < trace->phase_count; i++) {
    const cli_trace_phase *phase = &trace->phases[i];
    size_t run;
    if (strcmp(phase->name, "planning") == 0 && run_at(profile, phase->start_us, &run))
      sums[run] += phase->us;
  }
  return median(sums, profile->run_count);
}

static void find_totals(cli_arena *arena, const cli_trace *trace, struct profile *profile) {
  size_t count = profile->run_count;
  double *runs = cli_arena_array(arena, count, sizeof *runs);
  double *around = cli_arena_array(arena, count, sizeof *around);
  for (size_t i = 0; i < count; i++) runs[i] = around[i] = profile->runs[i]->us;
  for (size_t i = 0; i < profile->call_count; i++)
    around[profile->calls[i].run] -= profile->calls[i].call->own_us;
  for (size_t i = 0; i < profile->row_count; i++) profile->kernel_us += profile->rows[i].us;
  profile->run_us = median(runs, count);
  profile->around_us = median(around, count);
  if (profile->around_us < 0) profile->around_us = 0; // branches that ran side by side
  profile->planning_us = find_planning(arena, trace, profile);
}

// ---- The table.

static int widest(int width, const char *text) {
  int length = (int)strlen(text);
  return length > width ? length : width;
}

// "12.3", or "-" where there is nothing to tell.
static const char *rate_text(cli_arena *arena, double amount, double us) {
  return amount > 0 && us > 0 ? cli_print(arena, "%.1f", amount / us / 1e3) : "-";
}

static double total_us(const struct profile *profile) {
  return profile->kernel_us + profile->around_us;
}

static void print_part(cli_arena *arena, const struct profile *profile, double us) {
  printf("%12s%7.1f%%", cli_duration_text(arena, us * 1e3), 100 * us / total_us(profile));
}

static void print_rows(cli_arena *arena, const struct grouping *grouping,
                       const struct profile *profile, size_t count) {
  int op_width = 8, kernel_width = 6, provider_width = 8, node_width = 4;
  for (size_t i = 0; i < count; i++) {
    const cli_trace_call *example = profile->rows[i].example;
    op_width = widest(op_width, example->op);
    kernel_width = widest(kernel_width, example->kernel);
    provider_width = widest(provider_width, example->provider);
    node_width = widest(node_width, example->node);
  }
  printf("%12s%8s%9s%9s%8s  %-*s", "time", "share", "calls", "GFLOP/s", "GB/s", op_width,
         "operator");
  if (grouping->has_kernel) printf("  %-*s", kernel_width, "kernel");
  if (grouping->has_node)
    printf("  %-*s  %-*s  inputs\n", provider_width, "provider", node_width, "node");
  else
    printf("  provider\n");
  for (size_t i = 0; i < count; i++) {
    const struct row *row = &profile->rows[i];
    print_part(arena, profile, row->us);
    printf("%9.4g%9s%8s  %-*s", row->calls, rate_text(arena, row->flops, row->us),
           rate_text(arena, row->bytes, row->us), op_width, row->example->op);
    if (grouping->has_kernel) printf("  %-*s", kernel_width, row->example->kernel);
    if (grouping->has_node)
      printf("  %-*s  %-*s  %s\n", provider_width, row->example->provider, node_width,
             row->example->node, row->example->shapes);
    else
      printf("  %s\n", row->example->provider);
  }
}

static void print_totals(cli_arena *arena, const struct profile *profile, size_t shown,
                         double plain_ns) {
  double rest_us = 0;
  for (size_t i = shown; i < profile->row_count; i++) rest_us += profile->rows[i].us;
  if (shown < profile->row_count) {
    print_part(arena, profile, rest_us);
    printf("  in %zu more rows\n", profile->row_count - shown);
  }
  print_part(arena, profile, profile->kernel_us);
  printf("  in kernels\n");
  print_part(arena, profile, profile->around_us);
  printf("  around them");
  if (profile->planning_us > 0)
    printf(", of it planning %s", cli_duration_text(arena, profile->planning_us * 1e3));
  printf("\n");
  print_part(arena, profile, total_us(profile));
  printf("  together; the median run took %s, and %s without the profiler\n",
         cli_duration_text(arena, profile->run_us * 1e3), cli_duration_text(arena, plain_ns));
}

static void print_phases(cli_arena *arena, const cli_trace *trace) {
  const char *before = "loading: ";
  for (size_t i = 0; i < trace->phase_count && strcmp(trace->phases[i].name, "model_run") != 0;
       i++) {
    printf("%s%s %s", before, trace->phases[i].name,
           cli_duration_text(arena, trace->phases[i].us * 1e3));
    before = ", ";
  }
  if (before[0] == ',') printf("\n");
}

cli_status *cli_profile_print(cli_arena *arena, const cli_request *request, const char *path,
                              double plain_ns) {
  cli_trace trace;
  struct profile profile = {0};
  const struct grouping *grouping = find_grouping(request->by);
  CLI_TRY(cli_trace_read(arena, path, &trace));
  find_runs(arena, &trace, &profile);
  if (!profile.run_count)
    return cli_fail(CLI_FAILED, "the trace '%s' has no run after the first", path);
  find_calls(arena, &trace, &profile);
  make_rows(arena, grouping, &profile);
  find_totals(arena, &trace, &profile);
  size_t count = request->rows && request->rows < profile.row_count ? (size_t)request->rows
                                                                    : profile.row_count;
  printf("median of %zu runs, trace in %s\n", profile.run_count, path);
  if (trace.dropped > 0)
    printf("%.0f events are missing: the library had no room for them\n", trace.dropped);
  print_phases(arena, &trace);
  print_rows(arena, grouping, &profile, count);
  print_totals(arena, &profile, count, plain_ns);
  return NULL;
}
