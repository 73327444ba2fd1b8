// The table of element types, the sizes that follow from it, and access to single integers.
#include "base/dtype.h"

#include <string.h>

static const tern_dtype_info infos[TERN_DTYPE_COUNT] = {
    [TERN_DTYPE_UNDEFINED] = {"undefined", 0, TERN_CLASS_NONE},
#define X(enumerator, number, name, bits, class) [enumerator] = {name, bits, TERN_CLASS_##class},
    TERN_DTYPES(X)
#undef X
};

const tern_dtype_info *tern_dtype_get_info(tern_dtype dtype) {
  return &infos[tern_dtype_is_valid((int64_t)dtype) ? dtype : TERN_DTYPE_UNDEFINED];
}

tern_dtype tern_dtype_from_name(const char *name) {
  for (int i = 1; i < TERN_DTYPE_COUNT; ++i) {
    if (strcmp(infos[i].name, name) == 0) return (tern_dtype)i;
  }
  return TERN_DTYPE_UNDEFINED;
}

bool tern_dtype_bytes(tern_dtype dtype, int64_t count, size_t *out_bytes) {
  uint64_t bits = tern_dtype_get_info(dtype)->bits;
  if (count < 0 || bits == 0) return false;
  // Eight elements are exactly `bits` bytes, so that nothing here counts bits.
  uint64_t whole, bytes;
  if (__builtin_mul_overflow((uint64_t)count / 8, bits, &whole)) return false;
  uint64_t rest = ((uint64_t)count % 8 * bits + 7) / 8;
  if (__builtin_add_overflow(whole, rest, &bytes) || bytes > PTRDIFF_MAX) return false;
  *out_bytes = (size_t)bytes;
  return true;
}

// Sign-extends the low `bits` of `code`.
static int64_t sign_extend(unsigned code, unsigned bits) {
  int64_t sign = (int64_t)1 << (bits - 1);
  return ((int64_t)code ^ sign) - sign;
}

// 2- and 4-bit integers never straddle bytes.
static int64_t read_packed(const tern_dtype_info *info, const unsigned char *bytes, int64_t index) {
  unsigned bits = info->bits, per_byte = 8 / bits;
  unsigned shift = (unsigned)(index % per_byte) * bits;
  unsigned code = (unsigned)(bytes[index / per_byte] >> shift) & ((1u << bits) - 1);
  return info->class == TERN_CLASS_I ? sign_extend(code, bits) : (int64_t)code;
}

static void write_packed(const tern_dtype_info *info, unsigned char *bytes, int64_t index,
                         int64_t value) {
  unsigned bits = info->bits, per_byte = 8 / bits, mask = (1u << bits) - 1;
  unsigned shift = (unsigned)(index % per_byte) * bits;
  unsigned char *byte = &bytes[index / per_byte];
  *byte = (unsigned char)((*byte & ~(mask << shift)) | (((unsigned)value & mask) << shift));
}

int64_t tern_dtype_read_i64(tern_dtype dtype, const void *data, int64_t index) {
  const tern_dtype_info *info = tern_dtype_get_info(dtype);
  bool is_signed = info->class == TERN_CLASS_I;
  switch (info->bits) {
  case 8: {
    uint8_t v = ((const uint8_t *)data)[index];
    return is_signed ? (int64_t)(int8_t)v : (int64_t)v;
  }
  case 16: {
    uint16_t v = ((const uint16_t *)data)[index];
    return is_signed ? (int64_t)(int16_t)v : (int64_t)v;
  }
  case 32: {
    uint32_t v = ((const uint32_t *)data)[index];
    return is_signed ? (int64_t)(int32_t)v : (int64_t)v;
  }
  case 64:
    return ((const int64_t *)data)[index];
  case 2:
  case 4:
    return read_packed(info, data, index);
  default:
    return 0;
  }
}

double tern_dtype_read_f64(tern_dtype dtype, const void *data, int64_t index) {
  const tern_dtype_info *info = tern_dtype_get_info(dtype);
  float number;
  if (dtype == TERN_FLOAT) return (double)((const float *)data)[index];
  if (dtype == TERN_DOUBLE) return ((const double *)data)[index];
  if (info->class != TERN_CLASS_B) return (double)tern_dtype_read_i64(dtype, data, index);
  if (info->bits < 8) {
    uint8_t code = (uint8_t)read_packed(info, data, index);
    tern_dtype_to_f32(dtype, &code, 1, &number);
  } else {
    tern_dtype_to_f32(dtype, (const char *)data + index * (info->bits / 8), 1, &number);
  }
  return (double)number;
}

void tern_dtype_write_i64(tern_dtype dtype, void *data, int64_t index, int64_t value) {
  const tern_dtype_info *info = tern_dtype_get_info(dtype);
  switch (info->bits) {
  case 8:
    ((uint8_t *)data)[index] = (uint8_t)value;
    break;
  case 16:
    ((uint16_t *)data)[index] = (uint16_t)value;
    break;
  case 32:
    ((uint32_t *)data)[index] = (uint32_t)value;
    break;
  case 64:
    ((int64_t *)data)[index] = value;
    break;
  case 2:
  case 4:
    write_packed(info, data, index, value);
    break;
  default:
    break;
  }
}
