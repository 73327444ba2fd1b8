// Netpbm's graymaps and pixmaps (.pgm, .ppm), as text (P2, P3) or bytes (P5, P6): images that need
// no library. Format: the pgm(5) and ppm(5) manual pages.
#include <ctype.h>

#include "picture.h"

enum { LARGEST_SAMPLE = 65535 };

// The next number of the header, or of samples as text; '#' starts a comment to the line's end.
static cli_status *read_number(cli_cursor *cursor, size_t *out_number) {
  const uint8_t *at = cursor->bytes + cursor->at, *end = cursor->bytes + cursor->size;
  while (at < end && (isspace(*at) || *at == '#')) {
    bool comment = *at == '#';
    while (comment && at < end && *at != '\n') at++;
    if (!comment) at++;
  }
  size_t number = 0;
  bool any = false;
  for (; at < end && isdigit(*at) && number <= SIZE_MAX / 100; at++, any = true)
    number = number * 10 + (size_t)(*at - '0');
  cursor->at = (size_t)(at - cursor->bytes);
  if (!any) return cli_fail(CLI_FAILED, "a number is expected at offset %zu", cursor->at);
  *out_number = number;
  return NULL;
}

// How samples are stored.
struct format {
  bool is_text;
  size_t channels, largest;
};

static cli_status *read_sample(cli_cursor *cursor, const struct format *format, float *out_sample) {
  size_t number;
  if (format->is_text) {
    CLI_TRY(read_number(cursor, &number));
  } else {
    const uint8_t *bytes; // of two, the more significant comes first
    CLI_TRY(cli_cursor_skip(cursor, format->largest > 255 ? 2 : 1, &bytes));
    number = format->largest > 255 ? (size_t)bytes[0] << 8 | bytes[1] : bytes[0];
  }
  if (number > format->largest)
    return cli_fail(CLI_FAILED, "sample %zu is above the largest, %zu", number, format->largest);
  *out_sample = (float)(255.0 * (double)number / (double)format->largest);
  return NULL;
}

// Luminance by ITU-R BT.601, as libjpeg has it; gray becomes three equal channels.
static void store_pixel(const float *samples, size_t from, size_t to, float *out_pixel) {
  if (from == to) {
    for (size_t i = 0; i < to; i++) out_pixel[i] = samples[i];
  } else if (to == 1) {
    out_pixel[0] = 0.299f * samples[0] + 0.587f * samples[1] + 0.114f * samples[2];
  } else {
    for (size_t i = 0; i < to; i++) out_pixel[i] = samples[0];
  }
}

cli_status *cli_pnm_decode(cli_arena *arena, const uint8_t *bytes, size_t size, size_t channels,
                           cli_picture *out_picture) {
  cli_cursor cursor = {bytes, size, 2};
  struct format format = {.is_text = bytes[1] < '4', .channels = bytes[1] % 3 == 2 ? 1 : 3};
  size_t width, height;
  CLI_TRY(read_number(&cursor, &width));
  CLI_TRY(read_number(&cursor, &height));
  CLI_TRY(read_number(&cursor, &format.largest));
  if (format.largest < 1 || format.largest > LARGEST_SAMPLE)
    return cli_fail(CLI_FAILED, "the largest sample must be 1 to %d", LARGEST_SAMPLE);
  if (!format.is_text) CLI_TRY(cli_cursor_skip(&cursor, 1, NULL)); // one white space
  // Every sample takes a byte or more, so a small file cannot ask for much memory.
  if (height && width > size / height)
    return cli_fail(CLI_FAILED, "%zu bytes are too few for an image of %zu x %zu", size, width,
                    height);
  cli_picture picture;
  CLI_TRY(cli_picture_new(arena, width, height, channels, &picture));
  for (size_t i = 0; i < width * height; i++) {
    float samples[3];
    for (size_t c = 0; c < format.channels; c++)
      CLI_TRY(read_sample(&cursor, &format, &samples[c]));
    store_pixel(samples, format.channels, channels, picture.pixels + i * channels);
  }
  *out_picture = picture;
  return NULL;
}
