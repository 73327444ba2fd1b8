// The growing text.
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

void tern_text_init(tern_allocator *allocator, tern_text *out_text) {
  *out_text = (tern_text){.allocator = allocator};
}

void tern_text_deinit(tern_text *text) {
  tern_allocator_free(text->allocator, text->data, text->capacity);
  *text = (tern_text){.allocator = text->allocator};
}

// Room for `size` more bytes and a NUL.
static bool reserve(tern_text *text, size_t size) {
  size_t needed, capacity = text->capacity ? text->capacity : 256;
  if (text->failed || !tern_checked_add(text->size, size, &needed) ||
      !tern_checked_add(needed, 1, &needed))
    return false;
  if (needed <= text->capacity) return true;
  while (capacity < needed && tern_checked_mul(capacity, 2, &capacity)) {
  }
  void *data = NULL;
  tern_status *status = tern_allocator_alloc(text->allocator, capacity, &data);
  if (status) {
    tern_status_ignore(status);
    text->failed = true;
    return false;
  }
  if (text->size) memcpy(data, text->data, text->size);
  tern_allocator_free(text->allocator, text->data, text->capacity);
  text->data = data;
  text->capacity = capacity;
  return true;
}

void tern_text_append(tern_text *text, const char *data, size_t size) {
  if (!reserve(text, size)) return;
  if (size) memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = 0;
}

void tern_text_printf(tern_text *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length >= 0 && reserve(text, (size_t)length)) {
    vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
    text->size += (size_t)length;
  }
  va_end(again);
}

// The length of the UTF-8 sequence at `s`, or 0 when it is none.
static size_t utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  size_t n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
  if (n == 0 || s[0] >= 0xf5) return 0;
  for (size_t i = 1; i < n; ++i) {
    if ((s[i] & 0xc0) != 0x80) return 0;
  }
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return n;
}

void tern_text_json_string(tern_text *text, const char *string) {
  tern_text_append(text, "\"", 1);
  for (const unsigned char *s = (const unsigned char *)string; *s;) {
    size_t n = utf8_length(s);
    if (n == 0) {
      tern_text_append(text, "\xef\xbf\xbd", 3);
      n = 1;
    } else if (*s == '"' || *s == '\\') {
      tern_text_printf(text, "\\%c", *s);
    } else if (*s < 0x20) {
      tern_text_printf(text, "\\u%04x", *s);
    } else {
      tern_text_append(text, (const char *)s, n);
    }
    s += n;
  }
  tern_text_append(text, "\"", 1);
}

tern_status *tern_text_check(const tern_text *text) {
  return text->failed ? tern_status_out_of_memory() : NULL;
}
