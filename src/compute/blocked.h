// Images whose channels lie in blocks (NCHWc, "nChw16c" elsewhere): [batch, blocks, height, width,
// block], so that one vector, or a few, holds the channels of a pixel. The channels that fill up
// the last block are 0 in every such image; everything here keeps that.
//
// A planar image is one as ONNX has it: [batch, channels, height, width].
//
// Nothing here allocates. Work is cut into tiles that write disjoint parts of Y and depend on sizes
// and the ISA alone, so splitting their range over threads changes no bit.
#ifndef TERN_COMPUTE_BLOCKED_H_
#define TERN_COMPUTE_BLOCKED_H_

#include "compute/epilogue.h"
#include "compute/window.h"

// The channels of a block that the selected ISA's kernels take: one vector on AVX-512 and AVX2.
size_t tern_blocked_block(void);

static inline size_t tern_blocked_count(size_t channels, size_t block) {
  return (channels + block - 1) / block;
}

// Between one planar and one blocked image of `size` pixels, for any block.
void tern_blocked_from_planar(size_t block, size_t channels, size_t size, const float *x, float *y);
void tern_blocked_to_planar(size_t block, size_t channels, size_t size, const float *x, float *y);

// ---- Convolution, directly: Y = epilogue(bias + sum of W * X), as in conv.h with one group.

typedef struct tern_blocked_conv_params {
  tern_window window; // of two dimensions
  size_t batch, in_channels, out_channels;
  bool is_planar;      // X is; otherwise it is blocked
  const float *x;      // [batch, …]
  const float *packed; // of tern_blocked_conv_pack
  float *y;            // blocked; overlaps no input but the residual, which may be Y itself
  const tern_epilogue_f32 *epilogue; // its residual is blocked; NULL: none
} tern_blocked_conv_params;

// Weights and bias in the form that the kernels of this process read. The channels, the window's
// kernel and is_planar count, no other size. `w` is [out_channels, in_channels, height, width],
// `bias` [out_channels] or NULL. Alignment: TERN_BUFFER_ALIGNMENT.
size_t tern_blocked_conv_packed_bytes(const tern_blocked_conv_params *params);
void tern_blocked_conv_pack(const tern_blocked_conv_params *params, const float *w,
                            const float *bias, float *out);
// The workspace of one thread, aligned to TERN_BUFFER_ALIGNMENT.
size_t tern_blocked_conv_workspace_bytes(const tern_blocked_conv_params *params);
size_t tern_blocked_conv_tile_count(const tern_blocked_conv_params *params);
// Computes tiles [first, first + count). Distinct tiles may run at once, each thread with its own
// workspace.
void tern_blocked_conv_tiles(const tern_blocked_conv_params *params, size_t first, size_t count,
                             void *workspace);

// ---- What keeps channels apart: depthwise convolution and pooling. Windows of two dimensions with
// at most TERN_BLOCKED_MAX_TAPS positions. A tile is one row of Y in one block of channels.

enum { TERN_BLOCKED_MAX_TAPS = 256 };

typedef struct tern_blocked_window_params {
  tern_window window;
  size_t batch, channels;
  const float *x; // blocked
  float *y;
  const float *packed;               // depthwise: of tern_blocked_depthwise_pack
  const tern_epilogue_f32 *epilogue; // depthwise: as above
  bool count_padding;                // average: as in pool.h
} tern_blocked_window_params;

size_t tern_blocked_window_tile_count(const tern_blocked_window_params *params);
// Each output channel sums its own input channel under the window. `w` is [channels, 1, height,
// width].
size_t tern_blocked_depthwise_packed_bytes(const tern_blocked_window_params *params);
void tern_blocked_depthwise_pack(const tern_blocked_window_params *params, const float *w,
                                 const float *bias, float *out);
// Tiles of its own: rows, or for small images whole ones.
size_t tern_blocked_depthwise_tile_count(const tern_blocked_window_params *params);
size_t tern_blocked_depthwise_workspace_bytes(const tern_blocked_window_params *params);
void tern_blocked_depthwise_tiles(const tern_blocked_window_params *params, size_t first,
                                  size_t count, void *workspace);
// As tern_pool_max_f32 and tern_pool_average_f32; the average multiplies by the reciprocal of the
// count.
void tern_blocked_max_tiles(const tern_blocked_window_params *params, size_t first, size_t count);
void tern_blocked_average_tiles(const tern_blocked_window_params *params, size_t first,
                                size_t count);

#endif
