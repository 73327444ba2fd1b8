// Status objects are one allocation each: header and message together. They use the C allocator
// directly, because an error must be reportable while the engine's own allocator is failing.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tern_status {
  tern_status_code code;
  bool is_out_of_memory;
  const char *message;
  char where[48];
};

static tern_status out_of_memory_status = {
    .code = TERN_FAIL, .is_out_of_memory = true, .message = "out of memory"};

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

tern_status *(tern_status_out_of_memory)(void) {
  return &out_of_memory_status;
}

bool tern_status_is_out_of_memory(const tern_status *status) {
  return status && status->is_out_of_memory;
}

static tern_status *allocate(tern_status_code code, size_t message_bytes, char **out_message) {
  tern_status *status = malloc(sizeof *status + message_bytes);
  if (!status) return NULL;
  status->code = code;
  status->is_out_of_memory = false;
  *out_message = (char *)(status + 1);
  status->message = *out_message;
  status->where[0] = 0;
  return status;
}

static tern_status *create(tern_status_code code, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *message = NULL;
  tern_status *status = length < 0 ? NULL : allocate(code, (size_t)length + 1, &message);
  if (!status) return tern_status_out_of_memory();
  vsnprintf(message, (size_t)length + 1, format, args);
  return status;
}

tern_status *tern_status_create(tern_status_code code, const char *file, int line,
                                const char *format, ...) {
  va_list args;
  va_start(args, format);
  tern_status *status = create(code, format, args);
  va_end(args);
  if (status != &out_of_memory_status)
    snprintf(status->where, sizeof status->where, "%.36s:%d", base_name(file), line);
  return status;
}

tern_status *tern_status_over_limit(const char *format, ...) {
  va_list args;
  va_start(args, format);
  tern_status *status = create(TERN_FAIL, format, args);
  va_end(args);
  status->is_out_of_memory = true;
  return status;
}

tern_status *tern_status_annotate(tern_status *status, const char *format, ...) {
  if (!status || status == &out_of_memory_status) return status;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int context_length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  size_t message_length = strlen(status->message);
  char *message = NULL;
  tern_status *result =
      context_length < 0
          ? NULL
          : allocate(status->code, (size_t)context_length + 2 + message_length + 1, &message);
  if (result) {
    vsnprintf(message, (size_t)context_length + 1, format, again);
    memcpy(message + context_length, ": ", 2);
    memcpy(message + context_length + 2, status->message, message_length + 1);
    memcpy(result->where, status->where, sizeof result->where);
    result->is_out_of_memory = status->is_out_of_memory;
    tern_status_free(status);
  }
  va_end(again);
  return result ? result : status;
}

tern_status_code tern_status_get_code(const tern_status *status) {
  return status ? status->code : TERN_OK;
}

const char *tern_status_message(const tern_status *status) {
  return status ? status->message : "";
}

const char *tern_status_where(const tern_status *status) {
  return status ? status->where : "";
}

void tern_status_free(tern_status *status) {
  if (status != &out_of_memory_status) free(status);
}
