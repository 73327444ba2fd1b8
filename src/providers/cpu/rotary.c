// Kernel of RotaryEmbedding: pairs of numbers of each head are turned by an angle of their place.
#include <string.h>

#include "providers/cpu/nn.h"

typedef struct rotary {
  int64_t batch, heads, places, size, turned; // turned: numbers of a head that are
  int64_t batch_stride, head_stride, place_stride;
  bool is_interleaved;
  const float *cosines, *sines;
  const int64_t *positions; // NULL: the caches are [batch, places, turned / 2]
  int64_t position_limit;
} rotary;

static tern_status *open(const tern_invocation *invocation, rotary *r) {
  const tern_shape *x = &invocation->inputs[0]->shape;
  const tern_value *cosines = invocation->inputs[1], *sines = invocation->inputs[2];
  const tern_value *positions = invocation->input_count > 3 ? invocation->inputs[3] : NULL;
  const tern_node *node = invocation->node;
  int64_t heads = x->rank == 4 ? x->dims[1] : tern_node_attr_i(node, "num_heads");
  int64_t places = x->dims[x->rank == 4 ? 2 : 1];
  if (x->rank == 3 && x->dims[2] % heads != 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%lld heads do not divide %lld numbers",
                      (long long)heads, (long long)x->dims[2]);
  *r = (rotary){.batch = x->dims[0],
                .heads = heads,
                .places = places,
                .size = x->rank == 4 ? x->dims[3] : x->dims[2] / heads,
                .turned = tern_node_attr_i(node, "rotary_embedding_dim"),
                .is_interleaved = tern_node_attr_i(node, "interleaved") != 0,
                .cosines = cosines->data,
                .sines = sines->data,
                .positions = positions ? positions->data : NULL};
  if (r->turned == 0) r->turned = r->size;
  r->batch_stride = heads * places * r->size;
  r->head_stride = x->rank == 4 ? places * r->size : r->size;
  r->place_stride = x->rank == 4 ? r->size : heads * r->size;
  if (r->turned < 0 || r->turned > r->size || r->turned % 2 != 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'rotary_embedding_dim' is %lld of %lld",
                      (long long)r->turned, (long long)r->size);
  int64_t half = r->turned / 2, lines = half ? tern_value_count(cosines) / half : 0;
  bool fits = cosines->shape.rank > 0 && cosines->shape.dims[cosines->shape.rank - 1] == half &&
              tern_shape_equal(&cosines->shape, &sines->shape);
  if (fits && positions) fits = tern_value_count(positions) == r->batch * places;
  if (fits && !positions) fits = half == 0 || lines == r->batch * places;
  r->position_limit = lines;
  char a[TERN_SHAPE_TEXT_BYTES], b[TERN_SHAPE_TEXT_BYTES];
  return fits ? NULL
              : TERN_ERROR(TERN_INVALID_ARGUMENT,
                           "caches of shape %s and %s for %lld of %lld "
                           "numbers at %lld places",
                           tern_shape_format(&cosines->shape, a, sizeof a),
                           tern_shape_format(&sines->shape, b, sizeof b), (long long)r->turned,
                           (long long)r->size, (long long)places);
}

static void turn(const rotary *r, int64_t line, const float *x, float *y) {
  int64_t half = r->turned / 2;
  const float *c = r->cosines + line * half, *s = r->sines + line * half;
  for (int64_t i = 0; i < half; ++i) {
    int64_t a = r->is_interleaved ? 2 * i : i, b = r->is_interleaved ? 2 * i + 1 : i + half;
    float xa = x[a], xb = x[b];
    y[a] = c[i] * xa - s[i] * xb;
    y[b] = s[i] * xa + c[i] * xb;
  }
  memcpy(y + r->turned, x + r->turned, (size_t)(r->size - r->turned) * sizeof *y);
}

tern_status *tern_cpu_rotary_embedding(tern_invocation *invocation) {
  rotary r = {0};
  const float *x = invocation->inputs[0]->data;
  float *y = invocation->outputs[0]->data;
  TERN_TRY(open(invocation, &r));
  if (tern_value_count(invocation->outputs[0]) == 0) return NULL;
  for (int64_t b = 0; b < r.batch; ++b) {
    for (int64_t p = 0; p < r.places; ++p) {
      int64_t line = b * r.places + p;
      if (r.positions) line = r.positions[line];
      if (r.turned > 0 && (line < 0 || line >= r.position_limit))
        return TERN_ERROR(TERN_INVALID_ARGUMENT, "position %lld of %lld", (long long)line,
                          (long long)r.position_limit);
      for (int64_t h = 0; h < r.heads; ++h) {
        int64_t at = b * r.batch_stride + h * r.head_stride + p * r.place_stride;
        turn(&r, line, x + at, y + at);
      }
    }
  }
  return NULL;
}
