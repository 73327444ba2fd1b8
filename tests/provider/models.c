// Models for tests of providers.
#include "provider/models.h"

#include <stdio.h>
#include <string.h>

#include "support/load_run.h"
#include "unit/graph/proto.h"

// ---- The models. Inputs of size N vary.

static const float weights[12] = {0.5f, -1, 2, 0.25f, 3, -0.75f, 1, 0, -2, 1.5f, 0.125f, -1};

static void end_graph(tern_pb_writer *w, size_t graph) {
  tern_pb_end_message(w, graph);
}

// Two branches that meet, a value that is read on both sides of any border, two outputs.
static void put_branches(tern_pb_writer *w) {
  put_model(w, 10, 21);
  size_t graph = open_graph(w);
  put_info(w, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_info(w, GRAPH_INPUT, "y", TERN_FLOAT, "N,3");
  put_node(w, "relu", "Relu", "x", "a");
  put_node(w, "add", "Add", "a,y", "b");
  put_node(w, "tanh", "Tanh", "b", "c");
  put_node(w, "neg", "Neg", "b", "d");
  put_node(w, "mul", "Mul", "c,d", "e");
  put_node(w, "sigmoid", "Sigmoid", "e", "f");
  put_node(w, "sub", "Sub", "f,a", "g");
  put_info(w, GRAPH_OUTPUT, "g", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "b", 0, NULL);
  end_graph(w, graph);
}

// Constants that kernels pack, read twice, or give out.
static void put_weights(tern_pb_writer *w) {
  put_model(w, 10, 21);
  size_t graph = open_graph(w);
  put_initializer(w, "w", TERN_FLOAT, "3,4", weights, sizeof weights);
  put_initializer(w, "v", TERN_FLOAT, "4", weights, 16);
  put_initializer(w, "k", TERN_FLOAT, "4,3", weights, sizeof weights);
  put_info(w, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_node(w, "matmul", "MatMul", "x,w", "a");
  put_node(w, "add", "Add", "a,v", "b");
  put_node(w, "again", "Mul", "b,v", "c");
  put_node(w, "gemm", "MatMul", "c,k", "d");
  put_node(w, "softmax", "Softmax", "d", "e");
  put_info(w, GRAPH_OUTPUT, "e", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "v", 0, NULL);
  end_graph(w, graph);
}

// Shapes that follow from shapes, and from elements.
static void put_shapes(tern_pb_writer *w) {
  static const int64_t flat = -1, zero = 0, one = 1;
  put_model(w, 10, 21);
  size_t graph = open_graph(w);
  put_initializer(w, "flat", TERN_INT64, "1", &flat, 8);
  put_initializer(w, "zero", TERN_INT64, "1", &zero, 8);
  put_initializer(w, "one", TERN_INT64, "1", &one, 8);
  put_info(w, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_node(w, "shape", "Shape", "x", "s");
  put_node(w, "rows", "Gather", "s,zero", "n");
  size_t concat = open_node(w, "join", "Concat", "one,n,flat", "to");
  put_attr_i(w, "axis", 0);
  tern_pb_end_message(w, concat);
  put_node(w, "cos", "Cos", "x", "c");
  put_node(w, "reshape", "Reshape", "c,to", "r");
  put_node(w, "flatten", "Reshape", "r,flat", "f");
  put_node(w, "relu", "Relu", "f", "p");
  put_node(w, "nonzero", "NonZero", "p", "i");
  put_node(w, "squeeze", "Reshape", "i,flat", "at");
  put_node(w, "pick", "Gather", "p,at", "q");
  put_node(w, "exp", "Exp", "q", "y");
  put_info(w, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "r", 0, NULL);
  end_graph(w, graph);
}

static void put_branch(tern_pb_writer *w, const char *attr, const char *op, const char *inputs,
                       const char *prefix) {
  char inner[16], out[16];
  open_attr body = open_attr_graph(w, attr);
  snprintf(inner, sizeof inner, "%s_in", prefix);
  snprintf(out, sizeof out, "%s_out", prefix);
  put_node(w, prefix, op, inputs, inner);
  put_node(w, "", "Tanh", inner, out);
  put_info(w, GRAPH_OUTPUT, out, 0, NULL);
  end_attr_graph(w, body);
}

// Subgraphs that read values of the graph around, made on either side; a body that gives out what
// it captured; a loop's state.
static void put_subgraphs(tern_pb_writer *w) {
  static const int64_t trips = 3;
  static const float zero = 0;
  put_model(w, 10, 21);
  size_t graph = open_graph(w);
  put_initializer(w, "trips", TERN_INT64, "", &trips, 8);
  put_initializer(w, "zero", TERN_FLOAT, "", &zero, 4);
  put_info(w, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_node(w, "relu", "Relu", "x", "a");
  put_node(w, "sum", "ReduceSum", "x", "total_kept");
  put_node(w, "total", "ReduceMax", "total_kept", "total2");
  size_t squeeze = open_node(w, "scalar", "Squeeze", "total2", "total");
  tern_pb_end_message(w, squeeze);
  put_node(w, "less", "Less", "total,zero", "is_less");
  size_t node = open_node(w, "if", "If", "is_less", "b");
  put_branch(w, "then_branch", "Exp", "a", "then");
  put_branch(w, "else_branch", "Add", "a,x", "else");
  tern_pb_end_message(w, node);
  node = open_node(w, "loop", "Loop", "trips,,b", "c,scans");
  open_attr body = open_attr_graph(w, "body");
  put_info(w, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(w, GRAPH_INPUT, "go", TERN_BOOL, "");
  put_info(w, GRAPH_INPUT, "state", TERN_FLOAT, NULL);
  put_node(w, "", "Identity", "go", "go_on");
  put_node(w, "body_mul", "Mul", "state,a", "m");
  put_node(w, "body_sig", "Sigmoid", "m", "next");
  put_info(w, GRAPH_OUTPUT, "go_on", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "next", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "m", 0, NULL);
  end_attr_graph(w, body);
  tern_pb_end_message(w, node);
  put_node(w, "neg", "Neg", "c", "y");
  put_info(w, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "scans", 0, NULL);
  end_graph(w, graph);
}

// Texts and sequences between numbers, narrow floats, an operator with a function body.
static void put_kinds(tern_pb_writer *w) {
  put_model(w, 10, 21);
  size_t graph = open_graph(w);
  put_info(w, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_info(w, GRAPH_INPUT, "h", TERN_FLOAT16, "N,3");
  put_node(w, "relu", "Relu", "x", "a");
  put_node(w, "pack", "SequenceConstruct", "a,x", "q");
  size_t node = open_node(w, "unpack", "ConcatFromSequence", "q", "b");
  put_attr_i(w, "axis", 0);
  tern_pb_end_message(w, node);
  node = open_node(w, "text", "Cast", "b", "t");
  put_attr_i(w, "to", TERN_STRING);
  tern_pb_end_message(w, node);
  put_node(w, "half", "Softplus", "h", "hs");
  put_node(w, "half_add", "Add", "hs,h", "ha");
  put_node(w, "hard", "HardSwish", "a", "y");
  put_info(w, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "t", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "ha", 0, NULL);
  put_info(w, GRAPH_OUTPUT, "q", 0, NULL);
  end_graph(w, graph);
}

const test_model test_models[] = {{"branches", put_branches}, {"weights", put_weights},
                                  {"shapes", put_shapes},     {"subgraphs", put_subgraphs},
                                  {"kinds", put_kinds},       {NULL, NULL}};

const test_model *test_model_find(const char *name) {
  const test_model *model = test_models;
  while (model->name && strcmp(model->name, name) != 0) ++model;
  return model->name ? model : NULL;
}

// ---- Running.

tern_status *test_model_load(const test_model *model, const tern_session_options *options,
                             tern_session **out_session) {
  const tern_session_options plain = {.optimization_level = TERN_OPTIMIZE_NONE};
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  model->put(&writer);
  tern_status *status = tern_session_create_from_memory(writer.data, writer.size,
                                                        options ? options : &plain, out_session);
  tern_pb_writer_deinit(&writer);
  return status;
}

tern_status *test_model_load_shifted(const test_model *model, const tern_session_options *options,
                                     size_t shift, test_model_bytes *out_bytes,
                                     tern_session **out_session) {
  tern_metadata config[16] = {{"session.use_ort_model_bytes_for_initializers", "1"}};
  tern_session_options in_place = *options;
  if (options->config_count + 1 > TERN_COUNT_OF(config))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "too many entries");
  for (size_t i = 0; i < options->config_count; ++i) config[i + 1] = options->config[i];
  in_place.config = config;
  in_place.config_count = options->config_count + 1;
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  model->put(&writer);
  out_bytes->size = writer.size + shift;
  tern_status *status =
      tern_allocator_alloc(tern_allocator_system(), out_bytes->size, &out_bytes->data);
  if (!status) {
    char *at = (char *)out_bytes->data + shift;
    memcpy(at, writer.data, writer.size);
    status = tern_session_create_from_memory(at, writer.size, &in_place, out_session);
    if (status) test_model_bytes_release(out_bytes);
  }
  tern_pb_writer_deinit(&writer);
  return status;
}

void test_model_bytes_release(test_model_bytes *bytes) {
  tern_allocator_free(tern_allocator_system(), bytes->data, bytes->size);
}

tern_status *test_model_load_on(const test_model *model, tern_provider *provider,
                                tern_session **out_session) {
  const tern_provider_request request = {.instance = provider};
  const tern_session_options options = {
      .optimization_level = TERN_OPTIMIZE_NONE, .providers = &request, .provider_count = 1};
  return test_model_load(model, &options, out_session);
}

static bool values_equal(const tern_value *a, const tern_value *b);

static tern_status *run_checked(tern_session *session, const char *const *input_names,
                                tern_value *const *inputs, size_t in,
                                const char *const *output_names, size_t out, tern_value **outputs) {
  tern_value *copies[TEST_MAX_VALUES] = {NULL};
  tern_status *status = NULL;
  for (size_t i = 0; i < in && !status; ++i)
    status = tern_value_clone(tern_allocator_system(), inputs[i], &copies[i]);
  if (!status)
    status = tern_session_run(session, NULL, input_names, (const tern_value *const *)inputs, in,
                              output_names, out, outputs);
  for (size_t i = 0; i < in; ++i) {
    if (!status && !values_equal(inputs[i], copies[i]))
      status = TERN_ERROR(TERN_FAIL, "the run has changed input '%s'", input_names[i]);
    tern_value_release(copies[i]);
  }
  return status;
}

static tern_status *run_with(tern_session *session, uint64_t seed, tern_value **inputs,
                             test_outputs *outputs) {
  const char *input_names[TEST_MAX_VALUES], *output_names[TEST_MAX_VALUES];
  size_t in = tern_session_input_count(session), out = tern_session_output_count(session);
  for (size_t i = 0; i < in; ++i) {
    const tern_edge *edge = tern_session_input(session, i);
    tern_type type = edge->type;
    for (int32_t d = 0; d < type.shape.rank; ++d)
      if (type.shape.dims[d] < 0)
        type.shape.dims[d] = seed == TEST_EMPTY_INPUTS ? 0 : 2 + (int64_t)(seed % 5);
    TERN_TRY(test_make_value(tern_allocator_system(), &type, seed + i, &inputs[i]));
    input_names[i] = edge->name;
  }
  for (size_t i = 0; i < out; ++i) output_names[i] = tern_session_output(session, i)->name;
  TERN_TRY(run_checked(session, input_names, inputs, in, output_names, out, outputs->values));
  outputs->count = out;
  return NULL;
}

tern_status *test_model_run(tern_session *session, uint64_t seed, test_outputs *out_outputs) {
  tern_value *inputs[TEST_MAX_VALUES] = {NULL};
  *out_outputs = (test_outputs){.count = 0};
  tern_status *status = run_with(session, seed, inputs, out_outputs);
  for (size_t i = 0; i < TEST_MAX_VALUES; ++i) tern_value_release(inputs[i]);
  return status;
}

void test_outputs_release(test_outputs *outputs) {
  for (size_t i = 0; i < outputs->count; ++i) tern_value_release(outputs->values[i]);
  outputs->count = 0;
}

static bool strings_equal(const tern_value *a, const tern_value *b) {
  const tern_string *left = a->data, *right = b->data;
  for (int64_t i = 0; i < tern_value_count(a); ++i) {
    if (left[i].size != right[i].size || memcmp(left[i].data, right[i].data, left[i].size) != 0)
      return false;
  }
  return true;
}

static bool values_equal(const tern_value *a, const tern_value *b) {
  if (a->kind != b->kind || a->dtype != b->dtype || a->item_count != b->item_count) return false;
  for (size_t i = 0; i < a->item_count; ++i)
    if (!values_equal(a->items[i], b->items[i])) return false;
  if (a->kind != TERN_KIND_TENSOR) return true;
  if (!tern_shape_equal(&a->shape, &b->shape)) return false;
  if (a->dtype == TERN_STRING) return strings_equal(a, b);
  return a->data_bytes == 0 || memcmp(a->data, b->data, a->data_bytes) == 0;
}

bool test_outputs_equal(const test_outputs *a, const test_outputs *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; ++i)
    if (!values_equal(a->values[i], b->values[i])) return false;
  return true;
}
