// Writing, loading and running the models of old_model.h.
#include "unit/ops/old_model.h"

#include <stdio.h>
#include <string.h>

#include "session/session.h"
#include "unit/graph/proto.h"

enum { MAX_INPUTS = 6 };
static const char *const names[MAX_INPUTS] = {"a", "b", "c", "d", "e", "f"};

static void put_attr(tern_pb_writer *writer, const tern_attr *attr) {
  switch (attr->type) {
  case TERN_ATTR_INT:
    put_attr_i(writer, attr->name, attr->u.i);
    break;
  case TERN_ATTR_FLOAT:
    put_attr_f(writer, attr->name, attr->u.f);
    break;
  case TERN_ATTR_STRING:
    put_attr_s(writer, attr->name, attr->u.s.data);
    break;
  case TERN_ATTR_INTS:
    put_attr_ints(writer, attr->name, attr->u.ints, attr->count);
    break;
  default:
    fail_msg("attribute '%s' is of a kind these tests do not write", attr->name);
  }
}

static void put_input(tern_pb_writer *writer, const char *name, const tern_value *value) {
  char dims[128] = "";
  size_t size = 0;
  for (int32_t i = 0; i < value->shape.rank; ++i)
    size += (size_t)snprintf(dims + size, sizeof dims - size, "%s%lld", i ? "," : "",
                             (long long)value->shape.dims[i]);
  put_info(writer, GRAPH_INPUT, name, value->dtype, dims);
}

// Writes the model; `joined` gets the names of its inputs, separated by commas.
static void put_old_model(tern_pb_writer *writer, const old_node *node, char joined[32]) {
  joined[0] = '\0';
  for (int i = 0; i < MAX_INPUTS && node->inputs[i]; ++i) {
    if (i > 0) strcat(joined, ",");
    strcat(joined, names[i]);
  }
  put_model(writer, 3, node->opset);
  size_t graph = open_graph(writer);
  size_t message = open_node(writer, "n", node->op, joined, node->outputs ? node->outputs : "y");
  for (int32_t i = 0; i < node->attr_count; ++i) put_attr(writer, &node->attrs[i]);
  tern_pb_end_message(writer, message);
  for (int i = 0; i < MAX_INPUTS && node->inputs[i]; ++i)
    put_input(writer, names[i], node->inputs[i]);
  put_info(writer, GRAPH_OUTPUT, "y", 0, NULL);
  tern_pb_end_message(writer, graph);
}

static tern_status *load(const old_node *node, tern_session **out_session) {
  char joined[32];
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_old_model(&writer, node, joined);
  tern_status *status = tern_pb_writer_finish(&writer);
  if (!status)
    status = tern_session_create_from_memory(writer.data, writer.size,
                                             &(const tern_session_options){0}, out_session);
  tern_pb_writer_deinit(&writer);
  return status;
}

static void release_inputs(const old_node *node) {
  for (int i = 0; i < MAX_INPUTS; ++i) tern_value_release(node->inputs[i]);
}

static void expect_success(tern_status *status) {
  if (status) fail_msg("%s (%s)", tern_status_message(status), tern_status_where(status));
}

tern_value *old_model_run(const old_node *node) {
  tern_session *session = NULL;
  tern_value *output = NULL;
  const tern_value *inputs[MAX_INPUTS] = {NULL};
  size_t count = 0;
  while (count < MAX_INPUTS && node->inputs[count]) {
    inputs[count] = node->inputs[count];
    ++count;
  }
  expect_success(load(node, &session));
  expect_success(tern_session_run(session, &(const tern_run_options){0}, names, inputs, count,
                                  (const char *const[]){"y"}, 1, &output));
  tern_session_destroy(session);
  release_inputs(node);
  return output;
}

void old_model_refused(const old_node *node, const char *text) {
  tern_session *session = NULL;
  tern_status *status = load(node, &session);
  assert_non_null(status);
  if (!strstr(tern_status_message(status), text))
    fail_msg("'%s' is not in: %s", text, tern_status_message(status));
  tern_status_free(status);
  release_inputs(node);
}
