// Runs one model once through any library that speaks ONNX Runtime's ABI:
//   run_model LIBRARY MODEL LEVEL THREADS FOLDER
// FOLDER/input_<i>.pb, a TensorProto each, are the inputs in the model's order; its outputs become
// FOLDER/output_<i>.pb. compare.py beside this file decides whether they are right.
#include <stdio.h>
#include <stdlib.h>

#include "support/ort.h"

static OrtValue **read_inputs(const test_session *session, const char *folder) {
  OrtValue **inputs = test_alloc((session->input_count + 1) * sizeof *inputs);
  for (size_t i = 0; i < session->input_count; ++i) {
    test_value value =
        test_value_read(test_format("%s/input_%zu.pb", folder, i), session->input_types[i]);
    inputs[i] = test_value_to_ort(session, &value);
  }
  return inputs;
}

static void write_outputs(const test_session *session, OrtValue *const *outputs,
                          const char *folder) {
  for (size_t i = 0; i < session->output_count; ++i) {
    test_value value = test_value_from_ort(session, outputs[i]);
    if (value.kind != TEST_TENSOR) test_fail("%s is not a tensor", session->output_names[i]);
    test_value_write(&value, test_format("%s/output_%zu.pb", folder, i));
  }
}

int main(int argc, char **argv) {
  if (argc != 6) test_fail("run_model LIBRARY MODEL LEVEL THREADS FOLDER");
  const char *folder = argv[5];
  test_session_options options = {.level = atoi(argv[3]), .threads = atoi(argv[4])};
  test_session session = test_session_open(test_ort_load(argv[1]), argv[2], options);
  OrtValue **inputs = read_inputs(&session, folder);
  OrtValue **outputs = test_session_run(&session, inputs);
  write_outputs(&session, outputs, folder);
  for (size_t i = 0; i < session.input_count; ++i) session.api->ReleaseValue(inputs[i]);
  for (size_t i = 0; i < session.output_count; ++i) session.api->ReleaseValue(outputs[i]);
  test_session_close(&session);
  return 0;
}
