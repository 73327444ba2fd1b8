// What convolutions share with operators that are a convolution and more.
#ifndef TERN_OPS_CONV_H_
#define TERN_OPS_CONV_H_

#include "graph/infer.h"

// The attributes of Conv, which stand first in the row of whoever has them.
#define TERN_OP_CONV_ATTRS                                                                         \
  TERN_ATTR_DEF_S("auto_pad", "NOTSET"), TERN_ATTR_OPTIONAL("dilations", TERN_ATTR_INTS),          \
      TERN_ATTR_DEF_I("group", 1), TERN_ATTR_OPTIONAL("kernel_shape", TERN_ATTR_INTS),             \
      TERN_ATTR_OPTIONAL("pads", TERN_ATTR_INTS), TERN_ATTR_OPTIONAL("strides", TERN_ATTR_INTS)
enum { TERN_OP_CONV_ATTR_COUNT = 6 };

// `infer` and `flops` of an operator whose first inputs are those of Conv: X, W and the bias.
tern_status *tern_op_infer_conv(tern_infer *infer);
double tern_op_flops_conv(const tern_node *node, const tern_type *const *inputs,
                          const tern_type *const *outputs);

#endif
