// Inputs without a source: literals, constants, and random values from a generator of our own, so
// that a seed means the same numbers for every library and on every machine.
#include <string.h>

#include "input.h"
#include "text.h"

// SplitMix64 (Steele, Lea and Flood, 2014): one addition and a mix; any seed will do.
static uint64_t next_bits(uint64_t *state) {
  uint64_t bits = *state += 0x9E3779B97F4A7C15u;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
  return bits ^ bits >> 31;
}

// Each input draws from a sequence of its own, so that adding one does not change the others.
static uint64_t start_state(const cli_wanted *wanted) {
  uint64_t state = wanted->seed;
  for (const char *at = wanted->name; *at; at++) state = next_bits(&state) ^ (unsigned char)*at;
  return state;
}

// Values in [low, high): whole numbers for integers, multiples of 2^-24 of the range for floats.
static cli_number next_number(uint64_t *state, cli_kind kind, double low, double high) {
  double part = (double)(next_bits(state) >> 40) / (double)(1 << 24);
  if (kind == CLI_KIND_FLOAT) return cli_number_real(low + part * (high - low));
  return cli_number_integer((int64_t)low + (int64_t)(part * (high - low)));
}

static cli_status *fill_random(cli_arena *arena, const cli_wanted *wanted, double low, double high,
                               cli_tensor *tensor) {
  uint64_t state = start_state(wanted);
  cli_kind kind = cli_element_of(tensor->type)->kind;
  for (size_t i = 0; i < tensor->count; i++) {
    cli_number number = next_number(&state, kind, low, high);
    if (tensor->strings)
      tensor->strings[i] = cli_print(arena, "%lld", (long long)number.integer);
    else
      CLI_TRY(cli_element_store(tensor->type, tensor->data, i, number));
  }
  return NULL;
}

static cli_status *read_range(cli_type type, char *const *pieces, size_t count, double *out_low,
                              double *out_high) {
  const cli_element *element = cli_element_of(type);
  *out_low = 0;
  *out_high = element->kind == CLI_KIND_FLOAT ? 1 : element->kind == CLI_KIND_BOOL ? 2 : 10;
  // The largest range that two and four bits hold.
  if (element->kind == CLI_KIND_SIGNED && element->bits < 8) *out_high = 1 << (element->bits - 1);
  if (element->kind == CLI_KIND_UNSIGNED && element->bits < 4) *out_high = 1 << element->bits;
  if (count == 0) return NULL;
  bool right = count == 2 && cli_parse_real(pieces[0], out_low) &&
               cli_parse_real(pieces[1], out_high) && *out_low < *out_high && *out_low >= -9e15 &&
               *out_high <= 9e15;
  if (right) return NULL;
  return cli_fail(CLI_USAGE, "random:SHAPE:LOW:HIGH expects two numbers, LOW below HIGH");
}

// "1x3x224x224", "scalar", or "" for the wanted shape itself.
static cli_status *read_dims(cli_arena *arena, const char *text, const cli_wanted *wanted,
                             size_t *out_rank, int64_t **out_dims) {
  if (!text[0]) {
    *out_rank = wanted->rank;
    *out_dims = cli_arena_array(arena, wanted->rank, sizeof **out_dims);
    if (wanted->rank) memcpy(*out_dims, wanted->dims, wanted->rank * sizeof **out_dims);
    for (size_t i = 0; i < wanted->rank; i++)
      if (wanted->dims[i] < 0)
        return cli_fail(CLI_USAGE,
                        "its shape %s is not fixed: give the sizes with --dim, or in the spec, as "
                        "random:1x3x224x224",
                        cli_shape_text(arena, wanted->rank, wanted->dims));
    return NULL;
  }
  char **pieces;
  *out_rank = strcmp(text, "scalar") == 0 ? 0 : cli_split(arena, text, 'x', &pieces);
  *out_dims = cli_arena_array(arena, *out_rank, sizeof **out_dims);
  for (size_t i = 0; i < *out_rank; i++)
    if (!cli_parse_integer(pieces[i], &(*out_dims)[i]) || (*out_dims)[i] < 0)
      return cli_fail(CLI_USAGE, "'%s' is not a shape like 1x3x224x224", text);
  return NULL;
}

cli_status *cli_generate(cli_arena *arena, const char *spec, const cli_wanted *wanted,
                         cli_tensor *out_tensor) {
  char **pieces;
  size_t count = cli_split(arena, spec, ':', &pieces), rank;
  int64_t *dims;
  bool is_random = strcmp(pieces[0], "random") == 0, is_ones = strcmp(pieces[0], "ones") == 0;
  if (!is_random && count > 2)
    return cli_fail(CLI_USAGE, "%s takes a shape and nothing else", pieces[0]);
  CLI_TRY(read_dims(arena, count > 1 ? pieces[1] : "", wanted, &rank, &dims));
  double low, high;
  CLI_TRY(read_range(wanted->type, pieces + 2, count > 2 ? count - 2 : 0, &low, &high));
  cli_tensor tensor;
  CLI_TRY(cli_tensor_new(arena, wanted->type, rank, dims, &tensor));
  if (is_random) CLI_TRY(fill_random(arena, wanted, low, high, &tensor));
  for (size_t i = 0; is_ones && i < tensor.count; i++) {
    if (tensor.strings)
      tensor.strings[i] = "1";
    else
      CLI_TRY(cli_element_store(tensor.type, tensor.data, i, cli_number_integer(1)));
  }
  *out_tensor = tensor;
  return NULL;
}

static bool read_number(const char *text, cli_number *out_number) {
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    *out_number = cli_number_integer(text[0] == 't');
    return true;
  }
  if (cli_parse_integer(text, &out_number->integer)) {
    *out_number = cli_number_integer(out_number->integer);
    return true;
  }
  *out_number = (cli_number){0};
  return cli_parse_real(text, &out_number->real);
}

// A list has no shape of its own: it fills the wanted one, of which one size may be free.
static cli_status *shape_list(cli_arena *arena, const cli_wanted *wanted, size_t count,
                              size_t *out_rank, int64_t **out_dims) {
  int64_t *dims = cli_arena_array(arena, wanted->rank + 1, sizeof *dims);
  size_t fixed = 1, free_axis = wanted->rank;
  for (size_t i = wanted->rank; i-- > 0;) {
    dims[i] = wanted->dims[i] < 0 ? 1 : wanted->dims[i];
    // The last free size takes what the others leave; further ones are 1.
    if (wanted->dims[i] < 0 && free_axis == wanted->rank) free_axis = i;
    if (dims[i] && fixed <= count) fixed *= (size_t)dims[i];
  }
  if (free_axis < wanted->rank && fixed && count % fixed == 0)
    dims[free_axis] = (int64_t)(count / fixed);
  bool is_vector = wanted->rank == 0 && count != 1;
  if (is_vector) dims[0] = (int64_t)count;
  *out_rank = is_vector ? 1 : wanted->rank;
  size_t total;
  CLI_TRY(cli_shape_count(*out_rank, dims, &total));
  if (total != count)
    return cli_fail(CLI_FAILED, "%zu values given for shape %s", count,
                    cli_shape_text(arena, wanted->rank, wanted->dims));
  *out_dims = dims;
  return NULL;
}

cli_status *cli_literal_parse(cli_arena *arena, const char *text, const cli_wanted *wanted,
                              cli_tensor *out_tensor) {
  char **pieces;
  size_t count = cli_split(arena, text, ',', &pieces);
  size_t rank;
  int64_t *dims;
  CLI_TRY(shape_list(arena, wanted, count, &rank, &dims));
  cli_tensor tensor;
  CLI_TRY(cli_tensor_new(arena, wanted->type, rank, dims, &tensor));
  for (size_t i = 0; i < count; i++) {
    cli_number number;
    if (tensor.strings) {
      tensor.strings[i] = pieces[i];
      continue;
    }
    if (!read_number(pieces[i], &number))
      return cli_fail(CLI_FAILED, "'%s' is neither a number nor a file this tool reads", pieces[i]);
    CLI_TRY(cli_element_store(tensor.type, tensor.data, i, number));
  }
  *out_tensor = tensor;
  return NULL;
}
