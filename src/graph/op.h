// What an operator is: one row of a table a family (src/ops). Everything that holds for an operator
// independently of who computes it stands in its row and nowhere else.
#ifndef TERN_GRAPH_OP_H_
#define TERN_GRAPH_OP_H_

#include "graph/graph.h"

typedef struct tern_infer tern_infer;     // graph/infer.h
typedef struct tern_draft tern_draft;     // graph/upgrade.h
typedef struct tern_builder tern_builder; // graph/builder.h

// Domains as rows name them. ai.onnx is the empty domain.
#define TERN_DOMAIN_ONNX ""
#define TERN_DOMAIN_ML "ai.onnx.ml"
#define TERN_DOMAIN_TRAINING "ai.onnx.preview.training"
#define TERN_DOMAIN_PREVIEW "ai.onnx.preview"
#define TERN_DOMAIN_MICROSOFT "com.microsoft"
#define TERN_DOMAIN_TERN "ai.tern" // internal operators

// The types a type variable may take: sets of element types, by what is around them.
typedef struct tern_type_set {
  tern_dtype_set tensor, sequence, optional, optional_sequence, sparse;
  bool map;          // any map
  bool map_sequence; // any sequence of maps
  bool any;          // everything, nested kinds too
} tern_type_set;
bool tern_type_set_has(const tern_type_set *set, const tern_type *type);

// Sets the rows use.
#define TERN_TYPES_INT_SIGNED                                                                      \
  (TERN_DTYPE_BIT(TERN_INT8) | TERN_DTYPE_BIT(TERN_INT16) | TERN_DTYPE_BIT(TERN_INT32) |           \
   TERN_DTYPE_BIT(TERN_INT64))
#define TERN_TYPES_INT_UNSIGNED                                                                    \
  (TERN_DTYPE_BIT(TERN_UINT8) | TERN_DTYPE_BIT(TERN_UINT16) | TERN_DTYPE_BIT(TERN_UINT32) |        \
   TERN_DTYPE_BIT(TERN_UINT64))
#define TERN_TYPES_INT (TERN_TYPES_INT_SIGNED | TERN_TYPES_INT_UNSIGNED)
// float, double, float16: the standard's older "float tensors"; and with bfloat16.
#define TERN_TYPES_FLOAT                                                                           \
  (TERN_DTYPE_BIT(TERN_FLOAT) | TERN_DTYPE_BIT(TERN_DOUBLE) | TERN_DTYPE_BIT(TERN_FLOAT16))
#define TERN_TYPES_FLOAT_BF (TERN_TYPES_FLOAT | TERN_DTYPE_BIT(TERN_BFLOAT16))
#define TERN_TYPES_NUMERIC (TERN_TYPES_FLOAT_BF | TERN_TYPES_INT)
#define TERN_TYPES_FLOAT8                                                                          \
  (TERN_DTYPE_BIT(TERN_FLOAT8E4M3FN) | TERN_DTYPE_BIT(TERN_FLOAT8E4M3FNUZ) |                       \
   TERN_DTYPE_BIT(TERN_FLOAT8E5M2) | TERN_DTYPE_BIT(TERN_FLOAT8E5M2FNUZ))
#define TERN_TYPES_SUB_BYTE                                                                        \
  (TERN_DTYPE_BIT(TERN_UINT4) | TERN_DTYPE_BIT(TERN_INT4) | TERN_DTYPE_BIT(TERN_FLOAT4E2M1) |      \
   TERN_DTYPE_BIT(TERN_UINT2) | TERN_DTYPE_BIT(TERN_INT2))
#define TERN_TYPES_COMPLEX (TERN_DTYPE_BIT(TERN_COMPLEX64) | TERN_DTYPE_BIT(TERN_COMPLEX128))
// What the standard calls all tensor types: of its first versions, with bfloat16 (IR version 4),
// and with every narrow type of IR version 13.
#define TERN_TYPES_IR3                                                                             \
  (TERN_TYPES_FLOAT | TERN_TYPES_INT | TERN_TYPES_COMPLEX | TERN_DTYPE_BIT(TERN_BOOL) |            \
   TERN_DTYPE_BIT(TERN_STRING))
#define TERN_TYPES_IR4 (TERN_TYPES_IR3 | TERN_DTYPE_BIT(TERN_BFLOAT16))
#define TERN_TYPES_IR13                                                                            \
  (TERN_TYPES_IR4 | TERN_TYPES_FLOAT8 | TERN_TYPES_SUB_BYTE | TERN_DTYPE_BIT(TERN_FLOAT8E8M0))
#define TERN_TYPES_ALL ((tern_dtype_set)(((1u << TERN_DTYPE_COUNT) - 1u) & ~1u))

enum {
  TERN_FORMAL_OPTIONAL = 1,
  TERN_FORMAL_VARIADIC = 2,      // the last one only; any number, see `min_arity`
  TERN_FORMAL_HETEROGENEOUS = 4, // a variadic one whose elements need not have one type
};

// One input or output. `type` names one of the row's type variables.
typedef struct tern_formal {
  const char *name; // NULL ends the list
  const char *type;
  uint8_t flags;
  uint8_t min_arity; // of a variadic one
} tern_formal;

// A type variable: what it may be. Inputs that share a variable have one type, and give it to the
// outputs that name it.
typedef struct tern_constraint {
  const char *name; // NULL ends the list
  tern_type_set types;
} tern_constraint;

// An attribute with its default. An attribute that is neither required nor has a default is
// TERN_ATTR_UNDEFINED on a node that does not give it.
typedef struct tern_attr_def {
  const char *name; // NULL ends the list
  tern_attr_type type;
  bool required, has_default;
  float f;
  int64_t i;
  const char *s;
  const int64_t *ints;
  const float *floats;
  const char *const *strings;
  size_t count;
} tern_attr_def;

// Rewrites a node of the version it is listed under into the next version listed: changes the
// draft's attributes and inputs, adds nodes, renames it, or replaces it. graph/upgrade.h.
typedef tern_status *(*tern_upgrade_fn)(tern_draft *draft);

// One version an operator ever had, oldest first; the last is the row's own. `upgrade` NULL: every
// node of this version means the same in the next.
typedef struct tern_op_version {
  int16_t version; // 0 ends the list
  tern_upgrade_fn upgrade;
  const char *note; // what the upgrade does, for docs/upgrade.md; NULL with a NULL upgrade
} tern_op_version;

typedef enum tern_op_flags {
  TERN_OP_VIEW = 1,             // output 0 has exactly the bytes of input 0
  TERN_OP_DATA_DEPENDENT = 2,   // an output shape needs the elements of an input; kernels allocate
  TERN_OP_NONDETERMINISTIC = 4, // never folded, merged or dropped as equal
  TERN_OP_CONTROL_FLOW = 8,     // runs its subgraphs
  TERN_OP_MOVES_BYTES = 16,     // works on element size: any type, never wrapped in casts
  TERN_OP_COMMUTATIVE = 32,     // its two inputs may be exchanged
  TERN_OP_READS_SHAPE = 64,     // needs the shapes of its inputs, not their elements
  TERN_OP_REMOVED = 128,        // ONNX has no such operator any more: written as a function
} tern_op_flags;

struct tern_op {
  const char *domain;
  const char *name;
  int16_t since;            // the version this row describes: the newest
  int16_t deprecated_since; // 0, or the opset that removed it: upgrade must replace it
  uint32_t flags;           // tern_op_flags
  // Bit i: output 0 may overwrite input i when shape and type agree, and no input without a bit is
  // the same value.
  uint32_t inplace_inputs;
  // Bit i: `infer` reads the elements of input i; only those are shown to it while planning and
  // running, and they have to be where the host can read them.
  uint32_t shape_inputs;
  const tern_formal *inputs;  // ends with {0}; NULL: none
  const tern_formal *outputs; // likewise
  const tern_constraint *constraints;
  const tern_attr_def *attrs;
  const tern_op_version *versions; // NULL: only `since`
  // Types and shapes of the outputs: graph/infer.h. Required.
  tern_status *(*infer)(tern_infer *infer);
  // Symbolic values of integer outputs, where following them pays (Shape, Gather, Concat …).
  tern_status *(*infer_symints)(tern_infer *infer);
  // Types of the inputs of subgraph `graph_attr`, before it is imported. Control flow only.
  tern_status *(*infer_body_inputs)(tern_infer *infer, const char *graph_attr,
                                    tern_type *body_inputs, int32_t body_input_count);
  // The standard's function body in terms of other operators; NULL: a primitive. `outputs` has an
  // entry for each output of the node; those that are NULL on the node may stay NULL.
  tern_status *(*body)(tern_builder *builder, const tern_node *node, tern_edge **outputs);
  // Floating-point operations (a multiply and an add are two), or NULL: one an output element.
  double (*flops)(const tern_node *node, const tern_type *const *inputs,
                  const tern_type *const *outputs);
};

// Whether input `index` is in a mask of inputs, whose last bit speaks for all inputs from it on.
static inline bool tern_op_input_bit(uint32_t mask, int32_t index) {
  return mask >> (index < 31 ? index : 31) & 1u;
}

// List makers for rows: TERN_INPUTS({"A", "T"}, {"B", "T"}).
#define TERN_INPUTS(...)                                                                           \
  .inputs = (const tern_formal[]) {                                                                \
    __VA_ARGS__, {                                                                                 \
      0                                                                                            \
    }                                                                                              \
  }
#define TERN_OUTPUTS(...)                                                                          \
  .outputs = (const tern_formal[]) {                                                               \
    __VA_ARGS__, {                                                                                 \
      0                                                                                            \
    }                                                                                              \
  }
#define TERN_CONSTRAINTS(...)                                                                      \
  .constraints = (const tern_constraint[]) {                                                       \
    __VA_ARGS__, {                                                                                 \
      0                                                                                            \
    }                                                                                              \
  }
#define TERN_ATTRS(...)                                                                            \
  .attrs = (const tern_attr_def[]) {                                                               \
    __VA_ARGS__, {                                                                                 \
      0                                                                                            \
    }                                                                                              \
  }
#define TERN_VERSIONS(...)                                                                         \
  .versions = (const tern_op_version[]) {                                                          \
    __VA_ARGS__, {                                                                                 \
      0                                                                                            \
    }                                                                                              \
  }
// Attribute rows.
#define TERN_ATTR_DEF_I(attr_name, value)                                                          \
  { .name = (attr_name), .type = TERN_ATTR_INT, .has_default = true, .i = (value) }
#define TERN_ATTR_DEF_F(attr_name, value)                                                          \
  { .name = (attr_name), .type = TERN_ATTR_FLOAT, .has_default = true, .f = (value) }
#define TERN_ATTR_DEF_S(attr_name, value)                                                          \
  { .name = (attr_name), .type = TERN_ATTR_STRING, .has_default = true, .s = (value) }
#define TERN_ATTR_OPTIONAL(attr_name, attr_type)                                                   \
  { .name = (attr_name), .type = (attr_type) }
#define TERN_ATTR_REQUIRED(attr_name, attr_type)                                                   \
  { .name = (attr_name), .type = (attr_type), .required = true }

// A family: the rows of one file of src/ops.
typedef struct tern_op_family {
  const char *name;
  const tern_op *ops;
  size_t count;
} tern_op_family;

// Looks rows up by domain and name. `parent` answers what this registry lacks.
struct tern_op_registry {
  const tern_op_family *const *families;
  size_t family_count;
  const tern_op_registry *parent;
  tern_map index; // "domain:name" -> const tern_op *
};
// NULL when there is no such operator. "ai.onnx" and "" are one domain.
const tern_op *tern_op_registry_find(const tern_op_registry *registry, const char *domain,
                                     const char *name);

// A node's attributes from those given: matched to the row by name, checked for type, required ones
// present, defaults filled in, lists and texts copied into `arena`. *out_attrs has the row's order.
TERN_MUST_USE tern_status *tern_op_resolve_attrs(const tern_op *op, const tern_attr *given,
                                                 int32_t given_count, tern_arena *arena,
                                                 tern_attr **out_attrs);

size_t tern_formal_count(const tern_formal *list);
// The least number of values that a list takes, up to the last that is not optional.
int32_t tern_formal_required(const tern_formal *list);
int32_t tern_op_attr_count(const tern_op *op);
int32_t tern_op_attr_index(const tern_op *op, const char *name); // -1: none
// The formal that actual input or output `index` belongs to (a variadic one takes the rest); NULL
// when there are too many.
const tern_formal *tern_formal_at(const tern_formal *list, int32_t index);

#endif
