// Writing the model that passes left as an ONNX file, with weights inside or in a file of their
// own.
#ifndef TERN_SESSION_SAVE_H_
#define TERN_SESSION_SAVE_H_

#include "session/session.h"

// Writes `model` to options->optimized_model_path; does nothing without one. With the config entry
// "session.optimized_model_external_initializers_file_name", a name without a folder, initializers
// of at least "session.optimized_model_external_initializers_min_size_in_bytes" (1024) bytes go to
// the file of that name beside the model. Errors: a bad entry (TERN_INVALID_ARGUMENT), an internal
// operator without a form in ONNX, a model file beyond 2 GiB, a file that cannot be written.
TERN_MUST_USE tern_status *tern_save_optimized(tern_model *model,
                                               const tern_session_options *options);

#endif
