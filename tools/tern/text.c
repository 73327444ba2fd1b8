// Parsing and printing of small texts. Nothing here touches files, models or libraries.
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_parse_unsigned(const char *text, uint64_t *out_value) {
  if (!isdigit((unsigned char)text[0])) return false;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno || *end) return false;
  *out_value = value;
  return true;
}

bool cli_parse_integer(const char *text, int64_t *out_value) {
  const char *digits = text[0] == '-' || text[0] == '+' ? text + 1 : text;
  if (!isdigit((unsigned char)digits[0])) return false;
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || *end) return false;
  *out_value = value;
  return true;
}

bool cli_parse_real(const char *text, double *out_value) {
  if (!text[0] || isspace((unsigned char)text[0])) return false;
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end) return false;
  *out_value = value;
  return true;
}

bool cli_starts(const char *text, const char *part) {
  return strncmp(text, part, strlen(part)) == 0;
}

bool cli_ends(const char *text, const char *part) {
  size_t length = strlen(text), part_length = strlen(part);
  if (part_length > length) return false;
  text += length - part_length;
  for (size_t i = 0; i < part_length; i++)
    if (tolower((unsigned char)text[i]) != tolower((unsigned char)part[i])) return false;
  return true;
}

size_t cli_split(cli_arena *arena, const char *text, char separator, char ***out_pieces) {
  size_t count = text[0] ? 1 : 0;
  for (const char *at = text; *at; at++) count += *at == separator;
  char **pieces = cli_arena_array(arena, count, sizeof *pieces);
  for (size_t i = 0; i < count; i++) {
    const char *end = strchr(text, separator);
    size_t length = end ? (size_t)(end - text) : strlen(text);
    pieces[i] = cli_copy(arena, text, length);
    text += length + 1;
  }
  *out_pieces = pieces;
  return count;
}

// Levenshtein's distance, or `limit` when either word is too long to be worth it.
static size_t edit_distance(const char *a, const char *b, size_t limit) {
  enum { LONGEST = 63 };
  size_t row[LONGEST + 1], a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST || b_length > LONGEST) return limit;
  for (size_t j = 0; j <= b_length; j++) row[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      size_t change = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = replace < change ? replace : change;
    }
  }
  return row[b_length];
}

const char *cli_suggest(cli_arena *arena, const char *word, const char *const *names,
                        size_t count) {
  size_t best = strlen(word) / 3 + 2;
  const char *nearest = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t distance = edit_distance(word, names[i], best);
    if (distance < best) {
      best = distance;
      nearest = names[i];
    }
  }
  return nearest ? cli_print(arena, " (did you mean '%s'?)", nearest) : "";
}

const char *cli_list_names(cli_arena *arena, const char *const *names, size_t count) {
  const char *text = count ? "" : "none";
  for (size_t i = 0; i < count; i++)
    text = cli_print(arena, "%s%s'%s'", text, i ? ", " : "", names[i]);
  return text;
}

const char *cli_shape_text(cli_arena *arena, size_t rank, const int64_t *dims) {
  if (rank == 0) return "scalar";
  const char *text = "";
  for (size_t i = 0; i < rank; i++) {
    const char *join = i ? "x" : "";
    text = dims[i] < 0 ? cli_print(arena, "%s%s?", text, join)
                       : cli_print(arena, "%s%s%lld", text, join, (long long)dims[i]);
  }
  return text;
}

const char *cli_duration_text(cli_arena *arena, double ns) {
  if (ns < 1e3) return cli_print(arena, "%.0f ns", ns);
  if (ns < 1e6) return cli_print(arena, "%.2f us", ns / 1e3);
  if (ns < 1e9) return cli_print(arena, "%.2f ms", ns / 1e6);
  return cli_print(arena, "%.2f s", ns / 1e9);
}

const char *cli_bytes_text(cli_arena *arena, double bytes) {
  if (bytes < 1e3) return cli_print(arena, "%.0f B", bytes);
  if (bytes < 1e6) return cli_print(arena, "%.1f kB", bytes / 1e3);
  if (bytes < 1e9) return cli_print(arena, "%.1f MB", bytes / 1e6);
  return cli_print(arena, "%.2f GB", bytes / 1e9);
}
