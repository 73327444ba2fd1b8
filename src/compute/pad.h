// Padding and cropping dense arrays of elements of any size.
#ifndef TERN_COMPUTE_PAD_H_
#define TERN_COMPUTE_PAD_H_

#include "parallel/parallel.h"

enum { TERN_PAD_MAX_RANK = 24 }; // base/value.h: TERN_MAX_RANK

typedef enum tern_pad_mode {
  TERN_PAD_CONSTANT,
  TERN_PAD_EDGE,    // repeats the outermost element
  TERN_PAD_REFLECT, // mirrors at the outermost element, which is not repeated
  TERN_PAD_WRAP,    // continues at the other side
} tern_pad_mode;

// Axis k of the output has sizes[k] + begins[k] + ends[k] >= 0 elements. Negative pads crop. Modes
// other than constant continue what is left after cropping.
typedef struct tern_pad_params {
  tern_pad_mode mode;
  int32_t rank;
  int64_t sizes[TERN_PAD_MAX_RANK]; // of the source
  int64_t begins[TERN_PAD_MAX_RANK], ends[TERN_PAD_MAX_RANK];
  size_t element_bytes;
  const void *constant;          // one element; constant mode only
  const tern_parallel *parallel; // who helps; NULL: nobody
} tern_pad_params;

// False, with nothing written: an axis that has to grow has no elements left to continue (modes
// other than constant).
bool tern_pad(const tern_pad_params *params, const void *source, void *target);

#endif
