// Saving an optimised model.
#include "session/save.h"

#include <string.h>

#include "base/number.h"

#define FILE_NAME_KEY "session.optimized_model_external_initializers_file_name"
#define MIN_SIZE_KEY "session.optimized_model_external_initializers_min_size_in_bytes"
enum { DEFAULT_MIN_BYTES = 1024 };

static tern_status *read_options(const tern_session_options *options, tern_export_options *out) {
  const char *name = tern_session_options_get(options, FILE_NAME_KEY);
  const char *text = tern_session_options_get(options, MIN_SIZE_KEY);
  int64_t min_bytes = DEFAULT_MIN_BYTES;
  if (name && (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "%s is '%s', and must be the name of a file beside the model", FILE_NAME_KEY,
                      name);
  if (text && (!tern_number_parse_i64(text, strlen(text), &min_bytes) || min_bytes < 0))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s is '%s', and must be a number of bytes",
                      MIN_SIZE_KEY, text);
  *out = (tern_export_options){.external_name = name && name[0] ? name : NULL,
                               .external_min_bytes = (size_t)min_bytes};
  return NULL;
}

// The weights first: a model is only there when they are.
static tern_status *write_files(tern_model *model, const char *path,
                                const tern_export_options *export, const tern_pb_writer *file,
                                const tern_pb_writer *external) {
  const char *slash = strrchr(path, '/'), *beside;
  int folder_size = slash ? (int)(slash - path) + 1 : 0;
  if (export->external_name) {
    TERN_TRY(tern_arena_format(&model->arena, &beside, "%.*s%s", folder_size, path,
                               export->external_name));
    if (strcmp(beside, path) == 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s names the model itself", FILE_NAME_KEY);
    TERN_TRY(tern_os_file_write(beside, external->data, external->size));
  }
  return tern_os_file_write(path, file->data, file->size);
}

tern_status *tern_save_optimized(tern_model *model, const tern_session_options *options) {
  const char *path = options->optimized_model_path;
  if (!path || !path[0]) return NULL;
  tern_export_options export;
  TERN_TRY(read_options(options, &export));
  tern_pb_writer file, external;
  tern_pb_writer_init(model->allocator, &file);
  tern_pb_writer_init(model->allocator, &external);
  file.size_limit = TERN_PB_MAX_BYTES;
  tern_status *status = tern_export(model, &export, &file, &external);
  if (!status) status = write_files(model, path, &export, &file, &external);
  if (status && file.is_full && !export.external_name)
    status = tern_status_annotate(
        status, "a file for the weights that %s names would keep it small", FILE_NAME_KEY);
  tern_pb_writer_deinit(&external);
  tern_pb_writer_deinit(&file);
  return status ? tern_status_annotate(status, "saving '%s'", path) : NULL;
}
