// Reading affinities: "1,2;3-4".
#include "parallel/affinity.h"

// Enough for any machine, and small enough that a range cannot take all memory.
enum { MAX_PROCESSOR = 1 << 16, MAX_PROCESSORS = 1 << 20 };

typedef struct reader {
  const char *text, *at;
  tern_affinity affinity;
} reader;

static tern_status *bad(const reader *r, const char *expected) {
  return TERN_ERROR(TERN_INVALID_ARGUMENT, "the affinity \"%s\" has no %s at character %td",
                    r->text, expected, r->at - r->text + 1);
}

static tern_status *read_number(reader *r, int32_t *out_number) {
  int32_t number = 0;
  const char *at = r->at;
  for (; *at >= '0' && *at <= '9' && number <= MAX_PROCESSOR; ++at)
    number = number * 10 + (*at - '0');
  if (number < 1 || number > MAX_PROCESSOR) return bad(r, "number of a processor, from 1,");
  r->at = at;
  *out_number = number;
  return NULL;
}

// "3" or "3-4".
static tern_status *read_range(reader *r) {
  int32_t first, last;
  TERN_TRY(read_number(r, &first));
  last = first;
  if (*r->at == '-') {
    ++r->at;
    TERN_TRY(read_number(r, &last));
  }
  if (last < first || r->affinity.processors.count > MAX_PROCESSORS)
    return bad(r, "range of processors, upwards,");
  for (int32_t i = first; i <= last; ++i)
    TERN_ARRAY_PUSH(tern_allocator_system(), &r->affinity.processors, i - 1);
  return NULL;
}

static tern_status *read_all(reader *r) {
  for (;;) {
    TERN_TRY(read_range(r));
    char separator = *r->at;
    if (separator != ',')
      TERN_ARRAY_PUSH(tern_allocator_system(), &r->affinity.ends, r->affinity.processors.count);
    if (separator == 0) return NULL;
    if (separator != ',' && separator != ';') return bad(r, "',' or ';'");
    ++r->at;
  }
}

tern_status *tern_affinity_parse(const char *text, tern_affinity *out_affinity) {
  reader r = {.text = text, .at = text};
  tern_status *status = read_all(&r);
  if (status)
    tern_affinity_deinit(&r.affinity);
  else
    *out_affinity = r.affinity;
  return status;
}

void tern_affinity_deinit(tern_affinity *affinity) {
  TERN_ARRAY_FREE(tern_allocator_system(), &affinity->processors);
  TERN_ARRAY_FREE(tern_allocator_system(), &affinity->ends);
}

const int32_t *tern_affinity_of(const tern_affinity *affinity, size_t worker, size_t *out_count) {
  *out_count = 0;
  if (worker >= affinity->ends.count) return NULL;
  size_t begin = worker ? affinity->ends.data[worker - 1] : 0;
  *out_count = affinity->ends.data[worker] - begin;
  return affinity->processors.data + begin;
}
