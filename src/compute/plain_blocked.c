// Definitions of what blocked.h computes, one element at a time.
#include <math.h>

#include "compute/plain.h"

// Where channel c of pixel (y, x) lies in image `image`, of batch and channels together.
typedef struct place {
  size_t batch, channel, y, x;
} place;

static size_t blocked_index(size_t channels, const size_t *size, place at) {
  const size_t block = tern_blocked_block(), blocks = tern_blocked_count(channels, block);
  const size_t image = at.batch * blocks + at.channel / block;
  return ((image * size[0] + at.y) * size[1] + at.x) * block + at.channel % block;
}

static size_t planar_index(size_t channels, const size_t *size, place at) {
  return ((at.batch * channels + at.channel) * size[0] + at.y) * size[1] + at.x;
}

// Calls visit for the input position of every kernel position that lies inside.
typedef void (*visit_fn)(void *context, size_t tap, size_t y, size_t x);
static size_t visit_window(const tern_window *w, place at, visit_fn visit, void *context) {
  size_t count = 0;
  for (size_t i = 0; i < w->kernel[0]; i++) {
    for (size_t j = 0; j < w->kernel[1]; j++) {
      const ptrdiff_t y = tern_window_at(w, 0, at.y, i), x = tern_window_at(w, 1, at.x, j);
      if (y < 0 || x < 0 || y >= (ptrdiff_t)w->in[0] || x >= (ptrdiff_t)w->in[1]) continue;
      visit(context, i * w->kernel[1] + j, (size_t)y, (size_t)x);
      count++;
    }
  }
  return count;
}

// Calls element for every place of Y that has a channel, and writes 0 to the others.
typedef float (*element_fn)(const void *params, place at, size_t index);
static void for_each(const tern_window *w, size_t batch, size_t channels, element_fn element,
                     const void *params, float *y) {
  const size_t block = tern_blocked_block(), lanes = tern_blocked_count(channels, block) * block;
  place at;
  for (at.batch = 0; at.batch < batch; at.batch++)
    for (at.channel = 0; at.channel < lanes; at.channel++)
      for (at.y = 0; at.y < w->out[0]; at.y++)
        for (at.x = 0; at.x < w->out[1]; at.x++) {
          const size_t index = blocked_index(channels, w->out, at);
          y[index] = at.channel < channels ? element(params, at, index) : 0;
        }
}

static float finish(const tern_epilogue_f32 *e, size_t index, double sum) {
  float y = (float)sum;
  if (!e) return y;
  tern_epilogue_f32_run(e, e->residual ? e->residual + index : NULL, &y, 1);
  return y;
}

// ---- Convolution

typedef struct conv {
  const tern_blocked_conv_params *p;
  const float *w, *bias;
} conv;

typedef struct conv_sum {
  const conv *conv;
  const float *w; // of the input and the output channel
  place from;
  double sum;
} conv_sum;

static void add_product(void *context, size_t tap, size_t y, size_t x) {
  conv_sum *s = context;
  const tern_blocked_conv_params *p = s->conv->p;
  s->from.y = y;
  s->from.x = x;
  const size_t index = p->is_planar ? planar_index(p->in_channels, p->window.in, s->from)
                                    : blocked_index(p->in_channels, p->window.in, s->from);
  s->sum += (double)p->x[index] * (double)s->w[tap];
}

static float conv_element(const void *context, place at, size_t index) {
  const conv *c = context;
  const size_t taps = c->p->window.kernel[0] * c->p->window.kernel[1];
  conv_sum s = {.conv = c, .from.batch = at.batch};
  for (size_t k = 0; k < c->p->in_channels; k++) {
    s.from.channel = k;
    s.w = c->w + (at.channel * c->p->in_channels + k) * taps;
    visit_window(&c->p->window, at, add_product, &s);
  }
  return finish(c->p->epilogue, index, s.sum + (c->bias ? (double)c->bias[at.channel] : 0));
}

void tern_plain_blocked_conv_f32(const tern_blocked_conv_params *p, const float *w,
                                 const float *bias) {
  const conv c = {p, w, bias};
  for_each(&p->window, p->batch, p->out_channels, conv_element, &c, p->y);
}

// ---- Windows

typedef struct window_job {
  const tern_blocked_window_params *p;
  const float *w, *bias;
} window_job;

typedef struct window_fold {
  const window_job *job;
  place from;
  double sum;
  float largest;
} window_fold;

static void fold(void *context, size_t tap, size_t y, size_t x) {
  window_fold *f = context;
  const tern_blocked_window_params *p = f->job->p;
  const size_t taps = p->window.kernel[0] * p->window.kernel[1];
  f->from.y = y;
  f->from.x = x;
  const float value = p->x[blocked_index(p->channels, p->window.in, f->from)];
  f->sum += (double)value * (f->job->w ? (double)f->job->w[f->from.channel * taps + tap] : 1);
  if (value > f->largest) f->largest = value;
}

static float depthwise_element(const void *context, place at, size_t index) {
  const window_job *job = context;
  window_fold f = {.job = job, .from = at};
  visit_window(&job->p->window, at, fold, &f);
  return finish(job->p->epilogue, index, f.sum + (job->bias ? (double)job->bias[at.channel] : 0));
}

void tern_plain_blocked_depthwise_f32(const tern_blocked_window_params *p, const float *w,
                                      const float *bias) {
  const window_job job = {p, w, bias};
  for_each(&p->window, p->batch, p->channels, depthwise_element, &job, p->y);
}

static float max_element(const void *context, place at, size_t index) {
  const window_job *job = context;
  window_fold f = {.job = job, .from = at, .largest = -INFINITY};
  (void)index;
  visit_window(&job->p->window, at, fold, &f);
  return f.largest;
}

void tern_plain_blocked_max_f32(const tern_blocked_window_params *p) {
  const window_job job = {p, NULL, NULL};
  for_each(&p->window, p->batch, p->channels, max_element, &job, p->y);
}

// Positions of dimension d inside the input and its padding.
static size_t padded(const tern_window *w, size_t d, size_t out) {
  size_t count = 0;
  for (size_t k = 0; k < w->kernel[d]; k++) {
    const ptrdiff_t at = tern_window_at(w, d, out, k);
    count += at >= -w->pad_begin[d] && at < (ptrdiff_t)w->in[d] + w->pad_end[d];
  }
  return count;
}

static float average_element(const void *context, place at, size_t index) {
  const window_job *job = context;
  const tern_window *w = &job->p->window;
  window_fold f = {.job = job, .from = at};
  (void)index;
  const size_t inside = visit_window(w, at, fold, &f);
  const size_t count = job->p->count_padding ? padded(w, 0, at.y) * padded(w, 1, at.x) : inside;
  return (float)(f.sum / (double)count);
}

void tern_plain_blocked_average_f32(const tern_blocked_window_params *p) {
  const window_job job = {p, NULL, NULL};
  for_each(&p->window, p->batch, p->channels, average_element, &job, p->y);
}
