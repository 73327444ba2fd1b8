// `tern diff`: does a library compute what another does? Both get the same seeded inputs, each in a
// process of its own. A second seed shows whether the outputs depend on the inputs at all: where
// they do not, agreement proves nothing and the verdict is "refused".
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "input.h"
#include "text.h"
#include "verbs.h"

// Outputs must move by this many tolerances between two seeds for agreement to mean something.
enum { MOVEMENT_TOLERANCES = 10 };

// One run in one library.
struct job {
  const cli_request *request;
  const char *library;
  uint64_t seed;
};

// What a job gives back: as many names and values as the model has outputs.
struct outputs {
  size_t count;
  const char **names;
  cli_value *values;
};

static cli_status *put_outputs(cli_buffer *reply, const cli_model *model, const cli_value *values) {
  CLI_TRY(cli_buffer_put_u64(reply, model->output_count));
  for (size_t i = 0; i < model->output_count; i++) {
    size_t length = strlen(model->outputs[i].name);
    CLI_TRY(cli_buffer_put_u64(reply, length));
    CLI_TRY(cli_buffer_put(reply, model->outputs[i].name, length));
    CLI_TRY(cli_value_put(reply, &values[i]));
  }
  return NULL;
}

static cli_status *run_job(cli_arena *arena, void *arg, cli_buffer *reply) {
  const struct job *job = arg;
  const cli_request *request = job->request;
  cli_lib lib;
  cli_model model;
  cli_tensor *inputs;
  cli_feeds feeds;
  cli_model_options options = {.threads = request->threads, .opt_level = request->opt_level};
  CLI_TRY(cli_lib_open(arena, job->library, &lib));
  CLI_TRY(cli_model_open(arena, &lib, request->operand, &options, &model));
  CLI_TRY(cli_inputs_make(arena, &model, request, job->seed, "random", &inputs));
  CLI_TRY(cli_feeds_make(arena, &model, inputs, &feeds));
  cli_value *values = cli_arena_array(arena, model.output_count, sizeof *values);
  CLI_TRY(
      cli_fail_in(cli_model_run(arena, &model, &feeds, values), "running '%s'", request->operand));
  // The process ends here, and with it what the library holds.
  return put_outputs(reply, &model, values);
}

static cli_status *get_outputs(cli_arena *arena, cli_cursor *reply, struct outputs *out_outputs) {
  uint64_t count, length;
  CLI_TRY(cli_cursor_unsigned(reply, 8, &count));
  struct outputs outputs = {.count = (size_t)count};
  outputs.names = cli_arena_array(arena, outputs.count, sizeof *outputs.names);
  outputs.values = cli_arena_array(arena, outputs.count, sizeof *outputs.values);
  for (size_t i = 0; i < outputs.count; i++) {
    const uint8_t *name;
    CLI_TRY(cli_cursor_unsigned(reply, 8, &length));
    CLI_TRY(cli_cursor_skip(reply, length, &name));
    outputs.names[i] = cli_copy(arena, (const char *)name, (size_t)length);
    CLI_TRY(cli_value_get(arena, reply, &outputs.values[i]));
  }
  *out_outputs = outputs;
  return NULL;
}

static cli_status *run_child(cli_arena *arena, const cli_request *request, const char *library,
                             uint64_t seed, struct outputs *out_outputs) {
  const char *name = library ? library : "libtern.so";
  struct job job = {request, library, seed};
  cli_cursor reply;
  uint64_t peak_bytes;
  cli_progress("%s, seed %llu", name, (unsigned long long)seed);
  cli_status *status = cli_child_run(arena, run_job, &job, &reply, &peak_bytes);
  cli_progress_end();
  CLI_TRY(cli_fail_in(status, "%s", name));
  return get_outputs(arena, &reply, out_outputs);
}

// How far two values are apart: `share` is the largest difference as a part of the largest
// magnitude of the second value, infinite where they differ in kind; `reason` then says how.
struct distance {
  double absolute, magnitude, share;
  const char *reason;
};

static void add_elements(const cli_tensor *a, const cli_tensor *b, struct distance *distance) {
  for (size_t i = 0; i < a->count; i++) {
    double x = cli_element_load(a->type, a->data, i).real;
    double y = cli_element_load(b->type, b->data, i).real;
    if (isfinite(y) && fabs(y) > distance->magnitude) distance->magnitude = fabs(y);
    if (x == y || (isnan(x) && isnan(y))) continue;
    double apart = fabs(x - y);
    if (!isfinite(apart)) apart = INFINITY;
    if (apart > distance->absolute) distance->absolute = apart;
  }
}

static void add_tensors(cli_arena *arena, const cli_tensor *a, const cli_tensor *b,
                        struct distance *distance) {
  bool alike = a->type == b->type && a->rank == b->rank &&
               memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
  if (!alike) {
    distance->reason =
        cli_print(arena, "%s %s against %s %s", cli_element_of(a->type)->name,
                  cli_shape_text(arena, a->rank, a->dims), cli_element_of(b->type)->name,
                  cli_shape_text(arena, b->rank, b->dims));
    return;
  }
  if (!a->strings) add_elements(a, b, distance);
  for (size_t i = 0; a->strings && i < a->count; i++)
    if (strcmp(a->strings[i], b->strings[i]) != 0) {
      distance->reason = cli_print(arena, "text %zu differs", i);
      return;
    }
}

static void add_values(cli_arena *arena, const cli_value *a, const cli_value *b,
                       struct distance *distance) {
  if (a->form != b->form || a->count != b->count) {
    distance->reason =
        cli_print(arena, "%s against %s", cli_value_text(arena, a), cli_value_text(arena, b));
    return;
  }
  if (a->form == CLI_FORM_TENSOR) add_tensors(arena, &a->tensor, &b->tensor, distance);
  for (size_t i = 0; i < a->count && !distance->reason; i++)
    add_values(arena, &a->items[i], &b->items[i], distance);
}

static struct distance measure(cli_arena *arena, const cli_value *a, const cli_value *b) {
  struct distance distance = {0};
  add_values(arena, a, b, &distance);
  if (distance.reason)
    distance.share = INFINITY;
  else if (distance.absolute > 0)
    distance.share = distance.absolute / distance.magnitude;
  return distance;
}

// The furthest that any output of `b` is from that of `a`.
static double movement(cli_arena *arena, const struct outputs *a, const struct outputs *b) {
  double furthest = 0;
  for (size_t i = 0; i < a->count && i < b->count; i++) {
    double share = measure(arena, &a->values[i], &b->values[i]).share;
    if (share > furthest) furthest = share;
  }
  return furthest;
}

// Prints a row for each output; the number of those that differ.
static size_t compare(cli_arena *arena, const cli_request *request, uint64_t seed,
                      const struct outputs *ours, const struct outputs *theirs) {
  size_t differing = 0;
  for (size_t i = 0; i < ours->count; i++) {
    struct distance distance = measure(arena, &ours->values[i], &theirs->values[i]);
    bool same = distance.share <= request->tolerance;
    differing += !same;
    printf("seed %llu  %-24s  ", (unsigned long long)seed, ours->names[i]);
    if (distance.reason)
      printf("%s", distance.reason);
    else
      printf("difference %-11.4g largest %-11.4g share %-9.3g", distance.absolute,
             distance.magnitude, distance.share);
    printf("  %s\n", same ? "same" : "DIFFERS");
  }
  return differing;
}

static cli_status *run_pair(cli_arena *arena, const cli_request *request, uint64_t seed,
                            struct outputs *out_ours, struct outputs *out_theirs) {
  CLI_TRY(run_child(arena, request, request->library, seed, out_ours));
  CLI_TRY(run_child(arena, request, request->against, seed, out_theirs));
  if (out_ours->count == out_theirs->count) return NULL;
  return cli_fail(CLI_FAILED, "the libraries see %zu and %zu outputs", out_ours->count,
                  out_theirs->count);
}

cli_status *cli_diff(cli_arena *arena, const cli_request *request) {
  if (!request->against)
    return cli_fail(CLI_USAGE, "'diff' expects --against LIB, the library to compare with");
  struct outputs ours[2], theirs[2];
  size_t differing = 0, compared = 0;
  for (size_t i = 0; i < 2; i++)
    CLI_TRY(run_pair(arena, request, request->seed + i, &ours[i], &theirs[i]));
  for (size_t i = 0; i < 2; i++) {
    differing += compare(arena, request, request->seed + i, &ours[i], &theirs[i]);
    compared += ours[i].count;
  }
  if (differing)
    return cli_fail(CLI_FAILED, "%zu of %zu outputs differ by more than %g of their largest",
                    differing, compared, request->tolerance);
  double moved = movement(arena, &theirs[0], &theirs[1]);
  if (moved <= MOVEMENT_TOLERANCES * request->tolerance && !request->allow_constant)
    return cli_fail(CLI_REFUSED,
                    "refused: no output moves by more than %g of its largest between two seeds, so "
                    "agreement proves nothing; give inputs that matter with --input, or "
                    "--allow-constant",
                    moved);
  printf("same within %g; between seeds, outputs ", request->tolerance);
  if (isinf(moved))
    printf("change their shape\n");
  else
    printf("move by %.3g of their largest\n", moved);
  return NULL;
}
