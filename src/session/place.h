// Placement: where the values of sized steps lie. Slots share a buffer where one is a view of the
// other or may overwrite it; buffers of the first segment get offsets in the slab by a plan over
// their lifetimes, those of later ones memory of the heap in the order of the steps.
#ifndef TERN_SESSION_PLACE_H_
#define TERN_SESSION_PLACE_H_

#include "session/frame.h"

// Places the first segment, steps [0, end).
TERN_MUST_USE tern_status *tern_place_first(tern_frame *frame, int32_t end);
// Places steps [begin, end), which have been sized, after everything before them has run.
TERN_MUST_USE tern_status *tern_place_later(tern_frame *frame, int32_t begin, int32_t end);
// Points the headers of what steps [0, end) make at their buffers, once the slots that found them
// have their memory of the slab. What was placed after them in earlier runs has to be placed again.
void tern_place_point(tern_frame *frame, int32_t end);

#endif
