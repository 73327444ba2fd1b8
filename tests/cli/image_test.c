// Images: decoding, sizing and normalising, and damaged files. Files are written by the libraries
// that the command line reads them with; without one, its error says what to install.
#include "cli_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "input.h"
#include "picture.h"

#ifdef TERN_CLI_PNG
#include <png.h>
#endif
#ifdef TERN_CLI_JPEG
#include <jpeglib.h>
#endif

enum { WIDTH = 4, HEIGHT = 2 };

#if defined(TERN_CLI_PNG) || defined(TERN_CLI_JPEG)
// Red, green and blue of a pixel are its column, its row and 7, times ten.
static void draw(uint8_t *pixels) {
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      *pixels++ = (uint8_t)(10 * x);
      *pixels++ = (uint8_t)(10 * y);
      *pixels++ = 70;
    }
}

#endif

static const int64_t free_nchw[] = {1, 3, -1, -1};
static const cli_wanted floats = {"x", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 4, free_nchw, 0};
#ifdef TERN_CLI_PNG
static const int64_t small_nhwc[] = {-1, 2, 2, 3};
static const cli_wanted bytes_nhwc = {"x", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 4, small_nhwc, 0};

typedef struct image_file {
  uint8_t bytes[4096];
  size_t size;
} image_file;

static image_file png_file(void) {
  uint8_t pixels[WIDTH * HEIGHT * 3];
  draw(pixels);
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
  image_file file = {.size = sizeof file.bytes};
  assert_true(png_image_write_to_memory(&image, file.bytes, &file.size, 0, pixels, 0, NULL));
  return file;
}

static cli_status *parse(cli_arena *arena, const char *options, const cli_wanted *wanted,
                         cli_tensor *out_tensor) {
  image_file file = png_file();
  return cli_image_parse(arena, file.bytes, file.size, options, wanted, out_tensor);
}

static void samples_are_scaled_and_normalised(void **state) {
  cli_tensor tensor;
  assert_success(parse(*state, "", &floats, &tensor));
  assert_int_equal(tensor.dims[2], HEIGHT);
  assert_int_equal(tensor.dims[3], WIDTH);
  const float *plain = tensor.data;
  assert_float_equal(plain[3], 30.0 / 255, 1e-6);                      // red of column 3
  assert_float_equal(plain[WIDTH * HEIGHT + WIDTH], 10.0 / 255, 1e-6); // green of row 1
  assert_float_equal(plain[2 * WIDTH * HEIGHT], 70.0 / 255, 1e-6);     // blue
  assert_success(
      parse(*state, "scale=255/255&mean=1,2,3&std=2,2,4&channels=bgr", &floats, &tensor));
  const float *bgr = tensor.data;
  assert_float_equal(bgr[0], (70.0 - 1) / 2, 1e-6);
  assert_float_equal(bgr[2 * WIDTH * HEIGHT + 3], (30.0 - 3) / 4, 1e-6);
}

static void options_left_out_come_from_the_input(void **state) {
  cli_tensor tensor;
  assert_success(parse(*state, "", &bytes_nhwc, &tensor));
  // Four columns become two: a pixel is the middle of its pair, but for the filter's tails.
  const uint8_t *pixels = tensor.data;
  assert_int_equal(tensor.bytes, 12);
  assert_in_range(pixels[0], 5, 8);
  assert_in_range(pixels[3], 22, 25);
  assert_int_equal(pixels[1], 0);
  assert_int_equal(pixels[6 + 1], 10);
  assert_int_equal(pixels[2], 70);
}

static void crop_and_pad_keep_the_ratio(void **state) {
  cli_tensor tensor;
  assert_success(parse(*state, "size=2&resize=crop&scale=1", &floats, &tensor));
  const float *cut = tensor.data;
  assert_float_equal(cut[0], 10, 1e-5);
  assert_float_equal(cut[1], 20, 1e-5);
  assert_success(parse(*state, "size=4x4&resize=pad&scale=1", &floats, &tensor));
  const float *padded = tensor.data;
  const float *blue = padded + 2 * 16;
  for (size_t i = 0; i < 16; i++) {
    float expected = i / 4 == 1 || i / 4 == 2 ? 70 : 0;
    assert_float_equal(blue[i], expected, 1e-5);
  }
}

static void options_are_checked(void **state) {
  static const char *const wrong[] = {"sise=2",   "size",      "size=0",     "size=2x",
                                      "mean=1,2", "std=0",     "layout=nch", "channels=cmyk",
                                      "scale=-1", "scale=1/0", "resize=fit", "size=2x3x4"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    cli_tensor tensor;
    cli_status *status = parse(*state, wrong[i], &floats, &tensor);
    if (!status) fail_msg("accepted: %s", wrong[i]);
    assert_failure(status, CLI_USAGE, "image option");
  }
}

// Damage is found, or at worst changes pixels; what must hold is that nothing crashes.
static void damaged_png_never_crashes(void **state) {
  image_file file = png_file();
  cli_picture picture;
  (void)state;
  for (size_t size = 0; size + 12 < file.size; size++) { // short of the end chunk
    cli_arena arena = {0};
    cli_status *status = cli_picture_decode(&arena, file.bytes, size, 3, &picture);
    if (!status) fail_msg("%zu bytes of %zu were accepted", size, file.size);
    cli_status_free(status);
    cli_arena_free(&arena);
  }
  for (size_t at = 0; at < file.size; at++) {
    cli_arena arena = {0};
    file.bytes[at] ^= 0xFF;
    cli_status_free(cli_picture_decode(&arena, file.bytes, file.size, 3, &picture));
    file.bytes[at] ^= 0xFF;
    cli_arena_free(&arena);
  }
}
#endif

#ifdef TERN_CLI_JPEG
static unsigned char *jpeg_file(unsigned long *out_size) {
  uint8_t pixels[WIDTH * HEIGHT * 3], *row = pixels, *bytes = NULL;
  draw(pixels);
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &bytes, out_size);
  info.image_width = WIDTH;
  info.image_height = HEIGHT;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < HEIGHT; y++, row += 3 * WIDTH) jpeg_write_scanlines(&info, &row, 1);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return bytes;
}

static void jpeg_is_decoded(void **state) {
  unsigned long size = 0;
  unsigned char *bytes = jpeg_file(&size);
  cli_tensor tensor;
  assert_success(cli_image_parse(*state, bytes, size, "scale=1", &floats, &tensor));
  assert_int_equal(tensor.dims[3], WIDTH);
  for (size_t i = 0; i < WIDTH * HEIGHT; i++)
    assert_float_equal(((float *)tensor.data)[2 * WIDTH * HEIGHT + i], 70, 12);
  free(bytes);
}

static void damaged_jpeg_never_crashes(void **state) {
  unsigned long size = 0;
  unsigned char *bytes = jpeg_file(&size);
  cli_picture picture;
  (void)state;
  for (size_t cut = 0; cut + 2 < size; cut++) { // short of the end marker
    cli_arena arena = {0};
    cli_status *status = cli_picture_decode(&arena, bytes, cut, 1, &picture);
    if (!status) fail_msg("%zu bytes of %lu were accepted", cut, size);
    cli_status_free(status);
    cli_arena_free(&arena);
  }
  for (size_t at = 0; at < size; at++) {
    cli_arena arena = {0};
    bytes[at] ^= 0xFF;
    cli_status_free(cli_picture_decode(&arena, bytes, size, 3, &picture));
    bytes[at] ^= 0xFF;
    cli_arena_free(&arena);
  }
  free(bytes);
}
#endif

static void other_files_are_refused(void **state) {
  cli_tensor tensor;
  assert_failure(cli_image_parse(*state, (const uint8_t *)"GIF89a", 6, "", &floats, &tensor),
                 CLI_FAILED, "not a PNG, JPEG");
}

static cli_status *decode_text(cli_arena *arena, const char *text, size_t size, size_t channels,
                               cli_picture *out_picture) {
  return cli_picture_decode(arena, (const uint8_t *)text, size, channels, out_picture);
}

static void pnm_as_text_and_bytes(void **state) {
  static const char gray[] = "P2 # a comment\n2 1\n16\n0 16\n",
                    color[] = "P6 1 1 255\n\x0a\x14\x1e";
  static const char wide[] = "P5\n1 1\n65535\n\x80\x00";
  cli_picture picture;
  assert_success(decode_text(*state, gray, sizeof gray - 1, 3, &picture));
  assert_int_equal(picture.width, 2);
  for (size_t c = 0; c < 3; c++) assert_float_equal(picture.pixels[3 + c], 255, 1e-4);
  assert_success(decode_text(*state, color, sizeof color - 1, 3, &picture));
  assert_float_equal(picture.pixels[2], 30, 1e-4);
  assert_success(decode_text(*state, color, sizeof color - 1, 1, &picture));
  assert_float_equal(picture.pixels[0], 18.15f, 1e-4);
  assert_success(decode_text(*state, wide, sizeof wide - 1, 1, &picture));
  assert_float_equal(picture.pixels[0], 127.5, 0.01);
}

static void pnm_that_lies_is_refused(void **state) {
  static const char *const texts[] = {
      "P2",
      "P2 1",
      "P2 1 1 1",
      "P2 1 1 1 2",
      "P2 0 1 1 ",
      "P2 1 1 0 0",
      "P2 1 1 65536 0",
      "P2 9999999 9 9 1",
      "P2 1 1 255 x",
      "P5 1 1 255\n",
      "P6 1 1 9\nab",
      "P2 -1 1 9 1",
      "P7 1 1 9 1",
      "P2 18446744073709551617 1 9 1",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    cli_picture picture;
    cli_status *status = decode_text(*state, texts[i], strlen(texts[i]), 1, &picture);
    if (!status) fail_msg("accepted: %s", texts[i]);
    cli_status_free(status);
  }
}

// A triangle filter reproduces a ramp when it enlarges, away from the borders.
static void resampling_keeps_a_ramp(void **state) {
  cli_picture ramp = {8, 1, 1, cli_arena_take(*state, 8 * sizeof(float))}, wide;
  for (size_t i = 0; i < 8; i++) ramp.pixels[i] = (float)i;
  assert_success(cli_picture_resize(*state, &ramp, 16, 3, &wide));
  for (size_t i = 1; i < 15; i++)
    assert_float_equal(wide.pixels[16 + i], ((float)i + 0.5f) / 2 - 0.5f, 1e-5f);
  assert_float_equal(wide.pixels[0], 0, 1e-6);
  assert_float_equal(wide.pixels[15], 7, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef TERN_CLI_PNG
      ARENA_TEST(samples_are_scaled_and_normalised),
      ARENA_TEST(options_left_out_come_from_the_input),
      ARENA_TEST(crop_and_pad_keep_the_ratio),
      ARENA_TEST(options_are_checked),
      ARENA_TEST(damaged_png_never_crashes),
#endif
#ifdef TERN_CLI_JPEG
      ARENA_TEST(jpeg_is_decoded),
      ARENA_TEST(damaged_jpeg_never_crashes),
#endif
      ARENA_TEST(other_files_are_refused),
      ARENA_TEST(pnm_as_text_and_bytes),
      ARENA_TEST(pnm_that_lies_is_refused),
      ARENA_TEST(resampling_keeps_a_ramp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
