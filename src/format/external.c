// External data files, one entry a location, kept until the model that points into them is gone.
#include "format/external.h"

#include <string.h>

#include "base/array.h"
#include "base/checked.h"

typedef struct external_file {
  char *name;
  size_t name_bytes;
  tern_os_file file;
  bool is_given; // the caller's bytes: not ours to close
} external_file;

struct tern_external_files {
  tern_allocator *allocator;
  char *folder; // NULL: none
  size_t folder_bytes;
  tern_allocator *reader; // NULL: files are mapped
  TERN_ARRAY(external_file *) files;
  tern_map by_name;
};

static tern_status *copy_text(tern_allocator *allocator, tern_span text, char **out_copy) {
  char *copy;
  TERN_TRY(tern_allocator_alloc(allocator, text.size + 1, (void **)&copy));
  if (text.size > 0) memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  *out_copy = copy;
  return NULL;
}

tern_status *tern_external_files_create(tern_allocator *allocator, const char *folder,
                                        tern_allocator *reader, tern_external_files **out_files) {
  tern_external_files *files;
  TERN_TRY(TERN_NEW(allocator, &files));
  files->allocator = allocator;
  files->reader = reader;
  tern_map_init(allocator, &files->by_name);
  if (folder) {
    files->folder_bytes = strlen(folder) + 1;
    tern_status *status =
        copy_text(allocator, (tern_span){folder, files->folder_bytes - 1}, &files->folder);
    if (status) {
      tern_external_files_destroy(files);
      return status;
    }
  }
  *out_files = files;
  return NULL;
}

static void destroy_file(tern_allocator *allocator, external_file *file) {
  if (!file->is_given && file->file.data) tern_os_file_close(&file->file);
  tern_allocator_free(allocator, file->name, file->name_bytes);
  TERN_DELETE(allocator, file);
}

void tern_external_files_destroy(tern_external_files *files) {
  if (!files) return;
  for (size_t i = 0; i < files->files.count; ++i)
    destroy_file(files->allocator, files->files.data[i]);
  TERN_ARRAY_FREE(files->allocator, &files->files);
  tern_map_deinit(&files->by_name);
  tern_allocator_free(files->allocator, files->folder, files->folder_bytes);
  TERN_DELETE(files->allocator, files);
}

// Puts `file` into the list and the map; destroys it on failure.
static tern_status *keep(tern_external_files *files, external_file *file) {
  tern_status *status = TERN_ARRAY_RESERVE_ONE(files->allocator, &files->files);
  if (!status) status = tern_map_set(&files->by_name, file->name, file);
  if (status) {
    destroy_file(files->allocator, file);
    return status;
  }
  files->files.data[files->files.count++] = file;
  return NULL;
}

static tern_status *new_file(tern_external_files *files, tern_span name, external_file **out_file) {
  external_file *file;
  TERN_TRY(TERN_NEW(files->allocator, &file));
  tern_status *status = copy_text(files->allocator, name, &file->name);
  if (status) {
    TERN_DELETE(files->allocator, file);
    return status;
  }
  file->name_bytes = name.size + 1;
  *out_file = file;
  return NULL;
}

tern_status *tern_external_files_add(tern_external_files *files, const char *name,
                                     tern_span bytes) {
  external_file *file = tern_map_get(&files->by_name, name);
  if (file && !file->is_given)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the external file '%s' is already open", name);
  tern_os_file given = {.data = bytes.data, .size = bytes.size};
  if (file) {
    file->file = given;
    return NULL;
  }
  TERN_TRY(new_file(files, (tern_span){name, strlen(name)}, &file));
  file->is_given = true;
  file->file = given;
  return keep(files, file);
}

static tern_status *open_file(tern_external_files *files, tern_span name,
                              external_file **out_file) {
  external_file *file;
  TERN_TRY(new_file(files, name, &file));
  tern_status *status =
      files->folder ? tern_os_file_open_below(files->folder, file->name, files->reader, &file->file)
                    : TERN_ERROR(TERN_INVALID_ARGUMENT,
                                 "external data in '%s', but the model has no folder", file->name);
  if (status) {
    destroy_file(files->allocator, file);
    return status;
  }
  TERN_TRY(keep(files, file));
  *out_file = file;
  return NULL;
}

enum { LONGEST_LOCATION_BYTES = 4095 };

static tern_status *find_file(tern_external_files *files, tern_span location,
                              external_file **out_file) {
  if (location.size == 0 || location.size > LONGEST_LOCATION_BYTES ||
      memchr(location.data, 0, location.size))
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "external_data has no usable location");
  char key[LONGEST_LOCATION_BYTES + 1];
  memcpy(key, location.data, location.size);
  key[location.size] = 0;
  external_file *file = tern_map_get(&files->by_name, key);
  if (!file) TERN_TRY(open_file(files, location, &file));
  *out_file = file;
  return NULL;
}

// The bytes that the type and dimensions need; SIZE_MAX where they make no sense, which decoding
// reports.
static size_t needed_bytes(const tern_onnx_tensor *tensor) {
  int64_t count = 1;
  for (size_t i = 0; i < tensor->dim_count; ++i) {
    if (tensor->dims[i] == 0) return 0;
    if (!tern_checked_mul_i64(count, tensor->dims[i], &count)) return SIZE_MAX;
  }
  size_t bytes;
  return tern_dtype_bytes((tern_dtype)tensor->dtype, count, &bytes) ? bytes : SIZE_MAX;
}

static tern_status *slice(const tern_os_file *file, const tern_onnx_tensor *tensor,
                          tern_span *out_bytes) {
  if (tensor->external_offset > file->size)
    return TERN_ERROR(TERN_INVALID_PROTOBUF, "the offset %llu is behind the file's %zu bytes",
                      (unsigned long long)tensor->external_offset, file->size);
  size_t offset = (size_t)tensor->external_offset, rest = file->size - offset, length = rest;
  if (tensor->has_external_length) {
    if (tensor->external_length > rest)
      return TERN_ERROR(TERN_INVALID_PROTOBUF, "%llu bytes at offset %zu of a file of %zu",
                        (unsigned long long)tensor->external_length, offset, file->size);
    length = (size_t)tensor->external_length;
  } else if (needed_bytes(tensor) < rest) {
    length = needed_bytes(tensor);
  }
  // An empty file has no address to add to.
  *out_bytes = (tern_span){file->data ? (const char *)file->data + offset : NULL, length};
  return NULL;
}

tern_status *tern_external_files_find(tern_external_files *files, const tern_onnx_tensor *tensor,
                                      tern_span *out_bytes) {
  external_file *file = NULL;
  tern_status *status = find_file(files, tensor->external_location, &file);
  if (!status)
    status = tern_status_annotate(slice(&file->file, tensor, out_bytes), "file '%s'", file->name);
  return tern_status_annotate(status, "tensor '%.*s'", TERN_SPAN_ARGS(tensor->name));
}

const tern_os_file *tern_external_files_holding(const tern_external_files *files,
                                                const void *data) {
  for (size_t i = 0; i < files->files.count; ++i) {
    const external_file *file = files->files.data[i];
    if (!file->is_given && tern_os_file_contains(&file->file, data)) return &file->file;
  }
  return NULL;
}
