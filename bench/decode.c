// GPT-2 as it is served: a prompt, then one token a step, whose keys and values come back as the
// next step's past through IO binding.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"

enum { STEPS = 128, PROMPT = 8, MAX_NAMES = 64, NAME_BYTES = 64 };
static const char model_file[] = "gpt2_past.onnx";
// Of keys and values: batch, heads, tokens, width of a head.
enum { HEADS = 12, HEAD_WIDTH = 64 };

typedef struct decoder {
  const bench_lib *lib;
  OrtSession *session;
  OrtIoBinding *binding;
  char outputs[MAX_NAMES][NAME_BYTES];
  size_t output_count;
} decoder;

static void list_outputs(decoder *d) {
  const OrtApi *ort = d->lib->ort;
  bench_check(d->lib, ort->SessionGetOutputCount(d->session, &d->output_count));
  if (d->output_count > MAX_NAMES) bench_fail("the model has more outputs than are known here");
  for (size_t i = 0; i < d->output_count; ++i) {
    char *name;
    bench_check(d->lib, ort->SessionGetOutputName(d->session, i, d->lib->allocator, &name));
    snprintf(d->outputs[i], NAME_BYTES, "%s", name);
    bench_check(d->lib, ort->AllocatorFree(d->lib->allocator, name));
  }
}

// Anew each step: a binding keeps the outputs of the run before, which have another size.
static void bind_outputs(decoder *d) {
  for (size_t i = 0; i < d->output_count; ++i)
    bench_check(d->lib, d->lib->ort->BindOutputToDevice(d->binding, d->outputs[i], d->lib->cpu));
}

// What comes out as "present_k0" goes in as "past_k0". False for another output.
static bool past_name(const char *output, char *name) {
  if (strncmp(output, "present", 7) != 0) return false;
  snprintf(name, NAME_BYTES, "past%s", output + 7);
  return true;
}

static void bind_empty_past(decoder *d) {
  static float nothing;
  static const int64_t dims[] = {1, HEADS, 0, HEAD_WIDTH};
  for (size_t i = 0; i < d->output_count; ++i) {
    char name[NAME_BYTES];
    if (!past_name(d->outputs[i], name)) continue;
    OrtValue *past =
        bench_tensor(d->lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &nothing, 0, dims, 4);
    bench_check(d->lib, d->lib->ort->BindInput(d->binding, name, past));
    d->lib->ort->ReleaseValue(past);
  }
}

static void bind_past(decoder *d) {
  const OrtApi *ort = d->lib->ort;
  OrtValue **values;
  size_t count;
  bench_check(d->lib, ort->GetBoundOutputValues(d->binding, d->lib->allocator, &values, &count));
  for (size_t i = 0; i < count; ++i) {
    char name[NAME_BYTES];
    if (past_name(d->outputs[i], name))
      bench_check(d->lib, ort->BindInput(d->binding, name, values[i]));
    ort->ReleaseValue(values[i]);
  }
  bench_check(d->lib, ort->AllocatorFree(d->lib->allocator, values));
}

// Nanoseconds of a step on `count` tokens, with all its binding.
static double step(decoder *d, int count, int first) {
  const OrtApi *ort = d->lib->ort;
  int64_t tokens[PROMPT];
  const int64_t dims[] = {1, count};
  for (int i = 0; i < count; ++i) tokens[i] = (first + i) * 7919 % 50257;
  double start = bench_now_ns();
  OrtValue *ids = bench_tensor(d->lib, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, tokens,
                               (size_t)count * sizeof *tokens, dims, 2);
  bench_check(d->lib, ort->BindInput(d->binding, "input_ids", ids));
  bind_outputs(d);
  bench_check(d->lib, ort->RunWithBinding(d->session, NULL, d->binding));
  bind_past(d);
  ort->ReleaseValue(ids);
  return bench_now_ns() - start;
}

static void measure(const bench_lib *lib, double *out) {
  double times[STEPS], processor[STEPS], planning[STEPS];
  decoder d = {.lib = lib};
  d.session = bench_open_file(lib, model_file, (bench_session_options){.threads = 1, .level = 99});
  if (!d.session) return;
  bench_check(lib, lib->ort->CreateIoBinding(d.session, &d.binding));
  list_outputs(&d);
  bind_empty_past(&d);
  out[0] = step(&d, PROMPT, 0);
  double resident = bench_resident_bytes();
  for (int i = 0; i < STEPS; ++i) {
    double planned = bench_planning_ns(lib, d.session), cpu = bench_cpu_ns();
    times[i] = step(&d, 1, PROMPT + i);
    processor[i] = bench_cpu_ns() - cpu;
    planning[i] = bench_planning_ns(lib, d.session) - planned;
  }
  out[2] = times[0];
  out[3] = bench_resident_bytes() - resident;
  out[1] = bench_median(times, STEPS);
  // On a busy machine a step waits, and what planning takes is little beside it.
  out[4] = bench_median(processor, STEPS);
  out[5] = bench_median(planning, STEPS);
  out[6] = out[5] / out[4];
}

static const bench_figure figures[] = {{"the prompt", BENCH_NS},
                                       {"a step", BENCH_NS},
                                       {"the first step", BENCH_NS},
                                       {"resident memory grown by", BENCH_BYTES},
                                       {"processor time of a step", BENCH_NS},
                                       {"planning a step", BENCH_NS},
                                       {"planning, of that time", BENCH_SHARE}};

const bench bench_decode = {
    .name = "decode",
    .about = "GPT-2: 8 tokens, then 128 one by one, one thread (--models DIR, gpt2_past.onnx)",
    .rounds = 1,
    .figures = figures,
    .figure_count = TERN_COUNT_OF(figures),
    .measure = measure};
