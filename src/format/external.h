// External tensor data: files beside the model, opened once each, mapped read-only.
#ifndef TERN_FORMAT_EXTERNAL_H_
#define TERN_FORMAT_EXTERNAL_H_

#include "base/os.h"
#include "format/onnx.h"

// The files opened for one model. They stay mapped until deinit, after everything that points into
// them is gone.
typedef struct tern_external_files tern_external_files;

// `folder` is the model's own; NULL when the model came from memory and no folder was given: then
// every external tensor is an error. With a `reader` files are read into its memory. Files can also
// be given by the caller (see tern_external_files_add).
TERN_MUST_USE tern_status *tern_external_files_create(tern_allocator *allocator, const char *folder,
                                                      tern_allocator *reader,
                                                      tern_external_files **out_files);
void tern_external_files_destroy(tern_external_files *files);
// Makes `bytes`, which must outlive `files`, answer for the location `name`.
TERN_MUST_USE tern_status *tern_external_files_add(tern_external_files *files, const char *name,
                                                   tern_span bytes);
// The opened file that `data` lies in; NULL for bytes of another origin.
const tern_os_file *tern_external_files_holding(const tern_external_files *files, const void *data);
// The bytes of one external tensor: offset and length are checked against the file's size. Without
// a length, the rest of the file from the offset, cut to what dtype and dims need.
TERN_MUST_USE tern_status *tern_external_files_find(tern_external_files *files,
                                                    const tern_onnx_tensor *tensor,
                                                    tern_span *out_bytes);

#endif
