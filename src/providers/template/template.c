// The template provider. The numbers of the sections are those of README.md.
#include "providers/template/template.h"

#include <string.h>

#include "providers/template/device.h"

// ---- 1. The provider is an object of ours with the contract's inside.

typedef struct template_provider {
  tern_provider base;
  tern_memory_space space;
  tern_allocator space_allocator; // the device's memory as an allocator
  tern_allocator *allocator;      // of this object
  device *device;
} template_provider;

// ---- 2. What the device's errors mean. A status carries a code and a message; the codes are
// chosen so that `classify` can tell them apart.

static tern_status *status_of(device_code code, const char *what) {
  switch (code) {
  case DEVICE_OK:
    return NULL;
  case DEVICE_BUSY:
    return TERN_ERROR(TERN_RUNTIME_EXCEPTION, "%s: the device is busy", what);
  case DEVICE_NO_MEMORY:
    return tern_status_over_limit("%s: the device has no memory left", what);
  case DEVICE_LOST:
    break;
  }
  return TERN_ERROR(TERN_ENGINE_ERROR, "%s: the device is lost", what);
}

static tern_failure_kind classify(void *self, const tern_status *status) {
  (void)self;
  if (tern_status_is_out_of_memory(status)) return TERN_FAILURE_OUT_OF_MEMORY;
  switch (tern_status_get_code(status)) {
  case TERN_RUNTIME_EXCEPTION:
    return TERN_FAILURE_TRANSIENT;
  case TERN_ENGINE_ERROR:
    return TERN_FAILURE_LOST;
  default:
    return TERN_FAILURE_ERROR;
  }
}

static tern_status *recover(void *self) {
  template_provider *provider = self;
  return status_of(device_reset(provider->device), "resetting");
}

// ---- 3. Claims: float tensors, and inputs of one shape. The same symbol is the same size in every
// run; two dimensions that are not known may differ.

static const struct {
  const char *op;
  device_op code;
} operators[] = {{"Add", DEVICE_ADD}, {"Mul", DEVICE_MUL}, {"Relu", DEVICE_RELU}};

static bool find_operator(const tern_node *node, device_op *out_code) {
  for (size_t i = 0; i < TERN_COUNT_OF(operators); ++i) {
    if (node->op->domain[0] || strcmp(node->op->name, operators[i].op) != 0) continue;
    *out_code = operators[i].code;
    return true;
  }
  return false;
}

static bool is_same_shape(const tern_shape *a, const tern_shape *b) {
  if (a->rank < 0 || a->rank != b->rank) return false;
  for (int32_t i = 0; i < a->rank; ++i)
    if (a->dims[i] != b->dims[i] || a->dims[i] == TERN_DIM_UNKNOWN) return false;
  return true;
}

static tern_claim claims(void *self, const tern_node *node) {
  device_op code;
  (void)self;
  if (!find_operator(node, &code)) return (tern_claim){.reason = "the device lacks the operator"};
  for (int32_t i = 0; i < node->input_count; ++i) {
    const tern_type *type = &node->inputs[i]->type;
    if (type->dtype != TERN_FLOAT) return (tern_claim){.reason = "the device computes in float"};
    if (!is_same_shape(&type->shape, &node->inputs[0]->type.shape))
      return (tern_claim){.reason = "the device does not broadcast"};
  }
  return (tern_claim){.accepted = true};
}

// ---- 4. Kernels. A node is a program of one instruction, a group one of many: what differs is
// where values come from. Constants are put on the device here, once.

typedef struct instruction {
  device_op op;
  int32_t to, a, b; // values; b -1 for operators of one
} instruction;

typedef enum value_kind { VALUE_INPUT, VALUE_CONSTANT, VALUE_MADE } value_kind;

typedef struct program_value {
  const tern_edge *edge;
  value_kind kind;
  int32_t index;  // INPUT: of the kernel's node
  void *constant; // CONSTANT: on the device
} program_value;

typedef struct program {
  template_provider *provider;
  tern_allocator *allocator;
  int32_t output_count;
  TERN_ARRAY(instruction) instructions;
  TERN_ARRAY(program_value) values;
  TERN_ARRAY(int32_t) outputs; // values
} program;

static void release(void *state, tern_allocator *allocator) {
  program *p = state;
  for (size_t i = 0; i < p->values.count; ++i)
    device_free(p->provider->device, p->values.data[i].constant);
  TERN_ARRAY_FREE(allocator, &p->instructions);
  TERN_ARRAY_FREE(allocator, &p->values);
  TERN_ARRAY_FREE(allocator, &p->outputs);
  TERN_DELETE(allocator, p);
}

static tern_status *add_value(program *p, const tern_edge *edge, value_kind kind, int32_t index) {
  const program_value value = {.edge = edge, .kind = kind, .index = index};
  TERN_ARRAY_PUSH(p->allocator, &p->values, value);
  return NULL;
}

// Before the first run there is no stream: a queue for this copy alone.
static tern_status *add_constant(program *p, const tern_edge *edge, const tern_value *constant) {
  device *d = p->provider->device;
  device_queue *queue;
  TERN_TRY(add_value(p, edge, VALUE_CONSTANT, 0));
  if (constant->data_bytes == 0) return NULL;
  void *memory = device_alloc(d, constant->data_bytes);
  if (!memory) return status_of(DEVICE_NO_MEMORY, "placing a constant");
  p->values.data[p->values.count - 1].constant = memory; // released with the program from here on
  TERN_TRY(status_of(device_queue_open(d, &queue), "opening a queue"));
  device_code code = device_copy(queue, memory, constant->data, constant->data_bytes);
  if (code == DEVICE_OK) code = device_finish(queue);
  device_queue_close(queue);
  return status_of(code, "copying a constant");
}

static int32_t find_value(const program *p, const tern_edge *edge) {
  for (size_t i = 0; i < p->values.count; ++i)
    if (p->values.data[i].edge == edge) return (int32_t)i;
  return -1;
}

// The value of input `index` of a node, which is there already unless it is a constant that was not
// met before.
static tern_status *read_value(program *p, const tern_edge *edge, const tern_value *constant,
                               int32_t *out_value) {
  *out_value = find_value(p, edge);
  if (*out_value >= 0) return NULL;
  TERN_TRY(add_constant(p, edge, constant));
  *out_value = (int32_t)p->values.count - 1;
  return NULL;
}

// `constants` are by input of the node.
static tern_status *add_instruction(program *p, const tern_node *node,
                                    const tern_value *const *constants) {
  instruction made = {.b = -1};
  find_operator(node, &made.op);
  TERN_TRY(read_value(p, node->inputs[0], constants[0], &made.a));
  if (node->input_count > 1) TERN_TRY(read_value(p, node->inputs[1], constants[1], &made.b));
  TERN_TRY(add_value(p, node->outputs[0], VALUE_MADE, 0));
  made.to = (int32_t)p->values.count - 1;
  TERN_ARRAY_PUSH(p->allocator, &p->instructions, made);
  return NULL;
}

static tern_status *build_node(program *p, const tern_prepare *prepare) {
  const tern_node *node = prepare->node;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (!prepare->constants[i]) TERN_TRY(add_value(p, node->inputs[i], VALUE_INPUT, i));
  }
  TERN_TRY(add_instruction(p, node, prepare->constants));
  for (int32_t i = 0; i < node->input_count; ++i)
    prepare->consumed[i] = prepare->constants[i] != NULL;
  TERN_ARRAY_PUSH(p->allocator, &p->outputs, find_value(p, node->outputs[0]));
  return NULL;
}

static tern_status *build_body(program *p, const tern_prepare *prepare) {
  const tern_graph *body = tern_node_attr_graph(prepare->node, "body");
  for (size_t i = 0; i < body->inputs.count; ++i)
    TERN_TRY(add_value(p, body->inputs.data[i], VALUE_INPUT, (int32_t)i));
  for (const tern_node *node = body->first; node; node = node->next) {
    const tern_value *constants[2] = {NULL};
    for (int32_t i = 0; i < node->input_count; ++i)
      constants[i] = tern_edge_constant(node->inputs[i]);
    TERN_TRY(add_instruction(p, node, constants));
  }
  for (size_t i = 0; i < body->outputs.count; ++i)
    TERN_ARRAY_PUSH(p->allocator, &p->outputs, find_value(p, body->outputs.data[i]));
  *prepare->consumed_body = true;
  return NULL;
}

static tern_status *compute(tern_invocation *invocation);

static tern_status *build(template_provider *provider, const tern_prepare *prepare,
                          tern_status *(*fill)(program *p, const tern_prepare *prepare),
                          tern_kernel *out_kernel) {
  program *p;
  TERN_TRY(TERN_NEW(prepare->allocator, &p));
  *p = (program){.provider = provider, .allocator = prepare->allocator};
  tern_status *status = fill(p, prepare);
  if (status) {
    release(p, prepare->allocator);
    return status;
  }
  *out_kernel = (tern_kernel){.name = "template elementwise",
                              .provider = &provider->base,
                              .state = p,
                              .compute = compute,
                              .release = release};
  return NULL;
}

static tern_status *prepare_kernel(void *self, const tern_prepare *prepare,
                                   tern_kernel *out_kernel) {
  return build(self, prepare, build_node, out_kernel);
}

static tern_status *compile_kernel(void *self, const tern_prepare *prepare,
                                   tern_kernel *out_kernel) {
  return build(self, prepare, build_body, out_kernel);
}

// A copy in and out costs more than one addition saves.
static tern_claim takes_group(void *self, const tern_node *const *nodes, int32_t count) {
  (void)self, (void)nodes;
  return (tern_claim){.accepted = count > 1, .reason = count > 1 ? NULL : "one node does not pay"};
}

// ---- 5. A run's stream: a queue, and memory to be freed when the queue is finished.

typedef struct run_stream {
  device_queue *queue;
  TERN_ARRAY(void *) temporaries;
} run_stream;

static tern_status *begin_run(void *self, void **out_stream) {
  template_provider *provider = self;
  run_stream *stream;
  TERN_TRY(TERN_NEW(provider->allocator, &stream));
  tern_status *status =
      status_of(device_queue_open(provider->device, &stream->queue), "opening a queue");
  if (status) {
    TERN_DELETE(provider->allocator, stream);
    return status;
  }
  *out_stream = stream;
  return NULL;
}

static tern_status *synchronize(void *self, void *stream) {
  template_provider *provider = self;
  run_stream *own = stream;
  device_code code = device_finish(own->queue);
  for (size_t i = 0; i < own->temporaries.count; ++i)
    device_free(provider->device, own->temporaries.data[i]);
  own->temporaries.count = 0;
  return status_of(code, "finishing");
}

static void end_run(void *self, void *stream) {
  template_provider *provider = self;
  run_stream *own = stream;
  device_queue_close(own->queue);
  TERN_ARRAY_FREE(provider->allocator, &own->temporaries);
  TERN_DELETE(provider->allocator, own);
}

// ---- 6. Computing: values get addresses, instructions go to the queue. Nothing waits.

static tern_status *new_temporary(program *p, run_stream *stream, size_t bytes,
                                  void **out_address) {
  tern_allocator *allocator = p->provider->allocator;
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(allocator, &stream->temporaries));
  *out_address = bytes ? device_alloc(p->provider->device, bytes) : NULL;
  if (bytes && !*out_address) return status_of(DEVICE_NO_MEMORY, "making room for a value");
  stream->temporaries.data[stream->temporaries.count++] = *out_address;
  return NULL;
}

// All values of a program have one shape; an output that inference could not tell is made now.
static tern_status *address_outputs(tern_invocation *invocation, const program *p,
                                    const tern_shape *shape, void **addresses) {
  for (size_t i = 0; i < p->outputs.count; ++i) {
    tern_value *output = invocation->outputs[i];
    if (!output)
      TERN_TRY(tern_invocation_allocate(invocation, (int32_t)i, TERN_FLOAT, shape, &output));
    addresses[p->outputs.data[i]] = output->data;
  }
  return NULL;
}

static const tern_shape *shape_of(const tern_invocation *invocation) {
  for (int32_t i = 0; i < invocation->input_count; ++i)
    if (invocation->inputs[i]) return &invocation->inputs[i]->shape;
  return &invocation->outputs[0]->shape;
}

static tern_status *compute(tern_invocation *invocation) {
  program *p = (program *)(uintptr_t)invocation->state;
  run_stream *stream = invocation->stream;
  const tern_shape *shape = shape_of(invocation);
  int64_t count = 0;
  void **addresses;
  size_t bytes = p->values.count * sizeof *addresses;
  (void)tern_shape_count(shape, &count);
  TERN_TRY(tern_invocation_scratch(invocation, bytes, (void **)&addresses));
  memset(addresses, 0, bytes);
  for (size_t i = 0; i < p->values.count; ++i) {
    const program_value *value = &p->values.data[i];
    if (value->kind == VALUE_CONSTANT) addresses[i] = value->constant;
    if (value->kind == VALUE_INPUT) addresses[i] = invocation->inputs[value->index]->data;
  }
  TERN_TRY(address_outputs(invocation, p, shape, addresses));
  for (size_t i = 0; i < p->instructions.count; ++i) {
    const instruction *at = &p->instructions.data[i];
    if (!addresses[at->to])
      TERN_TRY(new_temporary(p, stream, (size_t)count * sizeof(float), &addresses[at->to]));
    TERN_TRY(status_of(device_compute(stream->queue, at->op, addresses[at->to], addresses[at->a],
                                      at->b < 0 ? NULL : addresses[at->b], (size_t)count),
                       "computing"));
  }
  return NULL;
}

// ---- 7. Memory.

static void *give_memory(void *self, size_t size) {
  template_provider *provider = self;
  return device_alloc(provider->device, size);
}

static void take_memory(void *self, void *data, size_t size) {
  template_provider *provider = self;
  (void)size;
  device_free(provider->device, data);
}

// Upload, download and copy: this device has one command for all of them.
static tern_status *copy(void *self, void *to, const void *from, size_t bytes, void *stream) {
  run_stream *own = stream;
  (void)self;
  return status_of(device_copy(own->queue, to, from, bytes), "copying");
}

// ---- 8. Coming and going.

static void destroy(tern_provider *base) {
  template_provider *provider = base->self;
  device_close(provider->device);
  TERN_DELETE(provider->allocator, provider);
}

static void fill_in(template_provider *provider) {
  provider->space_allocator = (tern_allocator){provider, give_memory, take_memory, NULL};
  provider->space = (tern_memory_space){.name = "template device",
                                        .self = provider,
                                        .allocator = &provider->space_allocator,
                                        .upload = copy,
                                        .download = copy,
                                        .copy = copy};
  provider->base = (tern_provider){.name = "TemplateExecutionProvider",
                                   .self = provider,
                                   .claims = claims,
                                   .prepare = prepare_kernel,
                                   .compile = compile_kernel,
                                   .takes_group = takes_group,
                                   .memory = &provider->space,
                                   .begin_run = begin_run,
                                   .synchronize = synchronize,
                                   .end_run = end_run,
                                   .classify = classify,
                                   .recover = recover,
                                   .destroy = destroy};
}

const char *tern_template_find_obstacle(void) {
  return NULL; // a real one looks for its library and a device
}

tern_status *tern_template_create(tern_allocator *allocator, const tern_metadata *options,
                                  size_t option_count, tern_provider **out_provider) {
  if (option_count > 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "the template provider has no option '%s'",
                      options[0].key);
  template_provider *provider;
  TERN_TRY(TERN_NEW(allocator, &provider));
  provider->allocator = allocator;
  provider->device = device_open();
  if (!provider->device) {
    TERN_DELETE(allocator, provider);
    return TERN_ERROR(TERN_EP_FAIL, "there is no device");
  }
  fill_in(provider);
  *out_provider = &provider->base;
  return NULL;
}
