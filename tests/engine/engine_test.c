#include "engine/engine_test.h"

bool engine_is_full;

bool engine_parse(int argc, char **argv, const char **out_model) {
  *out_model = NULL;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--full") == 0)
      engine_is_full = true;
    else if (!*out_model)
      *out_model = argv[i];
    else
      return false;
  }
  return true;
}

static void check(tern_status *status) {
  if (status) fail_msg("%s", tern_status_message(status));
}

tern_session *engine_open(tern_pb_writer *model, meter *allocator) {
  tern_session *session;
  tern_session_options options = {.allocator = &allocator->base,
                                  .optimization_level = TERN_OPTIMIZE_ALL};
  check(tern_pb_writer_finish(model));
  check(tern_session_create_from_memory(model->data, model->size, &options, &session));
  tern_pb_writer_deinit(model);
  return session;
}

tern_value engine_tensor(tern_dtype dtype, void *data, int32_t rank, const tern_dim *dims) {
  tern_value value;
  tern_shape shape;
  size_t bytes;
  tern_shape_set(&shape, rank, dims);
  assert_true(tern_dtype_bytes(dtype, tern_shape_product(&shape, 0, rank), &bytes));
  tern_value_init_tensor(&value, dtype, &shape, data, bytes);
  return value;
}

tern_status *engine_run(tern_session *session, const _Atomic bool *terminate,
                        tern_value *const *inputs, tern_value **out_values) {
  const char *in[ENGINE_MAX_OUTPUTS], *out[ENGINE_MAX_OUTPUTS];
  tern_value *values[ENGINE_MAX_OUTPUTS] = {NULL};
  size_t in_count = tern_session_input_count(session), count = tern_session_output_count(session);
  assert_true(in_count <= ENGINE_MAX_OUTPUTS && count <= ENGINE_MAX_OUTPUTS);
  for (size_t i = 0; i < in_count; ++i) in[i] = tern_session_input(session, i)->name;
  for (size_t i = 0; i < count; ++i) out[i] = tern_session_output(session, i)->name;
  const tern_run_options options = {.terminate = terminate};
  TERN_TRY(tern_session_run(session, &options, in, (const tern_value *const *)inputs, in_count, out,
                            count, values));
  for (size_t i = 0; i < count; ++i) {
    if (out_values)
      out_values[i] = values[i];
    else
      tern_value_release(values[i]);
  }
  return NULL;
}

void engine_run_right(tern_session *session, tern_value *const *inputs) {
  check(engine_run(session, NULL, inputs, NULL));
}
