// Failing over.
#include "session/failover.h"

#include <stdatomic.h>
#include <string.h>

#include "base/text.h"
#include "providers/cpu/cpu.h"
#include "session/frame_pool.h"
#include "session/rerun.h"

// ---- Saying what happens.

// "provider X failed to compute node 'y' (transient)"
static void describe_failure(const tern_failure *failure, tern_text *out_text) {
  tern_text_printf(out_text, "%s failed to %s%s%s (%s)", failure->provider->name, failure->action,
                   failure->node[0] ? " " : "", failure->node,
                   tern_failure_kind_name(failure->kind));
}

static void warn(const tern_failover *f, const tern_failure *failure, const char *consequence,
                 const tern_status *status) {
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  describe_failure(failure, &text);
  tern_text_printf(&text, "; %s: %s", consequence, tern_status_message(status));
  if (text.data) tern_logger_log(f->logger, TERN_LOG_WARNING, text.data);
  tern_text_deinit(&text);
}

// Puts who failed, at what, and the policy before the message. Running out of memory stays that.
static tern_status *blame(const tern_failover *f, const tern_failure *failure,
                          tern_status *status) {
  char policy[TERN_POLICY_TEXT_BYTES];
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  describe_failure(failure, &text);
  tern_text_printf(
      &text, ", policy %s",
      tern_failure_policy_format(&f->policies.of[failure->kind], policy, sizeof policy));
  const char *who = text.data ? text.data : failure->provider->name;
  tern_status *blamed = status;
  if (tern_status_is_out_of_memory(status)) {
    blamed = tern_status_over_limit("%s: %s", who, tern_status_message(status));
    tern_status_free(status);
  } else {
    blamed = tern_status_annotate(status, "%s", who);
  }
  tern_text_deinit(&text);
  return blamed;
}

// ---- Deciding.

// How often each kind of failure has been answered by trying again.
typedef struct attempts {
  int32_t of[TERN_FAILURE_KINDS];
} attempts;

typedef enum verdict { VERDICT_RETRY, VERDICT_FALL_BACK, VERDICT_FAIL } verdict;

static verdict judge(const tern_failover *f, const tern_failure *failure, attempts *inout) {
  const tern_failure_policy *policy = &f->policies.of[failure->kind];
  if (inout->of[failure->kind] < policy->retries) {
    inout->of[failure->kind]++;
    return VERDICT_RETRY;
  }
  return policy->falls_back ? VERDICT_FALL_BACK : VERDICT_FAIL;
}

// The last provider is what there is to fall back to.
static bool is_judged(const tern_failover *f, const tern_failure *failure) {
  return failure->provider && failure->provider != f->roster.providers[f->roster.count - 1];
}

// ---- Making cores.

static tern_status *recover_provider(const tern_failover *f, const tern_failure *failure) {
  for (int32_t i = 0; i < f->roster.count; ++i) {
    tern_provider *provider = f->roster.providers[i];
    if (provider != failure->provider) continue;
    if (!provider->recover)
      return TERN_ERROR(TERN_EP_FAIL, "%s cannot bring its device back", provider->name);
    return tern_status_annotate(provider->recover(provider->self), "%s: recovering",
                                provider->name);
  }
  return NULL;
}

// A core on all providers. A failure is answered by trying again as often as its policy says.
static tern_status *make_core(const tern_failover *f, const tern_core_args *args,
                              tern_core **out_core) {
  attempts tried = {{0}};
  for (;;) {
    *args->failure = (tern_failure){0};
    tern_status *status = tern_core_create(args, out_core);
    if (!status || !is_judged(f, args->failure)) return status;
    if (judge(f, args->failure, &tried) != VERDICT_RETRY) return status;
    warn(f, args->failure, "loading again", status);
    tern_status_free(status);
    if (args->failure->kind == TERN_FAILURE_LOST) TERN_TRY(recover_provider(f, args->failure));
  }
}

// Under `building`, or before anybody else knows the failover.
static tern_status *make_twin(tern_failover *f, const tern_session_options *options,
                              tern_profiler *profiler) {
  tern_core *twin;
  if (atomic_load(&f->twin)) return NULL;
  const tern_roster roster = {.providers = {tern_cpu_provider()}, .count = 1};
  const tern_core_args args = {.account = f->account,
                               .source = f->source,
                               .options = options,
                               .roster = &roster,
                               .profiler = profiler};
  TERN_TRY(tern_core_create(&args, &twin));
  atomic_store(&f->twin, twin);
  return NULL;
}

static tern_status *get_twin(tern_failover *f, tern_core **out_twin) {
  tern_status *status = NULL;
  if (!atomic_load(&f->twin)) {
    tern_os_mutex_lock(&f->building);
    status = make_twin(f, &f->options.options, NULL);
    tern_os_mutex_unlock(&f->building);
  }
  *out_twin = atomic_load(&f->twin);
  return status ? tern_status_annotate(status, "falling back to the CPU") : NULL;
}

// ---- Recovering. Nobody runs on the core meanwhile.

// The kernels of the old core are released first: there may be no room for both.
static tern_status *renew_core(tern_failover *f, const tern_failure *failure) {
  tern_core *core;
  tern_failure again = {0};
  const tern_core_args args = {.account = f->account,
                               .source = f->source,
                               .options = &f->options.options,
                               .roster = &f->roster,
                               .failure = &again};
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(f->options.arena.allocator, &f->retired));
  TERN_TRY(recover_provider(f, failure));
  tern_core_release_kernels(f->core);
  tern_os_mutex_lock(&f->building);
  tern_status *status = make_core(f, &args, &core);
  tern_os_mutex_unlock(&f->building);
  if (status) return status;
  if (f->core == f->first || atomic_load(&f->is_profiled))
    f->retired.data[f->retired.count++] = f->core;
  else
    tern_core_destroy(f->core);
  f->core = core;
  atomic_fetch_add(&f->recoveries, 1);
  return NULL;
}

// From here on the twin is all there is.
static tern_status *stay_on_twin(tern_failover *f, tern_status *reason) {
  tern_core *twin;
  tern_status *status = get_twin(f, &twin);
  if (status) {
    tern_status_free(reason);
    return status;
  }
  tern_core_release_kernels(f->core);
  f->retired.data[f->retired.count++] = f->core; // renew_core made room
  f->core = twin;
  f->fell_back_for = reason;
  return NULL;
}

static void recover(tern_failover *f, const tern_failure *failure) {
  tern_status *status = renew_core(f, failure);
  if (status) {
    status = blame(f, failure, status);
    bool falls_back = f->policies.of[TERN_FAILURE_LOST].falls_back;
    warn(f, failure, falls_back ? "the CPU takes its place" : "the session ends", status);
    if (falls_back && f->retired.capacity > f->retired.count) status = stay_on_twin(f, status);
  }
  tern_recovery_end(&f->recovery, status);
}

// ---- Running.

static tern_status *run_core(tern_core *core, tern_run *run, const tern_value *const *inputs,
                             tern_value **inout_outputs, tern_failure *out_failure) {
  const tern_partition *partition = &core->partition;
  if (partition->provider_count == 1)
    return tern_program_run(core->program, run, inputs, inout_outputs);
  tern_lanes lanes;
  const tern_parallel *branches = run->branches;
  tern_status *status = tern_lanes_begin(&lanes, partition->providers, partition->provider_count,
                                         core->program->providers);
  if (!status) {
    run->lanes = &lanes;
    run->branches = NULL; // a stream belongs to one thread
    status = tern_program_run(core->program, run, inputs, inout_outputs);
    tern_lanes_end(&lanes);
    run->lanes = NULL;
    run->branches = branches;
  }
  *out_failure = lanes.failure;
  return status;
}

static tern_status *run_on_twin(tern_failover *f, tern_run *run, const tern_value *const *inputs,
                                tern_value **inout_outputs) {
  tern_core *twin;
  TERN_TRY(get_twin(f, &twin));
  return tern_program_run(twin->program, run, inputs, inout_outputs);
}

// One run on the core. *out_failure is a provider's that has a policy, or none; a lost device has
// been recovered, or not, when this returns.
static tern_status *run_once(tern_failover *f, tern_run *run, const tern_value *const *inputs,
                             tern_value **inout_outputs, tern_failure *out_failure) {
  tern_failure failure = {0};
  tern_status *status = run_core(f->core, run, inputs, inout_outputs, &failure);
  *out_failure = (tern_failure){0};
  if (status && is_judged(f, &failure)) *out_failure = failure;
  if (!out_failure->provider || failure.kind != TERN_FAILURE_LOST)
    tern_recovery_leave(&f->recovery);
  else if (tern_recovery_begin(&f->recovery))
    recover(f, &failure);
  return status;
}

static tern_status *refuse(tern_failover *f) {
  return tern_status_annotate(tern_recovery_reason(&f->recovery), "the session is out of service");
}

// Until a run succeeds, or no policy has it done again.
static tern_status *run_until_done(tern_failover *f, tern_run *run, const tern_value *const *inputs,
                                   tern_value **inout_outputs) {
  attempts tried = {{0}};
  bool waits = !f->policies.of[TERN_FAILURE_LOST].falls_back;
  for (;;) {
    tern_failure failure;
    tern_entry entry = tern_recovery_enter(&f->recovery, waits);
    if (entry == TERN_ENTRY_REFUSED) return refuse(f);
    if (entry == TERN_ENTRY_BUSY) return run_on_twin(f, run, inputs, inout_outputs);
    tern_status *status = run_once(f, run, inputs, inout_outputs, &failure);
    if (!failure.provider) return status;
    switch (judge(f, &failure, &tried)) {
    case VERDICT_RETRY:
      warn(f, &failure, "running again", status);
      tern_status_free(status);
      break;
    case VERDICT_FALL_BACK:
      warn(f, &failure, "running on the CPU", status);
      tern_status_free(status);
      return run_on_twin(f, run, inputs, inout_outputs);
    case VERDICT_FAIL:
      return blame(f, &failure, status);
    }
  }
}

static tern_status *run_plainly(tern_failover *f, tern_run *run, const tern_value *const *inputs,
                                tern_value **inout_outputs) {
  atomic_fetch_add_explicit(&f->plain_runs, 1, memory_order_relaxed);
  tern_status *status = tern_program_run(f->core->program, run, inputs, inout_outputs);
  atomic_fetch_sub_explicit(&f->plain_runs, 1, memory_order_relaxed);
  return status;
}

tern_status *tern_failover_run(tern_failover *failover, tern_run *run,
                               const tern_value *const *inputs, tern_value **inout_outputs) {
  if (failover->roster.count == 1) return run_plainly(failover, run, inputs, inout_outputs);
  if (run->profiler) atomic_store(&failover->is_profiled, true);
  const tern_graph *graph = failover->first->model->graph; // as those of all cores
  tern_rerun rerun;
  TERN_TRY(tern_rerun_begin(run->allocator, inputs, graph->inputs.count, inout_outputs,
                            graph->outputs.count, &rerun));
  return tern_rerun_end(&rerun, run_until_done(failover, run, inputs, rerun.outputs));
}

tern_session_state tern_failover_state(tern_failover *failover) {
  if (failover->roster.count > 1) return tern_recovery_state(&failover->recovery);
  bool is_busy = atomic_load_explicit(&failover->plain_runs, memory_order_relaxed) > 0;
  return is_busy ? TERN_SESSION_EXECUTING : TERN_SESSION_READY;
}

tern_held_core tern_failover_hold(tern_failover *failover) {
  bool is_counted = failover->roster.count > 1 &&
                    tern_recovery_enter(&failover->recovery, true) == TERN_ENTRY_GRANTED;
  return (tern_held_core){failover->core, is_counted};
}

void tern_failover_let_go(tern_failover *failover, tern_held_core held) {
  if (held.is_counted) tern_recovery_leave(&failover->recovery);
}

// ---- Life.

static tern_status *load(tern_failover *f, const tern_session_options *options,
                         tern_profiler *profiler) {
  tern_failure failure = {0};
  const tern_core_args args = {.account = f->account,
                               .source = f->source,
                               .options = options,
                               .roster = &f->roster,
                               .profiler = profiler,
                               .failure = &failure};
  tern_status *status = make_core(f, &args, &f->core);
  if (!status || !is_judged(f, &failure)) return status;
  status = blame(f, &failure, status);
  if (!f->policies.of[failure.kind].falls_back) return status;
  warn(f, &failure, "the CPU takes its place", status);
  f->fell_back_for = status;
  TERN_TRY(make_twin(f, options, profiler));
  f->core = f->twin;
  return NULL;
}

static tern_status *fill(tern_failover *f, const tern_session_options *options,
                         tern_profiler *profiler) {
  tern_allocator *allocator = tern_account_allocator(f->account, TERN_MEMORY_MODEL);
  TERN_TRY(tern_failure_policies_read(options, &f->policies));
  TERN_TRY(tern_roster_create(allocator, options, &f->roster));
  if (f->roster.count > 1) TERN_TRY(tern_options_copy_make(allocator, options, &f->options));
  TERN_TRY(load(f, options, profiler));
  f->first = f->core;
  tern_recovery_set_loaded(&f->recovery);
  return NULL;
}

tern_status *tern_failover_create(tern_account *account, const tern_source *source,
                                  const tern_session_options *options, const tern_logger *logger,
                                  tern_profiler *profiler, tern_failover **out_failover) {
  tern_failover *f;
  TERN_TRY(TERN_NEW(tern_account_allocator(account, TERN_MEMORY_MODEL), &f));
  f->account = account;
  f->source = source;
  f->logger = logger;
  atomic_init(&f->is_profiled, profiler != NULL);
  tern_recovery_init(&f->recovery);
  tern_os_mutex_init(&f->building);
  tern_status *status = fill(f, options, profiler);
  if (status) {
    tern_failover_destroy(f);
    return status;
  }
  *out_failover = f;
  return NULL;
}

void tern_failover_destroy(tern_failover *failover) {
  if (!failover) return;
  tern_allocator *allocator = tern_account_allocator(failover->account, TERN_MEMORY_MODEL);
  tern_core *twin = atomic_load(&failover->twin);
  if (failover->core != twin) tern_core_destroy(failover->core);
  tern_core_destroy(twin);
  for (size_t i = 0; i < failover->retired.count; ++i) tern_core_destroy(failover->retired.data[i]);
  TERN_ARRAY_FREE(allocator, &failover->retired);
  tern_roster_destroy(&failover->roster);
  tern_options_copy_deinit(&failover->options);
  tern_status_free(failover->fell_back_for);
  tern_recovery_deinit(&failover->recovery);
  tern_os_mutex_deinit(&failover->building);
  TERN_DELETE(allocator, failover);
}

void tern_failover_drop_frames(tern_failover *failover) {
  bool can_recover = failover->roster.count > 1;
  if (can_recover && tern_recovery_enter(&failover->recovery, false) != TERN_ENTRY_GRANTED) return;
  tern_core *twin = atomic_load_explicit(&failover->twin, memory_order_acquire);
  tern_frame_pool_drop(failover->core->program);
  if (twin && twin != failover->core) tern_frame_pool_drop(twin->program);
  if (can_recover) tern_recovery_leave(&failover->recovery);
}
