// One case: a model, and data sets of inputs with the outputs they must give.
#include <string.h>
#include <unistd.h>

#include "suite.h"

// What a session saves of `model` after optimisation: options.saved/suite-test_name.onnx.
static const char *save(const OrtApi *api, const char *model, const conformance_case *which,
                        test_session_options options) {
  char *path = test_format("%s/%s.onnx", options.saved, which->name);
  for (char *at = path + strlen(options.saved) + 1; (at = strchr(at, '/'));) *at = '-';
  options.saved = path;
  test_session session = test_session_open(api, model, options);
  test_session_close(&session);
  return path;
}

// The output of a model without inputs: how values come to be that the ABI cannot create.
static OrtValue *make_by_model(const OrtApi *api, const char *path, test_session_options options) {
  test_session maker = test_session_open(api, path, options);
  OrtValue **outputs = test_session_run(&maker, NULL);
  test_session_close(&maker);
  return outputs[0];
}

static OrtValue *read_input(const test_session *session, const char *data_set, size_t index,
                            test_session_options options) {
  const char *maker = test_format("%s/input_%zu.onnx", data_set, index);
  if (access(maker, R_OK) == 0) return make_by_model(session->api, maker, options);
  const char *path = test_format("%s/input_%zu.pb", data_set, index);
  test_value value = test_value_read(path, session->input_types[index]);
  return test_value_to_ort(session, &value);
}

static void check_output(const test_session *session, const char *data_set, size_t index,
                         const OrtValue *output, const conformance_case *which) {
  char message[512];
  const char *path = test_format("%s/output_%zu.pb", data_set, index);
  test_value expected = test_value_read(path, session->output_types[index]);
  test_value actual = test_value_from_ort(session, output);
  if (!test_value_matches(&expected, &actual, which->rtol, which->atol, message, sizeof message)) {
    test_fail("output %zu (%s): %s", index, session->output_names[index], message);
  }
}

static void run_data_set(const test_session *session, const char *data_set,
                         const conformance_case *which, test_session_options options) {
  OrtValue **inputs = test_alloc((session->input_count + 1) * sizeof *inputs);
  for (size_t i = 0; i < session->input_count; ++i) {
    inputs[i] = read_input(session, data_set, i, options);
  }
  OrtValue **outputs = test_session_run(session, inputs);
  for (size_t i = 0; i < session->output_count; ++i) {
    check_output(session, data_set, i, outputs[i], which);
    if (outputs[i]) session->api->ReleaseValue(outputs[i]);
  }
  for (size_t i = 0; i < session->input_count; ++i) session->api->ReleaseValue(inputs[i]);
}

void case_run(const OrtApi *api, const char *folder, const conformance_case *which,
              test_session_options options) {
  const char *model = test_format("%s/%s/model.onnx", folder, which->name);
  if (options.saved) model = save(api, model, which, options);
  options.saved = NULL;
  test_session session = test_session_open(api, model, options);
  for (int i = 0;; ++i) {
    const char *data_set = test_format("%s/%s/test_data_set_%d", folder, which->name, i);
    if (access(data_set, R_OK) != 0) {
      if (i == 0) test_fail("no data set");
      break;
    }
    run_data_set(&session, data_set, which, options);
  }
  test_session_close(&session);
}
