// Statuses as the ABI sees them, and the text helpers that every handle uses.
#include "base/status.h"

#include <string.h>

#include "api/api.h"

OrtStatus *ort_CreateStatus(OrtErrorCode code, const char *msg) {
  return tern_api_status(tern_status_create((tern_status_code)code, "", 0, "%s", msg ? msg : ""));
}

OrtErrorCode ort_GetErrorCode(const OrtStatus *status) {
  return (OrtErrorCode)tern_status_get_code((const tern_status *)status);
}

const char *ort_GetErrorMessage(const OrtStatus *status) {
  return tern_status_message((const tern_status *)status);
}

void ort_ReleaseStatus(OrtStatus *input) {
  tern_status_free((tern_status *)input);
}

tern_status *tern_api_text_copy(const char *text, char **out_text) {
  char *copy = NULL;
  if (text) {
    size_t size = strlen(text) + 1;
    TERN_TRY(tern_allocator_alloc(tern_allocator_system(), size, (void **)&copy));
    memcpy(copy, text, size);
  }
  *out_text = copy;
  return NULL;
}

void tern_api_text_free(char *text) {
  if (text) tern_allocator_free(tern_allocator_system(), text, strlen(text) + 1);
}

tern_status *tern_api_text_set(char **inout_text, const char *text) {
  char *copy;
  TERN_TRY(tern_api_text_copy(text, &copy));
  tern_api_text_free(*inout_text);
  *inout_text = copy;
  return NULL;
}

tern_status *tern_api_text_get(const char *text, char *buffer, size_t *inout_size) {
  size_t needed = strlen(text) + 1, given = *inout_size;
  *inout_size = needed;
  if (!buffer) return NULL;
  if (given < needed)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the buffer has %zu bytes, %zu are needed", given,
                      needed);
  memcpy(buffer, text, needed);
  return NULL;
}
