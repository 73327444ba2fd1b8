// Col2Im over element types that are not real numbers in a register: integers, booleans, complex
// numbers. For float and double conv.h has faster ones.
#ifndef TERN_COMPUTE_COL2IM_H_
#define TERN_COMPUTE_COL2IM_H_

#include "base/dtype.h"
#include "compute/window.h"

// Adds `columns` [kernel positions, output positions] into `image` [in...], both of `dtype`.
// Integers wrap around; booleans are true where any is. False: there is no sum of this type.
bool tern_col2im(tern_dtype dtype, const tern_window *window, const void *columns, void *image);

#endif
