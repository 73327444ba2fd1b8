// Types and shapes, built and read through the ABI.
#include "api_test.h"

static OrtTensorTypeAndShapeInfo *create_tensor_info(void) {
  OrtTensorTypeAndShapeInfo *info = NULL;
  const int64_t dims[] = {-1, 3, 224};
  const char *names[] = {"batch", "", NULL};
  check_ok(ort()->CreateTensorTypeAndShapeInfo(&info));
  check_ok(ort()->SetTensorElementType(info, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16));
  check_ok(ort()->SetDimensions(info, dims, 3));
  check_ok(ort()->SetSymbolicDimensions(info, names, 3));
  return info;
}

static void shapes_are_read_back(void **state) {
  (void)state;
  OrtTensorTypeAndShapeInfo *info = create_tensor_info();
  ONNXTensorElementDataType type;
  size_t rank = 0, count = 0;
  int64_t dims[3];
  const char *names[3];
  check_ok(ort()->GetTensorElementType(info, &type));
  assert_int_equal(type, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16);
  check_ok(ort()->GetDimensionsCount(info, &rank));
  assert_int_equal(rank, 3);
  check_ok(ort()->GetDimensions(info, dims, 3));
  assert_int_equal(dims[0], -1);
  assert_int_equal(dims[2], 224);
  check_ok(ort()->GetSymbolicDimensions(info, names, 3));
  assert_string_equal(names[0], "batch");
  assert_string_equal(names[1], "");
  assert_string_equal(names[2], "");
  check_invalid(ort()->GetTensorShapeElementCount(info, &count));
  const int64_t known[] = {2, 3, 4}, huge[] = {INT64_MAX, INT64_MAX};
  check_ok(ort()->SetDimensions(info, known, 3));
  check_ok(ort()->GetTensorShapeElementCount(info, &count));
  assert_int_equal(count, 24);
  check_ok(ort()->SetDimensions(info, huge, 2));
  check_invalid(ort()->GetTensorShapeElementCount(info, &count));
  check_ok(ort()->SetDimensions(info, NULL, 0));
  check_ok(ort()->GetTensorShapeElementCount(info, &count));
  assert_int_equal(count, 1);
  assert_true(ort()->TensorTypeAndShape_HasShape(info));
  ort()->ReleaseTensorTypeAndShapeInfo(info);
}

static void nested_types_are_copies(void **state) {
  (void)state;
  const OrtModelEditorApi *editor = ort()->GetModelEditorApi();
  OrtTensorTypeAndShapeInfo *tensor = create_tensor_info();
  OrtTypeInfo *leaf = NULL, *map = NULL, *sequence = NULL, *optional = NULL, *inner = NULL;
  check_ok(editor->CreateTensorTypeInfo(tensor, &leaf));
  ort()->ReleaseTensorTypeAndShapeInfo(tensor);
  check_ok(editor->CreateMapTypeInfo(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, leaf, &map));
  check_ok(editor->CreateSequenceTypeInfo(map, &sequence));
  check_ok(editor->CreateOptionalTypeInfo(sequence, &optional));
  ort()->ReleaseTypeInfo(leaf);
  ort()->ReleaseTypeInfo(map);
  ort()->ReleaseTypeInfo(sequence);

  ONNXType kind;
  const OrtOptionalTypeInfo *as_optional = NULL;
  const OrtSequenceTypeInfo *as_sequence = NULL;
  const OrtMapTypeInfo *as_map = NULL;
  const OrtTensorTypeAndShapeInfo *as_tensor = NULL;
  check_ok(ort()->GetOnnxTypeFromTypeInfo(optional, &kind));
  assert_int_equal(kind, ONNX_TYPE_OPTIONAL);
  check_ok(ort()->CastTypeInfoToTensorInfo(optional, &as_tensor));
  assert_null(as_tensor);
  check_ok(ort()->CastTypeInfoToOptionalTypeInfo(optional, &as_optional));
  check_ok(ort()->GetOptionalContainedTypeInfo(as_optional, &sequence));
  ort()->ReleaseTypeInfo(optional);
  check_ok(ort()->CastTypeInfoToSequenceTypeInfo(sequence, &as_sequence));
  check_ok(ort()->GetSequenceElementType(as_sequence, &inner));
  ort()->ReleaseTypeInfo(sequence);
  check_ok(ort()->CastTypeInfoToMapTypeInfo(inner, &as_map));
  ONNXTensorElementDataType key;
  check_ok(ort()->GetMapKeyType(as_map, &key));
  assert_int_equal(key, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  check_ok(ort()->GetMapValueType(as_map, &leaf));
  ort()->ReleaseTypeInfo(inner);
  check_ok(ort()->CastTypeInfoToTensorInfo(leaf, &as_tensor));
  const char *names[3];
  check_ok(ort()->GetSymbolicDimensions(as_tensor, names, 3));
  assert_string_equal(names[0], "batch");
  const char *denotation = NULL;
  size_t length = 9;
  check_ok(ort()->GetDenotationFromTypeInfo(leaf, &denotation, &length));
  assert_int_equal(length, 0);
  ort()->ReleaseTypeInfo(leaf);
}

static void misuse_is_an_error(void **state) {
  (void)state;
  OrtTensorTypeAndShapeInfo *info = create_tensor_info();
  OrtTypeInfo *type = NULL;
  const int64_t bad[] = {-2};
  const char *names[] = {"one"};
  size_t size = 0;
  check_invalid(ort()->CreateTensorTypeAndShapeInfo(NULL));
  check_invalid(ort()->SetDimensions(info, bad, 1));
  check_invalid(ort()->SetDimensions(info, NULL, 1));
  check_invalid(ort()->SetSymbolicDimensions(info, names, 1));
  check_invalid(ort()->GetDimensionsCount(NULL, &size));
  check_invalid(ort()->GetDimensions(info, NULL, 1));
  check_invalid(ort()->GetOnnxTypeFromTypeInfo(NULL, NULL));
  check_invalid(ort()->GetModelEditorApi()->CreateTensorTypeInfo(NULL, &type));
  check_invalid(ort()->GetModelEditorApi()->CreateSequenceTypeInfo(NULL, &type));
  assert_false(ort()->TensorTypeAndShape_HasShape(NULL));
  ort()->ReleaseTensorTypeAndShapeInfo(info);
  ort()->ReleaseTensorTypeAndShapeInfo(NULL);
  ort()->ReleaseTypeInfo(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_are_read_back),
      cmocka_unit_test(nested_types_are_copies),
      cmocka_unit_test(misuse_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
