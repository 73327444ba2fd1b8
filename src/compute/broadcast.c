// Building and walking the loops of broadcast.h.
#include "compute/broadcast.h"

#include <string.h>

// One output dimension and how far each input moves when its index grows by one.
typedef struct loop {
  int64_t size;
  int64_t strides[TERN_BROADCAST_MAX_INPUTS];
} loop;

// The stride of `input` in the output's dimension `axis`, 0 where it is broadcast; -1 when the
// sizes do not fit. `volume` is the product of the input's dimensions after this one.
static int64_t stride_at(tern_dims input, tern_dims output, int32_t axis, int64_t *volume) {
  const int32_t own = axis - (output.rank - input.rank);
  if (own < 0) return 0;
  const int64_t size = input.dims[own], stride = *volume;
  if (size != 1 && size != output.dims[axis]) return -1;
  *volume *= size;
  return size == 1 ? 0 : stride;
}

static bool is_continued(const loop *outer, const loop *inner, int32_t input_count) {
  for (int32_t i = 0; i < input_count; ++i) {
    if (outer->strides[i] != inner->strides[i] * inner->size) return false;
  }
  return true;
}

// Fills `loops`, innermost first, and returns how many there are; -1 when a shape does not fit.
static int32_t collect_loops(tern_dims output, const tern_dims *inputs, int32_t input_count,
                             loop *loops) {
  int64_t volumes[TERN_BROADCAST_MAX_INPUTS] = {1, 1, 1};
  int32_t count = 0;
  for (int32_t axis = output.rank - 1; axis >= 0; --axis) {
    loop next = {.size = output.dims[axis]};
    for (int32_t i = 0; i < input_count; ++i) {
      next.strides[i] = stride_at(inputs[i], output, axis, &volumes[i]);
      if (next.strides[i] < 0) return -1;
    }
    if (next.size == 1) continue;
    if (count > 0 && is_continued(&next, &loops[count - 1], input_count)) {
      loops[count - 1].size *= next.size;
    } else {
      loops[count++] = next;
    }
  }
  return count;
}

bool tern_broadcast_init(tern_dims output, const tern_dims *inputs, int32_t input_count,
                         tern_broadcast *out_broadcast) {
  if (output.rank > TERN_BROADCAST_MAX_RANK || input_count > TERN_BROADCAST_MAX_INPUTS)
    return false;
  for (int32_t i = 0; i < input_count; ++i) {
    if (inputs[i].rank > output.rank) return false;
  }
  loop loops[TERN_BROADCAST_MAX_RANK];
  const int32_t count = collect_loops(output, inputs, input_count, loops);
  if (count < 0) return false;

  tern_broadcast *b = out_broadcast;
  b->input_count = input_count;
  b->outer_rank = count > 0 ? count - 1 : 0;
  b->row_length = count > 0 ? loops[0].size : 1;
  for (int32_t i = 0; i < input_count; ++i) b->steps[i] = count > 0 ? loops[0].strides[i] : 0;
  b->row_count = b->row_length > 0 ? 1 : 0;
  for (int32_t d = 0; d < b->outer_rank; ++d) {
    const loop *from = &loops[b->outer_rank - d];
    b->outer_dims[d] = from->size;
    memcpy(b->outer_strides[d], from->strides, sizeof from->strides);
    b->row_count *= from->size;
  }
  return true;
}

void tern_broadcast_seek(const tern_broadcast *broadcast, int64_t row,
                         tern_broadcast_cursor *out_cursor) {
  memset(out_cursor->offsets, 0, sizeof out_cursor->offsets);
  for (int32_t d = broadcast->outer_rank - 1; d >= 0; --d) {
    const int64_t size = broadcast->outer_dims[d];
    const int64_t index = size > 0 ? row % size : 0;
    row = size > 0 ? row / size : 0;
    out_cursor->index[d] = index;
    for (int32_t i = 0; i < broadcast->input_count; ++i)
      out_cursor->offsets[i] += index * broadcast->outer_strides[d][i];
  }
}

void tern_broadcast_next(const tern_broadcast *broadcast, tern_broadcast_cursor *cursor) {
  for (int32_t d = broadcast->outer_rank - 1; d >= 0; --d) {
    const int64_t *strides = broadcast->outer_strides[d];
    if (++cursor->index[d] < broadcast->outer_dims[d]) {
      for (int32_t i = 0; i < broadcast->input_count; ++i) cursor->offsets[i] += strides[i];
      return;
    }
    for (int32_t i = 0; i < broadcast->input_count; ++i)
      cursor->offsets[i] -= (broadcast->outer_dims[d] - 1) * strides[i];
    cursor->index[d] = 0;
  }
}

static int64_t pieces_of_row(const tern_broadcast *broadcast) {
  return (broadcast->row_length + TERN_BROADCAST_PIECE - 1) / TERN_BROADCAST_PIECE;
}

int64_t tern_broadcast_piece_count(const tern_broadcast *broadcast) {
  return broadcast->row_count * pieces_of_row(broadcast);
}

static void place_piece(const tern_broadcast *broadcast, tern_broadcast_piece *piece) {
  piece->count = tern_min_i64(TERN_BROADCAST_PIECE, broadcast->row_length - piece->begin);
  for (int32_t i = 0; i < broadcast->input_count; ++i)
    piece->offsets[i] = piece->row.offsets[i] + piece->begin * broadcast->steps[i];
}

void tern_broadcast_piece_seek(const tern_broadcast *broadcast, int64_t index,
                               tern_broadcast_piece *out_piece) {
  int64_t each = pieces_of_row(broadcast);
  if (each == 0) return;
  tern_broadcast_seek(broadcast, index / each, &out_piece->row);
  out_piece->begin = index % each * TERN_BROADCAST_PIECE;
  out_piece->output = index / each * broadcast->row_length + out_piece->begin;
  place_piece(broadcast, out_piece);
}

void tern_broadcast_piece_next(const tern_broadcast *broadcast, tern_broadcast_piece *piece) {
  piece->output += piece->count;
  piece->begin += piece->count;
  if (piece->begin >= broadcast->row_length) {
    piece->begin = 0;
    tern_broadcast_next(broadcast, &piece->row);
  }
  place_piece(broadcast, piece);
}
