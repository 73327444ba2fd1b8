// Models that are well-formed protobuf and say impossible things to the whole of a session: each is
// refused, fails while running, or runs, as the standard has it, and leaves nothing behind
// (support/load_run.h sees to that). What the importer alone refuses is in
// graph/test_import_refuse.
#include <string.h>

#include "support/load_run.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

typedef enum outcome { REFUSED, FAILS, RUNS } outcome;

static tern_pb_writer writer;

static size_t begin(void) {
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 10, 21);
  return open_graph(&writer);
}

// `word` is in the message of the first failure; NULL where it does not matter.
static void expect(size_t graph, outcome expected, const char *word) {
  tern_pb_end_message(&writer, graph);
  static const test_load_run_options limits = {
      .memory_bytes = (int64_t)64 << 20, .run_cpu_ms = 30, .runs = 2, .round_trip = true};
  test_load_run_result result;
  test_load_run(writer.data, writer.size, &limits, &result);
  tern_pb_writer_deinit(&writer);
  outcome found = !result.loaded ? REFUSED : result.completed < limits.runs ? FAILS : RUNS;
  if (found != expected) fail_msg("outcome %d, not %d: %s", found, expected, result.message);
  if (word && !strstr(result.message, word)) fail_msg("no '%s' in: %s", word, result.message);
}

static void put_i64s(const char *name, const char *dims, const int64_t *values, size_t count) {
  put_initializer(&writer, name, TERN_INT64, dims, values, count * sizeof *values);
}

static void outputs_that_the_file_leaves_out(void **state) {
  (void)state;
  static const struct {
    const char *op, *outputs;
    outcome expected;
  } cases[] = {{"Gemm", "", RUNS},
               {"TopK", ",i", RUNS},
               {"TopK", "v", RUNS},
               {"TopK", "", RUNS},
               {"Gemm", "y,z", REFUSED}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_i64s("k", "1", (int64_t[]){1}, 1);
    put_info(&writer, GRAPH_INPUT, "a", TERN_FLOAT, "3,3");
    put_node(&writer, "n", cases[i].op, cases[i].op[0] == 'G' ? "a,a" : "a,k", cases[i].outputs);
    put_node(&writer, "", "Relu", "a", "r");
    put_info(&writer, GRAPH_OUTPUT, "r", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

// An old operator that its upgrade replaces has no more outputs than the replacement.
static void outputs_that_no_version_has(void **state) {
  (void)state;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 11);
  size_t graph = open_graph(&writer);
  put_info(&writer, GRAPH_INPUT, "a", TERN_FLOAT, "2,3,4");
  put_node(&writer, "n", "Softmax", "a", "y,p,q,r,s,t,u,v,w");
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  expect(graph, REFUSED, "output 1");
}

static void inputs_that_do_not_fit(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs;
    outcome expected;
  } cases[] = {
      {"Min", "a,,a", REFUSED},
      {"Concat", "a,,a", REFUSED},
      {"Dropout", "a,f,none", FAILS},
      {"Slice", "a,two,one", REFUSED},
      {"Slice", "a,d1,d2", FAILS},
      {"Slice", "a,one,one,nine", REFUSED},
      {"Slice", "scalar,many,many", FAILS},
      {"Squeeze", "column,axes", FAILS},
      {"Conv", "image,no_kernel", REFUSED},
      {"ConvTranspose", "image,no_kernel", REFUSED},
      {"Reshape", "a,minus", REFUSED},
      {"Expand", "e,huge", FAILS},
      {"ConstantOfShape", "huge", FAILS},
      {"ConstantOfShape", "minus", REFUSED},
      {"Tile", "a,huge", FAILS},
      {"Range", "zero,big,one_i", FAILS},
      {"Range", "zero,big,zero", REFUSED},
      {"OneHot", "d1,one_i,m", FAILS},
  };
  static const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  static const int64_t minus[] = {-5, -7}, small[] = {1, 1}, big = INT64_MAX, nine = 9, zero = 0;
  static const float half = 0.5f;
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_i64s("huge", "2", huge, 2);
    put_i64s("minus", "2", minus, 2);
    put_i64s("one", "1", small, 1);
    put_i64s("two", "2", small, 2);
    put_i64s("nine", "1", &nine, 1);
    put_i64s("zero", "", &zero, 1);
    put_i64s("one_i", "", small, 1);
    put_i64s("big", "", &big, 1);
    put_initializer(&writer, "f", TERN_FLOAT, "", &half, 4);
    put_info(&writer, GRAPH_INPUT, "a", TERN_FLOAT, "3,3");
    put_info(&writer, GRAPH_INPUT, "e", TERN_FLOAT, "1,1");
    put_info(&writer, GRAPH_INPUT, "none", TERN_BOOL, "0");
    put_info(&writer, GRAPH_INPUT, "m", TERN_FLOAT, "1,1");
    put_info(&writer, GRAPH_INPUT, "d1", TERN_INT64, "1");
    put_info(&writer, GRAPH_INPUT, "d2", TERN_INT64, "0");
    put_info(&writer, GRAPH_INPUT, "scalar", TERN_FLOAT, "");
    put_info(&writer, GRAPH_INPUT, "many", TERN_INT64, "2,2,8");
    put_info(&writer, GRAPH_INPUT, "column", TERN_FLOAT, "3,1");
    put_info(&writer, GRAPH_INPUT, "axes", TERN_INT64, "2");
    put_info(&writer, GRAPH_INPUT, "image", TERN_FLOAT, "1,1,3");
    put_info(&writer, GRAPH_INPUT, "no_kernel", TERN_FLOAT, "1,1,0");
    size_t node = open_node(&writer, "n", cases[i].op, cases[i].inputs, "y");
    if (!strcmp(cases[i].op, "Concat")) put_attr_i(&writer, "axis", 0);
    tern_pb_end_message(&writer, node);
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

// The output's shape follows from the other inputs, so only the run sees that the bias, of a size
// computed while running, does not fit.
static void sizes_that_show_while_running(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs;
    int64_t size;
    outcome expected;
  } cases[] = {{"Conv", "x,w,b", 2, FAILS},
               {"Conv", "x,w,b", 8, RUNS},
               {"ConvTranspose", "x,v,b", 2, FAILS},
               {"ConvTranspose", "x,v,b", 8, RUNS},
               {"Gemm", "p,q,b", 2, FAILS},
               {"Gemm", "p,q,b", 8, RUNS},
               {"LayerNormalization", "q,b", 2, FAILS},
               {"LayerNormalization", "q,b", 8, RUNS}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "1,2,5,5");
    put_info(&writer, GRAPH_INPUT, "w", TERN_FLOAT, "8,2,3,3");
    put_info(&writer, GRAPH_INPUT, "v", TERN_FLOAT, "2,8,3,3");
    put_info(&writer, GRAPH_INPUT, "p", TERN_FLOAT, "3,4");
    put_info(&writer, GRAPH_INPUT, "q", TERN_FLOAT, "4,8");
    put_info(&writer, GRAPH_INPUT, "small", TERN_INT64, "1"); // of at most 2
    put_i64s("least", "1", &cases[i].size, 1);
    put_node(&writer, "", "Max", "small,least", "size");
    put_node(&writer, "", "ConstantOfShape", "size", "b");
    put_node(&writer, "n", cases[i].op, cases[i].inputs, "y");
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

static void declared_inputs(void **state) {
  (void)state;
  static const struct {
    const char *dims;
    outcome expected;
  } cases[] = {{"1000000,1000000", FAILS},
               {"4611686018427387904,4", FAILS},
               {"0,4611686018427387904", RUNS},
               {"4611686018427387904,0,4", FAILS},
               {"-3,2", RUNS}, // an unknown size
               {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", REFUSED}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "a", TERN_FLOAT, cases[i].dims);
    put_node(&writer, "n", "Relu", "a", "y");
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

static void initializers(void **state) {
  (void)state;
  static const int64_t data[4] = {0};
  static const struct {
    tern_dtype dtype, declared;
    const char *dims;
    size_t bytes;
    outcome expected;
  } cases[] = {{TERN_STRING, 0, "2", 32, REFUSED},
               {TERN_FLOAT, 0, "2", 9, REFUSED},
               {TERN_FLOAT, 0, "0", 0, RUNS},
               {TERN_FLOAT, TERN_FLOAT, "2", 8, RUNS},
               {TERN_FLOAT, TERN_INT64, "2", 8, REFUSED},
               {(tern_dtype)99, 0, "2", 8, REFUSED}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_initializer(&writer, "w", cases[i].dtype, cases[i].dims, data, cases[i].bytes);
    if (cases[i].declared) put_info(&writer, GRAPH_INPUT, "w", cases[i].declared, "N");
    put_node(&writer, "n", "Identity", "w", "y");
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

static void external_data_stays_below(void **state) {
  (void)state;
  static const char *const places[] = {"../secret", "/etc/passwd", "a/../../b", ""};
  for (size_t i = 0; i < TERN_COUNT_OF(places); ++i) {
    size_t graph = begin();
    size_t tensor = tern_pb_begin_message(&writer, 5);
    tern_pb_write_varint(&writer, 1, 4);
    tern_pb_write_varint(&writer, 2, TERN_FLOAT);
    tern_pb_write_text(&writer, 8, "w");
    size_t entry = tern_pb_begin_message(&writer, 13);
    tern_pb_write_text(&writer, 1, "location");
    tern_pb_write_text(&writer, 2, places[i]);
    tern_pb_end_message(&writer, entry);
    tern_pb_write_varint(&writer, 14, 1);
    tern_pb_end_message(&writer, tensor);
    put_node(&writer, "n", "Relu", "w", "y");
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, REFUSED, "'w'");
  }
}

static void put_branch(const char *attr, const char *op, const char *input) {
  open_attr branch = open_attr_graph(&writer, attr);
  put_node(&writer, "", op, input, "out");
  put_info(&writer, GRAPH_OUTPUT, "out", 0, NULL);
  end_attr_graph(&writer, branch);
}

static void branches(void **state) {
  (void)state;
  static const struct {
    const char *then_op, *else_op, *condition;
    tern_dtype declared;
    const char *dims, *outputs;
    outcome expected;
  } cases[] = {
      {"Relu", "Neg", "", TERN_FLOAT, "2,3", "y", RUNS},
      {"Relu", "Shape", "", 0, NULL, "y", REFUSED},
      {"Relu", "Neg", "", TERN_INT64, "2,3", "y", REFUSED},
      {"Relu", "Transpose", "", 0, NULL, "y", RUNS},
      {"Relu", "Neg", "2", 0, NULL, "y", FAILS},
      {"Relu", "Neg", "0", 0, NULL, "y", FAILS},
      {"Relu", "Neg", "", 0, NULL, "y,z", FAILS},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "c", TERN_BOOL, cases[i].condition);
    put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "2,3");
    size_t node = open_node(&writer, "if", "If", "c", cases[i].outputs);
    put_branch("then_branch", cases[i].then_op, "x");
    put_branch("else_branch", cases[i].else_op, "x");
    tern_pb_end_message(&writer, node);
    put_info(&writer, GRAPH_OUTPUT, "y", cases[i].declared, cases[i].dims);
    expect(graph, cases[i].expected, NULL);
  }
}

typedef struct loop_case {
  int64_t trips;
  const char *update, *update_inputs; // the node that makes the next state
  const char *scan;                   // a body output gathered over the trips; NULL: none
  bool loses_output;                  // the body lacks its last output
  outcome expected;
  const char *word;
} loop_case;

static void run_loop(const loop_case *c) {
  size_t graph = begin();
  put_i64s("trips", "", &c->trips, 1);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "1,2");
  size_t node = open_node(&writer, "loop", "Loop", "trips,,x", c->scan ? "y,gathered" : "y");
  open_attr body = open_attr_graph(&writer, "body");
  put_info(&writer, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(&writer, GRAPH_INPUT, "go", TERN_BOOL, "");
  put_info(&writer, GRAPH_INPUT, "state", 0, NULL);
  put_node(&writer, "", "Identity", "go", "go_on");
  put_node(&writer, "", "Neg", "state", "neg");
  size_t update = open_node(&writer, "", c->update, c->update_inputs, "next");
  if (!strcmp(c->update, "Concat")) put_attr_i(&writer, "axis", 0);
  if (!strcmp(c->update, "Cast")) put_attr_i(&writer, "to", TERN_INT8);
  tern_pb_end_message(&writer, update);
  put_info(&writer, GRAPH_OUTPUT, "go_on", 0, NULL);
  if (!c->loses_output) put_info(&writer, GRAPH_OUTPUT, "next", 0, NULL);
  if (c->scan) put_info(&writer, GRAPH_OUTPUT, c->scan, 0, NULL);
  end_attr_graph(&writer, body);
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  expect(graph, c->expected, c->word);
}

static void loops(void **state) {
  (void)state;
  static const loop_case cases[] = {
      {3, "Neg", "state", "next", false, RUNS, NULL},
      {0, "Neg", "state", "next", false, RUNS, NULL},
      {INT64_MIN, "Neg", "state", "next", false, RUNS, NULL},
      {INT64_MAX, "Neg", "state", NULL, false, FAILS, "stop"},
      {INT64_MAX, "Neg", "state", "next", false, FAILS, NULL}, // stopped, or out of memory
      {INT64_MAX, "Concat", "state,state", NULL, false, FAILS, NULL},
      {3, "Concat", "state,state", "next", false, FAILS, NULL}, // scans of different shapes
      {3, "Cast", "neg", NULL, false, FAILS, "prepared for"},   // a state that changes its type
      {3, "Neg", "state", "next", true, FAILS, NULL},
      {3, "Neg", "ghost", NULL, false, REFUSED, "ghost"},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    run_loop(&cases[i]);
  }
}

static void scans(void **state) {
  (void)state;
  static const struct {
    int64_t inputs, axis;
    const char *attr;
    size_t axis_count;
    outcome expected;
  } cases[] = {
      {1, 0, "scan_input_axes", 1, RUNS},
      {1, -2, "scan_input_axes", 1, RUNS},
      {1, 5, "scan_input_axes", 1, REFUSED},
      {1, INT64_MIN, "scan_input_axes", 1, REFUSED},
      {1, 0, "scan_input_axes", 2, RUNS}, // what is too many is not read
      {1, 2, "scan_input_directions", 1, RUNS},
      {1, 7, "scan_output_axes", 1, REFUSED},
      {1, 0, "scan_output_directions", 3, RUNS},
      {0, 0, "scan_input_axes", 0, REFUSED},
      {3, 0, "scan_input_axes", 0, REFUSED},
      {-1, 0, "scan_input_axes", 0, REFUSED},
      {INT64_MAX, 0, "scan_input_axes", 0, REFUSED},
      {INT64_MIN, 0, "scan_input_axes", 0, REFUSED},
  };
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "sum", TERN_FLOAT, "3");
    put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "4,3");
    size_t node = open_node(&writer, "scan", "Scan", "sum,x", "y,partial");
    put_attr_i(&writer, "num_scan_inputs", cases[i].inputs);
    int64_t axes[3] = {cases[i].axis, cases[i].axis, cases[i].axis};
    if (cases[i].axis_count) put_attr_ints(&writer, cases[i].attr, axes, cases[i].axis_count);
    open_attr body = open_attr_graph(&writer, "body");
    put_info(&writer, GRAPH_INPUT, "before", 0, NULL);
    put_info(&writer, GRAPH_INPUT, "row", 0, NULL);
    put_node(&writer, "", "Add", "before,row", "after");
    put_info(&writer, GRAPH_OUTPUT, "after", 0, NULL);
    put_info(&writer, GRAPH_OUTPUT, "after", 0, NULL);
    end_attr_graph(&writer, body);
    tern_pb_end_message(&writer, node);
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    put_info(&writer, GRAPH_OUTPUT, "partial", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

static void empty_tensors(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs;
    outcome expected;
  } cases[] = {{"MatMul", "rows,columns", RUNS}, {"MatMul", "columns,rows", RUNS},
               {"Gemm", "rows,columns", RUNS},   {"Add", "rows,rows", RUNS},
               {"Softmax", "rows", RUNS},        {"Transpose", "rows", RUNS},
               {"ReduceSum", "rows", RUNS},      {"Flatten", "image", RUNS},
               {"Conv", "image,kernel", RUNS},   {"GlobalAveragePool", "image", RUNS},
               {"Concat", "rows,rows", RUNS},    {"Sum", "rows,rows,rows", RUNS}};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "rows", TERN_FLOAT, "3,0");
    put_info(&writer, GRAPH_INPUT, "columns", TERN_FLOAT, "0,3");
    put_info(&writer, GRAPH_INPUT, "image", TERN_FLOAT, "0,2,4,4");
    put_info(&writer, GRAPH_INPUT, "kernel", TERN_FLOAT, "2,2,3,3");
    size_t node = open_node(&writer, "n", cases[i].op, cases[i].inputs, "y");
    if (!strcmp(cases[i].op, "Concat")) put_attr_i(&writer, "axis", 1);
    tern_pb_end_message(&writer, node);
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

// Tensors that are empty in one axis and endless in the others: whatever has nothing to write is
// done at once.
static void vast_empty_tensors(void **state) {
  (void)state;
  static const struct {
    const char *op, *inputs;
    outcome expected;
  } cases[] = {{"MatMul", "a,b", RUNS},
               {"LayerNormalization", "a,none", RUNS},
               {"Softmax", "a", RUNS},
               {"Unique", "a", RUNS},
               {"ConvTranspose", "image,none4", RUNS},
               {"ConvTranspose", "line,weights", REFUSED}};
  static const float ones[12] = {1};
  for (size_t i = 0; i < TERN_COUNT_OF(cases); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "a", TERN_FLOAT, "1048576,1048576,0,3");
    put_info(&writer, GRAPH_INPUT, "image", TERN_FLOAT, "1048576,0,5,5");
    put_info(&writer, GRAPH_INPUT, "line", TERN_FLOAT, "0,2,2305843009213693952");
    put_initializer(&writer, "b", TERN_FLOAT, "1,3,4", ones, sizeof ones);
    put_initializer(&writer, "weights", TERN_FLOAT, "2,2,3", ones, sizeof ones);
    put_initializer(&writer, "none", TERN_FLOAT, "3", ones, 3 * sizeof *ones);
    put_initializer(&writer, "none4", TERN_FLOAT, "0,0,3,3", NULL, 0);
    size_t node = open_node(&writer, "n", cases[i].op, cases[i].inputs, "y");
    if (!strcmp(cases[i].op, "Unique")) put_attr_i(&writer, "axis", 2);
    if (!strcmp(cases[i].inputs, "line,weights"))
      put_attr_ints(&writer, "strides", (int64_t[]){1 << 30}, 1);
    tern_pb_end_message(&writer, node);
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, cases[i].expected, NULL);
  }
}

// Weights are packed although nothing is known of the input: groups are checked before.
static void groups_of_an_unknown_input(void **state) {
  (void)state;
  static const int64_t groups[] = {0, -1, 3, INT64_MAX};
  static const float weights[4 * 17 * 17] = {0};
  for (size_t i = 0; i < TERN_COUNT_OF(groups); ++i) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, NULL);
    put_initializer(&writer, "w", TERN_FLOAT, "4,1,17,17", weights, sizeof weights);
    size_t node = open_node(&writer, "n", "Conv", "x,w", "y");
    put_attr_i(&writer, "group", groups[i]);
    tern_pb_end_message(&writer, node);
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, FAILS, NULL);
  }
}

// Items of a sequence change their shapes from one iteration to the next, and with them what is
// planned for the body.
static void items_that_change_shape(void **state) {
  (void)state;
  const int64_t trips = 3, first = 0;
  size_t graph = begin();
  put_i64s("trips", "", &trips, 1);
  put_i64s("first", "", &first, 1);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "2,3");
  put_node(&writer, "", "SplitToSequence", "x", "rows");
  size_t node = open_node(&writer, "loop", "Loop", "trips,,rows", "items,shapes");
  open_attr body = open_attr_graph(&writer, "body");
  put_info(&writer, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(&writer, GRAPH_INPUT, "go", TERN_BOOL, "");
  put_info(&writer, GRAPH_INPUT, "state", 0, NULL);
  put_node(&writer, "", "Identity", "go", "go_on");
  put_node(&writer, "", "SequenceAt", "state,first", "item");
  size_t join = open_node(&writer, "", "Concat", "item,item", "longer");
  put_attr_i(&writer, "axis", 0);
  tern_pb_end_message(&writer, join);
  put_node(&writer, "", "SequenceConstruct", "longer", "next");
  put_node(&writer, "", "Shape", "item", "shape");
  put_info(&writer, GRAPH_OUTPUT, "go_on", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "next", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "shape", 0, NULL);
  end_attr_graph(&writer, body);
  tern_pb_end_message(&writer, node);
  put_node(&writer, "", "SequenceAt", "items,first", "last");
  // What broadcasts with [8,3] only.
  static const float column[8] = {0};
  put_initializer(&writer, "column", TERN_FLOAT, "8,1", column, sizeof column);
  put_node(&writer, "", "Add", "last,column", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "shapes", 0, NULL);
  expect(graph, RUNS, NULL);
}

// The same where two branches differ: the shape is that of the branch which ran.
static void items_of_either_branch(void **state) {
  (void)state;
  static const char *const operators[] = {"SplitToSequence", "SequenceConstruct"};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t first = 0;
    const float rows[2] = {0};
    size_t graph = begin();
    put_i64s("first", "", &first, 1);
    put_initializer(&writer, "rows", TERN_FLOAT, "2,1", rows, sizeof rows);
    put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "2,3");
    put_info(&writer, GRAPH_INPUT, "c", TERN_BOOL, "");
    size_t node = open_node(&writer, "if", "If", "c", "items");
    put_branch("then_branch", operators[i], "x");
    put_branch("else_branch", operators[1 - i], "x");
    tern_pb_end_message(&writer, node);
    put_node(&writer, "", "SequenceAt", "items,first", "item");
    put_node(&writer, "", "Add", "item,rows", "y");
    put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
    expect(graph, RUNS, NULL);
  }
}

// Sequences of sequences of sequences: deeper than any parser should follow.
static void deep_types(void **state) {
  (void)state;
  enum { DEPTH = 10000 };
  static size_t marks[2 * DEPTH + 2];
  size_t graph = begin(), depth = 0;
  size_t info = tern_pb_begin_message(&writer, GRAPH_INPUT);
  tern_pb_write_text(&writer, 1, "a");
  marks[depth++] = tern_pb_begin_message(&writer, 2);
  for (int i = 0; i < DEPTH; ++i) {
    marks[depth++] = tern_pb_begin_message(&writer, 4);
    marks[depth++] = tern_pb_begin_message(&writer, 1);
  }
  while (depth > 0) tern_pb_end_message(&writer, marks[--depth]);
  tern_pb_end_message(&writer, info);
  put_info(&writer, GRAPH_OUTPUT, "a", 0, NULL);
  expect(graph, REFUSED, NULL);
}

// A graph whose input is its output, once and twice.
static void outputs_that_are_inputs(void **state) {
  (void)state;
  for (int times = 1; times <= 2; ++times) {
    size_t graph = begin();
    put_info(&writer, GRAPH_INPUT, "a", TERN_FLOAT, "2");
    for (int i = 0; i < times; ++i) put_info(&writer, GRAPH_OUTPUT, "a", TERN_FLOAT, "2");
    expect(graph, RUNS, NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_that_the_file_leaves_out),
      cmocka_unit_test(outputs_that_no_version_has),
      cmocka_unit_test(inputs_that_do_not_fit),
      cmocka_unit_test(sizes_that_show_while_running),
      cmocka_unit_test(declared_inputs),
      cmocka_unit_test(initializers),
      cmocka_unit_test(external_data_stays_below),
      cmocka_unit_test(branches),
      cmocka_unit_test(loops),
      cmocka_unit_test(scans),
      cmocka_unit_test(empty_tensors),
      cmocka_unit_test(vast_empty_tensors),
      cmocka_unit_test(groups_of_an_unknown_input),
      cmocka_unit_test(items_that_change_shape),
      cmocka_unit_test(items_of_either_branch),
      cmocka_unit_test(deep_types),
      cmocka_unit_test(outputs_that_are_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
