// Times convolutions on one thread over the layers of known networks, as products of columns and
// directly on blocked images, against the FMA peak measured on the same core. Times are the
// thread's own, the shortest of several. Usage: bench_conv [NAME-PREFIX]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compute/blocked.h"
#include "compute/conv.h"
#include "compute/leaves.h"

typedef struct layer {
  const char *name;
  size_t in_channels, out_channels, size, kernel, stride;
} layer;

static const layer layers[] = {
    {"resnet50 conv1", 3, 64, 224, 7, 2},
    {"resnet50 2 1x1 a", 64, 64, 56, 1, 1},
    {"resnet50 2 3x3", 64, 64, 56, 3, 1},
    {"resnet50 2 1x1 b", 64, 256, 56, 1, 1},
    {"resnet50 2 1x1 c", 256, 64, 56, 1, 1},
    {"resnet50 3 3x3 /2", 128, 128, 56, 3, 2},
    {"resnet50 3 3x3", 128, 128, 28, 3, 1},
    {"resnet50 3 1x1 b", 128, 512, 28, 1, 1},
    {"resnet50 3 1x1 c", 512, 128, 28, 1, 1},
    {"resnet50 3 1x1 /2", 256, 512, 56, 1, 2},
    {"resnet50 4 3x3", 256, 256, 14, 3, 1},
    {"resnet50 4 1x1 b", 256, 1024, 14, 1, 1},
    {"resnet50 4 1x1 c", 1024, 256, 14, 1, 1},
    {"resnet50 5 3x3", 512, 512, 7, 3, 1},
    {"resnet50 5 1x1 b", 512, 2048, 7, 1, 1},
    {"resnet50 5 1x1 c", 2048, 512, 7, 1, 1},
    {"vgg19 1", 64, 64, 224, 3, 1},
    {"vgg19 3", 256, 256, 56, 3, 1},
    {"vgg19 4", 512, 512, 28, 3, 1},
    {"unet up", 128, 64, 128, 3, 1},
    {"mobilenet 1x1 a", 96, 24, 56, 1, 1},
    {"mobilenet 1x1 b", 24, 144, 56, 1, 1},
    {"mobilenet head", 320, 1280, 7, 1, 1},
};

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static float *new_floats(size_t count) {
  float *data = aligned_alloc(64, (count * sizeof(float) + 4096) / 64 * 64);
  if (!data) exit(1);
  for (size_t i = 0; i < count + 16; i++) data[i] = (float)(i % 17) * 0.1f - 0.8f;
  return data;
}

// The register tile alone, on data that stays in the first-level cache.
static double measure_peak(void) {
  const tern_blocked_f32_leaf *leaf = tern_leaves_selected()->blocked_f32;
  const ptrdiff_t offset[4] = {0};
  const size_t pixels = leaf->max_pixels, repeats = 4000;
  float *x = new_floats(2 * pixels * leaf->block), *w = new_floats(8 * leaf->block * leaf->block);
  float *sums = new_floats(4 * pixels * leaf->block);
  const tern_blocked_tile tile = {.x = {x, x + pixels * leaf->block},
                                  .offsets = offset,
                                  .weights = w,
                                  .taps = 4,
                                  .bias = w,
                                  .out = {sums, sums + 2 * pixels * leaf->block},
                                  .out_block = pixels * leaf->block,
                                  .lowest = -1e30f,
                                  .highest = 1e30f};
  const double flops = 2.0 * (double)(2 * pixels * 2 * leaf->block * 4 * leaf->block * repeats);
  double best = 1e30;
  for (int round = 0; round < 20; round++) {
    const double begin = thread_seconds();
    for (size_t i = 0; i < repeats; i++) leaf->tiles[pixels][1][1](&tile);
    const double taken = thread_seconds() - begin;
    if (taken < best) best = taken;
  }
  free(x), free(w), free(sums);
  return flops / best * 1e-9;
}

typedef struct buffers {
  tern_window window;
  float *x, *w, *y, *packed;
  void *workspace;
} buffers;

static void free_buffers(buffers *b) {
  free(b->x), free(b->w), free(b->y), free(b->packed), free(b->workspace);
}

static tern_window window_of(const layer *l) {
  tern_window w = {.rank = 2};
  for (size_t d = 0; d < 2; d++) {
    w.in[d] = l->size;
    w.kernel[d] = l->kernel;
    w.stride[d] = l->stride;
    w.dilation[d] = 1;
    w.pad_begin[d] = w.pad_end[d] = (ptrdiff_t)(l->kernel / 2);
    w.out[d] = (l->size - 1) / l->stride + 1;
  }
  return w;
}

static double blocked(const layer *l) {
  buffers b = {.window = window_of(l)};
  const size_t block = tern_blocked_block();
  tern_blocked_conv_params p = {.window = b.window,
                                .batch = 1,
                                .in_channels = l->in_channels,
                                .out_channels = l->out_channels,
                                .is_planar = l->in_channels < block};
  const size_t in = tern_blocked_count(l->in_channels, block) * block;
  p.x = b.x = new_floats(in * tern_window_in_size(&b.window));
  b.w = new_floats(l->out_channels * l->in_channels * l->kernel * l->kernel);
  p.y = b.y = new_floats(tern_blocked_count(l->out_channels, block) * block *
                         tern_window_out_size(&b.window));
  p.packed = b.packed = new_floats(tern_blocked_conv_packed_bytes(&p) / sizeof(float));
  tern_blocked_conv_pack(&p, b.w, NULL, b.packed);
  b.workspace = new_floats(tern_blocked_conv_workspace_bytes(&p) / sizeof(float));
  const size_t tiles = tern_blocked_conv_tile_count(&p);
  double best = 1e30, total = 0;
  for (int round = 0; round < 7 || total < 0.1; round++) {
    const double begin = thread_seconds();
    tern_blocked_conv_tiles(&p, 0, tiles, b.workspace);
    const double taken = thread_seconds() - begin;
    if (taken < best) best = taken;
    total += taken;
  }
  free_buffers(&b);
  return best;
}

static double columns(const layer *l) {
  buffers b = {.window = window_of(l)};
  tern_conv_f32_params p = {.window = b.window,
                            .batch = 1,
                            .groups = 1,
                            .in_channels = l->in_channels,
                            .out_channels = l->out_channels};
  p.x = b.x = new_floats(l->in_channels * tern_window_in_size(&b.window));
  p.w = b.w = new_floats(l->out_channels * l->in_channels * l->kernel * l->kernel);
  p.y = b.y = new_floats(l->out_channels * tern_window_out_size(&b.window));
  b.packed = new_floats(tern_conv_f32_pack_weights_bytes(&p) / sizeof(float));
  tern_conv_f32_pack_weights(&p, b.packed);
  p.packed_w = b.packed;
  b.workspace = new_floats(tern_conv_f32_workspace_bytes(&p) / sizeof(float));
  double best = 1e30, total = 0;
  for (int round = 0; round < 7 || total < 0.1; round++) {
    const double begin = thread_seconds();
    tern_conv_f32(&p, b.workspace);
    const double taken = thread_seconds() - begin;
    if (taken < best) best = taken;
    total += taken;
  }
  free_buffers(&b);
  return best;
}

int main(int argc, char **argv) {
  const char *prefix = argc > 1 ? argv[1] : "";
  const double peak = measure_peak();
  printf("isa %s, FMA peak %.1f GFLOP/s\n", tern_cpu_isa_name(tern_leaves_selected()->isa), peak);
  printf("%-18s %5s %5s %5s %2s %2s %14s %14s\n", "layer", "in", "out", "size", "k", "s", "columns",
         "blocked");
  for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
    const layer *l = &layers[i];
    if (strncmp(l->name, prefix, strlen(prefix)) != 0) continue;
    const tern_window w = window_of(l);
    const double flops = 2.0 * (double)(l->in_channels * l->out_channels * l->kernel * l->kernel *
                                        tern_window_out_size(&w));
    const double a = flops / columns(l) * 1e-9, b = flops / blocked(l) * 1e-9;
    printf("%-18s %5zu %5zu %5zu %2zu %2zu %8.1f %4.0f%% %8.1f %4.0f%%\n", l->name, l->in_channels,
           l->out_channels, l->size, l->kernel, l->stride, a, 100 * a / peak, b, 100 * b / peak);
    fflush(stdout);
  }
  return 0;
}
