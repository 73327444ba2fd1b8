// Lanes.
#include "session/lanes.h"

// What is known of a piece of a provider's memory besides its address.
struct tern_lane_block {
  tern_lane *lane;
  tern_allocator *allocator; // of this
  void *data;
  size_t bytes;
  tern_lane_block *next;
};

static void free_block(tern_lane_block *block) {
  tern_allocator_free(block->lane->provider->memory->allocator, block->data, block->bytes);
  TERN_DELETE(block->allocator, block);
}

static void free_idle(tern_lane *lane) {
  while (lane->idle) {
    tern_lane_block *block = lane->idle;
    lane->idle = block->next;
    free_block(block);
  }
}

// The deleter of values: the stream may still be to reach what reads them.
static void retire(void *context, void *data) {
  tern_lane_block *block = context;
  tern_lane *lane = block->lane;
  (void)data;
  if (!lane->has_work) {
    free_block(block);
    return;
  }
  block->next = lane->idle;
  lane->idle = block;
}

static tern_status *wait_for(tern_lane *lane) {
  tern_status *status = NULL;
  tern_provider *provider = lane->provider;
  if (lane->has_work && provider->synchronize)
    status = tern_failure_note(lane->failure, provider, "synchronize", NULL,
                               provider->synchronize(provider->self, lane->stream));
  lane->has_work = false;
  free_idle(lane);
  return status ? tern_status_annotate(status, "%s: synchronising", provider->name) : NULL;
}

tern_status *tern_lanes_begin(tern_lanes *out_lanes, tern_provider *const *providers,
                              int32_t provider_count, uint32_t used) {
  *out_lanes = (tern_lanes){.count = provider_count};
  for (int32_t i = 0; i < provider_count; ++i) {
    tern_lane *lane = &out_lanes->lanes[i];
    tern_provider *provider = providers[i];
    *lane = (tern_lane){.provider = provider, .failure = &out_lanes->failure};
    if (!(used >> i & 1u) || !provider->begin_run) continue;
    tern_status *status = tern_failure_note(lane->failure, provider, "begin a run", NULL,
                                            provider->begin_run(provider->self, &lane->stream));
    lane->is_open = !status;
    if (!status) continue;
    tern_lanes_end(out_lanes);
    return tern_status_annotate(status, "%s: beginning a run", provider->name);
  }
  return NULL;
}

void tern_lanes_end(tern_lanes *lanes) {
  tern_lanes_drain(lanes);
  for (int32_t i = 0; i < lanes->count; ++i) {
    tern_lane *lane = &lanes->lanes[i];
    if (lane->is_open && lane->provider->end_run)
      lane->provider->end_run(lane->provider->self, lane->stream);
    lane->is_open = false;
  }
}

tern_status *tern_lanes_wait(tern_lanes *lanes, uint32_t providers) {
  tern_status *first = NULL;
  for (int32_t i = 0; providers >> i; ++i) {
    if (!(providers >> i & 1u)) continue;
    tern_status *status = wait_for(&lanes->lanes[i]);
    if (first)
      tern_status_ignore(status);
    else
      first = status;
  }
  return first;
}

void tern_lanes_drain(tern_lanes *lanes) {
  for (int32_t i = 0; i < lanes->count; ++i) tern_status_ignore(wait_for(&lanes->lanes[i]));
}

static tern_status *allocate_block(tern_lane *lane, tern_allocator *allocator, size_t bytes,
                                   tern_lane_block **out_block) {
  const tern_memory_space *space = lane->provider->memory;
  tern_lane_block *block;
  TERN_TRY(TERN_NEW(allocator, &block));
  *block = (tern_lane_block){.lane = lane, .allocator = allocator, .bytes = bytes};
  tern_status *status = tern_allocator_alloc(space->allocator, bytes, &block->data);
  if (status) {
    TERN_DELETE(allocator, block);
    return tern_status_annotate(
        tern_failure_note(lane->failure, lane->provider, "allocate", NULL, status), "%s: %zu bytes",
        space->name, bytes);
  }
  *out_block = block;
  return NULL;
}

tern_status *tern_lane_create_tensor(tern_lane *lane, tern_allocator *allocator, tern_dtype dtype,
                                     const tern_shape *shape, tern_value **out_value) {
  int64_t count;
  size_t bytes;
  if (!tern_shape_count(shape, &count) || !tern_dtype_bytes(dtype, count, &bytes))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a tensor is too large for any memory");
  if (bytes == 0) return tern_value_wrap_tensor(allocator, dtype, shape, NULL, 0, out_value);
  tern_lane_block *block = NULL;
  TERN_TRY(allocate_block(lane, allocator, bytes, &block));
  tern_status *status =
      tern_value_wrap_tensor(allocator, dtype, shape, block->data, bytes, out_value);
  if (status) {
    free_block(block);
    return status;
  }
  (*out_value)->deleter = retire;
  (*out_value)->deleter_context = block;
  return NULL;
}
