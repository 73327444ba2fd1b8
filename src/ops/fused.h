// What fused operators carry beside their product: a residual, and an activation that is named as
// its own operator is.
#ifndef TERN_OPS_FUSED_H_
#define TERN_OPS_FUSED_H_

#include "graph/infer.h"

// The attributes of fused operators: "residual_last" says whether Z is added behind the activation.
#define TERN_OP_FUSED_ATTRS                                                                        \
  TERN_ATTR_DEF_S("activation", ""), TERN_ATTR_OPTIONAL("activation_params", TERN_ATTR_FLOATS),    \
      TERN_ATTR_DEF_I("residual_last", 0)
enum { TERN_OP_FUSED_ATTR_COUNT = 3 };

// The end of a fused operator's `infer`: checks the attributes, and that the residual, input 3, has
// the shape of the output, which may learn from it.
TERN_MUST_USE tern_status *tern_op_check_residual(tern_infer *infer);

enum { TERN_OP_ACTIVATION_PARAMS_MAX = 2 };

// An activation with its constants: the operator's attributes in the order of its row, Clip's
// bounds, or for Gelu 1 where it is approximated by tanh.
typedef struct tern_op_activation {
  const char *name; // of the operator in ai.onnx; "": none
  float params[TERN_OP_ACTIVATION_PARAMS_MAX];
  int32_t param_count;
} tern_op_activation;

// Whether `node` is an activation of input 0 that fused operators can carry: one of the list in
// fused.c, its constants the same in every run.
bool tern_op_activation_of(const tern_node *node, tern_op_activation *out_activation);

// The attributes "activation" and "activation_params" of a fused node. An error names an activation
// that is not in the list, or a wrong number of constants.
TERN_MUST_USE tern_status *tern_op_activation_read(const tern_node *node,
                                                   tern_op_activation *out_activation);
// As attributes for a fused node, into out_attrs[0] and [1]; they borrow from `activation`.
void tern_op_activation_attrs(const tern_op_activation *activation, tern_attr *out_attrs);

#endif
