// Pictures: decoding image files, and resampling. Knows nothing of tensors.
#ifndef TERN_TOOL_PICTURE_H
#define TERN_TOOL_PICTURE_H

#include <stdbool.h>

#include "memory.h"

// Rows from the top, `channels` interleaved: 3 are red, green, blue, 1 is luminance. 0 to 255.
typedef struct cli_picture {
  size_t width, height, channels;
  float *pixels;
} cli_picture;

// A black picture. Fails for no pixels, and for more than any camera takes.
CLI_MUST_USE cli_status *cli_picture_new(cli_arena *arena, size_t width, size_t height,
                                         size_t channels, cli_picture *out_picture);

// A PNG, JPEG, PGM or PPM file, told apart by their first bytes. `channels` is 1 or 3; transparent
// pixels are laid over black. Orientation tags are not applied.
CLI_MUST_USE cli_status *cli_picture_decode(cli_arena *arena, const uint8_t *bytes, size_t size,
                                            size_t channels, cli_picture *out_picture);

// The last two of those: `bytes` start with P2, P3, P5 or P6.
CLI_MUST_USE cli_status *cli_pnm_decode(cli_arena *arena, const uint8_t *bytes, size_t size,
                                        size_t channels, cli_picture *out_picture);

// Resamples with a triangle filter that widens when shrinking (what PIL calls BILINEAR).
CLI_MUST_USE cli_status *cli_picture_resize(cli_arena *arena, const cli_picture *picture,
                                            size_t width, size_t height, cli_picture *out_picture);

// The rectangle of `width` x `height` whose corner is at (left, top); what lies outside is black.
CLI_MUST_USE cli_status *cli_picture_crop(cli_arena *arena, const cli_picture *picture,
                                          int64_t left, int64_t top, size_t width, size_t height,
                                          cli_picture *out_picture);

#endif
