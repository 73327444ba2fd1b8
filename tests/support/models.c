// Models, node by node.
#include "support/models.h"

#include <stdio.h>
#include <string.h>

#include "unit/graph/proto.h"

enum { OPSET = 17, IR_VERSION = 8, WIDTH = MODEL_LAYER_WIDTH, HEADS = 4, HIDDEN = 256 };

static size_t begin(tern_pb_writer *writer) {
  tern_pb_writer_init(tern_allocator_system(), writer);
  put_model(writer, IR_VERSION, OPSET);
  return open_graph(writer);
}

void model_chain(tern_pb_writer *writer, int nodes) {
  char from[16] = "x", to[16];
  size_t graph = begin(writer);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,8");
  for (int i = 0; i < nodes; ++i) {
    snprintf(to, sizeof to, i + 1 == nodes ? "y" : "t%d", i);
    put_node(writer, to, i % 2 ? "Relu" : "Neg", from, to);
    memcpy(from, to, sizeof from);
  }
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,8");
  tern_pb_end_message(writer, graph);
}

// What the bodies below begin with.
static open_attr open_body(tern_pb_writer *writer) {
  open_attr body = open_attr_graph(writer, "body");
  put_info(writer, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "going", TERN_BOOL, "");
  put_info(writer, GRAPH_INPUT, "state", TERN_FLOAT, "1");
  put_node(writer, "", "Identity", "going", "goes_on");
  return body;
}

static void end_body(tern_pb_writer *writer, open_attr body) {
  put_info(writer, GRAPH_OUTPUT, "goes_on", TERN_BOOL, "");
  put_info(writer, GRAPH_OUTPUT, "next", TERN_FLOAT, "1");
  end_attr_graph(writer, body);
}

// output = a Loop over `inputs` that adds one.
static void put_counting_loop(tern_pb_writer *writer, const char *inputs, const char *output) {
  size_t node = open_node(writer, output, "Loop", inputs, output);
  open_attr body = open_body(writer);
  put_node(writer, "", "Add", "state,one", "next");
  end_body(writer, body);
  tern_pb_end_message(writer, node);
}

static void put_one(tern_pb_writer *writer) {
  static const float one = 1;
  put_initializer(writer, "one", TERN_FLOAT, "1", &one, sizeof one);
}

void model_loop(tern_pb_writer *writer) {
  size_t graph = begin(writer);
  put_info(writer, GRAPH_INPUT, "count", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "condition", TERN_BOOL, "");
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "1");
  put_one(writer);
  put_counting_loop(writer, "count,condition,x", "y");
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "1");
  tern_pb_end_message(writer, graph);
}

void model_nested_loop(tern_pb_writer *writer) {
  size_t graph = begin(writer);
  put_info(writer, GRAPH_INPUT, "outer", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "inner", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "condition", TERN_BOOL, "");
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "1");
  put_one(writer);
  size_t node = open_node(writer, "", "Loop", "outer,condition,x", "y");
  open_attr body = open_body(writer);
  put_counting_loop(writer, "inner,condition,state", "next");
  end_body(writer, body);
  tern_pb_end_message(writer, node);
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "1");
  tern_pb_end_message(writer, graph);
}

// ---- A layer.

static void put_weights(tern_pb_writer *writer, const char *name, const char *dims, size_t count) {
  static float values[WIDTH * HIDDEN];
  for (size_t i = 0; i < count; ++i) values[i] = (float)((i * 37) % 101) / 500 - 0.1f;
  put_initializer(writer, name, TERN_FLOAT, dims, values, count * sizeof *values);
}

static void put_integers(tern_pb_writer *writer, const char *name, const int64_t *values,
                         size_t count) {
  char dims[16];
  snprintf(dims, sizeof dims, "%zu", count);
  put_initializer(writer, name, TERN_INT64, dims, values, count * sizeof *values);
}

static void put_permuted(tern_pb_writer *writer, const char *input, const char *output,
                         const int64_t *order) {
  size_t node = open_node(writer, output, "Transpose", input, output);
  put_attr_ints(writer, "perm", order, 4);
  tern_pb_end_message(writer, node);
}

// The shape to split heads with: batch and length of x, then heads and their width.
static void put_shapes(tern_pb_writer *writer) {
  static const int64_t zero = 0, one = 1, tail[] = {HEADS, WIDTH / HEADS}, width = WIDTH;
  put_integers(writer, "zero", &zero, 1);
  put_integers(writer, "one", &one, 1);
  put_integers(writer, "tail", tail, 2);
  put_integers(writer, "width", &width, 1);
  put_node(writer, "", "Shape", "x", "shape");
  put_node(writer, "", "Gather", "shape,zero", "batch");
  put_node(writer, "", "Gather", "shape,one", "length");
  size_t split = open_node(writer, "", "Concat", "batch,length,tail", "split");
  put_attr_i(writer, "axis", 0);
  tern_pb_end_message(writer, split);
  size_t joined = open_node(writer, "", "Concat", "batch,length,width", "joined");
  put_attr_i(writer, "axis", 0);
  tern_pb_end_message(writer, joined);
}

static void put_heads(tern_pb_writer *writer, const char *letter, const int64_t *order) {
  char weights[8], product[8], heads[8], output[8], inputs[24];
  snprintf(weights, sizeof weights, "w%s", letter);
  snprintf(product, sizeof product, "p%s", letter);
  snprintf(heads, sizeof heads, "h%s", letter);
  snprintf(output, sizeof output, "%s", letter);
  put_weights(writer, weights, "64,64", WIDTH * WIDTH);
  snprintf(inputs, sizeof inputs, "x,%s", weights);
  put_node(writer, "", "MatMul", inputs, product);
  snprintf(inputs, sizeof inputs, "%s,split", product);
  put_node(writer, "", "Reshape", inputs, heads);
  put_permuted(writer, heads, output, order);
}

static void put_attention(tern_pb_writer *writer) {
  static const int64_t forward[] = {0, 2, 1, 3}, transposed[] = {0, 2, 3, 1};
  static const float scale = 0.25f;
  put_heads(writer, "q", forward);
  put_heads(writer, "k", transposed);
  put_heads(writer, "v", forward);
  put_initializer(writer, "scale", TERN_FLOAT, "", &scale, sizeof scale);
  put_node(writer, "", "MatMul", "q,k", "raw");
  put_node(writer, "", "Mul", "raw,scale", "scores");
  size_t node = open_node(writer, "", "Softmax", "scores", "weights");
  put_attr_i(writer, "axis", -1);
  tern_pb_end_message(writer, node);
  put_node(writer, "", "MatMul", "weights,v", "mixed");
  put_permuted(writer, "mixed", "back", forward);
  put_node(writer, "", "Reshape", "back,joined", "attended");
  put_node(writer, "", "Add", "x,attended", "residual");
}

void model_layer(tern_pb_writer *writer) {
  size_t graph = begin(writer);
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "B,S,64");
  put_shapes(writer);
  put_attention(writer);
  put_weights(writer, "up", "64,256", WIDTH * HIDDEN);
  put_weights(writer, "down", "256,64", WIDTH * HIDDEN);
  put_node(writer, "", "MatMul", "residual,up", "hidden");
  put_node(writer, "", "Relu", "hidden", "active");
  put_node(writer, "", "MatMul", "active,down", "lowered");
  put_node(writer, "", "Add", "residual,lowered", "y");
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "B,S,64");
  tern_pb_end_message(writer, graph);
}

// ---- A detector's end.

static void put_suppression(tern_pb_writer *writer) {
  static const int64_t most = 20, box_column = 2;
  static const float overlap = 0.5f, threshold = 0.2f;
  put_initializer(writer, "most", TERN_INT64, "1", &most, sizeof most);
  put_initializer(writer, "overlap", TERN_FLOAT, "1", &overlap, sizeof overlap);
  put_initializer(writer, "threshold", TERN_FLOAT, "1", &threshold, sizeof threshold);
  put_initializer(writer, "box_column", TERN_INT64, "", &box_column, sizeof box_column);
  put_node(writer, "", "NonMaxSuppression", "boxes,scores,most,overlap,threshold", "picked");
  put_node(writer, "", "GatherND", "scores,picked", "kept_scores");
  size_t node = open_node(writer, "", "Gather", "picked,box_column", "places");
  put_attr_i(writer, "axis", 1);
  tern_pb_end_message(writer, node);
  put_node(writer, "", "Squeeze", "boxes,first_axis", "all_boxes");
  put_node(writer, "", "Gather", "all_boxes,places", "kept_boxes");
}

// At most eight, best first.
static void put_ranking(tern_pb_writer *writer) {
  static const int64_t eight = 8;
  static const float half = 0.5f;
  put_initializer(writer, "eight", TERN_INT64, "1", &eight, sizeof eight);
  put_initializer(writer, "half", TERN_FLOAT, "", &half, sizeof half);
  put_node(writer, "", "Shape", "kept_scores", "found");
  put_node(writer, "", "Min", "found,eight", "count");
  put_node(writer, "", "TopK", "kept_scores,count", "best_scores,order");
  put_node(writer, "", "Gather", "kept_boxes,order", "best_boxes");
  put_node(writer, "", "Greater", "best_scores,half", "is_sure");
  put_node(writer, "", "NonZero", "is_sure", "sure");
}

void model_detector(tern_pb_writer *writer) {
  static const int64_t first_axis = 0;
  size_t graph = begin(writer);
  put_info(writer, GRAPH_INPUT, "boxes", TERN_FLOAT, "1,N,4");
  put_info(writer, GRAPH_INPUT, "scores", TERN_FLOAT, "1,3,N");
  put_integers(writer, "first_axis", &first_axis, 1);
  put_suppression(writer);
  put_ranking(writer);
  put_info(writer, GRAPH_OUTPUT, "best_boxes", TERN_FLOAT, NULL);
  put_info(writer, GRAPH_OUTPUT, "best_scores", TERN_FLOAT, NULL);
  put_info(writer, GRAPH_OUTPUT, "sure", TERN_INT64, NULL);
  tern_pb_end_message(writer, graph);
}
