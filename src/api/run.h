// Running a session on behalf of a caller.
#ifndef TERN_API_RUN_H_
#define TERN_API_RUN_H_

#include "api/session.h"

typedef struct tern_api_run {
  const char *const *input_names;
  const tern_value *const *inputs; // NULL: an empty optional
  size_t input_count;
  const char *const *output_names;
  tern_value **outputs; // in: NULL, or a tensor to fill; out: a new reference where it was NULL
  size_t output_count;
} tern_api_run;

// `run_options` may be NULL. On an error the outputs are as they were.
TERN_MUST_USE tern_status *tern_api_run_session(OrtSession *session,
                                                const OrtRunOptions *run_options,
                                                const tern_api_run *run);

#endif
