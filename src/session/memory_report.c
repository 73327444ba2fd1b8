// The walk over a session's programs that a report is made from.
#include "session/memory_report.h"

#include <stdlib.h>

#include "session/plan.h"

typedef struct survey {
  tern_memory_report *report;
  const tern_session *session;
  TERN_ARRAY(const tern_value *) weights;
  TERN_ARRAY(const tern_packed *) packed;
} survey;

// Not the session's: a report does not change what it reports.
static tern_allocator *scratch(void) {
  return tern_allocator_system();
}

static tern_status *list_weights(survey *s, const tern_program *program) {
  for (int32_t i = 0; i < program->slot_count; ++i) {
    const tern_slot *slot = &program->slots[i];
    const tern_value *value = slot->edge->initializer;
    bool is_own = slot->role == TERN_SLOT_CONSTANT || slot->role == TERN_SLOT_INPUT;
    if (is_own && value && value->kind == TERN_KIND_TENSOR)
      TERN_ARRAY_PUSH(scratch(), &s->weights, value);
  }
  return NULL;
}

static void count_pools(tern_memory_report *report, tern_program *program) {
  tern_os_mutex_lock(&program->mutex);
  for (size_t i = 0; i < TERN_PLAN_CACHE_ENTRIES && program->plans[i]; ++i) {
    report->plans++;
    report->slab_bytes = tern_max_i64(report->slab_bytes, (int64_t)program->plans[i]->slab_bytes);
  }
  report->frames += program->frames.count;
  tern_os_mutex_unlock(&program->mutex);
}

static tern_status *look_at(survey *s, tern_program *program) {
  count_pools(s->report, program);
  TERN_TRY(list_weights(s, program));
  for (int32_t i = 0; i < program->step_count; ++i) {
    const tern_step *step = &program->steps[i];
    for (size_t k = 0; k < step->packed.count; ++k)
      TERN_ARRAY_PUSH(scratch(), &s->packed, step->packed.data[k]);
    for (int32_t k = 0; k < step->subprogram_count; ++k)
      TERN_TRY(look_at(s, step->subprograms[k].program));
  }
  return NULL;
}

static int by_address(const void *a, const void *b) {
  uintptr_t left = (uintptr_t) * (void *const *)a, right = (uintptr_t) * (void *const *)b;
  return (left > right) - (left < right);
}

// A subgraph reads the initializers of graphs further out, and they count once.
static void count_weights(survey *s) {
  tern_memory_report *report = s->report;
  if (s->weights.count == 0) return;
  qsort(s->weights.data, s->weights.count, sizeof *s->weights.data, by_address);
  for (size_t i = 0; i < s->weights.count; ++i) {
    const tern_value *value = s->weights.data[i];
    const tern_os_file *file = tern_model_file_holding(tern_session_model(s->session), value);
    int64_t bytes = (int64_t)value->data_bytes;
    if (i > 0 && value == s->weights.data[i - 1]) continue;
    report->parameters += tern_value_count(value);
    report->parameter_bytes += bytes;
    if (value->is_spent)
      report->spent_bytes += bytes;
    else if (value->owns_data || (file && file->reader))
      report->held_bytes += bytes;
    else
      report->mapped_bytes += bytes;
  }
}

// What no other session holds comes to this one's account; where it has a store of its own it is
// there already.
static void count_packed(survey *s) {
  tern_memory_report *report = s->report;
  bool is_counted = report->held[TERN_MEMORY_PACKED] > 0;
  if (s->packed.count == 0) return;
  qsort(s->packed.data, s->packed.count, sizeof *s->packed.data, by_address);
  for (size_t i = 0, end; i < s->packed.count; i = end) {
    const tern_packed *packed = s->packed.data[i];
    int64_t bytes = (int64_t)tern_packed_bytes(packed);
    for (end = i + 1; end < s->packed.count && s->packed.data[end] == packed;) ++end;
    report->packed_bytes += bytes;
    if (tern_packed_holders(packed) > (int64_t)(end - i))
      report->shared_bytes += bytes;
    else if (!is_counted)
      report->held[TERN_MEMORY_PACKED] += bytes;
  }
}

static void count_uses(survey *s) {
  const tern_account *account = tern_session_account(s->session);
  for (int use = 0; use < TERN_MEMORY_USE_COUNT; ++use)
    s->report->held[use] = tern_account_bytes(account, (tern_memory_use)use);
}

tern_status *tern_memory_report_make(const tern_session *session, tern_memory_report *out_report) {
  tern_memory_report report = {0};
  survey s = {.report = &report, .session = session};
  tern_status *status = look_at(&s, tern_session_program(session));
  if (!status) {
    count_uses(&s);
    count_weights(&s);
    count_packed(&s);
    for (int use = 0; use < TERN_MEMORY_USE_COUNT; ++use) report.held_total += report.held[use];
    *out_report = report;
  }
  TERN_ARRAY_FREE(scratch(), &s.weights);
  TERN_ARRAY_FREE(scratch(), &s.packed);
  return status;
}

static void put(tern_text *text, const char *name, int64_t value) {
  tern_text_printf(text, ",\"%s\":%lld", name, (long long)value);
}

void tern_memory_report_write(const tern_memory_report *report, tern_text *out_text) {
  tern_text_printf(out_text, "{\"held\":{\"total\":%lld", (long long)report->held_total);
  for (int use = 0; use < TERN_MEMORY_USE_COUNT; ++use)
    put(out_text, tern_memory_use_names[use], report->held[use]);
  tern_text_printf(out_text, "}");
  put(out_text, "shared_bytes", report->shared_bytes);
  put(out_text, "mapped_bytes", report->mapped_bytes);
  put(out_text, "held_bytes", report->held_bytes);
  put(out_text, "spent_bytes", report->spent_bytes);
  put(out_text, "packed_bytes", report->packed_bytes);
  put(out_text, "plans", report->plans);
  put(out_text, "slab_bytes", report->slab_bytes);
  put(out_text, "frames", report->frames);
  tern_text_printf(out_text, "}");
}
