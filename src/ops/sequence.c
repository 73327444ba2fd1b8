// Sequences and optionals.
#include <string.h>

#include "graph/infer.h"
#include "graph/upgrade.h"
#include "ops/axes.h"
#include "ops/ops.h"

// What lies in the container that input `index` is; NULL where it is not known.
static const tern_type *contained(const tern_infer *infer, int32_t index) {
  const tern_type *type = tern_infer_type(infer, index);
  return type ? type->element : NULL;
}

// Output `index` is a container of `element`, which may lie on the stack. Outside of import there
// is nowhere to keep a new type, nor need to: the node's edge has it.
static tern_status *set_container(tern_infer *infer, int32_t index, tern_kind kind,
                                  const tern_type *element) {
  tern_type *type = &infer->output_types[index];
  *type = (tern_type){.kind = kind, .shape = {.rank = TERN_RANK_UNKNOWN}};
  if (!infer->model) {
    const tern_edge *edge = infer->node->outputs[index];
    type->element = edge ? edge->type.element : NULL;
    return NULL;
  }
  tern_type *kept;
  TERN_TRY(TERN_ARENA_ARRAY(&infer->model->arena, 1, &kept));
  *kept = *element;
  type->element = kept;
  return NULL;
}

// An element whose shape another element need not have.
static tern_type without_shape(const tern_type *type) {
  tern_type result = *type;
  if (result.kind == TERN_KIND_TENSOR) result.shape.rank = TERN_RANK_UNKNOWN;
  return result;
}

static tern_status *infer_at(tern_infer *infer) {
  const tern_type *element = contained(infer, 0);
  if (element) infer->output_types[0] = *element;
  return NULL;
}

static tern_status *infer_construct(tern_infer *infer) {
  tern_type element = without_shape(tern_infer_type(infer, 0));
  return set_container(infer, 0, TERN_KIND_SEQUENCE, &element);
}

static tern_status *infer_empty(tern_infer *infer) {
  int64_t dtype = TERN_FLOAT;
  if (tern_node_has_attr(infer->node, "dtype")) dtype = tern_node_attr_i(infer->node, "dtype");
  if (!tern_dtype_is_valid(dtype))
    return TERN_ERROR(TERN_INVALID_GRAPH, "'dtype' is %lld", (long long)dtype);
  tern_type element = tern_type_tensor((tern_dtype)dtype);
  return set_container(infer, 0, TERN_KIND_SEQUENCE, &element);
}

// A sequence of what input 0 holds, of any shapes.
static tern_status *infer_same_elements(tern_infer *infer) {
  const tern_type *held = contained(infer, 0);
  if (!held) return NULL;
  tern_type element = without_shape(held);
  return set_container(infer, 0, TERN_KIND_SEQUENCE, &element);
}

static tern_status *infer_insert(tern_infer *infer) {
  const tern_type *held = contained(infer, 0), *item = tern_infer_type(infer, 1);
  if (held && held->dtype != TERN_DTYPE_UNDEFINED && item->dtype != held->dtype)
    return TERN_ERROR(TERN_INVALID_GRAPH, "a tensor of %s does not fit a sequence of %s",
                      tern_dtype_name(item->dtype), tern_dtype_name(held->dtype));
  tern_type element = without_shape(item);
  return set_container(infer, 0, TERN_KIND_SEQUENCE, &element);
}

static tern_status *infer_split(tern_infer *infer) {
  const tern_type *x = tern_infer_type(infer, 0);
  tern_type element = *x;
  int32_t axis;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), x->shape.rank, &axis));
  if (axis >= 0) {
    bool drops = !tern_infer_has(infer, 1) && tern_node_attr_i(infer->node, "keepdims") == 0;
    element.shape.dims[axis] = tern_infer_has(infer, 1) ? TERN_DIM_UNKNOWN : 1;
    if (drops) {
      element.shape.rank--;
      for (int32_t i = axis; i < element.shape.rank; ++i)
        element.shape.dims[i] = x->shape.dims[i + 1];
    }
  }
  return set_container(infer, 0, TERN_KIND_SEQUENCE, &element);
}

static tern_status *infer_concat(tern_infer *infer) {
  const tern_type *element = contained(infer, 0);
  if (!element || element->kind != TERN_KIND_TENSOR) return NULL;
  tern_ops_set_dtype(infer, 0, element->dtype);
  if (element->shape.rank < 0) return NULL;
  int64_t new_axis = tern_node_attr_i(infer->node, "new_axis");
  int32_t rank = element->shape.rank + (new_axis != 0), axis;
  TERN_TRY(tern_infer_axis(tern_node_attr_i(infer->node, "axis"), rank, &axis));
  if (rank <= TERN_MAX_RANK) tern_infer_set_rank(infer, 0, rank);
  return NULL;
}

// Input `index` of the body sees one element of a sequence, and tensors as they are; a sequence
// beyond the first gives its elements too.
static tern_status *infer_map_body(tern_infer *infer, const char *graph_attr,
                                   tern_type *body_inputs, int32_t body_input_count) {
  (void)graph_attr;
  if (body_input_count != infer->input_count)
    return TERN_ERROR(TERN_INVALID_GRAPH, "the body has %d inputs, %d are given", body_input_count,
                      infer->input_count);
  for (int32_t i = 0; i < body_input_count; ++i) {
    const tern_type *type = tern_infer_type(infer, i);
    if (!type) return TERN_ERROR(TERN_INVALID_GRAPH, "input %d is omitted", i);
    if (type->kind != TERN_KIND_SEQUENCE)
      body_inputs[i] = *type;
    else if (type->element)
      body_inputs[i] = without_shape(type->element);
  }
  return NULL;
}

static tern_status *infer_map(tern_infer *infer) {
  const tern_graph *body = tern_node_attr_graph(infer->node, "body");
  for (int32_t i = 0; i < infer->output_count; ++i) {
    if (!body || (size_t)i >= body->outputs.count)
      return TERN_ERROR(TERN_INVALID_GRAPH, "the body gives no output %d", i);
    tern_type element = without_shape(&body->outputs.data[i]->type);
    TERN_TRY(set_container(infer, i, TERN_KIND_SEQUENCE, &element));
  }
  return NULL;
}

static tern_status *infer_optional(tern_infer *infer) {
  const tern_type *x = tern_infer_type(infer, 0);
  if (x) return set_container(infer, 0, TERN_KIND_OPTIONAL, x);
  const tern_attr *type = tern_node_attr(infer->node, "type");
  if (!type) return TERN_ERROR(TERN_INVALID_GRAPH, "neither an input nor 'type' is given");
  return set_container(infer, 0, TERN_KIND_OPTIONAL, type->u.type_proto);
}

static tern_status *infer_get_element(tern_infer *infer) {
  const tern_type *x = tern_infer_type(infer, 0);
  if (x->kind != TERN_KIND_OPTIONAL)
    infer->output_types[0] = *x;
  else if (x->element)
    infer->output_types[0] = *x->element;
  return NULL;
}

#define ANY_TENSOR                                                                                 \
  {                                                                                                \
    "T", {                                                                                         \
      .tensor = TERN_TYPES_IR3                                                                     \
    }                                                                                              \
  }
#define ANY_SEQUENCE                                                                               \
  {                                                                                                \
    "S", {                                                                                         \
      .sequence = TERN_TYPES_IR3                                                                   \
    }                                                                                              \
  }
#define POSITION                                                                                   \
  {                                                                                                \
    "I", {                                                                                         \
      .tensor = TERN_DTYPE_BIT(TERN_INT32) | TERN_DTYPE_BIT(TERN_INT64)                            \
    }                                                                                              \
  }
#define ELEMENTS                                                                                   \
  {                                                                                                \
    "V", {                                                                                         \
      .tensor = TERN_TYPES_ALL, .sequence = TERN_TYPES_ALL                                         \
    }                                                                                              \
  }
// OptionalGetElement and OptionalHasElement take what is no optional for one that is not empty.
#define MAYBE                                                                                      \
  {                                                                                                \
    "O", {                                                                                         \
      .tensor = TERN_TYPES_ALL, .sequence = TERN_TYPES_ALL, .optional = TERN_TYPES_ALL,            \
      .optional_sequence = TERN_TYPES_ALL                                                          \
    }                                                                                              \
  }

static const tern_op ops[] = {
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceAt",
        .since = 11,
        .flags = TERN_OP_DATA_DEPENDENT,
        TERN_INPUTS({"input_sequence", "S"}, {"position", "I"}),
        TERN_OUTPUTS({"tensor", "T"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE, ANY_TENSOR, POSITION),
        .infer = infer_at,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceConstruct",
        .since = 11,
        TERN_INPUTS({"inputs", "T", TERN_FORMAL_VARIADIC, 1}),
        TERN_OUTPUTS({"output_sequence", "S"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE, ANY_TENSOR),
        .infer = infer_construct,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceEmpty",
        .since = 11,
        TERN_OUTPUTS({"output", "S"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE),
        TERN_ATTRS(TERN_ATTR_OPTIONAL("dtype", TERN_ATTR_INT)),
        .infer = infer_empty,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceErase",
        .since = 11,
        TERN_INPUTS({"input_sequence", "S"}, {"position", "I", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output_sequence", "S"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE, POSITION),
        .infer = infer_same_elements,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceInsert",
        .since = 11,
        TERN_INPUTS({"input_sequence", "S"}, {"tensor", "T"},
                    {"position", "I", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output_sequence", "S"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE, ANY_TENSOR, POSITION),
        .infer = infer_insert,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceLength",
        .since = 11,
        TERN_INPUTS({"input_sequence", "S"}),
        TERN_OUTPUTS({"length", "I"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE, {"I", {.tensor = TERN_DTYPE_BIT(TERN_INT64)}}),
        .infer = tern_infer_scalar,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SplitToSequence",
        .since = 24,
        TERN_INPUTS({"input", "T"}, {"split", "I", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output_sequence", "S"}),
        TERN_CONSTRAINTS({"T", {.tensor = TERN_TYPES_IR4}}, {"S", {.sequence = TERN_TYPES_IR4}},
                         POSITION),
        TERN_ATTRS(TERN_ATTR_DEF_I("axis", 0), TERN_ATTR_DEF_I("keepdims", 1)),
        TERN_VERSIONS({11}, {24}),
        .infer = infer_split,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "ConcatFromSequence",
        .since = 11,
        .flags = TERN_OP_DATA_DEPENDENT,
        TERN_INPUTS({"input_sequence", "S"}),
        TERN_OUTPUTS({"concat_result", "T"}),
        TERN_CONSTRAINTS(ANY_SEQUENCE, ANY_TENSOR),
        TERN_ATTRS(TERN_ATTR_REQUIRED("axis", TERN_ATTR_INT), TERN_ATTR_DEF_I("new_axis", 0)),
        .infer = infer_concat,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "SequenceMap",
        .since = 17,
        .flags = TERN_OP_CONTROL_FLOW,
        TERN_INPUTS({"input_sequence", "S"}, {"additional_inputs", "V",
                                              TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 0}),
        TERN_OUTPUTS({"out_sequence", "S", TERN_FORMAL_VARIADIC | TERN_FORMAL_HETEROGENEOUS, 1}),
        TERN_CONSTRAINTS(ANY_SEQUENCE,
                         {"V", {.tensor = TERN_TYPES_IR3, .sequence = TERN_TYPES_IR3}}),
        TERN_ATTRS(TERN_ATTR_REQUIRED("body", TERN_ATTR_GRAPH)),
        .infer = infer_map,
        .infer_body_inputs = infer_map_body,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "Optional",
        .since = 28,
        TERN_INPUTS({"input", "V", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "O"}),
        TERN_CONSTRAINTS(ELEMENTS,
                         {"O", {.optional = TERN_TYPES_ALL, .optional_sequence = TERN_TYPES_ALL}}),
        TERN_ATTRS(TERN_ATTR_OPTIONAL("type", TERN_ATTR_TYPE_PROTO)),
        TERN_VERSIONS({15}, {28}),
        .infer = infer_optional,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "OptionalGetElement",
        .since = 28,
        .flags = TERN_OP_DATA_DEPENDENT,
        TERN_INPUTS({"input", "O"}),
        TERN_OUTPUTS({"output", "V"}),
        TERN_CONSTRAINTS(MAYBE, ELEMENTS),
        TERN_VERSIONS({15}, {18}, {28}),
        .infer = infer_get_element,
    },
    {
        .domain = TERN_DOMAIN_ONNX,
        .name = "OptionalHasElement",
        .since = 28,
        TERN_INPUTS({"input", "O", TERN_FORMAL_OPTIONAL}),
        TERN_OUTPUTS({"output", "B"}),
        TERN_CONSTRAINTS(MAYBE, {"B", {.tensor = TERN_DTYPE_BIT(TERN_BOOL)}}),
        TERN_VERSIONS({15}, {18}, {28}),
        .infer = tern_infer_scalar,
    },
};

const tern_op_family tern_ops_sequence = {"sequence", ops, TERN_COUNT_OF(ops)};
