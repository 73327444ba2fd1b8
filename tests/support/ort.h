// A library that speaks ONNX Runtime's C ABI, loaded by path, and sessions on it: what a test
// program needs to run any such library on test values. Every error ends the process (test_fail)
// and says what was being done.
#ifndef TERN_TESTS_SUPPORT_ORT_H_
#define TERN_TESTS_SUPPORT_ORT_H_

#include "support/value.h"

typedef struct test_session {
  const OrtApi *api;
  OrtEnv *env;
  OrtSession *session;
  OrtAllocator *allocator; // the default one
  size_t input_count, output_count;
  char **input_names, **output_names;
  ONNXType *input_types, *output_types;
} test_session;

typedef struct test_session_options {
  int level;                 // GraphOptimizationLevel: 0, 1, 2, 3, 99
  int threads;               // intra-op
  const char *saved;         // where the optimised model is written; NULL: nowhere
  const char *const *config; // keys and values in turn, then NULL; NULL: none
} test_session_options;

// Loads the library and takes its newest table that these tests know. Starts no thread, so that a
// caller may fork afterwards.
const OrtApi *test_ort_load(const char *library);

// Fails with `what` and the status's message, unless the status is NULL.
void test_ort_check(const OrtApi *api, OrtStatus *status, const char *what);

test_session test_session_open(const OrtApi *api, const char *model, test_session_options options);
void test_session_close(test_session *session);

// Runs on input_count inputs; returns output_count values, owned by the caller.
OrtValue **test_session_run(const test_session *session, OrtValue *const *inputs);

// An OrtValue that borrows a numeric tensor's data and copies everything else. TEST_NONE and empty
// sequences cannot be created over the ABI: they fail.
OrtValue *test_value_to_ort(const test_session *session, const test_value *value);
// A copy; NULL and empty optionals are TEST_NONE.
test_value test_value_from_ort(const test_session *session, const OrtValue *value);

#endif
