// Casts from and to strings. Integers go through text as integers, floats as floats; an integer is
// also read from the text of a float, and a bool from "true" and "false".
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "compute/cast.h"
#include "providers/cpu/cast.h"

static bool equals_word(const tern_string *text, const char *word) {
  if (text->size != strlen(word)) return false;
  for (size_t i = 0; i < text->size; ++i) {
    if ((text->data[i] | 0x20) != word[i]) return false;
  }
  return true;
}

// The text's number as an integer (where it is one) and as a double.
static bool read_number(const tern_string *text, bool *out_is_integer, int64_t *out_integer,
                        double *out_real) {
  *out_is_integer = tern_number_parse_i64(text->data, text->size, out_integer);
  if (*out_is_integer) {
    return tern_number_parse_f64(text->data, text->size, out_real);
  }
  if (equals_word(text, "true") || equals_word(text, "false")) {
    *out_real = text->data[0] == 't' || text->data[0] == 'T';
    return true;
  }
  return tern_number_parse_f64(text->data, text->size, out_real);
}

enum { PIECE = 64 }; // a multiple of 8: pieces of packed elements begin at bytes

static void *piece_at(const tern_value *value, int64_t first) {
  return (char *)value->data + (size_t)first / 8 * tern_dtype_get_info(value->dtype)->bits;
}

// A piece is read as doubles, or as integers when the target is one and every text is.
tern_status *tern_cpu_cast_from_strings(const tern_value *x, tern_value *y) {
  const tern_string *texts = x->data;
  const uint8_t class = tern_dtype_get_info(y->dtype)->class;
  const int64_t count = tern_value_count(x);
  const tern_cast_options options = {.saturate = true};
  for (int64_t first = 0; first < count; first += PIECE) {
    int64_t integers[PIECE];
    double reals[PIECE];
    bool all_integers = class == TERN_CLASS_I || class == TERN_CLASS_U;
    const int64_t length = tern_min_i64(PIECE, count - first);
    for (int64_t i = 0; i < length; ++i) {
      bool is_integer;
      const tern_string *text = &texts[first + i];
      if (!read_number(text, &is_integer, &integers[i], &reals[i]))
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "'%.*s' is no number",
                          (int)(text->size < 40 ? text->size : 40), text->size ? text->data : "");
      all_integers &= is_integer;
    }
    if (all_integers) {
      tern_cast(TERN_INT64, integers, y->dtype, piece_at(y, first), length, &options);
    } else {
      tern_cast(TERN_DOUBLE, reals, y->dtype, piece_at(y, first), length, &options);
    }
  }
  return NULL;
}

static int format_element(tern_dtype dtype, const void *data, int64_t index, char *buffer) {
  if (dtype == TERN_FLOAT) return (int)tern_number_format_f32(((const float *)data)[index], buffer);
  if (dtype == TERN_DOUBLE)
    return (int)tern_number_format_f64(((const double *)data)[index], buffer);
  const int64_t value = tern_dtype_read_i64(dtype, data, index);
  if (dtype == TERN_BOOL) return snprintf(buffer, TERN_NUMBER_TEXT_BYTES, "%d", value != 0);
  if (dtype == TERN_UINT64)
    return snprintf(buffer, TERN_NUMBER_TEXT_BYTES, "%llu", (unsigned long long)value);
  return snprintf(buffer, TERN_NUMBER_TEXT_BYTES, "%lld", (long long)value);
}

tern_status *tern_cpu_cast_to_strings(const tern_value *x, tern_value *y) {
  const bool is_narrow = tern_dtype_get_info(x->dtype)->class == TERN_CLASS_B;
  const int64_t count = tern_value_count(x);
  for (int64_t first = 0; first < count; first += PIECE) {
    float wide[PIECE];
    const int64_t length = tern_min_i64(PIECE, count - first);
    if (is_narrow) tern_dtype_to_f32(x->dtype, piece_at(x, first), length, wide);
    for (int64_t i = 0; i < length; ++i) {
      char buffer[TERN_NUMBER_TEXT_BYTES];
      const int size = is_narrow ? format_element(TERN_FLOAT, wide, i, buffer)
                                 : format_element(x->dtype, x->data, first + i, buffer);
      TERN_TRY(tern_value_set_string(y, first + i, buffer, (size_t)size));
    }
  }
  return NULL;
}
