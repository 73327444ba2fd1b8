// Values as the tests hold them, apart from any library: tensors, sequences and optionals, read
// from the protobuf files of test data, made from and into OrtValues, and compared. A test process
// is short-lived: what is allocated here is freed when it ends, and any failure ends it
// (test_fail).
#ifndef TERN_TESTS_SUPPORT_VALUE_H_
#define TERN_TESTS_SUPPORT_VALUE_H_

#include "support/element.h"

typedef enum test_kind { TEST_NONE, TEST_TENSOR, TEST_SEQUENCE } test_kind;

typedef struct test_value test_value;
struct test_value {
  test_kind kind;
  // Tensors.
  const test_element *element;
  size_t rank, count;
  int64_t *dims;
  void *data;     // test_element_bytes(element, count) bytes, little-endian, packed
  char **strings; // string tensors: `count` NUL-terminated texts
  // Sequences.
  size_t item_count;
  test_value *items;
};

// Prints the message on standard error and ends the process with status 1.
_Noreturn void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Zeroed memory that lives as long as the process.
void *test_alloc(size_t bytes);
// printf into memory that lives as long as the process.
char *test_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Reads a file into memory.
void *test_file_read(const char *path, size_t *out_bytes);

// Reads a TensorProto, SequenceProto or OptionalProto file, as the declared type of the input or
// output that it belongs to says. Optionals come back as what they hold, or TEST_NONE.
test_value test_value_read(const char *path, ONNXType type);
// Writes a tensor as a TensorProto file.
void test_value_write(const test_value *tensor, const char *path);

// Says in `message` (`capacity` bytes) how `actual` differs from `expected`, and returns false,
// when kind, shape or element type differ, or any |actual - expected| > atol + rtol × |expected|.
// NaN equals NaN. bfloat16 is given at least two units in the last place, as in the standard's own
// runner.
bool test_value_matches(const test_value *expected, const test_value *actual, double rtol,
                        double atol, char *message, size_t capacity);

#endif
