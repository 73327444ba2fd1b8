// printf and strtod, with the locale's decimal point taken out of their results.
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *locale_point(void) {
  const char *point = localeconv()->decimal_point;
  return point && *point ? point : ".";
}

// Replaces the first `from` in the text by `to`, where `size` bytes have room for it.
static void replace_point(char *text, size_t size, const char *from, const char *to) {
  char *at = strstr(text, from);
  if (!at || strcmp(from, to) == 0) return;
  const size_t from_bytes = strlen(from), to_bytes = strlen(to), rest = strlen(at + from_bytes) + 1;
  if ((size_t)(at - text) + to_bytes + rest > size) return;
  memmove(at + to_bytes, at + from_bytes, rest);
  memcpy(at, to, to_bytes);
}

// NaN and infinities. 0: the value is finite.
static size_t format_special(double value, char *buffer) {
  const char *text = isnan(value) ? "NaN" : !isinf(value) ? "" : value > 0 ? "INF" : "-INF";
  memcpy(buffer, text, strlen(text) + 1);
  return strlen(text);
}

static size_t format_digits(double value, int digits, char *buffer) {
  snprintf(buffer, TERN_NUMBER_TEXT_BYTES, "%.*g", digits, value);
  replace_point(buffer, TERN_NUMBER_TEXT_BYTES, locale_point(), ".");
  return strlen(buffer);
}

size_t tern_number_format_f32(float value, char buffer[TERN_NUMBER_TEXT_BYTES]) {
  size_t size = format_special((double)value, buffer);
  double back;
  if (size > 0) return size;
  size = format_digits((double)value, 8, buffer);
  if (tern_number_parse_f64(buffer, size, &back) && (float)back == value) return size;
  return format_digits((double)value, 9, buffer);
}

size_t tern_number_format_f64(double value, char buffer[TERN_NUMBER_TEXT_BYTES]) {
  size_t size = format_special(value, buffer);
  for (int digits = 15; size == 0 && digits < 17; ++digits) {
    double back;
    size = format_digits(value, digits, buffer);
    if (!tern_number_parse_f64(buffer, size, &back) || back != value) size = 0;
  }
  return size > 0 ? size : format_digits(value, 17, buffer);
}

enum { TEXT_BYTES = 256 };

// The text without white space around it, NUL-terminated. False when it is empty or too long.
static bool copy_trimmed(const char *text, size_t size, char copy[TEXT_BYTES]) {
  while (size > 0 && isspace((unsigned char)*text)) ++text, --size;
  while (size > 0 && isspace((unsigned char)text[size - 1])) --size;
  if (size == 0 || size >= TEXT_BYTES) return false;
  memcpy(copy, text, size);
  copy[size] = '\0';
  return strlen(copy) == size;
}

bool tern_number_parse_f64(const char *text, size_t size, double *out_value) {
  char copy[TEXT_BYTES], *end;
  if (!copy_trimmed(text, size, copy)) return false;
  replace_point(copy, sizeof copy, ".", locale_point());
  const double value = strtod(copy, &end);
  if (*end) return false;
  *out_value = value;
  return true;
}

bool tern_number_parse_i64(const char *text, size_t size, int64_t *out_value) {
  char copy[TEXT_BYTES], *end;
  if (!copy_trimmed(text, size, copy)) return false;
  errno = 0;
  const int64_t value =
      copy[0] == '-' ? (int64_t)strtoll(copy, &end, 10) : (int64_t)strtoull(copy, &end, 10);
  if (*end || errno) return false;
  *out_value = value;
  return true;
}
