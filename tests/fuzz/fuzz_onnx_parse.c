// Any bytes as a model file: parsed, every tensor decoded, everything released. What the parser
// accepts must stay inside the input, and a tensor that was decoded must survive being written and
// read again.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "format/onnx.h"

// A dense copy of a sparse tensor is as large as its dimensions say, not as the file is.
enum { LARGEST_DENSE_ELEMENTS = 1 << 16 };

static void require(bool condition) {
  if (!condition) abort();
}

static void read_again(const tern_value *value) {
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  tern_onnx_write_tensor(&writer, "again", value);
  require(tern_pb_writer_finish(&writer) == NULL);
  tern_arena arena;
  tern_arena_init(tern_allocator_system(), &arena);
  tern_onnx_tensor tensor;
  tern_value *back = NULL;
  require(tern_onnx_parse_tensor((tern_span){(const char *)writer.data, writer.size}, &arena,
                                 &tensor) == NULL);
  require(tern_onnx_tensor_decode(&tensor, (tern_span){NULL, 0}, tern_allocator_system(), &back) ==
          NULL);
  require(back->dtype == value->dtype && tern_shape_equal(&back->shape, &value->shape));
  if (value->dtype != TERN_STRING && value->data)
    require(memcmp(back->data, value->data, value->data_bytes) == 0);
  tern_value_release(back);
  tern_arena_deinit(&arena);
  tern_pb_writer_deinit(&writer);
}

static void decode(const tern_onnx_tensor *tensor) {
  tern_value *value = NULL;
  tern_status *status =
      tern_onnx_tensor_decode(tensor, tensor->raw, tern_allocator_system(), &value);
  require((status == NULL) == (value != NULL));
  if (value) read_again(value);
  tern_value_release(value);
  tern_status_free(status);
}

static void decode_sparse(const tern_onnx_sparse_tensor *sparse) {
  int64_t count = 1;
  for (size_t i = 0; i < sparse->dim_count; ++i) {
    if (!tern_checked_mul_i64(count, sparse->dims[i], &count) || count > LARGEST_DENSE_ELEMENTS)
      return;
  }
  tern_value *value = NULL;
  tern_status_ignore(tern_onnx_sparse_decode(sparse, sparse->values.raw, sparse->indices.raw,
                                             tern_allocator_system(), &value));
  tern_value_release(value);
}

static void walk_graph(const tern_onnx_graph *graph);

static void walk_attribute(const tern_onnx_attribute *attribute) {
  if (attribute->t) decode(attribute->t);
  if (attribute->g) walk_graph(attribute->g);
  if (attribute->sparse) decode_sparse(attribute->sparse);
  for (size_t i = 0; attribute->type == TERN_ATTR_TENSORS && i < attribute->count; ++i)
    decode(&attribute->tensors[i]);
  for (size_t i = 0; attribute->type == TERN_ATTR_GRAPHS && i < attribute->count; ++i)
    walk_graph(&attribute->graphs[i]);
}

static void walk_nodes(const tern_onnx_node *nodes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < nodes[i].attribute_count; ++k) walk_attribute(&nodes[i].attributes[k]);
  }
}

static void walk_graph(const tern_onnx_graph *graph) {
  walk_nodes(graph->nodes, graph->node_count);
  for (size_t i = 0; i < graph->initializer_count; ++i) decode(&graph->initializers[i]);
  for (size_t i = 0; i < graph->sparse_initializer_count; ++i)
    decode_sparse(&graph->sparse_initializers[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tern_arena arena;
  tern_arena_init(tern_allocator_system(), &arena);
  tern_onnx_model model;
  tern_status *status =
      tern_onnx_parse_model((tern_span){(const char *)data, size}, &arena, &model);
  if (!status) {
    walk_graph(&model.graph);
    for (size_t i = 0; i < model.function_count; ++i)
      walk_nodes(model.functions[i].nodes, model.functions[i].node_count);
  }
  tern_status_free(status);
  tern_arena_deinit(&arena);
  return 0;
}
