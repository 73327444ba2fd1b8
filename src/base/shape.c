// Shapes and static types: counting, comparing and printing them. Nothing here allocates.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/value.h"

bool tern_shape_is_known(const tern_shape *shape) {
  if (shape->rank < 0) return false;
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (shape->dims[i] < 0) return false;
  }
  return true;
}

bool tern_shape_count(const tern_shape *shape, int64_t *out_count) {
  if (!tern_shape_is_known(shape)) return false;
  int64_t count = 1;
  bool empty = false;
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (shape->dims[i] == 0)
      empty = true;
    else if (!tern_checked_mul_i64(count, shape->dims[i], &count))
      return false;
  }
  *out_count = empty ? 0 : count;
  return true;
}

int64_t tern_shape_product(const tern_shape *shape, int32_t begin, int32_t end) {
  int64_t product = 1;
  for (int32_t i = begin; i < end; ++i) {
    if (shape->dims[i] == 0) return 0;
    if (!tern_checked_mul_i64(product, shape->dims[i], &product)) product = INT64_MAX;
  }
  return product;
}

bool tern_shape_equal(const tern_shape *a, const tern_shape *b) {
  if (a->rank != b->rank) return false;
  for (int32_t i = 0; i < a->rank; ++i) {
    if (a->dims[i] != b->dims[i]) return false;
  }
  return true;
}

void tern_shape_set(tern_shape *out_shape, int32_t rank, const tern_dim *dims) {
  if (rank > TERN_MAX_RANK) rank = TERN_MAX_RANK;
  out_shape->rank = rank;
  if (rank > 0) memcpy(out_shape->dims, dims, (size_t)rank * sizeof *dims);
}

void tern_shape_copy(tern_shape *out_shape, const tern_shape *shape) {
  tern_shape_set(out_shape, shape->rank, shape->dims);
}

// A text cut at the end of its buffer.
typedef struct text {
  char *data;
  size_t size, used;
} text;

static text text_begin(char *buffer, size_t size) {
  if (size > 0) buffer[0] = 0;
  return (text){buffer, size, 0};
}

static void text_add(text *out, const char *format, ...) TERN_PRINTF(2, 3);
static void text_add(text *out, const char *format, ...) {
  if (out->used + 1 >= out->size) return;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(out->data + out->used, out->size - out->used, format, args);
  va_end(args);
  if (n > 0) out->used += (size_t)n;
}

static void add_shape(text *out, const tern_shape *shape) {
  text_add(out, "[");
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (i > 0) text_add(out, ",");
    if (shape->dims[i] < 0)
      text_add(out, "?");
    else
      text_add(out, "%lld", (long long)shape->dims[i]);
  }
  text_add(out, shape->rank < 0 ? "...]" : "]");
}

const char *tern_shape_format(const tern_shape *shape, char *buffer, size_t size) {
  text out = text_begin(buffer, size);
  add_shape(&out, shape);
  return buffer;
}

static bool is_tensor_kind(tern_kind kind) {
  return kind == TERN_KIND_TENSOR || kind == TERN_KIND_SPARSE_TENSOR;
}

const char *tern_type_format(const tern_type *type, char *buffer, size_t size) {
  static const char *const names[] = {[TERN_KIND_NONE] = "none",
                                      [TERN_KIND_TENSOR] = "tensor",
                                      [TERN_KIND_SPARSE_TENSOR] = "sparse_tensor",
                                      [TERN_KIND_SEQUENCE] = "seq",
                                      [TERN_KIND_MAP] = "map",
                                      [TERN_KIND_OPTIONAL] = "optional"};
  text out = text_begin(buffer, size);
  // Types nest in a line, so that a loop prints them: the closing brackets all come last.
  size_t depth = 0;
  for (; type && type->kind != TERN_KIND_NONE && !is_tensor_kind(type->kind);
       type = type->element, ++depth) {
    text_add(&out, "%s(", names[type->kind]);
    if (type->kind == TERN_KIND_MAP) text_add(&out, "%s,", tern_dtype_name(type->dtype));
  }
  if (type && is_tensor_kind(type->kind)) {
    text_add(&out, "%s(%s)", names[type->kind], tern_dtype_name(type->dtype));
    if (type->shape.rank >= 0) add_shape(&out, &type->shape);
  } else {
    text_add(&out, "%s", type ? names[TERN_KIND_NONE] : "?");
  }
  for (; depth > 0 && out.used + 1 < out.size; --depth) text_add(&out, ")");
  return buffer;
}

bool tern_type_same_kind(const tern_type *a, const tern_type *b) {
  for (; a && b; a = a->element, b = b->element) {
    if (a->kind != b->kind) return false;
    bool has_dtype = is_tensor_kind(a->kind) || a->kind == TERN_KIND_MAP;
    if (has_dtype && a->dtype != b->dtype) return false;
    if (is_tensor_kind(a->kind) || a->kind == TERN_KIND_NONE) return true;
  }
  return a == b;
}
