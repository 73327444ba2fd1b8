// The ONNX package's cases on a provider. The CPU alone says what has to come out: whether that is
// right is the conformance suite's business.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "format/onnx.h"
#include "provider/models.h"
#include "provider/suite_models.h"
#include "unit/test.h"

enum { PATH_BYTES = 1024 };

typedef struct walk {
  const provider_subject *subject;
  int cases, placed, differ;
} walk;

// The case's input, where it is a tensor in a file.
static tern_status *read_input(const char *folder, size_t index, tern_value **out_value) {
  char path[PATH_BYTES];
  tern_os_file file;
  tern_arena arena;
  tern_onnx_tensor tensor;
  tern_value *borrowed = NULL;
  snprintf(path, sizeof path, "%s/test_data_set_0/input_%zu.pb", folder, index);
  TERN_TRY(tern_os_file_open(path, false, &file));
  tern_arena_init(tern_allocator_system(), &arena);
  const tern_span bytes = {file.data, file.size};
  tern_status *status = tern_onnx_parse_tensor(bytes, &arena, &tensor);
  if (!status)
    status =
        tern_onnx_tensor_decode(&tensor, (tern_span){NULL, 0}, tern_allocator_system(), &borrowed);
  if (!status) status = tern_value_clone(tern_allocator_system(), borrowed, out_value);
  tern_value_release(borrowed);
  tern_arena_deinit(&arena);
  tern_os_file_close(&file);
  return status;
}

typedef struct values {
  const char *input_names[TEST_MAX_VALUES], *output_names[TEST_MAX_VALUES];
  tern_value *inputs[TEST_MAX_VALUES], *outputs[2][TEST_MAX_VALUES];
  size_t in, out;
} values;

static tern_status *read_inputs(const tern_session *session, const char *folder, values *v) {
  v->in = tern_session_input_count(session);
  v->out = tern_session_output_count(session);
  if (v->in > TEST_MAX_VALUES || v->out > TEST_MAX_VALUES)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "too many values");
  for (size_t i = 0; i < v->in; ++i) {
    const tern_edge *edge = tern_session_input(session, i);
    if (edge->type.kind != TERN_KIND_TENSOR)
      return TERN_ERROR(TERN_NOT_IMPLEMENTED, "an input is no tensor");
    v->input_names[i] = edge->name;
    TERN_TRY(read_input(folder, i, &v->inputs[i]));
  }
  for (size_t i = 0; i < v->out; ++i) v->output_names[i] = tern_session_output(session, i)->name;
  return NULL;
}

static tern_status *run(tern_session *session, values *v, int which) {
  return tern_session_run(session, NULL, v->input_names, (const tern_value *const *)v->inputs,
                          v->in, v->output_names, v->out, v->outputs[which]);
}

// A failure of the provider's comes out; one of its memory's being full would too.
static tern_status *load_on(const char *path, tern_provider *provider, tern_session **out_session) {
  const tern_provider_request request = {.instance = provider};
  const tern_metadata config = {"session.disable_cpu_ep_fallback", "1"};
  const tern_session_options options = {.optimization_level = TERN_OPTIMIZE_NONE,
                                        .config = &config,
                                        .config_count = 1,
                                        .providers = &request,
                                        .provider_count = 1};
  return tern_session_create_from_file(path, &options, out_session);
}

static bool is_placed(const tern_program *program, const tern_provider *provider) {
  for (int32_t i = 0; i < program->step_count; ++i) {
    const tern_step *step = &program->steps[i];
    if (step->placement->provider == provider) return true;
    for (int32_t k = 0; k < step->subprogram_count; ++k)
      if (is_placed(step->subprograms[k].program, provider)) return true;
  }
  return false;
}

static bool agree(const walk *w, const values *v) {
  for (size_t i = 0; i < v->out; ++i)
    if (!provider_values_agree(v->outputs[0][i], v->outputs[1][i], w->subject->tolerance))
      return false;
  return true;
}

// What comes out of chance differs from run to run.
static bool is_random(const tern_program *program) {
  for (int32_t i = 0; i < program->step_count; ++i) {
    if (program->steps[i].node->op->flags & TERN_OP_NONDETERMINISTIC) return true;
    for (int32_t k = 0; k < program->steps[i].subprogram_count; ++k)
      if (is_random(program->steps[i].subprograms[k].program)) return true;
  }
  return false;
}

// `plain` has run.
static void run_on_provider(walk *w, const char *folder, const char *path, values *v) {
  tern_provider *provider;
  tern_session *session = NULL;
  tern_status *status = w->subject->create(w->subject->self, &provider);
  if (status) {
    print_error("%s\n", tern_status_message(status));
    tern_status_free(status);
    w->differ++;
    return;
  }
  status = load_on(path, provider, &session);
  if (!status) {
    w->placed += is_placed(tern_session_program(session), provider);
    status = run(session, v, 1);
  }
  if (status || !agree(w, v)) {
    print_error("%s: %s: %s\n", w->subject->name, folder,
                status ? tern_status_message(status) : "differs from the CPU's");
    w->differ++;
  }
  tern_status_free(status);
  tern_session_destroy(session);
  w->subject->destroy(w->subject->self, provider);
}

static void run_case(walk *w, const char *folder, const char *path) {
  values v = {.in = 0};
  tern_session *plain;
  const tern_session_options options = {.optimization_level = TERN_OPTIMIZE_NONE};
  tern_status *status = tern_session_create_from_file(path, &options, &plain);
  if (status) { // the CPU cannot say what is right
    tern_status_free(status);
    return;
  }
  status = is_random(tern_session_program(plain)) ? TERN_ERROR(TERN_NOT_IMPLEMENTED, "random")
                                                  : read_inputs(plain, folder, &v);
  if (!status) status = run(plain, &v, 0);
  if (!status) {
    w->cases++;
    run_on_provider(w, folder, path, &v);
  }
  tern_status_free(status);
  for (size_t i = 0; i < TEST_MAX_VALUES; ++i) {
    tern_value_release(v.inputs[i]);
    tern_value_release(v.outputs[0][i]);
    tern_value_release(v.outputs[1][i]);
  }
  tern_session_destroy(plain);
}

static void visit(walk *w, const char *folder) {
  char path[PATH_BYTES];
  struct stat info;
  snprintf(path, sizeof path, "%s/model.onnx", folder);
  if (stat(path, &info) == 0) {
    run_case(w, folder, path);
    return;
  }
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.' && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) visit(w, path);
  }
  if (entries) closedir(entries);
}

int provider_suite_cases(const provider_subject *subject, const char *cases, int *out_placed) {
  walk w = {.subject = subject};
  visit(&w, cases);
  *out_placed = w.placed;
  if (w.cases == 0) print_error("there are no cases in %s\n", cases);
  return w.differ + (w.cases == 0);
}
