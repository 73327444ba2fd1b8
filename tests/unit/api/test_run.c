// Runs: results, outputs made and outputs filled, optionals and sequences, bindings, misuse.
#include "model_bytes.h"

typedef struct fixture {
  OrtEnv *env;
  OrtSession *session;
} fixture;

static fixture open_model(model_bytes model, const OrtSessionOptions *options) {
  fixture f = {.env = make_env()};
  check_ok(model_load(&model, f.env, options, &f.session));
  return f;
}

static void close_model(fixture *f) {
  ort()->ReleaseSession(f->session);
  ort()->ReleaseEnv(f->env);
}

static OrtStatus *run_one(const fixture *f, const char *input, const OrtValue *value,
                          const char *output, OrtValue **inout_value) {
  return ort()->Run(f->session, NULL, &input, &value, 1, &output, 1, inout_value);
}

static const int64_t row[] = {1, 3};

static void outputs_are_made_or_filled(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL);
  float x[] = {1, 2, 3}, y[3] = {0}, b[] = {0, 0, 0};
  OrtValue *in = wrap_floats(x, 3, row, 2), *out = NULL, *given = wrap_floats(y, 3, row, 2);
  OrtValue *bias = wrap_floats(b, 3, &row[1], 1), *same = given;
  check_ok(run_one(&f, "x", in, "y", &out));
  assert_true(floats_of(out)[0] == 11 && floats_of(out)[1] == 24 && floats_of(out)[2] == 39);
  ort()->ReleaseValue(out);
  check_ok(run_one(&f, "x", in, "y", &given));
  assert_ptr_equal(given, same);
  assert_true(y[0] == 11 && y[1] == 24 && y[2] == 39);
  const char *inputs[] = {"b", "x"}, *output = "y"; // in any order
  const OrtValue *values[] = {bias, in};
  check_ok(ort()->Run(f.session, NULL, inputs, values, 2, &output, 1, &given));
  assert_true(y[0] == 1 && y[1] == 4 && y[2] == 9);
  ort()->ReleaseValue(bias);
  ort()->ReleaseValue(given);
  ort()->ReleaseValue(in);
  close_model(&f);
}

static void runs_refuse_misuse(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL);
  float x[8] = {0};
  const int64_t wide[] = {1, 4}, deep[] = {1, 1, 3}, two[] = {2, 3};
  OrtValue *in = wrap_floats(x, 3, row, 2), *bad = wrap_floats(x, 4, wide, 2), *out = NULL;
  const OrtValue *value = in, *twice[] = {in, in};
  const char *x_name = "x", *y_name = "y", *none = NULL, *empty = "";
  const char *same[] = {"x", "x"}, *outputs[] = {"y", "y"};
  OrtValue *pair[2] = {wrap_floats(x, 3, row, 2), wrap_floats(x + 3, 3, row, 2)};
  check_invalid(run_one(&f, "x", bad, "y", &out));
  ort()->ReleaseValue(bad);
  bad = wrap_floats(x, 3, deep, 3);
  check_invalid(run_one(&f, "x", bad, "y", &out));
  ort()->ReleaseValue(bad);
  check_invalid(run_one(&f, "z", in, "y", &out));
  check_invalid(run_one(&f, "x", in, "z", &out));
  check_invalid(run_one(&f, "x", NULL, "y", &out));
  check_invalid(ort()->Run(NULL, NULL, &x_name, &value, 1, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, NULL, &value, 1, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &x_name, NULL, 1, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &none, &value, 1, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &empty, &value, 1, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &x_name, &value, 1, NULL, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &x_name, &value, 1, &none, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &x_name, &value, 1, &y_name, 1, NULL));
  check_invalid(ort()->Run(f.session, NULL, &x_name, &value, 1, &y_name, 0, &out));
  check_invalid(ort()->Run(f.session, NULL, NULL, NULL, 0, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, same, twice, 2, &y_name, 1, &out));
  check_invalid(ort()->Run(f.session, NULL, &x_name, &value, 1, outputs, 2, pair));
  assert_null(out);
  ort()->ReleaseValue(pair[0]);
  ort()->ReleaseValue(pair[1]);
  out = wrap_floats(x, 6, two, 2); // not the result's shape
  check_invalid(run_one(&f, "x", in, "y", &out));
  ort()->ReleaseValue(out);
  ort()->ReleaseValue(in);
  close_model(&f);
}

static void an_output_may_be_asked_for_twice(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL);
  float x[] = {1, 2, 3};
  OrtValue *in = wrap_floats(x, 3, row, 2), *pair[2] = {NULL, NULL};
  const OrtValue *value = in;
  const char *x_name = "x", *outputs[] = {"y", "y"};
  void *data = NULL;
  check_ok(ort()->Run(f.session, NULL, &x_name, &value, 1, outputs, 2, pair));
  check_ok(ort()->GetTensorMutableData(pair[0], &data));
  memset(data, 0, 3 * sizeof(float));
  assert_true(floats_of(pair[1])[2] == 39);
  ort()->ReleaseValue(pair[0]);
  check_ok(ort()->Run(f.session, NULL, &x_name, &value, 1, outputs, 1, &pair[1])); // filled
  pair[0] = NULL;
  check_ok(ort()->Run(f.session, NULL, &x_name, &value, 1, outputs, 2, pair));
  assert_true(floats_of(pair[0])[0] == 11 && floats_of(pair[0]) != floats_of(pair[1]));
  ort()->ReleaseValue(pair[0]);
  ort()->ReleaseValue(pair[1]);
  ort()->ReleaseValue(in);
  close_model(&f);
}

static void misaligned_data_is_accepted(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL);
  char bytes[13];
  const float x[] = {1, 2, 3};
  memcpy(bytes + 1, x, sizeof x);
  void *unaligned = bytes + 1;
  OrtValue *in = wrap_floats(unaligned, 3, row, 2), *out = NULL;
  check_ok(run_one(&f, "x", in, "y", &out));
  assert_true(floats_of(out)[2] == 39);
  ort()->ReleaseValue(out);
  ort()->ReleaseValue(in);
  close_model(&f);
}

static void runs_stop_when_told(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL);
  OrtRunOptions *options = NULL;
  float x[3] = {0};
  OrtValue *in = wrap_floats(x, 3, row, 2), *out = NULL;
  const OrtValue *value = in;
  const char *x_name = "x", *y_name = "y";
  check_ok(ort()->CreateRunOptions(&options));
  check_ok(ort()->RunOptionsSetTerminate(options));
  check_error(ort()->Run(f.session, options, &x_name, &value, 1, &y_name, 1, &out), ORT_FAIL);
  assert_null(out);
  check_ok(ort()->RunOptionsUnsetTerminate(options));
  check_ok(ort()->Run(f.session, options, &x_name, &value, 1, &y_name, 1, &out));
  ort()->ReleaseValue(out);
  ort()->ReleaseRunOptions(options);
  ort()->ReleaseValue(in);
  close_model(&f);
}

static void initializers_are_replaced(void **state) {
  (void)state;
  OrtSessionOptions *options = NULL;
  float x[] = {1, 1, 1}, w[] = {5, 6, 7};
  OrtValue *in = wrap_floats(x, 3, row, 2), *weights = wrap_floats(w, 3, &row[1], 1), *out = NULL;
  check_ok(ort()->CreateSessionOptions(&options));
  check_ok(ort()->AddInitializer(options, "w", weights));
  fixture f = open_model(model_affine(), options);
  check_ok(run_one(&f, "x", in, "y", &out));
  assert_true(floats_of(out)[0] == 15 && floats_of(out)[2] == 37);
  ort()->ReleaseValue(out);
  ort()->ReleaseValue(in);
  close_model(&f);
  ort()->ReleaseValue(weights);
  ort()->ReleaseSessionOptions(options);
}

static void an_output_may_be_an_input(void **state) {
  (void)state;
  model_bytes model = model_begin();
  model_node(&model, "Identity", "x", "y");
  model_port(&model, MODEL_INPUT, 0, "x", 1, "N,3");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "N,3");
  fixture f = open_model(model, NULL);
  float x[] = {1, 2, 3};
  OrtValue *in = wrap_floats(x, 3, row, 2), *out = NULL;
  check_ok(run_one(&f, "x", in, "y", &out));
  x[0] = 100; // the output is a value of its own
  assert_true(floats_of(out)[0] == 1);
  ort()->ReleaseValue(in);
  ort()->ReleaseValue(out);
  close_model(&f);
}

// The caller's buffer may be larger than its tensor; a smaller one that is filled gets no more than
// its own.
static void no_more_than_the_tensor_is_copied(void **state) {
  (void)state;
  model_bytes model = model_begin();
  model_node(&model, "Neg", "x", "z");
  model_port(&model, MODEL_INPUT, 0, "x", 1, "N,3");
  model_port(&model, MODEL_OUTPUT, 0, "x", 1, "N,3");
  model_port(&model, MODEL_OUTPUT, 0, "z", 1, "N,3");
  fixture f = open_model(model, NULL);
  float x[] = {1, 2, 3, 4, 5, 6}, y[] = {0, 0, 0, 7, 8, 9};
  OrtValue *in = wrap_floats(x, 6, row, 2), *given = wrap_floats(y, 3, row, 2);
  check_ok(run_one(&f, "x", in, "x", &given));
  assert_true(y[0] == 1 && y[2] == 3 && y[3] == 7 && y[5] == 9);
  ort()->ReleaseValue(given);
  ort()->ReleaseValue(in);
  close_model(&f);
}

// An Identity of a sequence (`wrapper` 4) or an optional (9) of float vectors.
static fixture open_identity_of(uint32_t wrapper) {
  model_bytes model = model_begin();
  model_node(&model, "Identity", "x", "y");
  model_port(&model, MODEL_INPUT, wrapper, "x", 1, "N");
  model_port(&model, MODEL_OUTPUT, wrapper, "y", 1, "N");
  return open_model(model, NULL);
}

static void sequences_pass_through(void **state) {
  (void)state;
  fixture f = open_identity_of(4);
  float x[] = {1, 2, 3};
  OrtValue *item = wrap_floats(x, 3, &row[1], 1), *sequence = NULL, *out = NULL;
  size_t count = 0;
  check_ok(ort()->CreateValue((const OrtValue *const *)&item, 1, ONNX_TYPE_SEQUENCE, &sequence));
  check_invalid(run_one(&f, "x", item, "y", &out));
  check_ok(run_one(&f, "x", sequence, "y", &out));
  ort()->ReleaseValue(item);
  ort()->ReleaseValue(sequence);
  check_ok(ort()->GetValueCount(out, &count));
  assert_int_equal(count, 1);
  check_ok(ort()->GetValue(out, 0, cpu_allocator(), &item));
  assert_true(floats_of(item)[2] == 3);
  ort()->ReleaseValue(item);
  ort()->ReleaseValue(out);
  close_model(&f);
}

static void optionals_show_what_they_hold(void **state) {
  (void)state;
  fixture f = open_identity_of(9);
  float x[] = {1, 2, 3};
  OrtValue *in = wrap_floats(x, 3, &row[1], 1), *out = NULL;
  OrtTypeInfo *info = NULL;
  enum ONNXType kind;
  int yes = 0;
  check_ok(run_one(&f, "x", in, "y", &out));
  check_ok(ort()->HasValue(out, &yes));
  assert_int_equal(yes, 1);
  assert_true(floats_of(out)[1] == 2);
  ort()->ReleaseValue(out);
  ort()->ReleaseValue(in);
  out = NULL;
  check_ok(run_one(&f, "x", NULL, "y", &out)); // no value: the optional is empty
  check_ok(ort()->HasValue(out, &yes));
  assert_int_equal(yes, 0);
  check_ok(ort()->GetValueType(out, &kind));
  assert_int_equal(kind, ONNX_TYPE_TENSOR);
  check_ok(ort()->GetTypeInfo(out, &info));
  assert_null(info);
  void *data = NULL;
  check_invalid(ort()->GetTensorMutableData(out, &data));
  ort()->ReleaseValue(out);
  close_model(&f);
}

// ---- Bindings.

static void bindings_fill_or_make_outputs(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL);
  OrtIoBinding *binding = NULL;
  OrtMemoryInfo *cpu = NULL;
  OrtAllocator *allocator = cpu_allocator();
  float x[] = {1, 2, 3}, y[3] = {0};
  OrtValue *in = wrap_floats(x, 3, row, 2), *given = wrap_floats(y, 3, row, 2), **first, **second;
  char *names = NULL;
  size_t *lengths = NULL, count = 0;
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &cpu));
  check_ok(ort()->CreateIoBinding(f.session, &binding));
  check_ok(ort()->BindInput(binding, "x", in));
  ort()->ReleaseValue(in); // the binding holds it
  check_ok(ort()->BindOutput(binding, "y", given));
  check_ok(ort()->RunWithBinding(f.session, NULL, binding));
  assert_true(y[2] == 39);
  check_ok(ort()->BindOutputToDevice(binding, "y", cpu));
  check_error(ort()->GetBoundOutputValues(binding, allocator, &first, &count), ORT_FAIL);
  check_ok(ort()->RunWithBinding(f.session, NULL, binding));
  check_ok(ort()->GetBoundOutputValues(binding, allocator, &first, &count));
  assert_int_equal(count, 1);
  x[0] = 2;
  check_ok(ort()->RunWithBinding(f.session, NULL, binding));
  check_ok(ort()->GetBoundOutputValues(binding, allocator, &second, &count));
  assert_true(floats_of(first[0])[0] == 11); // an earlier run's stays as it was
  assert_true(floats_of(second[0])[0] == 12);
  check_ok(ort()->GetBoundOutputNames(binding, allocator, &names, &lengths, &count));
  assert_int_equal(count, 1);
  assert_int_equal(lengths[0], 1);
  assert_int_equal(names[0], 'y');
  ort()->ReleaseValue(first[0]);
  ort()->ReleaseValue(second[0]);
  check_ok(ort()->AllocatorFree(allocator, first));
  check_ok(ort()->AllocatorFree(allocator, second));
  check_ok(ort()->AllocatorFree(allocator, names));
  check_ok(ort()->AllocatorFree(allocator, lengths));
  ort()->ReleaseIoBinding(binding);
  ort()->ReleaseValue(given);
  ort()->ReleaseMemoryInfo(cpu);
  close_model(&f);
}

static void bindings_refuse_misuse(void **state) {
  (void)state;
  fixture f = open_model(model_affine(), NULL), other = open_model(model_affine(), NULL);
  OrtIoBinding *binding = NULL;
  OrtMemoryInfo *gpu = NULL;
  float x[3] = {0};
  OrtValue *in = wrap_floats(x, 3, row, 2), **values = NULL;
  char *names = NULL;
  size_t *lengths = NULL, count = 7;
  check_ok(ort()->CreateMemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault, &gpu));
  check_ok(ort()->CreateIoBinding(f.session, &binding));
  check_invalid(ort()->CreateIoBinding(NULL, &binding));
  check_invalid(ort()->BindInput(binding, "z", in));
  check_invalid(ort()->BindInput(binding, "x", NULL));
  check_invalid(ort()->BindOutput(binding, "z", in));
  check_invalid(ort()->BindOutputToDevice(binding, "y", gpu));
  check_invalid(ort()->RunWithBinding(f.session, NULL, binding)); // nothing is asked for
  check_ok(ort()->BindOutput(binding, "y", in));
  check_invalid(ort()->RunWithBinding(f.session, NULL, binding)); // x is missing
  check_invalid(ort()->RunWithBinding(other.session, NULL, binding));
  ort()->ClearBoundInputs(binding);
  ort()->ClearBoundOutputs(binding);
  check_ok(ort()->SynchronizeBoundInputs(binding));
  check_ok(ort()->GetBoundOutputValues(binding, cpu_allocator(), &values, &count));
  assert_int_equal(count, 0);
  assert_null(values);
  check_ok(ort()->GetBoundOutputNames(binding, cpu_allocator(), &names, &lengths, &count));
  assert_null(names);
  ort()->ReleaseIoBinding(binding);
  ort()->ReleaseIoBinding(NULL);
  ort()->ReleaseMemoryInfo(gpu);
  ort()->ReleaseValue(in);
  close_model(&f);
  close_model(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_are_made_or_filled),
      cmocka_unit_test(runs_refuse_misuse),
      cmocka_unit_test(an_output_may_be_asked_for_twice),
      cmocka_unit_test(misaligned_data_is_accepted),
      cmocka_unit_test(runs_stop_when_told),
      cmocka_unit_test(initializers_are_replaced),
      cmocka_unit_test(an_output_may_be_an_input),
      cmocka_unit_test(no_more_than_the_tensor_is_copied),
      cmocka_unit_test(sequences_pass_through),
      cmocka_unit_test(optionals_show_what_they_hold),
      cmocka_unit_test(bindings_fill_or_make_outputs),
      cmocka_unit_test(bindings_refuse_misuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
