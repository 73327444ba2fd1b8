// From an image file to a tensor: what size, which channels, which layout, which numbers. What the
// options leave open is taken from the shape and type of the model's input.
#include <math.h>
#include <string.h>

#include "input.h"
#include "picture.h"
#include "text.h"

enum fit { FIT_STRETCH, FIT_CROP, FIT_PAD };

// `channel_axis` is `rank` when the layout has no channels.
struct layout {
  const char *name;
  size_t rank, channel_axis, height_axis, width_axis;
};

static const struct layout layouts[] = {
    {"nchw", 4, 1, 2, 3}, {"nhwc", 4, 3, 1, 2}, {"chw", 3, 0, 1, 2},
    {"hwc", 3, 2, 0, 1},  {"hw", 2, 2, 0, 1},
};
enum { LAYOUT_COUNT = sizeof layouts / sizeof layouts[0] };

// Per-channel numbers, one for all or one each.
struct per_channel {
  size_t count;
  double values[3];
};

struct image_options {
  uint64_t width, height; // 0: from the input's shape, or the image's own
  enum fit fit;
  const struct layout *layout;
  size_t channels; // 0: from the input's shape
  bool bgr;
  double scale; // below 0: by the input's type
  struct per_channel mean, std;
};

static bool read_size(cli_arena *arena, const char *text, struct image_options *options) {
  char **pieces;
  size_t count = cli_split(arena, text, 'x', &pieces);
  return (count == 1 || count == 2) && cli_parse_unsigned(pieces[0], &options->width) &&
         cli_parse_unsigned(pieces[count - 1], &options->height) && options->width &&
         options->height;
}

static bool read_fit(cli_arena *arena, const char *text, struct image_options *options) {
  static const char *const names[] = {"stretch", "crop", "pad"};
  (void)arena;
  for (size_t i = 0; i < 3; i++)
    if (strcmp(names[i], text) == 0) return options->fit = (enum fit)i, true;
  return false;
}

static bool read_layout(cli_arena *arena, const char *text, struct image_options *options) {
  (void)arena;
  for (size_t i = 0; i < LAYOUT_COUNT; i++)
    if (strcmp(layouts[i].name, text) == 0) options->layout = &layouts[i];
  return options->layout != NULL;
}

static bool read_channels(cli_arena *arena, const char *text, struct image_options *options) {
  (void)arena;
  options->bgr = strcmp(text, "bgr") == 0;
  options->channels = strcmp(text, "gray") == 0 ? 1 : 3;
  return options->bgr || options->channels == 1 || strcmp(text, "rgb") == 0;
}

static bool read_scale(cli_arena *arena, const char *text, struct image_options *options) {
  char **pieces;
  double over = 1;
  size_t count = cli_split(arena, text, '/', &pieces);
  bool right = (count == 1 || count == 2) && cli_parse_real(pieces[0], &options->scale) &&
               (count == 1 || cli_parse_real(pieces[1], &over));
  options->scale /= over;
  return right && isfinite(options->scale) && options->scale > 0;
}

static bool read_per_channel(cli_arena *arena, const char *text, struct per_channel *out_numbers) {
  char **pieces;
  out_numbers->count = cli_split(arena, text, ',', &pieces);
  if (out_numbers->count != 1 && out_numbers->count != 3) return false;
  for (size_t i = 0; i < out_numbers->count; i++)
    if (!cli_parse_real(pieces[i], &out_numbers->values[i])) return false;
  return true;
}

static bool read_mean(cli_arena *arena, const char *text, struct image_options *options) {
  return read_per_channel(arena, text, &options->mean);
}

static bool read_std(cli_arena *arena, const char *text, struct image_options *options) {
  if (!read_per_channel(arena, text, &options->std)) return false;
  for (size_t i = 0; i < options->std.count; i++)
    if (options->std.values[i] == 0) return false;
  return true;
}

static const struct image_option {
  const char *name;
  bool (*read)(cli_arena *arena, const char *text, struct image_options *options);
  const char *expected;
} image_option_table[] = {
    {"size", read_size, "N or WIDTHxHEIGHT"},
    {"resize", read_fit, "stretch, crop or pad"},
    {"layout", read_layout, "nchw, nhwc, chw, hwc or hw"},
    {"channels", read_channels, "rgb, bgr or gray"},
    {"scale", read_scale, "a number above 0, or A/B"},
    {"mean", read_mean, "1 or 3 numbers"},
    {"std", read_std, "1 or 3 numbers other than 0"},
};
enum { IMAGE_OPTION_COUNT = sizeof image_option_table / sizeof image_option_table[0] };

static cli_status *read_option(cli_arena *arena, const char *piece, struct image_options *options) {
  const char *equals = strchr(piece, '=');
  const char *key = cli_copy(arena, piece, equals ? (size_t)(equals - piece) : strlen(piece));
  const char *names[IMAGE_OPTION_COUNT];
  for (size_t i = 0; i < IMAGE_OPTION_COUNT; i++) {
    const struct image_option *option = &image_option_table[i];
    names[i] = option->name;
    if (strcmp(option->name, key) != 0) continue;
    if (equals && option->read(arena, equals + 1, options)) return NULL;
    return cli_fail(CLI_USAGE, "image option %s expects %s", key, option->expected);
  }
  return cli_fail(CLI_USAGE, "no image option '%s'%s; there are %s", key,
                  cli_suggest(arena, key, names, IMAGE_OPTION_COUNT),
                  cli_list_names(arena, names, IMAGE_OPTION_COUNT));
}

// Channels first, unless only the last axis looks like channels.
static const struct layout *guess_layout(const cli_wanted *wanted) {
  const struct layout *found = NULL;
  for (size_t i = 0; i < LAYOUT_COUNT; i++) {
    const struct layout *layout = &layouts[i];
    if (layout->rank != wanted->rank) continue;
    if (!found) found = layout;
    if (layout->channel_axis == layout->rank) return layout;
    int64_t channels = wanted->dims[layout->channel_axis];
    if (channels == 1 || channels == 3) return layout;
  }
  return found;
}

static cli_status *complete_options(const cli_wanted *wanted, struct image_options *options) {
  if (!options->layout) options->layout = guess_layout(wanted);
  const struct layout *layout = options->layout;
  if (!layout || layout->rank != wanted->rank)
    return cli_fail(CLI_FAILED,
                    "an image fits inputs of rank 2 to 4, in the layout's rank; "
                    "this one has rank %zu",
                    wanted->rank);
  int64_t height = wanted->dims[layout->height_axis], width = wanted->dims[layout->width_axis];
  if (!options->height && height > 0 && width > 0) {
    options->height = (uint64_t)height;
    options->width = (uint64_t)width;
  }
  bool has_channels = layout->channel_axis < layout->rank;
  bool gray = !has_channels || wanted->dims[layout->channel_axis] == 1;
  if (!options->channels) options->channels = gray ? 1 : 3;
  if (!has_channels && options->channels != 1)
    return cli_fail(CLI_USAGE, "layout hw holds gray images only");
  bool is_float = cli_element_of(wanted->type)->kind == CLI_KIND_FLOAT;
  if (options->scale < 0) options->scale = is_float ? 1.0 / 255 : 1;
  return NULL;
}

// Stretch takes the size as it is; crop fills it and cuts what is over; pad fits inside, on black.
static cli_status *fit_picture(cli_arena *arena, const struct image_options *options,
                               cli_picture *picture) {
  size_t width = (size_t)options->width, height = (size_t)options->height;
  if (!width || (width == picture->width && height == picture->height)) return NULL;
  if (options->fit == FIT_STRETCH)
    return cli_picture_resize(arena, picture, width, height, picture);
  double by_width = (double)width / (double)picture->width;
  double by_height = (double)height / (double)picture->height;
  bool wide = (by_width > by_height) == (options->fit == FIT_CROP);
  double ratio = wide ? by_width : by_height;
  double new_width = fmax(1, round((double)picture->width * ratio));
  double new_height = fmax(1, round((double)picture->height * ratio));
  if (new_width > 1e6 || new_height > 1e6)
    return cli_fail(CLI_FAILED, "the image is too narrow for resize=crop");
  cli_picture scaled;
  CLI_TRY(cli_picture_resize(arena, picture, (size_t)new_width, (size_t)new_height, &scaled));
  int64_t left = ((int64_t)scaled.width - (int64_t)width) / 2;
  int64_t top = ((int64_t)scaled.height - (int64_t)height) / 2;
  return cli_picture_crop(arena, &scaled, left, top, width, height, picture);
}

static double channel_number(const struct per_channel *numbers, size_t channel, double otherwise) {
  if (numbers->count == 0) return otherwise;
  return numbers->values[numbers->count == 1 ? 0 : channel];
}

// mean and std follow the order of the tensor's channels, which for bgr is blue first.
static cli_status *store_pixels(const cli_picture *picture, const struct image_options *options,
                                cli_tensor *tensor) {
  const struct layout *layout = options->layout;
  bool channels_last = layout->channel_axis + 1 == layout->rank;
  size_t area = picture->width * picture->height;
  for (size_t c = 0; c < picture->channels; c++) {
    size_t from_channel = options->bgr ? picture->channels - 1 - c : c;
    double mean = channel_number(&options->mean, c, 0), std = channel_number(&options->std, c, 1);
    for (size_t i = 0; i < area; i++) {
      double sample = (double)picture->pixels[i * picture->channels + from_channel];
      double value = (sample * options->scale - mean) / std;
      if (cli_element_of(tensor->type)->kind != CLI_KIND_FLOAT) value = rint(value);
      size_t index = channels_last ? i * picture->channels + c : c * area + i;
      CLI_TRY(cli_element_store(tensor->type, tensor->data, index, cli_number_real(value)));
    }
  }
  return NULL;
}

cli_status *cli_image_parse(cli_arena *arena, const uint8_t *bytes, size_t size,
                            const char *options_text, const cli_wanted *wanted,
                            cli_tensor *out_tensor) {
  struct image_options options = {.scale = -1};
  char **pieces;
  size_t count = cli_split(arena, options_text, '&', &pieces);
  for (size_t i = 0; i < count; i++) CLI_TRY(read_option(arena, pieces[i], &options));
  CLI_TRY(complete_options(wanted, &options));
  cli_picture picture;
  CLI_TRY(cli_picture_decode(arena, bytes, size, options.channels, &picture));
  CLI_TRY(fit_picture(arena, &options, &picture));
  const struct layout *layout = options.layout;
  int64_t dims[5] = {1, 1, 1, 1, 1};
  dims[layout->height_axis] = (int64_t)picture.height;
  dims[layout->width_axis] = (int64_t)picture.width;
  // A layout without channels points past its axes, where this does no harm.
  dims[layout->channel_axis] = (int64_t)picture.channels;
  cli_tensor tensor;
  CLI_TRY(cli_tensor_new(arena, wanted->type, layout->rank, dims, &tensor));
  CLI_TRY(store_pixels(&picture, &options, &tensor));
  *out_tensor = tensor;
  return NULL;
}
