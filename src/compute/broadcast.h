// Numpy broadcasting as loops: the shapes of one dense output and a few dense inputs become the
// fewest loops that visit every output element in order. Dimensions of size 1 go, and neighbours
// that every input walks alike (both dense, or both standing still) are merged, so that equal
// shapes are one loop, and so are a tensor and a scalar.
#ifndef TERN_COMPUTE_BROADCAST_H_
#define TERN_COMPUTE_BROADCAST_H_

#include "base/macros.h"

enum {
  TERN_BROADCAST_MAX_RANK = 24, // base/value.h: TERN_MAX_RANK
  TERN_BROADCAST_MAX_INPUTS = 3,
};

// A dense tensor's dimensions. Rank 0 is a scalar; `dims` may then be NULL.
typedef struct tern_dims {
  int32_t rank;
  const int64_t *dims;
} tern_dims;

// The output is `row_count` rows of `row_length` elements, dense and in order. Within a row input
// i advances `steps[i]` elements each time: 1 or 0.
typedef struct tern_broadcast {
  int64_t row_count; // 0 when the output is empty
  int64_t row_length;
  int64_t steps[TERN_BROADCAST_MAX_INPUTS];
  int32_t input_count;
  int32_t outer_rank; // dimensions outside the rows, outermost first
  int64_t outer_dims[TERN_BROADCAST_MAX_RANK];
  int64_t outer_strides[TERN_BROADCAST_MAX_RANK][TERN_BROADCAST_MAX_INPUTS]; // in elements
} tern_broadcast;

// Lays out the loops for inputs that broadcast to `output`, as shape inference has established: the
// trailing dimensions of each are 1 or the output's. False when they are not, or when there are
// more inputs or dimensions than fit.
bool tern_broadcast_init(tern_dims output, const tern_dims *inputs, int32_t input_count,
                         tern_broadcast *out_broadcast);

// Where the rows lie. Set to any row with tern_broadcast_seek, then step from row to row; stepping
// past the last row is allowed and the offsets then mean nothing.
typedef struct tern_broadcast_cursor {
  int64_t offsets[TERN_BROADCAST_MAX_INPUTS]; // of the row's first element in each input
  int64_t index[TERN_BROADCAST_MAX_RANK];
} tern_broadcast_cursor;

void tern_broadcast_seek(const tern_broadcast *broadcast, int64_t row,
                         tern_broadcast_cursor *out_cursor);
void tern_broadcast_next(const tern_broadcast *broadcast, tern_broadcast_cursor *cursor);

// The same output in pieces for threads: rows, and parts of rows longer than this.
enum { TERN_BROADCAST_PIECE = 8192 };

typedef struct tern_broadcast_piece {
  int64_t offsets[TERN_BROADCAST_MAX_INPUTS]; // of the piece's first element in each input
  int64_t output;                             // likewise in the output
  int64_t count;                              // of elements
  int64_t begin;                              // within the row
  tern_broadcast_cursor row;
} tern_broadcast_piece;

int64_t tern_broadcast_piece_count(const tern_broadcast *broadcast);
// Any piece, and the one after it; stepping past the last is allowed and then means nothing.
void tern_broadcast_piece_seek(const tern_broadcast *broadcast, int64_t index,
                               tern_broadcast_piece *out_piece);
void tern_broadcast_piece_next(const tern_broadcast *broadcast, tern_broadcast_piece *piece);

#endif
