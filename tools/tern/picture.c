// Decoding through libpng and libjpeg, where the build found them, and resampling.
#include "picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef TERN_CLI_PNG
#include <png.h>
#endif
#ifdef TERN_CLI_JPEG
#include <jpeglib.h>
#endif

// A header of a few bytes can announce any size; this is more than any camera's.
enum { MAX_PIXELS = 1 << 28 };

cli_status *cli_picture_new(cli_arena *arena, size_t width, size_t height, size_t channels,
                            cli_picture *out_picture) {
  if (!width || !height || width > MAX_PIXELS / height)
    return cli_fail(CLI_FAILED, "an image of %zu x %zu is not supported", width, height);
  float *pixels = cli_arena_try(arena, width * height * channels * sizeof *pixels);
  if (!pixels) return cli_fail(CLI_FAILED, "no memory for an image of %zu x %zu", width, height);
  *out_picture = (cli_picture){width, height, channels, pixels};
  return NULL;
}

#ifdef TERN_CLI_PNG
static cli_status *read_png(cli_arena *arena, png_image *image, size_t channels,
                            cli_picture *out_picture) {
  cli_picture picture;
  CLI_TRY(cli_picture_new(arena, image->width, image->height, channels, &picture));
  image->format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  uint8_t *samples = cli_arena_try(arena, PNG_IMAGE_SIZE(*image));
  if (!samples) return cli_fail(CLI_FAILED, "no memory for the image");
  png_color black = {0, 0, 0};
  if (!png_image_finish_read(image, &black, samples, 0, NULL))
    return cli_fail(CLI_FAILED, "not a sound PNG file: %s", image->message);
  for (size_t i = 0; i < picture.width * picture.height * channels; i++)
    picture.pixels[i] = samples[i];
  *out_picture = picture;
  return NULL;
}

static cli_status *decode_png(cli_arena *arena, const uint8_t *bytes, size_t size, size_t channels,
                              cli_picture *out_picture) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_memory(&image, bytes, size))
    return cli_fail(CLI_FAILED, "not a sound PNG file: %s", image.message);
  cli_status *status = read_png(arena, &image, channels, out_picture);
  png_image_free(&image);
  return status;
}
#else
static cli_status *decode_png(cli_arena *arena, const uint8_t *bytes, size_t size, size_t channels,
                              cli_picture *out_picture) {
  (void)arena, (void)bytes, (void)size, (void)channels, (void)out_picture;
  return cli_fail(CLI_FAILED, "tern was built without PNG: install libpng-dev and build again");
}
#endif

#ifdef TERN_CLI_JPEG
// libjpeg reports errors by a call that must not return; this one jumps back to decode_jpeg.
struct jpeg_failure {
  struct jpeg_error_mgr manager;
  jmp_buf place;
  char message[JMSG_LENGTH_MAX];
};

static _Noreturn void leave_jpeg(j_common_ptr info) {
  struct jpeg_failure *failure = (struct jpeg_failure *)(void *)info->err;
  failure->manager.format_message(info, failure->message);
  longjmp(failure->place, 1);
}

static void drop_message(j_common_ptr info) {
  (void)info;
}

// Everything that libjpeg may jump out of. Nothing here owns memory: the arena and `info` do.
static cli_status *read_jpeg(cli_arena *arena, struct jpeg_decompress_struct *info,
                             const uint8_t *bytes, size_t size, size_t channels,
                             cli_picture *out_picture) {
  jpeg_mem_src(info, bytes, size);
  jpeg_read_header(info, TRUE);
  info->out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  cli_picture picture;
  CLI_TRY(cli_picture_new(arena, info->image_width, info->image_height, channels, &picture));
  jpeg_start_decompress(info);
  size_t row_samples = picture.width * channels;
  uint8_t *row = cli_arena_take(arena, row_samples);
  while (info->output_scanline < info->output_height) {
    float *out = picture.pixels + info->output_scanline * row_samples;
    jpeg_read_scanlines(info, &row, 1);
    for (size_t i = 0; i < row_samples; i++) out[i] = row[i];
  }
  jpeg_finish_decompress(info);
  // A file that ends early decodes with a warning, and grey where rows are missing.
  if (info->err->num_warnings) return cli_fail(CLI_FAILED, "the JPEG file is damaged");
  *out_picture = picture;
  return NULL;
}

static cli_status *decode_jpeg(cli_arena *arena, const uint8_t *bytes, size_t size, size_t channels,
                               cli_picture *out_picture) {
  struct jpeg_decompress_struct info = {0};
  struct jpeg_failure failure;
  info.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = leave_jpeg;
  failure.manager.output_message = drop_message;
  if (setjmp(failure.place)) {
    jpeg_destroy_decompress(&info);
    return cli_fail(CLI_FAILED, "not a sound JPEG file: %s", failure.message);
  }
  jpeg_create_decompress(&info);
  cli_status *status = read_jpeg(arena, &info, bytes, size, channels, out_picture);
  jpeg_destroy_decompress(&info);
  return status;
}
#else
static cli_status *decode_jpeg(cli_arena *arena, const uint8_t *bytes, size_t size, size_t channels,
                               cli_picture *out_picture) {
  (void)arena, (void)bytes, (void)size, (void)channels, (void)out_picture;
  return cli_fail(CLI_FAILED, "tern was built without JPEG: install libjpeg-dev and build again");
}
#endif

cli_status *cli_picture_decode(cli_arena *arena, const uint8_t *bytes, size_t size, size_t channels,
                               cli_picture *out_picture) {
  if (size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
    return decode_png(arena, bytes, size, channels, out_picture);
  if (size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
    return decode_jpeg(arena, bytes, size, channels, out_picture);
  if (size >= 2 && bytes[0] == 'P' && strchr("2356", bytes[1]) && bytes[1])
    return cli_pnm_decode(arena, bytes, size, channels, out_picture);
  return cli_fail(CLI_FAILED, "not a PNG, JPEG, PGM or PPM file");
}

// One line of `from` samples becomes one of `to`; samples are that many floats apart.
struct axis {
  size_t from, to, from_step, to_step;
};

static void resample_line(const struct axis *axis, const float *from, float *to) {
  double scale = (double)axis->from / (double)axis->to, support = scale > 1 ? scale : 1;
  for (size_t i = 0; i < axis->to; i++) {
    double center = ((double)i + 0.5) * scale, sum = 0, weights = 0;
    double low = floor(center - support), high = ceil(center + support);
    size_t first = low < 0 ? 0 : (size_t)low;
    size_t last = high > (double)axis->from ? axis->from : (size_t)high;
    for (size_t j = first; j < last; j++) {
      double weight = 1 - fabs((double)j + 0.5 - center) / support;
      if (weight <= 0) continue;
      sum += weight * (double)from[j * axis->from_step];
      weights += weight;
    }
    to[i * axis->to_step] = (float)(sum / weights);
  }
}

cli_status *cli_picture_resize(cli_arena *arena, const cli_picture *picture, size_t width,
                               size_t height, cli_picture *out_picture) {
  size_t channels = picture->channels;
  cli_picture narrow, resized;
  CLI_TRY(cli_picture_new(arena, width, picture->height, channels, &narrow));
  CLI_TRY(cli_picture_new(arena, width, height, channels, &resized));
  struct axis across = {picture->width, width, channels, channels};
  for (size_t y = 0; y < picture->height; y++)
    for (size_t c = 0; c < channels; c++)
      resample_line(&across, picture->pixels + y * picture->width * channels + c,
                    narrow.pixels + y * width * channels + c);
  struct axis down = {picture->height, height, width * channels, width * channels};
  for (size_t x = 0; x < width * channels; x++)
    resample_line(&down, narrow.pixels + x, resized.pixels + x);
  *out_picture = resized;
  return NULL;
}

cli_status *cli_picture_crop(cli_arena *arena, const cli_picture *picture, int64_t left,
                             int64_t top, size_t width, size_t height, cli_picture *out_picture) {
  size_t channels = picture->channels;
  cli_picture crop;
  CLI_TRY(cli_picture_new(arena, width, height, channels, &crop));
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      int64_t from_x = left + (int64_t)x, from_y = top + (int64_t)y;
      bool inside = from_x >= 0 && from_y >= 0 && from_x < (int64_t)picture->width &&
                    from_y < (int64_t)picture->height;
      if (!inside) continue;
      size_t from = ((size_t)from_y * picture->width + (size_t)from_x) * channels;
      memcpy(crop.pixels + (y * width + x) * channels, picture->pixels + from,
             channels * sizeof(float));
    }
  *out_picture = crop;
  return NULL;
}
