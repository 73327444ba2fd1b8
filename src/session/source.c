// Opening what a session is made from.
#include "session/source.h"

#include <string.h>

static tern_status *open_externals(tern_source *source, const char *folder,
                                   const tern_session_options *options) {
  bool reads = tern_session_options_is(options, "session.use_memory_mapped_external_data", "0");
  TERN_TRY(tern_external_files_create(source->allocator, folder, reads ? source->allocator : NULL,
                                      &source->externals));
  for (size_t i = 0; i < options->external_count; ++i)
    TERN_TRY(tern_external_files_add(source->externals, options->external_names[i],
                                     options->external_bytes[i]));
  return NULL;
}

// External data lies below the folder of `path`: "" for the current one.
static tern_status *open_externals_beside(tern_source *source, const char *path,
                                          const tern_session_options *options) {
  const char *slash = strrchr(path, '/');
  size_t size = slash ? (slash == path ? 1 : (size_t)(slash - path)) : 0;
  char *folder;
  TERN_TRY(tern_allocator_alloc(source->allocator, size + 1, (void **)&folder));
  memcpy(folder, path, size);
  folder[size] = '\0';
  tern_status *status = open_externals(source, folder, options);
  tern_allocator_free(source->allocator, folder, size + 1);
  return status;
}

tern_status *tern_source_open_file(tern_allocator *allocator, const char *path,
                                   const tern_session_options *options, tern_source *out_source) {
  *out_source = (tern_source){.allocator = allocator, .path = path};
  bool reads = tern_session_options_is(options, "session.use_memory_mapped_model", "0");
  TERN_TRY(tern_os_file_open(path, reads ? allocator : NULL, &out_source->file));
  out_source->bytes = (tern_span){out_source->file.data, out_source->file.size};
  return open_externals_beside(out_source, path, options);
}

tern_status *tern_source_open_memory(tern_allocator *allocator, const void *bytes, size_t size,
                                     const tern_session_options *options, tern_source *out_source) {
  *out_source = (tern_source){.allocator = allocator};
  if (!tern_session_options_is(options, "session.use_ort_model_bytes_for_initializers", "1")) {
    void *copy;
    TERN_TRY(tern_allocator_alloc(allocator, size, &copy));
    if (size) memcpy(copy, bytes, size);
    out_source->file = (tern_os_file){.data = copy, .size = size, .reader = allocator};
    bytes = copy;
  }
  out_source->bytes = (tern_span){bytes, size};
  return open_externals(
      out_source,
      tern_session_options_get(options, "session.model_external_initializers_file_folder_path"),
      options);
}

void tern_source_close(tern_source *source) {
  if (!source->allocator) return;
  tern_external_files_destroy(source->externals);
  tern_os_file_close(&source->file);
}
