// From a session's options to a pool, and from a pool to what a run may use of it.
#include "session/threads.h"

#include <stdatomic.h>
#include <string.h>

#include "base/number.h"
#include "base/os.h"
#include "session/session.h"

static const char affinity_key[] = "session.intra_op_thread_affinities";
static const char spin_key[] = "session.intra_op.spin_duration_us";

static void log_note(void *self, const char *message) {
  tern_logger_log(self, TERN_LOG_WARNING, message);
}

static tern_status *read_spin_ns(const tern_session_options *options, int64_t *out_ns) {
  const char *text = tern_session_options_get(options, spin_key);
  int64_t us = TERN_POOL_SPIN_NS / 1000;
  if (text && (!tern_number_parse_i64(text, strlen(text), &us) || us < 0 || us > INT32_MAX))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s is \"%s\", and must be a number of microseconds",
                      spin_key, text);
  if (tern_session_options_is(options, "session.intra_op.allow_spinning", "0")) us = 0;
  *out_ns = us * 1000;
  return NULL;
}

static tern_status *take_pool(const tern_session_options *options, const tern_logger *logger,
                              tern_session_threads *threads) {
  const tern_thread_options *given = &options->threads;
  const tern_pool_hooks *hooks = &given->hooks;
  int32_t count = threads->intra_op > threads->inter_op ? threads->intra_op : threads->inter_op;
  tern_pool_options pool = {.threads = count,
                            .affinity = tern_session_options_get(options, affinity_key),
                            .hooks = *hooks,
                            .note = log_note,
                            .note_self = (void *)(uintptr_t)logger};
  TERN_TRY(read_spin_ns(options, &pool.spin_ns));
  if (given->pool) {
    threads->pool = given->pool;
    return NULL;
  }
  threads->is_own = pool.affinity || hooks->create || hooks->join || threads->stops_spinning ||
                    pool.spin_ns != TERN_POOL_SPIN_NS;
  if (threads->is_own) return tern_pool_create(&pool, &threads->pool);
  if (count == 1) return NULL;
  threads->is_shared = true;
  return tern_pool_acquire_shared(count, &threads->pool);
}

static int32_t default_threads(const tern_thread_options *options) {
  return options->pool ? tern_pool_thread_count(options->pool) : tern_os_cpu_count();
}

tern_status *tern_session_threads_init(const tern_session_options *options,
                                       const tern_logger *logger,
                                       tern_session_threads *out_threads) {
  const tern_thread_options *given = &options->threads;
  if (given->intra_op < 0 || given->inter_op < 0)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a session with %d intra-op and %d inter-op threads",
                      given->intra_op, given->inter_op);
  *out_threads = (tern_session_threads){
      .intra_op = given->intra_op ? given->intra_op : default_threads(given),
      .inter_op = given->inter_op ? given->inter_op : 1,
      .stops_spinning = tern_session_options_is(options, "session.force_spinning_stop", "1"),
      .flush_denormals = given->flush_denormals ||
                         tern_session_options_is(options, "session.set_denormal_as_zero", "1")};
  return take_pool(options, logger, out_threads);
}

void tern_session_threads_deinit(tern_session_threads *threads) {
  if (threads->is_own) tern_pool_destroy(threads->pool);
  if (threads->is_shared) tern_pool_release_shared(threads->pool);
  threads->pool = NULL;
}

void tern_session_threads_begin(tern_session_threads *threads, tern_run_threads *out_own,
                                tern_run *run) {
  *out_own = (tern_run_threads){
      .parallel = {threads->pool, threads->intra_op, run->terminate},
      .branches = {threads->pool, threads->inter_op, run->terminate},
      .mode = tern_float_mode_get(),
  };
  run->parallel = &out_own->parallel;
  if (threads->inter_op > 1) run->branches = &out_own->branches;
  if (threads->flush_denormals)
    tern_float_mode_set(tern_float_mode_without_denormals(out_own->mode));
  if (threads->stops_spinning) atomic_fetch_add(&threads->runs, 1);
}

void tern_session_threads_end(tern_session_threads *threads, const tern_run_threads *own) {
  if (threads->flush_denormals) tern_float_mode_set(own->mode);
  if (threads->stops_spinning && atomic_fetch_sub(&threads->runs, 1) == 1)
    tern_pool_stop_spinning(threads->pool);
}
