// The test provider's kernels: a node, or the nodes of a group, computed one by one by the CPU
// provider's kernels into new values, which are copied to where the session wants them.
#include <stdatomic.h>
#include <string.h>

#include "provider/test_provider.h"
#include "providers/cpu/cpu.h"
#include "session/invoke.h"

// A constant of the kernel's own.
typedef struct own_constant {
  const tern_edge *edge;
  tern_value *value;
} own_constant;

typedef struct test_kernel {
  test_provider *provider;
  tern_allocator *allocator;
  const tern_node *node;
  const tern_graph *body;          // of a group; NULL: the node alone
  TERN_ARRAY(tern_kernel) kernels; // of the nodes, in order
  TERN_ARRAY(own_constant) constants;
  uint32_t host_inputs, host_outputs;
} test_kernel;

static void release(void *state, tern_allocator *allocator) {
  test_kernel *kernel = state;
  kernel->provider->live_kernels--;
  for (size_t i = 0; i < kernel->kernels.count; ++i) {
    const tern_kernel *inner = &kernel->kernels.data[i];
    if (inner->release) inner->release(inner->state, allocator);
  }
  for (size_t i = 0; i < kernel->constants.count; ++i)
    tern_value_release(kernel->constants.data[i].value);
  TERN_ARRAY_FREE(allocator, &kernel->kernels);
  TERN_ARRAY_FREE(allocator, &kernel->constants);
  TERN_DELETE(allocator, kernel);
}

static const tern_value *find_constant(const test_kernel *kernel, const tern_edge *edge) {
  for (size_t i = 0; i < kernel->constants.count; ++i)
    if (kernel->constants.data[i].edge == edge) return kernel->constants.data[i].value;
  return NULL;
}

static tern_status *keep_constant(test_kernel *kernel, const tern_edge *edge,
                                  const tern_value *value) {
  if (find_constant(kernel, edge)) return NULL;
  own_constant own = {.edge = edge};
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(kernel->allocator, &kernel->constants));
  TERN_TRY(tern_value_clone(kernel->allocator, value, &own.value));
  kernel->constants.data[kernel->constants.count++] = own;
  return NULL;
}

static tern_status *prepare_node(test_kernel *kernel, const tern_prepare *prepare) {
  tern_provider *cpu = tern_cpu_provider();
  tern_kernel inner;
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(kernel->allocator, &kernel->kernels));
  TERN_TRY(cpu->prepare(cpu->self, prepare, &inner));
  kernel->kernels.data[kernel->kernels.count++] = inner;
  return NULL;
}

static tern_status *start_kernel(test_provider *provider, const tern_prepare *prepare,
                                 test_kernel **out_kernel) {
  TERN_TRY(TERN_NEW(prepare->allocator, out_kernel));
  **out_kernel = (test_kernel){.provider = provider,
                               .allocator = prepare->allocator,
                               .node = prepare->node,
                               .host_inputs = prepare->host_inputs,
                               .host_outputs = prepare->host_outputs};
  provider->live_kernels++;
  return NULL;
}

// ---- Computing.

// Values by edge while a kernel computes.
typedef struct work {
  const test_kernel *kernel;
  tern_allocator *allocator;
  const tern_value *const *inputs; // of the kernel's node, where the host can read them
  const tern_node *const *nodes;   // of a group, to find the place of a value
  TERN_ARRAY(own_constant) made;   // every value made so far
} work;

static const tern_value *find_value(const work *w, const tern_edge *edge) {
  if (!edge) return NULL;
  const tern_value *constant = find_constant(w->kernel, edge);
  if (constant) return constant;
  if (tern_edge_constant(edge)) return tern_edge_constant(edge);
  const tern_graph *body = w->kernel->body;
  for (size_t i = 0; body && i < body->inputs.count; ++i)
    if (body->inputs.data[i] == edge) return w->inputs[i];
  for (int32_t i = 0; !body && i < w->kernel->node->input_count; ++i)
    if (w->kernel->node->inputs[i] == edge) return w->inputs[i];
  for (size_t i = 0; i < w->made.count; ++i)
    if (w->made.data[i].edge == edge) return w->made.data[i].value;
  return NULL;
}

static tern_status *compute_node(work *w, const tern_node *node, const tern_kernel *kernel) {
  const tern_value *inputs[64];
  tern_value *outputs[64];
  if (node->input_count > 64 || node->output_count > 64)
    return TERN_ERROR(TERN_FAIL, "the test provider has no room for so many values");
  for (int32_t i = 0; i < node->input_count; ++i) inputs[i] = find_value(w, node->inputs[i]);
  for (int32_t i = 0; i < node->output_count; ++i)
    if (node->outputs[i]) TERN_TRY(TERN_ARRAY_RESERVE_ONE(w->allocator, &w->made));
  TERN_TRY(tern_evaluate_node(node, kernel, inputs, SIZE_MAX / 2, w->allocator, outputs));
  tern_status *status = NULL;
  for (int32_t i = 0; i < node->output_count; ++i) {
    const own_constant made = {node->outputs[i], outputs[i]};
    if (!status && outputs[i]) status = TERN_ARRAY_RESERVE_ONE(w->allocator, &w->made);
    if (status)
      tern_value_release(outputs[i]);
    else if (outputs[i])
      w->made.data[w->made.count++] = made;
  }
  return status;
}

static tern_status *compute_all(work *w) {
  const test_kernel *kernel = w->kernel;
  if (!kernel->body) return compute_node(w, kernel->node, &kernel->kernels.data[0]);
  size_t index = 0;
  for (const tern_node *node = kernel->body->first; node; node = node->next)
    TERN_TRY(compute_node(w, node, &kernel->kernels.data[index++]));
  return NULL;
}

static void end_work(work *w) {
  for (size_t i = 0; i < w->made.count; ++i) tern_value_release(w->made.data[i].value);
  TERN_ARRAY_FREE(w->allocator, &w->made);
}

static tern_value *find_result(const work *w, int32_t index) {
  const tern_graph *body = w->kernel->body;
  const tern_edge *edge = body ? body->outputs.data[index] : w->kernel->node->outputs[index];
  return (tern_value *)(uintptr_t)find_value(w, edge);
}

// ---- Where the session's values are.

static bool is_elsewhere(const test_kernel *kernel, uint32_t host_side, int32_t index) {
  return kernel->provider->options.has_memory && !tern_op_input_bit(host_side, index);
}

// `value` where the host reaches its elements; `room` has its header then.
static tern_value *reach(const test_kernel *kernel, const tern_value *value, bool elsewhere,
                         tern_value *room) {
  void *reached = test_provider_reach(kernel->provider, value->data);
  bool is_masked = elsewhere && !kernel->provider->options.is_host_visible && value->data;
  if (is_masked != (reached != value->data)) kernel->provider->violations++;
  if (value->kind != TERN_KIND_TENSOR || !elsewhere) return (tern_value *)(uintptr_t)value;
  tern_value_init_tensor(room, value->dtype, &value->shape, reached, value->data_bytes);
  return room;
}

static bool is_constant(const test_kernel *kernel, int32_t index) {
  return tern_edge_constant(kernel->node->inputs[index]) != NULL;
}

static void reach_inputs(const test_kernel *kernel, const tern_value *const *given,
                         tern_value *rooms, const tern_value **out_inputs) {
  for (int32_t i = 0; i < kernel->node->input_count; ++i) {
    out_inputs[i] = NULL;
    if (!given[i] || is_constant(kernel, i)) continue; // its own is found by its edge
    out_inputs[i] =
        reach(kernel, given[i], is_elsewhere(kernel, kernel->host_inputs, i), &rooms[i]);
  }
}

static tern_status *write_result(const tern_value *result, void *to, const tern_value *expected) {
  if (result->dtype != expected->dtype || !tern_shape_equal(&result->shape, &expected->shape))
    return TERN_ERROR(TERN_FAIL, "an output has another shape than it was given memory for");
  if (result->dtype == TERN_STRING) {
    const tern_string *strings = result->data;
    for (int64_t i = 0; i < tern_value_count(result); ++i)
      TERN_TRY(tern_value_set_string((tern_value *)(uintptr_t)expected, i, strings[i].data,
                                     strings[i].size));
  } else if (result->data_bytes) {
    if (!to) return TERN_ERROR(TERN_FAIL, "an output has elements and no memory");
    memcpy(to, result->data, result->data_bytes);
  }
  return NULL;
}

// The output shows its input.
static bool is_done(const test_kernel *kernel, const tern_invocation *invocation, int32_t index) {
  if (index > 0 || !(kernel->node->op->flags & TERN_OP_VIEW)) return false;
  return invocation->outputs[0] && invocation->outputs[0]->data == invocation->inputs[0]->data;
}

// Result `index` to the session's output, which is made where it is not there.
static tern_status *give_result(const work *w, tern_invocation *invocation, int32_t index) {
  const test_kernel *kernel = w->kernel;
  tern_value *result = find_result(w, index), *output = invocation->outputs[index], room;
  if (!kernel->node->outputs[index] || is_done(kernel, invocation, index)) return NULL;
  bool elsewhere = is_elsewhere(kernel, kernel->host_outputs, index);
  if (result->kind != TERN_KIND_TENSOR)
    return tern_invocation_set_output(invocation, index, result);
  if (!output)
    TERN_TRY(tern_invocation_allocate(invocation, index, result->dtype, &result->shape, &output));
  return write_result(result, reach(kernel, output, elsewhere, &room)->data, output);
}

static tern_status *compute_now(const test_kernel *kernel, tern_invocation *invocation) {
  tern_value rooms[64];
  const tern_value *inputs[64];
  reach_inputs(kernel, invocation->inputs, rooms, inputs);
  work w = {.kernel = kernel, .allocator = invocation->allocator, .inputs = inputs};
  tern_status *status = compute_all(&w);
  for (int32_t i = 0; i < kernel->node->output_count && !status; ++i)
    status = give_result(&w, invocation, i);
  end_work(&w);
  return status;
}

// ---- Computing later.

typedef struct compute_job {
  test_job job;
  const test_kernel *kernel;
  tern_allocator *allocator;
  tern_value input_rooms[16], output_rooms[16];
  const tern_value *inputs[16];
  tern_value *outputs[16];
} compute_job;

static tern_status *run_later(void *self) {
  compute_job *job = self;
  work w = {.kernel = job->kernel, .allocator = job->allocator, .inputs = job->inputs};
  tern_status *status = compute_all(&w);
  for (int32_t i = 0; i < job->kernel->node->output_count && !status; ++i) {
    if (job->outputs[i])
      status = write_result(find_result(&w, i), job->outputs[i]->data, job->outputs[i]);
  }
  end_work(&w);
  return status;
}

static void drop_later(void *self) {
  compute_job *job = self;
  TERN_DELETE(job->allocator, job);
}

// Only tensors of numbers whose memory is there can wait.
static bool can_wait(const test_kernel *kernel, const tern_invocation *invocation) {
  if (invocation->input_count > 16 || invocation->output_count > 16) return false;
  for (int32_t i = 0; i < invocation->input_count; ++i) {
    const tern_value *value = invocation->inputs[i];
    if (value && (value->kind != TERN_KIND_TENSOR || value->dtype == TERN_STRING)) return false;
  }
  for (int32_t i = 0; i < invocation->output_count; ++i) {
    const tern_value *value = invocation->outputs[i];
    if (kernel->node->outputs[i] && (!value || value->dtype == TERN_STRING)) return false;
  }
  return true;
}

// Headers are copied: the session's are gone when the job is done.
static tern_status *give_job(const test_kernel *kernel, tern_invocation *invocation) {
  compute_job *job;
  TERN_TRY(TERN_NEW(invocation->allocator, &job));
  job->job = (test_job){.self = job, .run = run_later, .drop = drop_later};
  job->kernel = kernel;
  job->allocator = invocation->allocator;
  reach_inputs(kernel, invocation->inputs, job->input_rooms, job->inputs);
  for (int32_t i = 0; i < invocation->input_count; ++i) {
    if (!job->inputs[i] || job->inputs[i] == &job->input_rooms[i]) continue;
    const tern_value *host = job->inputs[i];
    tern_value_init_tensor(&job->input_rooms[i], host->dtype, &host->shape, host->data,
                           host->data_bytes);
    job->inputs[i] = &job->input_rooms[i];
  }
  for (int32_t i = 0; i < invocation->output_count; ++i) {
    tern_value room, *output = invocation->outputs[i];
    if (!kernel->node->outputs[i] || is_done(kernel, invocation, i)) continue;
    output = reach(kernel, output, is_elsewhere(kernel, kernel->host_outputs, i), &room);
    tern_value_init_tensor(&job->output_rooms[i], output->dtype, &output->shape, output->data,
                           output->data_bytes);
    job->outputs[i] = &job->output_rooms[i];
  }
  test_stream_give(invocation->stream, &job->job);
  return NULL;
}

static tern_status *compute(tern_invocation *invocation) {
  const test_kernel *kernel = invocation->state;
  TERN_TRY(test_provider_call(kernel->provider, TEST_CALL_COMPUTE));
  if (kernel->provider->options.is_asynchronous) {
    if (!invocation->stream) kernel->provider->violations++;
    if (can_wait(kernel, invocation)) return give_job(kernel, invocation);
    TERN_TRY(test_stream_run(invocation->stream));
  }
  return compute_now(kernel, invocation);
}

// ---- Preparing.

static tern_status *finish(test_kernel *kernel, const char *name, tern_status *status,
                           tern_kernel *out_kernel) {
  if (status) {
    release(kernel, kernel->allocator);
    return status;
  }
  *out_kernel = (tern_kernel){.name = name,
                              .provider = &kernel->provider->base,
                              .state = kernel,
                              .compute = compute,
                              .release = release};
  return NULL;
}

static tern_status *prepare_single(test_kernel *kernel, const tern_prepare *prepare) {
  TERN_TRY(prepare_node(kernel, prepare));
  for (int32_t i = 0; i < prepare->node->input_count; ++i) {
    if (!prepare->constants[i] || prepare->consumed[i]) continue;
    TERN_TRY(keep_constant(kernel, prepare->node->inputs[i], prepare->constants[i]));
    prepare->consumed[i] = true;
  }
  return NULL;
}

tern_status *test_kernel_prepare(void *self, const tern_prepare *prepare, tern_kernel *out_kernel) {
  test_kernel *kernel;
  TERN_TRY(test_provider_call(self, TEST_CALL_PREPARE));
  TERN_TRY(start_kernel(self, prepare, &kernel));
  return finish(kernel, "test kernel", prepare_single(kernel, prepare), out_kernel);
}

static tern_status *prepare_inner(test_kernel *kernel, const tern_node *node,
                                  tern_allocator *allocator) {
  const tern_value *constants[64];
  bool consumed[64] = {false};
  if (node->input_count > 64) return TERN_ERROR(TERN_NOT_IMPLEMENTED, "too many inputs");
  for (int32_t i = 0; i < node->input_count; ++i) {
    constants[i] = NULL;
    const tern_edge *edge = node->inputs[i];
    if (!edge || !tern_edge_constant(edge)) continue;
    TERN_TRY(keep_constant(kernel, edge, tern_edge_constant(edge)));
    constants[i] = find_constant(kernel, edge);
  }
  const tern_prepare prepare = {.node = node,
                                .allocator = allocator,
                                .constants = constants,
                                .consumed = consumed,
                                .disable_prepacking = true};
  return prepare_node(kernel, &prepare);
}

static tern_status *prepare_body(test_kernel *kernel, const tern_prepare *prepare) {
  const char *refused = kernel->provider->options.refuses_to_compile;
  kernel->body = tern_node_attr_graph(prepare->node, "body");
  for (const tern_node *node = kernel->body->first; node; node = node->next) {
    if (refused && strcmp(node->op->name, refused) == 0)
      return TERN_ERROR(TERN_NOT_IMPLEMENTED, "it does not compile %s", refused);
    TERN_TRY(prepare_inner(kernel, node, prepare->allocator));
  }
  *prepare->consumed_body = true;
  return NULL;
}

tern_status *test_kernel_compile(void *self, const tern_prepare *prepare, tern_kernel *out_kernel) {
  test_kernel *kernel;
  TERN_TRY(test_provider_call(self, TEST_CALL_COMPILE));
  TERN_TRY(start_kernel(self, prepare, &kernel));
  return finish(kernel, "test group", prepare_body(kernel, prepare), out_kernel);
}
