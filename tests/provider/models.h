// Models that tests of providers run, and running them: with providers and without, on the same
// inputs.
#ifndef TERN_TESTS_PROVIDER_MODELS_H_
#define TERN_TESTS_PROVIDER_MODELS_H_

#include "format/pb.h"
#include "session/session.h"

typedef struct test_model {
  const char *name;
  void (*put)(tern_pb_writer *writer);
} test_model;
// A chain with branches, weights, shapes that only a run knows, subgraphs, texts; NULL ends the
// names.
extern const test_model test_models[];
const test_model *test_model_find(const char *name);

// Sessions. Options may be NULL.
TERN_MUST_USE tern_status *test_model_load(const test_model *model,
                                           const tern_session_options *options,
                                           tern_session **out_session);
// One provider before the CPU's.
TERN_MUST_USE tern_status *test_model_load_on(const test_model *model, tern_provider *provider,
                                              tern_session **out_session);

// From memory that the session uses as it is, `shift` bytes behind an aligned address.
typedef struct test_model_bytes {
  void *data;
  size_t size;
} test_model_bytes;
TERN_MUST_USE tern_status *test_model_load_shifted(const test_model *model,
                                                   const tern_session_options *options,
                                                   size_t shift, test_model_bytes *out_bytes,
                                                   tern_session **out_session);
void test_model_bytes_release(test_model_bytes *bytes);

enum { TEST_MAX_VALUES = 16 };
typedef struct test_outputs {
  tern_value *values[TEST_MAX_VALUES];
  size_t count;
} test_outputs;
// A seed that makes sizes 0 where they may be.
#define TEST_EMPTY_INPUTS UINT64_MAX
// Runs on inputs made from `seed`, which have other sizes for other seeds, and finds them as they
// were afterwards. After an error nothing is in *out_outputs.
TERN_MUST_USE tern_status *test_model_run(tern_session *session, uint64_t seed,
                                          test_outputs *out_outputs);
void test_outputs_release(test_outputs *outputs);
// Types, shapes and elements, bit by bit.
bool test_outputs_equal(const test_outputs *a, const test_outputs *b);

#endif
