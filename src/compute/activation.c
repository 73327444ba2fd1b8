// Finding the loops of activation.h.
#include "compute/activation.h"

#include "compute/loops.h"

tern_activation_fn tern_activation_find(tern_activation activation, tern_dtype dtype) {
  return tern_loops_selected()->activation[activation][dtype];
}

tern_binary_fn tern_prelu_find(tern_dtype dtype) {
  return tern_loops_selected()->prelu[dtype];
}
