// Writing, loading and running the models of old_model.h.
#include "unit/ops/old_model.h"

#include <stdio.h>
#include <string.h>

#include "session/session.h"
#include "unit/graph/proto.h"

static const char *const input_names[OLD_MAX_INPUTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
static const char *const output_names[OLD_MAX_OUTPUTS] = {"v", "w", "x", "y", "z"};
static const bool first_only[OLD_MAX_OUTPUTS] = {true};

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
  case TERN_ATTR_FLOATS:
    put_attr_floats(writer, attr->name, attr->u.floats, attr->count);
    break;
  default:
    fail_msg("attribute '%s' is of a kind these tests do not write", attr->name);
  }
}

static void put_input(tern_pb_writer *writer, const char *name, const tern_value *value,
                      bool is_constant) {
  char dims[128] = "";
  size_t size = 0;
  for (int32_t i = 0; i < value->shape.rank; ++i)
    size += (size_t)snprintf(dims + size, sizeof dims - size, "%s%lld", i ? "," : "",
                             (long long)value->shape.dims[i]);
  if (is_constant)
    put_initializer(writer, name, value->dtype, dims, value->data, value->data_bytes);
  else
    put_info(writer, GRAPH_INPUT, name, value->dtype, dims);
}

static bool is_constant(const old_node *node, int input) {
  return node->has_constants && input > 0;
}

// The names of those that are there, separated by commas; nothing for a gap.
static void join(char joined[32], const char *const *names, const bool *are_there, int count) {
  int last = count;
  while (last > 0 && !are_there[last - 1]) --last;
  joined[0] = '\0';
  for (int i = 0; i < last; ++i) {
    if (i > 0) strcat(joined, ",");
    if (are_there[i]) strcat(joined, names[i]);
  }
}

static void put_old_model(tern_pb_writer *writer, const old_node *node, const bool *wanted) {
  char inputs[32], outputs[32];
  bool are_there[OLD_MAX_INPUTS];
  for (int i = 0; i < OLD_MAX_INPUTS; ++i) are_there[i] = node->inputs[i] != NULL;
  join(inputs, input_names, are_there, OLD_MAX_INPUTS);
  join(outputs, output_names, wanted, OLD_MAX_OUTPUTS);
  bool is_other = node->domain && node->domain[0];
  put_model(writer, 4, is_other ? 1 : node->opset);
  if (is_other) put_opset(writer, node->domain, node->opset);
  size_t graph = open_graph(writer);
  size_t message = open_node(writer, "n", node->op, inputs, outputs);
  if (is_other) put_domain(writer, node->domain);
  for (int32_t i = 0; i < node->attr_count; ++i) put_attr(writer, &node->attrs[i]);
  tern_pb_end_message(writer, message);
  for (int i = 0; i < OLD_MAX_INPUTS; ++i)
    if (are_there[i]) put_input(writer, input_names[i], node->inputs[i], is_constant(node, i));
  for (int i = 0; i < OLD_MAX_OUTPUTS; ++i)
    if (wanted[i]) put_info(writer, GRAPH_OUTPUT, output_names[i], 0, NULL);
  tern_pb_end_message(writer, graph);
}

static tern_status *load(const old_node *node, const bool *wanted, tern_session **out_session) {
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_old_model(&writer, node, wanted);
  tern_status *status = tern_pb_writer_finish(&writer);
  if (!status)
    status = tern_session_create_from_memory(writer.data, writer.size,
                                             &(const tern_session_options){0}, out_session);
  tern_pb_writer_deinit(&writer);
  return status;
}

static void release_inputs(const old_node *node) {
  for (int i = 0; i < OLD_MAX_INPUTS; ++i) tern_value_release(node->inputs[i]);
}

tern_status *old_model_try(const old_node *node, const bool wanted[OLD_MAX_OUTPUTS],
                           tern_value *out_values[OLD_MAX_OUTPUTS]) {
  tern_session *session = NULL;
  const tern_value *inputs[OLD_MAX_INPUTS];
  const char *fed[OLD_MAX_INPUTS], *fetched[OLD_MAX_OUTPUTS];
  tern_value *outputs[OLD_MAX_OUTPUTS] = {NULL};
  size_t input_count = 0, output_count = 0;
  for (int i = 0; i < OLD_MAX_INPUTS; ++i) {
    if (!node->inputs[i] || is_constant(node, i)) continue;
    fed[input_count] = input_names[i];
    inputs[input_count++] = node->inputs[i];
  }
  for (int i = 0; i < OLD_MAX_OUTPUTS; ++i)
    if (wanted[i]) fetched[output_count++] = output_names[i];
  tern_status *status = load(node, wanted, &session);
  if (!status)
    status = tern_session_run(session, &(const tern_run_options){0}, fed, inputs, input_count,
                              fetched, output_count, outputs);
  tern_session_destroy(session);
  release_inputs(node);
  output_count = 0;
  for (int i = 0; !status && i < OLD_MAX_OUTPUTS; ++i)
    if (wanted[i]) out_values[i] = outputs[output_count++];
  return status;
}

void old_model_run_outputs(const old_node *node, const bool wanted[OLD_MAX_OUTPUTS],
                           tern_value *out_values[OLD_MAX_OUTPUTS]) {
  tern_status *status = old_model_try(node, wanted, out_values);
  if (status)
    fail_msg("%s-%lld: %s (%s)", node->op, (long long)node->opset, tern_status_message(status),
             tern_status_where(status));
}

tern_value *old_model_run(const old_node *node) {
  tern_value *outputs[OLD_MAX_OUTPUTS] = {NULL};
  old_model_run_outputs(node, first_only, outputs);
  return outputs[0];
}

void old_model_refused(const old_node *node, const char *text) {
  tern_session *session = NULL;
  tern_status *status = load(node, first_only, &session);
  assert_non_null(status);
  if (!strstr(tern_status_message(status), text))
    fail_msg("'%s' is not in: %s", text, tern_status_message(status));
  tern_status_free(status);
  release_inputs(node);
}
