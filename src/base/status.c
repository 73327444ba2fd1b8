// Status objects are one allocation each: header and message together. They use the C allocator
// directly, because an error must be reportable while the engine's own allocator is failing.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tern_status {
  tern_status_code code;
  const char *message;
  char where[48];
};

static tern_status out_of_memory_status = {TERN_FAIL, "out of memory", ""};

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

tern_status *tern_status_out_of_memory(void) {
  return &out_of_memory_status;
}

bool tern_status_is_out_of_memory(const tern_status *status) {
  return status == &out_of_memory_status;
}

static tern_status *allocate(tern_status_code code, size_t message_bytes, char **out_message) {
  tern_status *status = malloc(sizeof *status + message_bytes);
  if (!status) return NULL;
  status->code = code;
  *out_message = (char *)(status + 1);
  status->message = *out_message;
  status->where[0] = 0;
  return status;
}

tern_status *tern_status_create(tern_status_code code, const char *file, int line,
                                const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *message = NULL;
  tern_status *status = length < 0 ? NULL : allocate(code, (size_t)length + 1, &message);
  if (status) {
    vsnprintf(message, (size_t)length + 1, format, again);
    snprintf(status->where, sizeof status->where, "%.36s:%d", base_name(file), line);
  }
  va_end(again);
  return status ? status : tern_status_out_of_memory();
}

tern_status *tern_status_annotate(tern_status *status, const char *format, ...) {
  if (!status || tern_status_is_out_of_memory(status)) return status;
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
