// Writes models into the folder named on the command line: for every operator of the registry, a
// few one-node models with inputs and attributes tried at random until some run, and by hand the
// control flow, functions and chains that chance does not find. Beside the folder, FOLDER.dict gets
// the names of operators and attributes.
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"
#include "support/load_run.h"
#include "support/random.h"
#include "unit/graph/proto.h"

enum {
  MOST_INPUTS = 8,
  ATTEMPTS = 250,
  RUNNING_SEEDS = 3,
};

static tern_pb_writer writer;
static const char *folder;
static int failures;

static void write_bytes(const char *name, const void *data, size_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  tern_status *status = tern_os_file_write(path, data, size);
  if (status) {
    fprintf(stderr, "%s\n", tern_status_message(status));
    ++failures;
  }
  tern_status_free(status);
}

static test_load_run_result try_model(void) {
  static const test_load_run_options limits = {
      .memory_bytes = (int64_t)16 << 20, .run_cpu_ms = 50, .runs = 1};
  test_load_run_result result;
  test_load_run(writer.data, writer.size, &limits, &result);
  return result;
}

static void begin_model(int64_t opset) {
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 10, opset);
}

// Every model made by hand must run.
static void end_model(const char *name) {
  test_load_run_result result = try_model();
  if (result.completed == 0) {
    fprintf(stderr, "%s: %s\n", name, result.message);
    ++failures;
  }
  write_bytes(name, writer.data, writer.size);
  tern_pb_writer_deinit(&writer);
}

static const char *any_shape(test_random *random) {
  static const char *const shapes[] = {"",    "1",   "3",     "2,3",     "3,3",     "3,2",
                                       "N,3", "N,N", "1,2,5", "1,2,4,4", "2,2,3,3", "2",
                                       "4",   "2,1", "2,2,3", "1,1,4,4", "0,3",     "1,2,4,4"};
  return shapes[test_random_below(random, TERN_COUNT_OF(shapes))];
}

static tern_dtype any_dtype(tern_dtype_set set, test_random *random) {
  static const tern_dtype common[] = {TERN_FLOAT, TERN_INT64, TERN_BOOL, TERN_STRING};
  for (size_t i = 0; i < TERN_COUNT_OF(common); ++i) {
    if (tern_dtype_set_has(set, common[i]) && test_random_below(random, 3)) return common[i];
  }
  for (int attempt = 0; attempt < 200; ++attempt) {
    tern_dtype dtype = (tern_dtype)(1 + test_random_below(random, TERN_DTYPE_COUNT - 1));
    if (tern_dtype_set_has(set, dtype)) return dtype;
  }
  return TERN_FLOAT;
}

static const tern_constraint *constraint_of(const tern_op *op, const char *name) {
  for (const tern_constraint *c = op->constraints; c && c->name; ++c) {
    if (!strcmp(c->name, name)) return c;
  }
  return NULL;
}

// The kinds around a tensor type, outermost first, as TypeProto's fields.
static void put_wrapped_input(const char *name, bool optional, bool sequence, tern_dtype dtype,
                              const char *dims) {
  size_t marks[6], depth = 0;
  size_t info = tern_pb_begin_message(&writer, GRAPH_INPUT);
  tern_pb_write_text(&writer, 1, name);
  marks[depth++] = tern_pb_begin_message(&writer, 2);
  for (int kind = 0; kind < 2; ++kind) {
    if (!(kind == 0 ? optional : sequence)) continue;
    marks[depth++] = tern_pb_begin_message(&writer, kind == 0 ? 9 : 4);
    marks[depth++] = tern_pb_begin_message(&writer, 1);
  }
  marks[depth++] = tern_pb_begin_message(&writer, 1);
  tern_pb_write_varint(&writer, 1, (uint64_t)dtype);
  size_t shape = tern_pb_begin_message(&writer, 2);
  for (; *dims; dims += dims[1] ? 2 : 1) {
    size_t dim = tern_pb_begin_message(&writer, 1);
    if (*dims == 'N')
      tern_pb_write_bytes(&writer, 2, dims, 1);
    else
      tern_pb_write_varint(&writer, 1, (uint64_t)(*dims - '0'));
    tern_pb_end_message(&writer, dim);
  }
  tern_pb_end_message(&writer, shape);
  while (depth > 0) tern_pb_end_message(&writer, marks[--depth]);
  tern_pb_end_message(&writer, info);
}

static void put_small_integers(const char *name, test_random *random) {
  int64_t values[4];
  for (size_t i = 0; i < 4; ++i) values[i] = (int64_t)test_random_below(random, 4);
  static const char *const dims[] = {"", "1", "2", "3", "4"};
  size_t count = test_random_below(random, 5);
  put_initializer(&writer, name, TERN_INT64, dims[count], values, (count ? count : 1) * 8);
}

// A graph input or an initializer for a formal of the operator.
static void put_operand(const tern_op *op, const tern_formal *formal, const char *name,
                        tern_dtype *dtypes, const char *shape, test_random *random) {
  const tern_constraint *c = constraint_of(op, formal->type);
  if (!c) {
    put_info(&writer, GRAPH_INPUT, name, TERN_FLOAT, shape);
    return;
  }
  const tern_type_set *types = &c->types;
  tern_dtype *dtype = &dtypes[c - op->constraints];
  bool tensor = types->tensor || types->any;
  bool sequence = !tensor || (types->sequence && test_random_below(random, 2));
  bool optional = (types->optional || types->optional_sequence) && test_random_below(random, 2);
  if (sequence) sequence = types->sequence || types->optional_sequence;
  tern_dtype_set set = types->any        ? TERN_TYPES_ALL
                       : types->tensor   ? types->tensor
                       : types->sequence ? types->sequence
                       : types->optional ? types->optional
                                         : types->optional_sequence;
  if (!*dtype) *dtype = any_dtype(set, random);
  if (*dtype == TERN_INT64 && !sequence && !optional && test_random_below(random, 4))
    put_small_integers(name, random);
  else
    put_wrapped_input(name, optional, sequence, *dtype, shape);
}

static void put_any_attr(const tern_attr_def *def, test_random *random) {
  static const int64_t ints[] = {1, 1, 0, 2, 1, 3, 7, -1};
  int64_t list[4] = {1, 1, 1, 1};
  if (test_random_below(random, 2)) list[0] = 0, list[2] = 2;
  switch (def->type) {
  case TERN_ATTR_INT:
    put_attr_i(&writer, def->name, ints[test_random_below(random, TERN_COUNT_OF(ints))]);
    break;
  case TERN_ATTR_FLOAT:
    put_attr_f(&writer, def->name, (float)test_random_below(random, 5) / 2);
    break;
  case TERN_ATTR_INTS:
    put_attr_ints(&writer, def->name, list, 1 + test_random_below(random, 4));
    break;
  case TERN_ATTR_STRING:
    put_attr_s(&writer, def->name, def->s ? def->s : "ij,jk->ik");
    break;
  default:
    break;
  }
}

static void put_any_node(const tern_op *op, const char *inputs, test_random *random) {
  char outputs[64] = "y";
  size_t formal_outputs = tern_formal_count(op->outputs);
  size_t output_count = formal_outputs > 1 ? 1 + test_random_below(random, formal_outputs) : 1;
  for (size_t i = 1; i < output_count && i < MOST_INPUTS; ++i)
    snprintf(outputs + strlen(outputs), sizeof outputs - strlen(outputs), ",y%zu", i);
  size_t node = open_node(&writer, "n", op->name, inputs, outputs);
  put_domain(&writer, op->domain);
  for (const tern_attr_def *def = op->attrs; def && def->name; ++def) {
    if (def->required || test_random_below(random, 3) == 0) put_any_attr(def, random);
  }
  tern_pb_end_message(&writer, node);
}

static void put_any_model(const tern_op *op, test_random *random) {
  begin_model(28);
  if (op->domain[0]) put_opset(&writer, op->domain, op->since);
  size_t graph = open_graph(&writer);
  tern_dtype dtypes[32] = {0};
  char inputs[128] = "";
  const char *shape = any_shape(random);
  for (int32_t i = 0; i < MOST_INPUTS; ++i) {
    const tern_formal *formal = tern_formal_at(op->inputs, i);
    if (!formal) break;
    bool repeats = (formal->flags & TERN_FORMAL_VARIADIC) && i > 0;
    if (repeats && test_random_below(random, 2)) break;
    bool omitted = (formal->flags & TERN_FORMAL_OPTIONAL) && test_random_below(random, 2);
    char name[16] = "";
    if (!omitted) snprintf(name, sizeof name, "x%d", i);
    snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), "%s%s", i ? "," : "", name);
    if (test_random_below(random, 3) == 0) shape = any_shape(random);
    if (!omitted) put_operand(op, formal, name, dtypes, shape, random);
  }
  put_any_node(op, inputs, random);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(&writer, graph);
}

// Models of one operator: some that run, or the last tried.
static bool seed_operator(const tern_op *op, uint64_t seed) {
  test_random random = {seed};
  char name[128];
  int running = 0;
  for (int attempt = 0; attempt < ATTEMPTS && running < RUNNING_SEEDS; ++attempt) {
    put_any_model(op, &random);
    bool runs = try_model().completed > 0;
    running += runs;
    snprintf(name, sizeof name, "op_%s%s_%d", op->domain, op->name, running);
    if (runs || attempt == ATTEMPTS - 1) write_bytes(name, writer.data, writer.size);
    tern_pb_writer_deinit(&writer);
  }
  return running > 0;
}

static void put_branch(const char *attr, const char *op, const char *inputs) {
  open_attr branch = open_attr_graph(&writer, attr);
  put_node(&writer, "", op, inputs, "branch_out");
  put_info(&writer, GRAPH_OUTPUT, "branch_out", 0, NULL);
  end_attr_graph(&writer, branch);
}

static void seed_if(void) {
  begin_model(19);
  size_t graph = open_graph(&writer);
  put_info(&writer, GRAPH_INPUT, "c", TERN_BOOL, "");
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  size_t node = open_node(&writer, "if", "If", "c", "y");
  put_branch("then_branch", "Relu", "x");
  put_branch("else_branch", "Transpose", "x");
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(&writer, graph);
}

// Loop's inputs i, go and a float state, with names that end in `mark`.
static void put_loop_inputs(const char *mark) {
  static const struct {
    const char *name;
    tern_dtype dtype;
    const char *dims;
  } inputs[] = {{"i", TERN_INT64, ""}, {"go", TERN_BOOL, ""}, {"state", TERN_FLOAT, NULL}};
  for (size_t k = 0; k < TERN_COUNT_OF(inputs); ++k) {
    char name[16];
    snprintf(name, sizeof name, "%s%s", inputs[k].name, mark);
    put_info(&writer, GRAPH_INPUT, name, inputs[k].dtype, inputs[k].dims);
  }
}

static void seed_loops(void) {
  static const int64_t trips = 2;
  begin_model(19);
  size_t graph = open_graph(&writer);
  put_initializer(&writer, "trips", TERN_INT64, "", &trips, 8);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  size_t outer = open_node(&writer, "outer", "Loop", "trips,,x", "y,scans");
  open_attr outer_body = open_attr_graph(&writer, "body");
  put_loop_inputs("");
  size_t inner = open_node(&writer, "inner", "Loop", "i,go,state", "added,rows");
  open_attr inner_body = open_attr_graph(&writer, "body");
  put_loop_inputs("2");
  put_node(&writer, "", "Identity", "go2", "go_on2");
  put_node(&writer, "", "Add", "state2,state", "next2");
  put_node(&writer, "", "Identity", "i2", "i2_out");
  put_info(&writer, GRAPH_OUTPUT, "go_on2", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "next2", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "i2_out", 0, NULL);
  end_attr_graph(&writer, inner_body);
  tern_pb_end_message(&writer, inner);
  put_node(&writer, "", "Identity", "go", "go_on");
  put_info(&writer, GRAPH_OUTPUT, "go_on", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "added", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "added", 0, NULL);
  end_attr_graph(&writer, outer_body);
  tern_pb_end_message(&writer, outer);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "scans", 0, NULL);
  tern_pb_end_message(&writer, graph);
}

static void seed_scan(void) {
  begin_model(19);
  size_t graph = open_graph(&writer);
  put_info(&writer, GRAPH_INPUT, "sum", TERN_FLOAT, "3");
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  size_t node = open_node(&writer, "scan", "Scan", "sum,x", "y,partial");
  put_attr_i(&writer, "num_scan_inputs", 1);
  put_attr_ints(&writer, "scan_input_axes", (int64_t[]){0}, 1);
  put_attr_ints(&writer, "scan_output_directions", (int64_t[]){1}, 1);
  open_attr body = open_attr_graph(&writer, "body");
  put_info(&writer, GRAPH_INPUT, "before", TERN_FLOAT, "3");
  put_info(&writer, GRAPH_INPUT, "row", TERN_FLOAT, "3");
  put_node(&writer, "", "Add", "before,row", "after");
  put_node(&writer, "", "Identity", "after", "copy");
  put_info(&writer, GRAPH_OUTPUT, "after", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "copy", 0, NULL);
  end_attr_graph(&writer, body);
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  put_info(&writer, GRAPH_OUTPUT, "partial", 0, NULL);
  tern_pb_end_message(&writer, graph);
}

// A chain that shapes flow through, with a narrow float and old operator versions.
static void seed_shapes(void) {
  static const int64_t last = 1, flat = -1;
  begin_model(11);
  size_t graph = open_graph(&writer);
  put_initializer(&writer, "last", TERN_INT64, "", &last, 8);
  put_initializer(&writer, "flat", TERN_INT64, "1", &flat, 8);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT16, "N,3,M");
  put_node(&writer, "", "Shape", "x", "s");
  size_t node = open_node(&writer, "", "Unsqueeze", "last", "u");
  put_attr_ints(&writer, "axes", (int64_t[]){0}, 1);
  tern_pb_end_message(&writer, node);
  node = open_node(&writer, "", "Concat", "u,flat", "target");
  put_attr_i(&writer, "axis", 0);
  tern_pb_end_message(&writer, node);
  put_node(&writer, "", "Reshape", "x,target", "r");
  put_node(&writer, "", "Softmax", "r", "soft");
  put_node(&writer, "", "Reshape", "soft,s", "y");
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT16, "N,3,M");
  tern_pb_end_message(&writer, graph);
}

static void seed_function(void) {
  begin_model(19);
  put_opset(&writer, "local", 1);
  size_t graph = open_graph(&writer);
  put_info(&writer, GRAPH_INPUT, "x", TERN_FLOAT, "2,N");
  size_t node = open_node(&writer, "call", "F", "x,x", "y");
  put_domain(&writer, "local");
  put_attr_i(&writer, "axis", 1);
  tern_pb_end_message(&writer, node);
  put_info(&writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(&writer, graph);
  size_t function = open_function(&writer, "F", "a,b", "c", "axis");
  size_t body = open_body_node(&writer, "Softmax", "a", "s");
  put_attr_ref(&writer, "axis", TERN_ATTR_INT, "axis");
  tern_pb_end_message(&writer, body);
  put_body_node(&writer, "Add", "s,b", "c");
  put_function_opset(&writer, "", 19);
  tern_pb_end_message(&writer, function);
}

static void write_dictionary_entry(FILE *file, unsigned tag, const char *text) {
  fprintf(file, "\"%s\"\n", text);
  if (strlen(text) < 128)
    fprintf(file, "\"\\x%02x\\x%02x%s\"\n", tag, (unsigned)strlen(text), text);
}

// Names by themselves, and as the fields NodeProto.op_type and AttributeProto.name.
static void write_dictionary(const tern_op_registry *registry) {
  char path[1024];
  snprintf(path, sizeof path, "%s.dict", folder);
  FILE *file = fopen(path, "w");
  if (!file) {
    ++failures;
    return;
  }
  for (size_t f = 0; f < registry->family_count; ++f) {
    for (size_t i = 0; i < registry->families[f]->count; ++i) {
      const tern_op *op = &registry->families[f]->ops[i];
      write_dictionary_entry(file, 0x22, op->name);
      for (const tern_attr_def *def = op->attrs; def && def->name; ++def)
        write_dictionary_entry(file, 0x0a, def->name);
    }
  }
  fclose(file);
}

static void seed_registry(const tern_op_registry *registry) {
  int running = 0, all = 0;
  for (size_t f = 0; f < registry->family_count; ++f) {
    for (size_t i = 0; i < registry->families[f]->count; ++i) {
      const tern_op *op = &registry->families[f]->ops[i];
      if (op->flags & TERN_OP_CONTROL_FLOW) continue;
      bool runs = seed_operator(op, (uint64_t)all++);
      running += runs;
      if (!runs) printf("no model of %s %s runs\n", op->domain, op->name);
    }
  }
  printf("%d of %d operators run\n", running, all);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*put)(void);
  } by_hand[] = {{"if", seed_if},
                 {"loops", seed_loops},
                 {"scan", seed_scan},
                 {"shapes", seed_shapes},
                 {"function", seed_function}};
  if (argc != 2) return 2;
  folder = argv[1];
  const tern_op_registry *registry;
  tern_status *status = tern_ops_registry(&registry);
  if (status) return 1;
  write_dictionary(registry);
  for (size_t i = 0; i < TERN_COUNT_OF(by_hand); ++i) {
    by_hand[i].put();
    end_model(by_hand[i].name);
  }
  seed_registry(registry);
  return failures ? 1 : 0;
}
