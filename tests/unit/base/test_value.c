// Values: who frees what, deep copies, shapes and types as text.
#include <string.h>

#include "base/value.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

static tern_shape shape_of(int32_t rank, const tern_dim *dims) {
  tern_shape shape;
  tern_shape_set(&shape, rank, dims);
  return shape;
}
#define SHAPE(...)                                                                                 \
  shape_of((int32_t)TERN_COUNT_OF(((tern_dim[]){__VA_ARGS__})), (tern_dim[]){__VA_ARGS__})

static void tensors_own_their_memory(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  tern_value *value;
  tern_shape shape = SHAPE(2, 3);
  assert_null(tern_value_create_tensor(&allocator.base, TERN_FLOAT, &shape, &value));
  assert_int_equal(value->data_bytes, 24);
  assert_int_equal((uintptr_t)value->data % TERN_BUFFER_ALIGNMENT, 0);
  assert_int_equal(tern_value_count(value), 6);
  assert_ptr_equal(tern_value_retain(value), value);
  tern_value_release(value);
  assert_true(allocator.live_blocks > 0);
  tern_value_release(value);
  tern_value_release(NULL);
  assert_int_equal(allocator.live_blocks, 0);
  assert_int_equal(allocator.live_bytes, 0);
}

static void impossible_tensors_are_refused(void **state) {
  (void)state;
  tern_value *value = NULL;
  const tern_shape shapes[] = {SHAPE(2, -1), SHAPE(INT64_MAX, 2), SHAPE(INT64_MAX / 2)};
  for (size_t i = 0; i < TERN_COUNT_OF(shapes); ++i)
    assert_int_equal(take_code(tern_value_create_tensor(tern_allocator_system(), TERN_FLOAT,
                                                        &shapes[i], &value)),
                     TERN_INVALID_ARGUMENT);
  tern_shape one = SHAPE(4);
  char bytes[16];
  assert_int_equal(take_code(tern_value_wrap_tensor(tern_allocator_system(), TERN_FLOAT, &one,
                                                    bytes, 15, &value)),
                   TERN_INVALID_ARGUMENT);
  assert_int_equal(take_code(tern_value_create_tensor(tern_allocator_system(), TERN_DTYPE_UNDEFINED,
                                                      &one, &value)),
                   TERN_INVALID_ARGUMENT);
  assert_null(value);
}

static void count_deleter(void *context, void *data) {
  (void)data;
  ++*(int *)context;
}

static void borrowed_memory_is_handed_back_once(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  float data[4] = {1, 2, 3, 4};
  int deleted = 0;
  tern_shape shape = SHAPE(4);
  tern_value *value, *copy;
  assert_null(
      tern_value_wrap_tensor(&allocator.base, TERN_FLOAT, &shape, data, sizeof data, &value));
  value->deleter = count_deleter;
  value->deleter_context = &deleted;
  assert_null(tern_value_clone(&allocator.base, value, &copy));
  assert_ptr_not_equal(copy->data, data);
  assert_memory_equal(copy->data, data, sizeof data);
  tern_value_release(copy);
  assert_int_equal(deleted, 0);
  tern_value_release(value);
  assert_int_equal(deleted, 1);
  assert_int_equal(allocator.live_blocks, 0);
}

static void strings_are_copied_and_replaced(void **state) {
  (void)state;
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  tern_shape shape = SHAPE(2);
  tern_value *value;
  assert_null(tern_value_create_tensor(&allocator.base, TERN_STRING, &shape, &value));
  const tern_string *strings = value->data;
  assert_int_equal(strings[1].size, 0);
  char text[] = "first\0half";
  assert_null(tern_value_set_string(value, 0, text, sizeof text - 1));
  text[0] = 'x';
  assert_int_equal(strings[0].size, 10);
  assert_memory_equal(strings[0].data, "first\0half", 10);
  assert_null(tern_value_set_string(value, 0, "", 0));
  assert_int_equal(strings[0].size, 0);
  assert_null(tern_value_set_string(value, 1, "kept", 4));
  assert_int_equal(take_code(tern_value_set_string(value, 2, "a", 1)), TERN_INVALID_ARGUMENT);
  assert_int_equal(take_code(tern_value_set_string(value, -1, "a", 1)), TERN_INVALID_ARGUMENT);
  tern_value *copy;
  assert_null(tern_value_clone(&allocator.base, value, &copy));
  tern_value_release(value);
  strings = copy->data;
  assert_memory_equal(strings[1].data, "kept", 4);
  tern_value_release(copy);
  assert_int_equal(allocator.live_blocks, 0);
}

// A sequence of maps from strings to floats, two items.
static tern_status *make_nested(tern_allocator *allocator, tern_value **out_value) {
  tern_type scalar = tern_type_tensor(TERN_FLOAT);
  tern_type map = {.kind = TERN_KIND_MAP, .dtype = TERN_STRING, .element = &scalar};
  tern_value *parts[4] = {0};
  tern_shape shape = SHAPE(2);
  tern_status *status = tern_value_create_container(allocator, TERN_KIND_SEQUENCE,
                                                    TERN_DTYPE_UNDEFINED, &map, &parts[0]);
  if (!status)
    status = tern_value_create_container(allocator, TERN_KIND_MAP, TERN_STRING, &scalar, &parts[1]);
  if (!status) status = tern_value_create_tensor(allocator, TERN_STRING, &shape, &parts[2]);
  if (!status) status = tern_value_create_tensor(allocator, TERN_FLOAT, &shape, &parts[3]);
  if (!status) memcpy(parts[3]->data, (float[]){1, 2}, 8);
  if (!status) status = tern_value_set_string(parts[2], 1, "key", 3);
  if (!status) status = tern_value_append(parts[1], parts[2]);
  if (!status) status = tern_value_append(parts[1], parts[3]);
  if (!status) status = tern_value_append(parts[0], parts[1]);
  if (!status) status = tern_value_append(parts[0], parts[1]);
  if (!status) *out_value = tern_value_retain(parts[0]);
  for (int i = 0; i < 4; ++i) tern_value_release(parts[i]);
  return status;
}

static void clones_share_nothing(void **state) {
  (void)state;
  failing_allocator first, second;
  failing_allocator_init(&first, 0);
  failing_allocator_init(&second, 0);
  tern_value *value, *copy;
  assert_null(make_nested(&first.base, &value));
  assert_null(tern_value_clone(&second.base, value, &copy));
  tern_value_release(value);
  assert_int_equal(first.live_blocks, 0);
  assert_int_equal(copy->item_count, 2);
  assert_ptr_not_equal(copy->items[0], copy->items[1]);
  const tern_string *keys = copy->items[1]->items[0]->data;
  assert_memory_equal(keys[1].data, "key", 3);
  assert_true(((const float *)copy->items[1]->items[1]->data)[1] == 2);
  tern_type type;
  char text[TERN_TYPE_TEXT_BYTES];
  tern_value_get_type(copy, &type);
  assert_string_equal(tern_type_format(&type, text, sizeof text), "seq(map(string,tensor(float)))");
  tern_value_release(copy);
  assert_int_equal(second.live_blocks, 0);
}

static void every_failed_allocation_is_clean(void **state) {
  (void)state;
  bool finished = false;
  for (int64_t n = 1; !finished; ++n) {
    failing_allocator allocator;
    failing_allocator_init(&allocator, n);
    tern_value *value = NULL, *copy = NULL;
    tern_status *status = make_nested(&allocator.base, &value);
    if (!status) status = tern_value_clone(&allocator.base, value, &copy);
    finished = status == NULL;
    assert_true(finished || tern_status_is_out_of_memory(status));
    tern_value_release(value);
    tern_value_release(copy);
    assert_int_equal(allocator.live_blocks, 0);
    assert_true(n < 200);
  }
}

static void containers_take_what_fits(void **state) {
  (void)state;
  tern_value *optional, *tensor, in_place;
  tern_shape shape = SHAPE(1);
  float data[1] = {0};
  tern_allocator *allocator = tern_allocator_system();
  assert_null(tern_value_create_container(allocator, TERN_KIND_OPTIONAL, TERN_DTYPE_UNDEFINED, NULL,
                                          &optional));
  assert_null(tern_value_create_tensor(allocator, TERN_FLOAT, &shape, &tensor));
  tern_value_init_tensor(&in_place, TERN_FLOAT, &shape, data, sizeof data);
  assert_int_equal(take_code(tern_value_append(optional, &in_place)), TERN_INVALID_ARGUMENT);
  assert_int_equal(take_code(tern_value_append(optional, optional)), TERN_INVALID_ARGUMENT);
  assert_null(tern_value_append(optional, tensor));
  assert_int_equal(take_code(tern_value_append(optional, tensor)), TERN_INVALID_ARGUMENT);
  assert_int_equal(take_code(tern_value_append(tensor, optional)), TERN_INVALID_ARGUMENT);
  tern_value_release(&in_place);
  tern_value_release(tensor);
  assert_true(optional->items[0]->dtype == TERN_FLOAT);
  tern_value_release(optional);
}

static void shapes_count_without_overflow(void **state) {
  (void)state;
  int64_t count = -1;
  tern_shape scalar = {.rank = 0}, unknown = {.rank = TERN_RANK_UNKNOWN};
  assert_true(tern_shape_count(&scalar, &count) && count == 1);
  assert_false(tern_shape_count(&unknown, &count));
  tern_shape shape = SHAPE(INT64_MAX, 0, 1);
  assert_true(tern_shape_count(&shape, &count) && count == 0);
  shape = SHAPE(INT64_MAX, 2, 0); // its strides would overflow
  assert_false(tern_shape_count(&shape, &count));
  assert_int_equal(tern_shape_product(&shape, 0, 2), INT64_MAX);
  shape = SHAPE(INT64_MAX, 2);
  assert_false(tern_shape_count(&shape, &count));
  shape = SHAPE(3, TERN_DIM_FIRST_SYMBOL);
  assert_false(tern_shape_count(&shape, &count));
  assert_false(tern_shape_is_known(&shape));
  tern_shape other = SHAPE(3, TERN_DIM_UNKNOWN);
  assert_false(tern_shape_equal(&shape, &other));
}

static void shapes_and_types_print(void **state) {
  (void)state;
  char text[TERN_TYPE_TEXT_BYTES], small[6];
  tern_shape shape = SHAPE(1, 3, TERN_DIM_UNKNOWN, 640);
  assert_string_equal(tern_shape_format(&shape, text, sizeof text), "[1,3,?,640]");
  assert_string_equal(tern_shape_format(&shape, small, sizeof small), "[1,3,");
  tern_type tensor = tern_type_tensor(TERN_INT64);
  assert_string_equal(tern_type_format(&tensor, text, sizeof text), "tensor(int64)");
  tensor.shape = SHAPE(2, TERN_DIM_FIRST_SYMBOL);
  tern_type sequence = {.kind = TERN_KIND_SEQUENCE, .element = &tensor};
  tern_type optional = {.kind = TERN_KIND_OPTIONAL, .element = &sequence};
  assert_string_equal(tern_type_format(&optional, text, sizeof text),
                      "optional(seq(tensor(int64)[2,?]))");
  tern_type other = sequence, floats = tern_type_tensor(TERN_FLOAT);
  assert_true(tern_type_same_kind(&sequence, &other));
  other.element = &floats;
  assert_false(tern_type_same_kind(&sequence, &other));
  other.element = NULL;
  assert_false(tern_type_same_kind(&sequence, &other));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_own_their_memory),
      cmocka_unit_test(impossible_tensors_are_refused),
      cmocka_unit_test(borrowed_memory_is_handed_back_once),
      cmocka_unit_test(strings_are_copied_and_replaced),
      cmocka_unit_test(clones_share_nothing),
      cmocka_unit_test(every_failed_allocation_is_clean),
      cmocka_unit_test(containers_take_what_fits),
      cmocka_unit_test(shapes_count_without_overflow),
      cmocka_unit_test(shapes_and_types_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
