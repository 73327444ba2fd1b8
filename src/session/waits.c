// Waiting: found once, when a program is made, by walking its steps in order.
#include "session/waits.h"

// By provider: what was given to it since it was last waited for.
typedef struct waiting {
  tern_program *program;
  uint32_t busy;                     // providers that have something to do
  int32_t since[TERN_MAX_PROVIDERS]; // the first step that has not been waited for
} waiting;

static bool is_behind(const tern_step *step) {
  return step->placement->provider->synchronize != NULL;
}

// The provider that makes `slot`, where it may still be at it; -1 otherwise.
static int32_t busy_maker(const waiting *w, int32_t slot) {
  const tern_slot *made = &w->program->slots[slot];
  if (made->role != TERN_SLOT_STEP) return -1;
  int32_t maker = w->program->steps[made->first].placement->index;
  bool is_busy = (w->busy >> maker & 1u) && made->first >= w->since[maker];
  return is_busy ? maker : -1;
}

// A provider need not wait for itself, unless the elements are read before it computes: by
// inference, or by a kernel that wants them on the host.
static void need(waiting *w, tern_step *step, int32_t slot, bool is_read_now) {
  int32_t maker = slot < 0 ? -1 : busy_maker(w, slot);
  if (maker >= 0 && (is_read_now || maker != step->placement->index)) step->waits |= 1u << maker;
}

// What a step touches on the host stays until step `end` is done.
static void keep(waiting *w, const int32_t *slots, int32_t count, int32_t end) {
  for (int32_t i = 0; i < count; ++i) {
    if (slots[i] < 0) continue;
    tern_slot *slot = &w->program->slots[slots[i]];
    if (!slot->space && slot->last < end) slot->last = end;
  }
}

// The provider is waited for when step `end` begins: what it touches dies with that step at the
// earliest.
static void settle(waiting *w, int32_t provider, int32_t end) {
  for (int32_t i = w->since[provider]; i < end; ++i) {
    const tern_step *step = &w->program->steps[i];
    if (step->placement->index != provider) continue;
    keep(w, step->inputs, step->node->input_count, end);
    keep(w, step->outputs, step->node->output_count, end);
  }
  w->busy &= ~(1u << provider);
}

static void settle_all(waiting *w, uint32_t providers, int32_t end) {
  for (int32_t p = 0; providers >> p; ++p)
    if (providers >> p & 1u) settle(w, p, end);
}

static void visit(waiting *w, int32_t index) {
  tern_step *step = &w->program->steps[index];
  const tern_node *node = step->node;
  for (int32_t i = 0; i < node->input_count; ++i)
    need(w, step, step->inputs[i], tern_op_input_bit(step->placement->claim.host_inputs, i));
  // Whoever computes inside reads them, and nobody waits there.
  for (int32_t k = 0; k < step->subprogram_count; ++k) {
    const tern_program *body = step->subprograms[k].program;
    for (int32_t c = 0; c < body->capture_count; ++c)
      need(w, step, body->slots[body->captures[c]].parent_slot, true);
    w->program->providers |= body->providers;
  }
  settle_all(w, step->waits, index);
  int32_t provider = step->placement->index;
  w->program->providers |= 1u << provider;
  if (!is_behind(step)) return;
  if (!(w->busy >> provider & 1u)) w->since[provider] = index;
  w->busy |= 1u << provider;
}

void tern_program_set_waits(tern_program *program) {
  waiting w = {.program = program};
  for (int32_t i = 0; i < program->step_count; ++i) visit(&w, i);
  program->waits = w.busy;
  settle_all(&w, w.busy, program->step_count);
}
