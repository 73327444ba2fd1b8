// A growing text: for listings, reports and JSON. Like a builder it keeps its first failure, so
// that callers check once, at the end.
#ifndef TERN_BASE_TEXT_H_
#define TERN_BASE_TEXT_H_

#include "base/allocator.h"

typedef struct tern_text {
  tern_allocator *allocator;
  char *data; // NUL-terminated; NULL while empty
  size_t size, capacity;
  bool failed; // memory ran out; the text is incomplete
} tern_text;

void tern_text_init(tern_allocator *allocator, tern_text *out_text);
void tern_text_deinit(tern_text *text);
void tern_text_append(tern_text *text, const char *data, size_t size);
void tern_text_printf(tern_text *text, const char *format, ...) TERN_PRINTF(2, 3);
// A JSON string literal, quoted and escaped; bytes that are not UTF-8 become U+FFFD.
void tern_text_json_string(tern_text *text, const char *string);
// Out of memory when anything was lost.
TERN_MUST_USE tern_status *tern_text_check(const tern_text *text);

#endif
