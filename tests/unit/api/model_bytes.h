// Models for tests, built in memory: one graph, nodes in the order they are added. Field numbers
// are those of onnx.proto.
#ifndef TERN_TESTS_UNIT_API_MODEL_BYTES_H_
#define TERN_TESTS_UNIT_API_MODEL_BYTES_H_

#include "api_test.h"
#include "format/pb.h"

typedef struct model_bytes {
  tern_pb_writer writer;
  size_t graph;
} model_bytes;

enum { MODEL_INPUT = 11, MODEL_OUTPUT = 12 };

// An IR 8 model of opset 21, with metadata, whose graph is open.
static inline model_bytes model_begin(void) {
  model_bytes model;
  tern_pb_writer *writer = &model.writer;
  tern_pb_writer_init(tern_allocator_system(), writer);
  tern_pb_write_varint(writer, 1, 10);
  tern_pb_write_text(writer, 2, "maker");
  tern_pb_write_text(writer, 4, "domain.example");
  tern_pb_write_varint(writer, 5, 7);
  tern_pb_write_text(writer, 6, "a model");
  size_t opset = tern_pb_begin_message(writer, 8);
  tern_pb_write_varint(writer, 2, 21);
  tern_pb_end_message(writer, opset);
  size_t entry = tern_pb_begin_message(writer, 14);
  tern_pb_write_text(writer, 1, "key");
  tern_pb_write_text(writer, 2, "value");
  tern_pb_end_message(writer, entry);
  model.graph = tern_pb_begin_message(writer, 7);
  tern_pb_write_text(writer, 2, "graph");
  tern_pb_write_text(writer, 10, "a graph");
  return model;
}

// `names` separated by commas, each written as field `number`.
static inline void model_names(tern_pb_writer *writer, uint32_t number, const char *names) {
  while (*names) {
    size_t size = strcspn(names, ",");
    tern_pb_write_bytes(writer, number, names, size);
    names += size + (names[size] == ',');
  }
}

static inline void model_node(model_bytes *model, const char *op, const char *inputs,
                              const char *outputs) {
  size_t node = tern_pb_begin_message(&model->writer, 1);
  model_names(&model->writer, 1, inputs);
  model_names(&model->writer, 2, outputs);
  tern_pb_write_text(&model->writer, 3, outputs);
  tern_pb_write_text(&model->writer, 4, op);
  tern_pb_end_message(&model->writer, node);
}

// A TypeProto.Tensor in field 1 of the open TypeProto. `dims`: numbers and symbols by comma.
static inline void model_tensor_type(tern_pb_writer *writer, int type, const char *dims) {
  size_t tensor = tern_pb_begin_message(writer, 1);
  tern_pb_write_varint(writer, 1, (uint64_t)type);
  size_t shape = tern_pb_begin_message(writer, 2);
  while (*dims) {
    size_t size = strcspn(dims, ","), dim = tern_pb_begin_message(writer, 1);
    if (*dims >= '0' && *dims <= '9')
      tern_pb_write_varint(writer, 1, (uint64_t)atoi(dims));
    else
      tern_pb_write_bytes(writer, 2, dims, size);
    tern_pb_end_message(writer, dim);
    dims += size + (dims[size] == ',');
  }
  tern_pb_end_message(writer, shape);
  tern_pb_end_message(writer, tensor);
}

// An input or output (`list`): a tensor, or with `wrapper` 4 a sequence and 9 an optional of it.
static inline void model_port(model_bytes *model, uint32_t list, uint32_t wrapper, const char *name,
                              int type, const char *dims) {
  tern_pb_writer *writer = &model->writer;
  size_t port = tern_pb_begin_message(writer, list);
  tern_pb_write_text(writer, 1, name);
  size_t outer = tern_pb_begin_message(writer, 2);
  size_t container = wrapper ? tern_pb_begin_message(writer, wrapper) : 0;
  size_t inner = wrapper ? tern_pb_begin_message(writer, 1) : 0;
  model_tensor_type(writer, type, dims);
  if (wrapper) tern_pb_end_message(writer, inner);
  if (wrapper) tern_pb_end_message(writer, container);
  tern_pb_end_message(writer, outer);
  tern_pb_end_message(writer, port);
}

// A vector of floats.
static inline void model_initializer(model_bytes *model, const char *name, const float *values,
                                     size_t count) {
  tern_pb_writer *writer = &model->writer;
  const int64_t dims[] = {(int64_t)count};
  size_t tensor = tern_pb_begin_message(writer, 5);
  tern_pb_write_packed_i64(writer, 1, dims, 1);
  tern_pb_write_varint(writer, 2, 1);
  tern_pb_write_text(writer, 8, name);
  tern_pb_write_bytes(writer, 9, values, count * sizeof *values);
  tern_pb_end_message(writer, tensor);
}

// Closes the graph and creates a session; the bytes are gone when this returns.
static inline OrtStatus *model_load(model_bytes *model, const OrtEnv *env,
                                    const OrtSessionOptions *options, OrtSession **out_session) {
  tern_pb_end_message(&model->writer, model->graph);
  assert_null(tern_pb_writer_finish(&model->writer));
  OrtStatus *status = ort()->CreateSessionFromArray(env, model->writer.data, model->writer.size,
                                                    options, out_session);
  tern_pb_writer_deinit(&model->writer);
  return status;
}

// y = x * w + b, with x and y of shape [N,3], w an initializer and b one that may be overridden.
static inline model_bytes model_affine(void) {
  static const float w[] = {1, 2, 3}, b[] = {10, 20, 30};
  model_bytes model = model_begin();
  model_node(&model, "Mul", "x,w", "m");
  model_node(&model, "Add", "m,b", "y");
  model_initializer(&model, "w", w, 3);
  model_initializer(&model, "b", b, 3);
  model_port(&model, MODEL_INPUT, 0, "x", 1, "N,3");
  model_port(&model, MODEL_INPUT, 0, "b", 1, "3");
  model_port(&model, MODEL_OUTPUT, 0, "y", 1, "N,3");
  return model;
}

// ---- Handles that tests share.

static inline OrtEnv *make_env(void) {
  OrtEnv *env = NULL;
  check_ok(ort()->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &env));
  return env;
}

static inline OrtAllocator *cpu_allocator(void) {
  OrtAllocator *allocator = NULL;
  check_ok(ort()->GetAllocatorWithDefaultOptions(&allocator));
  return allocator;
}

static inline OrtValue *wrap_floats(float *data, size_t count, const int64_t *shape, size_t rank) {
  OrtMemoryInfo *info = NULL;
  OrtValue *value = NULL;
  check_ok(ort()->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  check_ok(ort()->CreateTensorWithDataAsOrtValue(info, data, count * sizeof *data, shape, rank,
                                                 ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  ort()->ReleaseMemoryInfo(info);
  return value;
}

static inline const float *floats_of(const OrtValue *value) {
  const void *data = NULL;
  check_ok(ort()->GetTensorData(value, &data));
  return data;
}

#endif
