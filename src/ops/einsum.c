// Einstein summation: the equation and the operator's row.
#include "ops/einsum.h"

#include <string.h>

#include "ops/ops.h"

// The label of a letter; -1 for any other character.
static int32_t label_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  return -1;
}

// Where the inputs' terms end.
static const char *end_of_inputs(const char *equation) {
  const char *arrow = strstr(equation, "->");
  return arrow ? arrow : equation + strlen(equation);
}

// Reads the labels in [text, end). An ellipsis stands for `ellipsis_rank` dimensions; -1: for those
// that `rank` leaves, which then must come out exactly.
static tern_status *read_labels(const char *text, const char *end, int32_t rank,
                                int32_t ellipsis_rank, tern_einsum_term *out) {
  int32_t letters = 0, before = -1;
  uint8_t labels[TERN_MAX_RANK];
  for (; text < end; ++text) {
    if (*text == ' ') continue;
    if (end - text >= 3 && memcmp(text, "...", 3) == 0) {
      if (before >= 0) return TERN_ERROR(TERN_INVALID_GRAPH, "a term has two ellipses");
      before = letters;
      text += 2;
      continue;
    }
    const int32_t label = label_of(*text);
    if (label < 0)
      return TERN_ERROR(TERN_INVALID_GRAPH, "'equation' has the character '%c'", *text);
    if (letters == TERN_MAX_RANK)
      return TERN_ERROR(TERN_INVALID_GRAPH, "a term has more than %d labels", TERN_MAX_RANK);
    labels[letters++] = (uint8_t)label;
  }
  int32_t spread = before < 0 ? 0 : ellipsis_rank >= 0 ? ellipsis_rank : rank - letters;
  if (spread < 0 || letters + spread > TERN_MAX_RANK ||
      (ellipsis_rank < 0 && letters + spread != rank))
    return TERN_ERROR(TERN_INVALID_ARGUMENT,
                      "a term of %d labels does not fit an operand of rank %d", letters, rank);
  out->rank = 0;
  for (int32_t i = 0; i <= letters; ++i) {
    for (int32_t d = spread; i == before && d > 0; --d)
      out->labels[out->rank++] = (uint8_t)(TERN_EINSUM_LETTERS + d - 1);
    if (i < letters) out->labels[out->rank++] = labels[i];
  }
  return NULL;
}

tern_status *tern_einsum_read_term(const char *equation, int32_t index, int32_t rank,
                                   tern_einsum_term *out_term) {
  const char *text = equation, *end = end_of_inputs(equation);
  for (int32_t i = 0; i < index; ++i) {
    const char *comma = memchr(text, ',', (size_t)(end - text));
    if (!comma)
      return TERN_ERROR(TERN_INVALID_GRAPH, "'equation' has %d terms, there are more operands",
                        i + 1);
    text = comma + 1;
  }
  const char *comma = memchr(text, ',', (size_t)(end - text));
  return read_labels(text, comma ? comma : end, rank, -1, out_term);
}

static tern_status *check_term_count(const char *equation, int32_t count) {
  int32_t terms = 1;
  for (const char *c = equation, *end = end_of_inputs(equation); c < end; ++c) terms += *c == ',';
  if (terms == count) return NULL;
  return TERN_ERROR(TERN_INVALID_GRAPH, "'equation' has %d terms for %d operands", terms, count);
}

// Sizes broadcast: 1 stretches to anything.
static bool join_size(tern_dim *inout, tern_dim size) {
  if (size == 1) return true;
  if (*inout != 1) return tern_dim_merge(inout, size);
  *inout = size;
  return true;
}

// The result where the equation does not give it: the ellipsis, then every letter that occurs once.
static tern_status *implicit_result(const int32_t *occurrences, int32_t ellipsis_rank,
                                    tern_einsum_term *out) {
  out->rank = 0;
  for (int32_t d = ellipsis_rank; d > 0; --d)
    out->labels[out->rank++] = (uint8_t)(TERN_EINSUM_LETTERS + d - 1);
  for (int32_t label = 0; label < TERN_EINSUM_LETTERS; ++label) {
    if (occurrences[label] != 1) continue;
    if (out->rank == TERN_MAX_RANK)
      return TERN_ERROR(TERN_INVALID_GRAPH, "the result has more than %d dimensions",
                        TERN_MAX_RANK);
    out->labels[out->rank++] = (uint8_t)label;
  }
  return NULL;
}

static tern_status *check_result(const tern_einsum_term *result, const int32_t *occurrences) {
  bool seen[TERN_EINSUM_LABELS] = {false};
  for (int32_t i = 0; i < result->rank; ++i) {
    const uint8_t label = result->labels[i];
    if (seen[label] || occurrences[label] == 0)
      return TERN_ERROR(TERN_INVALID_GRAPH,
                        "a label of the result is there twice, or in no operand");
    seen[label] = true;
  }
  return NULL;
}

tern_status *tern_einsum_read(const char *equation, const tern_shape *const *shapes, int32_t count,
                              tern_einsum *out_einsum) {
  int32_t occurrences[TERN_EINSUM_LABELS] = {0}, ellipsis_rank = 0;
  TERN_TRY(check_term_count(equation, count));
  for (int32_t i = 0; i < TERN_EINSUM_LABELS; ++i) out_einsum->sizes[i] = 1;
  for (int32_t t = 0; t < count; ++t) {
    tern_einsum_term term;
    TERN_TRY(tern_einsum_read_term(equation, t, shapes[t]->rank, &term));
    for (int32_t i = 0; i < term.rank; ++i) {
      const uint8_t label = term.labels[i];
      if (!join_size(&out_einsum->sizes[label], shapes[t]->dims[i]))
        return TERN_ERROR(TERN_INVALID_ARGUMENT,
                          "operand %d has the size %lld in dimension %d, where others have %lld", t,
                          (long long)shapes[t]->dims[i], i, (long long)out_einsum->sizes[label]);
      occurrences[label]++;
      if (label >= TERN_EINSUM_LETTERS)
        ellipsis_rank = (int32_t)tern_max_i64(ellipsis_rank, label - TERN_EINSUM_LETTERS + 1);
    }
  }
  const char *end = end_of_inputs(equation);
  if (!*end) return implicit_result(occurrences, ellipsis_rank, &out_einsum->result);
  TERN_TRY(read_labels(end + 2, end + strlen(end), 0, ellipsis_rank, &out_einsum->result));
  return check_result(&out_einsum->result, occurrences);
}

static tern_status *infer_einsum(tern_infer *infer) {
  const tern_shape *shapes[TERN_EINSUM_MAX_OPERANDS];
  tern_einsum einsum;
  if (infer->input_count > TERN_EINSUM_MAX_OPERANDS)
    return TERN_ERROR(TERN_NOT_IMPLEMENTED, "there are %d operands, %d are the most",
                      infer->input_count, TERN_EINSUM_MAX_OPERANDS);
  for (int32_t i = 0; i < infer->input_count; ++i) {
    shapes[i] = tern_infer_shape(infer, i);
    if (!tern_shape_has_rank(shapes[i])) return NULL;
  }
  TERN_TRY(tern_einsum_read(tern_node_attr_s(infer->node, "equation"), shapes, infer->input_count,
                            &einsum));
  tern_shape *y = &infer->output_types[0].shape;
  y->rank = einsum.result.rank;
  for (int32_t i = 0; i < y->rank; ++i) y->dims[i] = einsum.sizes[einsum.result.labels[i]];
  return NULL;
}

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Einsum",
        .since = 28,
        TERN_INPUTS({"Inputs", "T", TERN_FORMAL_VARIADIC, 1}),
        TERN_OUTPUTS({"Output", "T"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_NUMERIC}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("equation", TERN_ATTR_STRING)),
        TERN_VERSIONS({12}, {28}),
        .infer = infer_einsum,
    },
};

const tern_op_family tern_ops_einsum = {"einsum", ops, TERN_COUNT_OF(ops)};
