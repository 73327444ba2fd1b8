// Elementwise operators on strings: comparison and concatenation.
#include "providers/cpu/elementwise.h"

#include <string.h>

#include "providers/cpu/loops.h"

tern_status *tern_cpu_compute_string_equal(tern_invocation *invocation) {
  const tern_string *a = invocation->inputs[0]->data, *b = invocation->inputs[1]->data;
  bool *y = invocation->outputs[0]->data;
  tern_broadcast broadcast;
  tern_broadcast_cursor cursor;
  TERN_TRY(tern_cpu_broadcast(invocation, 0, 2, &broadcast));
  tern_broadcast_seek(&broadcast, 0, &cursor);
  for (int64_t row = 0; row < broadcast.row_count; ++row) {
    for (int64_t i = 0; i < broadcast.row_length; ++i) {
      const tern_string *p = &a[cursor.offsets[0] + i * broadcast.steps[0]];
      const tern_string *q = &b[cursor.offsets[1] + i * broadcast.steps[1]];
      *y++ = p->size == q->size && (p->size == 0 || memcmp(p->data, q->data, p->size) == 0);
    }
    tern_broadcast_next(&broadcast, &cursor);
  }
  return NULL;
}

// A buffer that grows to the longest result.
typedef struct joiner {
  tern_allocator *allocator;
  char *data;
  size_t capacity;
} joiner;

static tern_status *join(joiner *j, const tern_string *a, const tern_string *b, tern_value *y,
                         int64_t index) {
  const size_t size = a->size + b->size; // both are in memory: no overflow
  if (size > j->capacity || !j->data) {
    tern_allocator_free(j->allocator, j->data, j->capacity);
    j->data = NULL;
    j->capacity = 0;
    TERN_TRY(tern_allocator_alloc(j->allocator, 2 * size, (void **)&j->data));
    j->capacity = 2 * size;
  }
  if (a->size) memcpy(j->data, a->data, a->size);
  if (b->size) memcpy(j->data + a->size, b->data, b->size);
  return tern_value_set_string(y, index, j->data, size);
}

static tern_status *join_rows(const tern_broadcast *broadcast, joiner *j, const tern_string *a,
                              const tern_string *b, tern_value *y) {
  tern_broadcast_cursor cursor;
  tern_broadcast_seek(broadcast, 0, &cursor);
  int64_t index = 0;
  for (int64_t row = 0; row < broadcast->row_count; ++row) {
    for (int64_t i = 0; i < broadcast->row_length; ++i, ++index)
      TERN_TRY(join(j, &a[cursor.offsets[0] + i * broadcast->steps[0]],
                    &b[cursor.offsets[1] + i * broadcast->steps[1]], y, index));
    tern_broadcast_next(broadcast, &cursor);
  }
  return NULL;
}

tern_status *tern_cpu_compute_string_concat(tern_invocation *invocation) {
  tern_broadcast broadcast;
  TERN_TRY(tern_cpu_broadcast(invocation, 0, 2, &broadcast));
  joiner j = {.allocator = invocation->allocator};
  tern_status *status = join_rows(&broadcast, &j, invocation->inputs[0]->data,
                                  invocation->inputs[1]->data, invocation->outputs[0]);
  tern_allocator_free(j.allocator, j.data, j.capacity);
  return status;
}
