// Real model files cut short and damaged at many places: an error or another model, never a crash,
// and nothing leaked. Damage reaches the inner messages, which a cut file never gets to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "format/onnx.h"
#include "unit/failing_allocator.h"
#include "unit/test.h"

enum { STEP_BYTES = 97, MOST_DAMAGES = 400 };

static void decode_all(const tern_onnx_model *model, tern_allocator *allocator) {
  for (size_t i = 0; i < model->graph.initializer_count; ++i) {
    tern_value *value = NULL;
    tern_status_ignore(tern_onnx_tensor_decode(&model->graph.initializers[i], (tern_span){NULL, 0},
                                               allocator, &value));
    tern_value_release(value);
  }
}

static tern_status *parse(const char *data, size_t size) {
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  tern_arena arena;
  tern_arena_init(&allocator.base, &arena);
  tern_onnx_model model;
  tern_status *status = tern_onnx_parse_model((tern_span){data, size}, &arena, &model);
  if (!status) decode_all(&model, &allocator.base);
  tern_arena_deinit(&arena);
  assert_int_equal(allocator.live_blocks, 0);
  return status;
}

// The parser sees a prefix of the whole file in memory: a read behind the cut is caught by what it
// leads to, a wrong success, and by the fuzzer, whose inputs end where their memory does.
static void cut_everywhere(const char *data, size_t size) {
  for (size_t cut = 0; cut < size; cut += STEP_BYTES) {
    tern_status *status = parse(data, cut);
    if (status) assert_int_equal(take_code(status), TERN_INVALID_PROTOBUF);
  }
}

static void damage_everywhere(const char *data, size_t size) {
  char *copy = malloc(size);
  memcpy(copy, data, size);
  size_t step = STEP_BYTES;
  while (size / step > MOST_DAMAGES) step += STEP_BYTES;
  for (size_t at = 0; at < size; at += step) {
    copy[at] = (char)~copy[at];
    tern_status_ignore(parse(copy, size));
    copy[at] = data[at];
  }
  free(copy);
}

static void check_model(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", TERN_MODELS_DIR, name);
  tern_os_file file;
  tern_status *status = tern_os_file_open(path, tern_allocator_system(), &file);
  if (status) {
    print_message("%s: %s\n", name, tern_status_message(status));
    tern_status_free(status);
    skip();
  }
  assert_null(parse(file.data, file.size));
  cut_everywhere(file.data, file.size);
  damage_everywhere(file.data, file.size);
  tern_os_file_close(&file);
}

#define MODELS(X)                                                                                  \
  X(mnist, "mnist.onnx")                                                                           \
  X(rfb, "version-RFB-320.onnx")                                                                   \
  X(candy, "candy.onnx")                                                                           \
  X(squeezenet_fp16, "SqueezeNet_fp16.onnx")                                                       \
  X(silero_vad, "silero_vad.onnx")                                                                 \
  X(light_densenet121, "light/light_densenet121.onnx")                                             \
  X(light_shufflenet, "light/light_shufflenet.onnx")

#define X(function, name)                                                                          \
  static void function(void **state) {                                                             \
    (void)state;                                                                                   \
    check_model(name);                                                                             \
  }
MODELS(X)
#undef X

int main(void) {
  const struct CMUnitTest tests[] = {
#define X(function, name) cmocka_unit_test(function),
      MODELS(X)
#undef X
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
