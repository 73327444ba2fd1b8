// Values: tensors, strings, sequences, maps, sparse tensors; who owns what, and misuse.
#include "model_bytes.h"

// ---- An allocator of the caller's that counts.

typedef struct counting_allocator {
  OrtAllocator base;
  int live, made;
} counting_allocator;

static void *ORT_API_CALL count_alloc(OrtAllocator *self, size_t size) {
  counting_allocator *counting = (counting_allocator *)self;
  counting->live++, counting->made++;
  return malloc(size ? size : 1);
}

static void ORT_API_CALL count_free(OrtAllocator *self, void *p) {
  counting_allocator *counting = (counting_allocator *)self;
  counting->live -= p != NULL;
  free(p);
}

static const OrtMemoryInfo *ORT_API_CALL count_info(const OrtAllocator *self) {
  (void)self;
  const OrtMemoryInfo *info = NULL;
  check_ok(ort()->AllocatorGetInfo(cpu_allocator(), &info));
  return info;
}

static counting_allocator make_counting(void) {
  return (counting_allocator){.base = {.version = ORT_API_VERSION,
                                       .Alloc = count_alloc,
                                       .Free = count_free,
                                       .Info = count_info}};
}

// ---- Tensors.

static void tensors_lie_where_the_allocator_says(void **state) {
  (void)state;
  counting_allocator counting = make_counting();
  const int64_t shape[] = {2, 3};
  OrtValue *value = NULL;
  void *data = NULL;
  size_t bytes = 0;
  check_ok(ort()->CreateTensorAsOrtValue(&counting.base, shape, 2,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, &value));
  assert_int_equal(counting.live, 1);
  check_ok(ort()->GetTensorMutableData(value, &data));
  memset(data, 0xff, 6 * sizeof(double));
  check_ok(ort()->GetTensorSizeInBytes(value, &bytes));
  assert_int_equal(bytes, 6 * sizeof(double));
  const OrtMemoryInfo *info = NULL;
  check_ok(ort()->GetTensorMemoryInfo(value, &info));
  assert_ptr_equal(info, count_info(&counting.base));
  ort()->ReleaseValue(value);
  assert_int_equal(counting.live, 0);
}

static void tensors_over_data_borrow_or_own_it(void **state) {
  (void)state;
  counting_allocator counting = make_counting();
  OrtMemoryInfo *arena = NULL;
  const OrtMemoryInfo *info = NULL;
  const int64_t shape[] = {4};
  float borrowed[4] = {1, 2, 3, 4}, *owned = count_alloc(&counting.base, sizeof borrowed);
  OrtValue *value = NULL;
  int different = -1;
  check_ok(ort()->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &arena));
  check_ok(ort()->CreateTensorWithDataAsOrtValue(arena, borrowed, sizeof borrowed, shape, 1,
                                                 ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  check_ok(ort()->GetTensorMemoryInfo(value, &info));
  check_ok(ort()->CompareMemoryInfo(info, arena, &different));
  assert_int_equal(different, 0);
  assert_ptr_equal(floats_of(value), borrowed);
  ort()->ReleaseValue(value);
  ort()->ReleaseMemoryInfo(arena);
  check_invalid(ort()->CreateTensorWithDataAndDeleterAsOrtValue(
      &counting.base, owned, 15, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  assert_int_equal(counting.live, 1); // still the caller's
  check_ok(ort()->CreateTensorWithDataAndDeleterAsOrtValue(
      &counting.base, owned, 16, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  ort()->ReleaseValue(value);
  assert_int_equal(counting.live, 0);
}

static void tensors_tell_type_and_shape(void **state) {
  (void)state;
  const int64_t shape[] = {2, 0, 5};
  int64_t dims[3] = {-7, -7, -7};
  OrtValue *value = NULL;
  OrtTensorTypeAndShapeInfo *info = NULL;
  OrtTypeInfo *type_info = NULL;
  ONNXTensorElementDataType type;
  const int64_t *borrowed = NULL;
  size_t rank = 0;
  enum ONNXType kind;
  int yes = 0;
  check_ok(ort()->CreateTensorAsOrtValue(cpu_allocator(), shape, 3,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, &value));
  check_ok(ort()->GetTensorTypeAndShape(value, &info));
  check_ok(ort()->GetTensorElementType(info, &type));
  assert_int_equal(type, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0);
  check_ok(ort()->GetDimensions(info, dims, 3));
  assert_memory_equal(dims, shape, sizeof shape);
  ort()->ReleaseTensorTypeAndShapeInfo(info);
  check_ok(ort()->GetTensorElementTypeAndShapeDataReference(value, &type, &borrowed, &rank));
  assert_int_equal(rank, 3);
  assert_memory_equal(borrowed, shape, sizeof shape);
  check_ok(ort()->GetTypeInfo(value, &type_info));
  check_ok(ort()->GetOnnxTypeFromTypeInfo(type_info, &kind));
  assert_int_equal(kind, ONNX_TYPE_TENSOR);
  ort()->ReleaseTypeInfo(type_info);
  check_ok(ort()->GetValueType(value, &kind));
  assert_int_equal(kind, ONNX_TYPE_TENSOR);
  check_ok(ort()->IsTensor(value, &yes));
  assert_int_equal(yes, 1);
  check_ok(ort()->IsSparseTensor(value, &yes));
  assert_int_equal(yes, 0);
  check_ok(ort()->HasValue(value, &yes));
  assert_int_equal(yes, 1);
  ort()->ReleaseValue(value);
  check_ok(ort()->CreateTensorAsOrtValue(cpu_allocator(), NULL, 0,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &value));
  check_ok(ort()->GetTensorElementTypeAndShapeDataReference(value, &type, &borrowed, &rank));
  assert_int_equal(rank, 0);
  assert_null(borrowed);
  ort()->ReleaseValue(value);
}

static void tensors_refuse_misuse(void **state) {
  (void)state;
  const ONNXTensorElementDataType f32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  const int64_t negative[] = {2, -1}, huge[] = {INT64_MAX, INT64_MAX}, deep[100] = {0}, one[] = {1};
  OrtAllocator *cpu = cpu_allocator();
  OrtMemoryInfo *gpu = NULL, *info = NULL;
  OrtValue *value = NULL;
  float data[4] = {0};
  void *p = NULL;
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  check_ok(ort()->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &gpu));
  check_invalid(ort()->CreateTensorAsOrtValue(NULL, one, 1, f32, &value));
  check_invalid(ort()->CreateTensorAsOrtValue(cpu, one, 1, f32, NULL));
  check_invalid(ort()->CreateTensorAsOrtValue(cpu, NULL, 1, f32, &value));
  check_invalid(ort()->CreateTensorAsOrtValue(cpu, negative, 2, f32, &value));
  check_invalid(ort()->CreateTensorAsOrtValue(cpu, huge, 2, f32, &value));
  check_invalid(ort()->CreateTensorAsOrtValue(cpu, deep, 100, f32, &value));
  check_invalid(ort()->CreateTensorAsOrtValue(cpu, one, 1, (ONNXTensorElementDataType)99, &value));
  check_invalid(ort()->CreateTensorWithDataAsOrtValue(NULL, data, 4, one, 1, f32, &value));
  check_invalid(ort()->CreateTensorWithDataAsOrtValue(info, data, 3, one, 1, f32, &value));
  check_invalid(ort()->CreateTensorWithDataAsOrtValue(info, NULL, 4, one, 1, f32, &value));
  check_invalid(ort()->CreateTensorWithDataAsOrtValue(gpu, data, 4, one, 1, f32, &value));
  check_invalid(ort()->CreateTensorWithDataAsOrtValue(
      info, data, 16, one, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value));
  assert_null(value);
  check_invalid(ort()->GetTensorMutableData(NULL, &p));
  check_invalid(ort()->IsTensor(NULL, NULL));
  ort()->ReleaseValue(NULL);
  ort()->ReleaseMemoryInfo(info);
  ort()->ReleaseMemoryInfo(gpu);
}

static void elements_are_found_by_index(void **state) {
  (void)state;
  const int64_t shape[] = {2, 3}, last[] = {1, 2}, beyond[] = {2, 0}, negative[] = {0, -1};
  float data[6] = {0};
  void *p = NULL;
  OrtValue *value = wrap_floats(data, 6, shape, 2);
  check_ok(ort()->TensorAt(value, last, 2, &p));
  assert_ptr_equal(p, &data[5]);
  check_invalid(ort()->TensorAt(value, beyond, 2, &p));
  check_invalid(ort()->TensorAt(value, negative, 2, &p));
  check_invalid(ort()->TensorAt(value, last, 1, &p));
  check_invalid(ort()->TensorAt(value, NULL, 2, &p));
  ort()->ReleaseValue(value);
}

// ---- Strings.

static OrtValue *make_strings(const char *const *texts, int64_t count) {
  OrtValue *value = NULL;
  check_ok(ort()->CreateTensorAsOrtValue(cpu_allocator(), &count, 1,
                                         ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value));
  check_ok(ort()->FillStringTensor(value, texts, (size_t)count));
  return value;
}

static void strings_are_copied_in_and_out(void **state) {
  (void)state;
  const char *const texts[] = {"one", "", "three"};
  OrtValue *value = make_strings(texts, 3);
  size_t length = 0, offsets[3];
  char content[32], *buffer = NULL;
  check_ok(ort()->GetStringTensorDataLength(value, &length));
  assert_int_equal(length, 8);
  check_ok(ort()->GetStringTensorContent(value, content, sizeof content, offsets, 3));
  assert_memory_equal(content, "onethree", 8);
  assert_int_equal(offsets[0], 0);
  assert_int_equal(offsets[1], 3);
  assert_int_equal(offsets[2], 3);
  check_ok(ort()->FillStringTensorElement(value, "second", 1));
  check_ok(ort()->GetStringTensorElementLength(value, 1, &length));
  assert_int_equal(length, 6);
  check_ok(ort()->GetStringTensorElement(value, 6, 1, content));
  assert_memory_equal(content, "second", 6);
  check_ok(ort()->GetResizedStringTensorElementBuffer(value, 2, 4, &buffer));
  memcpy(buffer, "a\0b\0", 4);
  check_ok(ort()->GetStringTensorElementLength(value, 2, &length));
  assert_int_equal(length, 4);
  check_ok(ort()->GetStringTensorElement(value, 4, 2, content));
  assert_memory_equal(content, "a\0b\0", 4);
  ort()->ReleaseValue(value);
}

static void strings_refuse_misuse(void **state) {
  (void)state;
  const char *const texts[] = {"one", "two"}, *const holes[] = {"one", NULL};
  OrtValue *value = make_strings(texts, 2);
  size_t length = 0, offsets[2];
  char content[8], *buffer = NULL;
  void *data = NULL;
  check_invalid(ort()->FillStringTensor(value, holes, 2));
  check_error(ort()->FillStringTensor(value, texts, 1), ORT_FAIL);
  check_invalid(ort()->FillStringTensorElement(value, "x", 2));
  check_invalid(ort()->FillStringTensorElement(value, NULL, 0));
  check_invalid(ort()->GetStringTensorElementLength(value, 2, &length));
  check_error(ort()->GetStringTensorElement(value, 2, 0, content), ORT_FAIL);
  check_invalid(ort()->GetResizedStringTensorElementBuffer(value, 2, 1, &buffer));
  check_error(ort()->GetStringTensorContent(value, content, 5, offsets, 2), ORT_FAIL);
  check_error(ort()->GetStringTensorContent(value, content, 8, offsets, 1), ORT_FAIL);
  check_invalid(ort()->GetTensorMutableData(value, &data));
  check_invalid(ort()->GetTensorSizeInBytes(value, &length));
  check_ok(ort()->GetStringTensorElement(value, 3, 0, content)); // as it was
  assert_memory_equal(content, "one", 3);
  ort()->ReleaseValue(value);
  float number = 1;
  const int64_t one = 1;
  value = wrap_floats(&number, 1, &one, 1);
  check_invalid(ort()->GetStringTensorDataLength(value, &length));
  check_invalid(ort()->FillStringTensor(value, texts, 1));
  ort()->ReleaseValue(value);
}

// ---- Sequences and maps.

static void sequences_outlive_their_items(void **state) {
  (void)state;
  counting_allocator counting = make_counting();
  const int64_t two = 2;
  float data[2] = {1, 2};
  OrtValue *items[2] = {wrap_floats(data, 2, &two, 1), wrap_floats(data, 2, &two, 1)};
  OrtValue *sequence = NULL, *item = NULL;
  size_t count = 0;
  enum ONNXType kind;
  check_ok(ort()->CreateValue((const OrtValue *const *)items, 2, ONNX_TYPE_SEQUENCE, &sequence));
  ort()->ReleaseValue(items[0]);
  ort()->ReleaseValue(items[1]);
  data[0] = 100; // the sequence kept what it was given
  check_ok(ort()->GetValueType(sequence, &kind));
  assert_int_equal(kind, ONNX_TYPE_SEQUENCE);
  check_ok(ort()->GetValueCount(sequence, &count));
  assert_int_equal(count, 2);
  check_ok(ort()->GetValue(sequence, 1, &counting.base, &item));
  assert_int_equal(counting.live, 1);
  check_invalid(ort()->GetValue(sequence, 2, &counting.base, &item));
  check_invalid(ort()->GetValue(sequence, -1, &counting.base, &item));
  ort()->ReleaseValue(sequence);
  assert_true(floats_of(item)[0] == 1 && floats_of(item)[1] == 2);
  check_error(ort()->GetValueCount(item, &count), ORT_FAIL);
  check_error(ort()->GetValue(item, 0, &counting.base, &sequence), ORT_FAIL);
  ort()->ReleaseValue(item);
  assert_int_equal(counting.live, 0);
}

static void sequences_hold_one_type(void **state) {
  (void)state;
  const char *const texts[] = {"a"};
  const int64_t one = 1;
  float number = 1;
  OrtValue *items[2] = {make_strings(texts, 1), wrap_floats(&number, 1, &one, 1)};
  OrtValue *sequence = NULL;
  const OrtValue *const *in = (const OrtValue *const *)items;
  check_invalid(ort()->CreateValue(in, 2, ONNX_TYPE_SEQUENCE, &sequence));
  check_invalid(ort()->CreateValue(in, 0, ONNX_TYPE_SEQUENCE, &sequence));
  check_invalid(ort()->CreateValue(in, 1, ONNX_TYPE_TENSOR, &sequence));
  check_invalid(ort()->CreateValue(in, 1, ONNX_TYPE_MAP, &sequence));
  check_invalid(ort()->CreateValue(NULL, 1, ONNX_TYPE_SEQUENCE, &sequence));
  const OrtValue *const holes[] = {NULL};
  check_invalid(ort()->CreateValue(holes, 1, ONNX_TYPE_SEQUENCE, &sequence));
  assert_null(sequence);
  ort()->ReleaseValue(items[0]);
  ort()->ReleaseValue(items[1]);
}

static void maps_pair_keys_with_values(void **state) {
  (void)state;
  const char *const texts[] = {"a", "b"};
  const int64_t two = 2;
  float numbers[2] = {1, 2};
  OrtValue *parts[2] = {make_strings(texts, 2), wrap_floats(numbers, 2, &two, 1)};
  const OrtValue *const swapped[2] = {parts[1], parts[0]};
  OrtValue *map = NULL, *sequence = NULL, *part = NULL;
  size_t count = 0;
  char text[2];
  check_invalid(ort()->CreateValue(swapped, 2, ONNX_TYPE_MAP, &map)); // keys are no floats
  check_ok(ort()->CreateValue((const OrtValue *const *)parts, 2, ONNX_TYPE_MAP, &map));
  ort()->ReleaseValue(parts[0]);
  ort()->ReleaseValue(parts[1]);
  check_ok(ort()->CreateValue((const OrtValue *const *)&map, 1, ONNX_TYPE_SEQUENCE, &sequence));
  ort()->ReleaseValue(map);
  check_ok(ort()->GetValue(sequence, 0, cpu_allocator(), &map));
  ort()->ReleaseValue(sequence);
  check_ok(ort()->GetValueCount(map, &count));
  assert_int_equal(count, 2);
  OrtTypeInfo *info = NULL;
  const OrtMapTypeInfo *map_info = NULL;
  ONNXTensorElementDataType key;
  check_ok(ort()->GetTypeInfo(map, &info));
  check_ok(ort()->CastTypeInfoToMapTypeInfo(info, &map_info));
  check_ok(ort()->GetMapKeyType(map_info, &key));
  assert_int_equal(key, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  ort()->ReleaseTypeInfo(info);
  check_ok(ort()->GetValue(map, 0, cpu_allocator(), &part));
  check_ok(ort()->GetStringTensorElement(part, 1, 1, text));
  assert_int_equal(text[0], 'b');
  ort()->ReleaseValue(part);
  check_ok(ort()->GetValue(map, 1, cpu_allocator(), &part));
  assert_true(floats_of(part)[1] == 2);
  ort()->ReleaseValue(part);
  ort()->ReleaseValue(map);
}

// ---- Sparse tensors.

static const int64_t dense[] = {3, 4};
static const float some[] = {1, 2, 3};

static OrtMemoryInfo *cpu_info(void) {
  OrtMemoryInfo *info = NULL;
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  return info;
}

static OrtValue *make_sparse(OrtAllocator *allocator, ONNXTensorElementDataType type) {
  OrtValue *value = NULL;
  check_ok(ort()->CreateSparseTensorAsOrtValue(allocator, dense, 2, type, &value));
  return value;
}

static void coo_is_filled_once(void **state) {
  (void)state;
  counting_allocator counting = make_counting();
  const int64_t three = 3, flat[] = {0, 5, 11}, pairs[] = {0, 0, 1, 1, 2, 3}, beyond[] = {0, 5, 12};
  OrtMemoryInfo *info = cpu_info();
  OrtValue *value = make_sparse(&counting.base, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  OrtSparseFormat format;
  OrtTensorTypeAndShapeInfo *shape = NULL;
  const void *data = NULL;
  size_t count = 0;
  int yes = 0;
  check_ok(ort()->IsSparseTensor(value, &yes));
  assert_int_equal(yes, 1);
  check_ok(ort()->GetSparseTensorFormat(value, &format));
  assert_int_equal(format, ORT_SPARSE_UNDEFINED);
  check_invalid(ort()->FillSparseTensorCoo(value, info, &three, 1, some, beyond, 3));
  check_invalid(ort()->FillSparseTensorCoo(value, info, &three, 1, some, flat, 2));
  check_invalid(ort()->FillSparseTensorCoo(value, info, &three, 1, NULL, flat, 3));
  check_ok(ort()->FillSparseTensorCoo(value, info, &three, 1, some, pairs, 6));
  assert_int_equal(counting.live, 1);
  check_invalid(ort()->FillSparseTensorCoo(value, info, &three, 1, some, flat, 3));
  check_ok(ort()->GetSparseTensorFormat(value, &format));
  assert_int_equal(format, ORT_SPARSE_COO);
  check_ok(ort()->GetSparseTensorValues(value, &data));
  assert_memory_equal(data, some, sizeof some);
  check_ok(ort()->GetSparseTensorIndices(value, ORT_SPARSE_COO_INDICES, &count, &data));
  assert_int_equal(count, 6);
  assert_memory_equal(data, pairs, sizeof pairs);
  check_ok(ort()->GetSparseTensorIndicesTypeShape(value, ORT_SPARSE_COO_INDICES, &shape));
  check_ok(ort()->GetDimensionsCount(shape, &count));
  assert_int_equal(count, 2);
  ort()->ReleaseTensorTypeAndShapeInfo(shape);
  check_invalid(ort()->GetSparseTensorIndices(value, ORT_SPARSE_CSR_INNER_INDICES, &count, &data));
  ort()->ReleaseValue(value);
  ort()->ReleaseMemoryInfo(info);
  assert_int_equal(counting.live, 0);
}

static void csr_rows_are_checked(void **state) {
  (void)state;
  const int64_t three = 3, inner[] = {0, 1, 3}, outer[] = {0, 1, 1, 3}, falling[] = {0, 2, 1, 3};
  OrtMemoryInfo *info = cpu_info();
  OrtValue *value = make_sparse(cpu_allocator(), ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const char *const texts[] = {"a", "bb", ""};
  const void *data = NULL;
  size_t count = 0;
  check_invalid(ort()->FillSparseTensorCsr(value, info, &three, 1, texts, inner, 3, falling, 4));
  check_invalid(ort()->FillSparseTensorCsr(value, info, &three, 1, texts, inner, 3, outer, 3));
  check_ok(ort()->FillSparseTensorCsr(value, info, &three, 1, texts, inner, 3, outer, 4));
  check_ok(ort()->GetSparseTensorIndices(value, ORT_SPARSE_CSR_OUTER_INDICES, &count, &data));
  assert_int_equal(count, 4);
  assert_memory_equal(data, outer, sizeof outer);
  ort()->ReleaseValue(value);
  ort()->ReleaseMemoryInfo(info);
}

static void blocks_and_borrowed_indices(void **state) {
  (void)state;
  const int64_t dense4[] = {4, 4}, values_shape[] = {2, 2, 2}, indices_shape[] = {2, 2};
  float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int32_t indices[] = {0, 1, 0, 1}, beyond[] = {0, 2, 0, 1};
  OrtMemoryInfo *info = cpu_info();
  OrtValue *value = NULL;
  OrtTensorTypeAndShapeInfo *shape = NULL;
  const void *data = NULL;
  size_t count = 0;
  check_ok(ort()->CreateSparseTensorWithValuesAsOrtValue(
      info, values, dense4, 2, values_shape, 3, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  check_invalid(ort()->UseBlockSparseIndices(value, indices_shape, 2, beyond));
  check_ok(ort()->UseBlockSparseIndices(value, indices_shape, 2, indices));
  check_ok(ort()->GetSparseTensorIndices(value, ORT_SPARSE_BLOCK_SPARSE_INDICES, &count, &data));
  assert_ptr_equal(data, indices);
  check_ok(ort()->GetSparseTensorValues(value, &data));
  assert_ptr_equal(data, values);
  check_ok(ort()->GetSparseTensorValuesTypeAndShape(value, &shape));
  check_ok(ort()->GetTensorShapeElementCount(shape, &count));
  assert_int_equal(count, 8);
  ort()->ReleaseTensorTypeAndShapeInfo(shape);
  ort()->ReleaseValue(value);
  ort()->ReleaseMemoryInfo(info);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_lie_where_the_allocator_says),
      cmocka_unit_test(tensors_over_data_borrow_or_own_it),
      cmocka_unit_test(tensors_tell_type_and_shape),
      cmocka_unit_test(tensors_refuse_misuse),
      cmocka_unit_test(elements_are_found_by_index),
      cmocka_unit_test(strings_are_copied_in_and_out),
      cmocka_unit_test(strings_refuse_misuse),
      cmocka_unit_test(sequences_outlive_their_items),
      cmocka_unit_test(sequences_hold_one_type),
      cmocka_unit_test(maps_pair_keys_with_values),
      cmocka_unit_test(coo_is_filled_once),
      cmocka_unit_test(csr_rows_are_checked),
      cmocka_unit_test(blocks_and_borrowed_indices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
