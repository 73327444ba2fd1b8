// What a run holds of the providers it works with: a lane each, with its stream and the memory that
// has to wait for it. Runs that only the host's own kernels serve have none.
#ifndef TERN_SESSION_LANES_H_
#define TERN_SESSION_LANES_H_

#include "session/partition.h"

typedef struct tern_lane_block tern_lane_block;

typedef struct tern_lane {
  tern_provider *provider;
  void *stream;
  bool is_open;          // begin_run has succeeded
  bool has_work;         // something was given to the stream since it was synchronised
  tern_lane_block *idle; // memory whose last user may still be at work
  tern_failure *failure; // the run's
} tern_lane;

typedef struct tern_lanes {
  tern_lane lanes[TERN_MAX_PROVIDERS]; // by the provider's place in the session's list
  int32_t count;
  tern_failure failure; // the first of the run
} tern_lanes;

// Begins the run of those of the session's providers that are in the set `used`. After an error
// nothing is open.
TERN_MUST_USE tern_status *tern_lanes_begin(tern_lanes *out_lanes, tern_provider *const *providers,
                                            int32_t provider_count, uint32_t used);
// Waits for what is under way, whatever comes of it, and ends the run. Values of the lanes' memory
// are gone.
void tern_lanes_end(tern_lanes *lanes);
// Returns when everything given to the providers in the set `providers` is done.
TERN_MUST_USE tern_status *tern_lanes_wait(tern_lanes *lanes, uint32_t providers);
// The same for all of them, whatever comes of it: after an error.
void tern_lanes_drain(tern_lanes *lanes);

// A tensor in the provider's memory; the value itself is from `allocator`. Released before the run
// ends.
TERN_MUST_USE tern_status *tern_lane_create_tensor(tern_lane *lane, tern_allocator *allocator,
                                                   tern_dtype dtype, const tern_shape *shape,
                                                   tern_value **out_value);

#endif
