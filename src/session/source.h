// Where a model's bytes come from: a file, mapped or read, or memory; and its external data. Kept
// as long as anything made from it, whose initializers point into it.
#ifndef TERN_SESSION_SOURCE_H_
#define TERN_SESSION_SOURCE_H_

#include "session/session.h"

typedef struct tern_source {
  tern_allocator *allocator;
  tern_span bytes;   // the model
  const char *path;  // for messages, borrowed; NULL: it came from memory
  tern_os_file file; // what was opened, or the copy of a model from memory
  tern_external_files *externals;
} tern_source;

// Opens, or copies, as the options say; `path` and the bytes are borrowed as session.h says.
// Close what a failed call leaves.
TERN_MUST_USE tern_status *tern_source_open_file(tern_allocator *allocator, const char *path,
                                                 const tern_session_options *options,
                                                 tern_source *out_source);
TERN_MUST_USE tern_status *tern_source_open_memory(tern_allocator *allocator, const void *bytes,
                                                   size_t size, const tern_session_options *options,
                                                   tern_source *out_source);
// Accepts a zeroed source.
void tern_source_close(tern_source *source);

#endif
