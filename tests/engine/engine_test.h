// What the engine's tests share: a session over a metered allocator, and runs on values.
// `--full` makes the numbers of runs those that a release is held to.
#ifndef TERN_TESTS_ENGINE_TEST_H_
#define TERN_TESTS_ENGINE_TEST_H_

#include <string.h>

#include "engine/meter.h"
#include "session/session.h"
#include "support/load_run.h"
#include "support/models.h"
#include "unit/test.h"

enum { ENGINE_MAX_OUTPUTS = 8 };

extern bool engine_is_full;
// Reads the program's words: `--full`, and what else there is into `out_model`. Returns false for
// more than that.
bool engine_parse(int argc, char **argv, const char **out_model);

// A session from a writer that one of support/models.h has filled; the writer is gone.
tern_session *engine_open(tern_pb_writer *model, meter *allocator);

// A tensor over `data`.
tern_value engine_tensor(tern_dtype dtype, void *data, int32_t rank, const tern_dim *dims);

// One run on the inputs in the model's order. `out_values`, room for every output, may be NULL.
TERN_MUST_USE tern_status *engine_run(tern_session *session, const _Atomic bool *terminate,
                                      tern_value *const *inputs, tern_value **out_values);
// The same; a failure fails the test.
void engine_run_right(tern_session *session, tern_value *const *inputs);

#endif
