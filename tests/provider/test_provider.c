// The test provider: claims, memory, streams, failures. Its kernels stand in test_kernel.c.
#include "provider/test_provider.h"

#include <stdatomic.h>
#include <string.h>

#include "providers/cpu/cpu.h"

const char *const test_call_names[TEST_CALL_COUNT] = {"prepare", "compile",     "allocate",
                                                      "upload",  "download",    "begin",
                                                      "compute", "synchronize", "recover"};

// ---- Failures.

static const char *const markers[] = {[TERN_FAILURE_ERROR] = "[error]",
                                      [TERN_FAILURE_TRANSIENT] = "[transient]",
                                      [TERN_FAILURE_OUT_OF_MEMORY] = "[no memory]",
                                      [TERN_FAILURE_LOST] = "[lost]"};

static tern_failure_kind classify(void *self, const tern_status *status) {
  const test_provider *provider = self;
  for (size_t i = 0; i < TERN_COUNT_OF(markers); ++i) {
    if (strstr(tern_status_message(status), markers[i])) return (tern_failure_kind)i;
  }
  if (!tern_status_is_out_of_memory(status)) return TERN_FAILURE_ERROR;
  return provider->is_lost ? TERN_FAILURE_LOST : TERN_FAILURE_OUT_OF_MEMORY;
}

tern_status *test_provider_call(test_provider *provider, test_call call) {
  int64_t number = atomic_fetch_add(&provider->calls[call], 1) + 1;
  test_provider_fault *fault = &provider->faults[call];
  int64_t first = atomic_load(&fault->first);
  int64_t period = atomic_load(&fault->period);
  bool fails = first > 0 && number >= first && number - first < atomic_load(&fault->count);
  fails |= period > 0 && number % period == 0;
  tern_failure_kind kind = fault->kind;
  if (fails && kind == TERN_FAILURE_LOST) atomic_store(&provider->is_lost, true);
  if (call != TEST_CALL_RECOVER && atomic_load(&provider->is_lost)) {
    kind = TERN_FAILURE_LOST;
    fails = true;
  }
  if (!fails) return NULL;
  return TERN_ERROR(TERN_EP_FAIL, "told to fail %s %lld %s", test_call_names[call],
                    (long long)number, markers[kind]);
}

void test_provider_fail(test_provider *provider, test_call call, int64_t nth, int64_t count,
                        tern_failure_kind kind) {
  test_provider_fault *fault = &provider->faults[call];
  fault->kind = kind;
  atomic_store(&fault->count, count);
  atomic_store(&fault->first, atomic_load(&provider->calls[call]) + nth);
}

void test_provider_fail_every(test_provider *provider, test_call call, int64_t period,
                              tern_failure_kind kind) {
  provider->faults[call].kind = kind;
  atomic_store(&provider->faults[call].period, period);
}

void test_provider_heal(test_provider *provider) {
  for (int i = 0; i < TEST_CALL_COUNT; ++i) {
    atomic_store(&provider->faults[i].first, 0);
    atomic_store(&provider->faults[i].period, 0);
  }
  atomic_store(&provider->is_lost, false);
}

bool test_provider_is_clean(const test_provider *provider) {
  return provider->live_kernels == 0 && provider->live_blocks == 0 && provider->live_streams == 0 &&
         provider->live_bytes == 0 && provider->violations == 0;
}

static tern_status *recover(void *self) {
  test_provider *provider = self;
  if (provider->options.on_recover) provider->options.on_recover(provider->options.on_recover_self);
  TERN_TRY(test_provider_call(provider, TEST_CALL_RECOVER));
  if (provider->live_streams != 0) provider->violations++; // a run is still under way
  atomic_store(&provider->is_lost, false);
  return NULL;
}

// ---- Claims.

static bool is_chosen(const test_provider_options *options, const tern_node *node) {
  if (options->takes) return options->takes(node);
  if (!options->ops) return true;
  for (const char *const *op = options->ops; *op; ++op)
    if (strcmp(*op, node->op->name) == 0) return true;
  return false;
}

static tern_claim claims(void *self, const tern_node *node) {
  const test_provider *provider = self;
  if (node->op->flags & TERN_OP_NONDETERMINISTIC)
    return (tern_claim){.reason = "a test has to know what comes out"};
  if (!is_chosen(&provider->options, node))
    return (tern_claim){.reason = "it was not told to take this one"};
  tern_provider *cpu = tern_cpu_provider();
  tern_claim claim = cpu->claims(cpu->self, node);
  claim.host_inputs = provider->options.host_inputs;
  claim.host_outputs = provider->options.host_outputs;
  return claim;
}

static tern_claim takes_group(void *self, const tern_node *const *nodes, int32_t count) {
  const test_provider *provider = self;
  (void)nodes;
  bool enough = count >= provider->options.least_group;
  return (tern_claim){.accepted = enough, .reason = enough ? NULL : "the group is too small"};
}

// ---- Memory. An address of the provider's is the host's with a bit that no address of the host
// has: using it by mistake faults.

#define ELSEWHERE ((uintptr_t)1 << 62)

void *test_provider_reach(const test_provider *provider, void *data) {
  bool is_masked = provider->options.has_memory && !provider->options.is_host_visible;
  return is_masked ? (void *)((uintptr_t)data & ~ELSEWHERE) : data;
}

static void *give_memory(void *self, size_t size) {
  test_provider *provider = self;
  void *data = NULL;
  tern_status *status = test_provider_call(provider, TEST_CALL_ALLOCATE);
  if (!status) status = tern_allocator_alloc(tern_allocator_system(), size, &data);
  if (status) {
    tern_status_ignore(status);
    return NULL;
  }
  provider->live_blocks++;
  int64_t live = atomic_fetch_add(&provider->live_bytes, (int64_t)size) + (int64_t)size;
  int64_t most = atomic_load(&provider->most_bytes);
  while (live > most && !atomic_compare_exchange_weak(&provider->most_bytes, &most, live)) {
  }
  return provider->options.is_host_visible ? data : (void *)((uintptr_t)data | ELSEWHERE);
}

static void take_memory(void *self, void *data, size_t size) {
  test_provider *provider = self;
  provider->live_blocks--;
  provider->live_bytes -= (int64_t)size;
  void *reached = test_provider_reach(provider, data);
  memset(reached, 0xdd, size); // whoever reads it now is wrong
  tern_allocator_free(tern_allocator_system(), reached, size);
}

typedef struct copy_job {
  test_job job;
  void *to;
  const void *from;
  size_t bytes;
  test_provider *provider;
  uint64_t hash; // of the host's bytes when an upload was given
  bool is_upload;
} copy_job;

static uint64_t hash_of(const void *data, size_t size) {
  uint64_t hash = 14695981039346656037u; // FNV-1a
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  return hash;
}

static tern_status *run_copy(void *self) {
  copy_job *copy = self;
  if (copy->is_upload && hash_of(copy->from, copy->bytes) != copy->hash)
    copy->provider->violations++; // the host has used the memory again
  memcpy(copy->to, copy->from, copy->bytes);
  return NULL;
}

static void drop_copy(void *self) {
  TERN_DELETE(tern_allocator_system(), (copy_job *)self);
}

static tern_status *give_copy(test_provider *provider, test_stream *stream, copy_job made) {
  if (!stream) return run_copy(&made);
  copy_job *copy;
  TERN_TRY(TERN_NEW(tern_allocator_system(), &copy));
  *copy = made;
  copy->job = (test_job){.self = copy, .run = run_copy, .drop = drop_copy};
  copy->provider = provider;
  test_stream_give(stream, &copy->job);
  return provider->options.is_asynchronous ? NULL : test_stream_run(stream);
}

static void check_side(test_provider *provider, const void *host, const void *own) {
  bool is_masked = !provider->options.is_host_visible;
  if ((uintptr_t)host & ELSEWHERE) provider->violations++;
  if (is_masked && !((uintptr_t)own & ELSEWHERE)) provider->violations++;
}

static tern_status *upload(void *self, void *to, const void *host_from, size_t bytes,
                           void *stream) {
  test_provider *provider = self;
  TERN_TRY(test_provider_call(provider, TEST_CALL_UPLOAD));
  check_side(provider, host_from, to);
  return give_copy(provider, stream,
                   (copy_job){.to = test_provider_reach(provider, to),
                              .from = host_from,
                              .bytes = bytes,
                              .provider = provider,
                              .hash = hash_of(host_from, bytes),
                              .is_upload = true});
}

static tern_status *download(void *self, void *host_to, const void *from, size_t bytes,
                             void *stream) {
  test_provider *provider = self;
  TERN_TRY(test_provider_call(provider, TEST_CALL_DOWNLOAD));
  check_side(provider, host_to, from);
  return give_copy(provider, stream,
                   (copy_job){.to = host_to,
                              .from = test_provider_reach(provider, (void *)(uintptr_t)from),
                              .bytes = bytes,
                              .provider = provider});
}

static tern_status *copy(void *self, void *to, const void *from, size_t bytes, void *stream) {
  test_provider *provider = self;
  return give_copy(provider, stream,
                   (copy_job){.to = test_provider_reach(provider, to),
                              .from = test_provider_reach(provider, (void *)(uintptr_t)from),
                              .bytes = bytes,
                              .provider = provider});
}

// ---- Streams.

void test_stream_give(test_stream *stream, test_job *job) {
  job->next = NULL;
  *stream->last = job;
  stream->last = &job->next;
}

static test_job *take_job(test_stream *stream) {
  test_job *job = stream->first;
  stream->first = job->next;
  if (!stream->first) stream->last = &stream->first;
  return job;
}

tern_status *test_stream_run(test_stream *stream) {
  tern_status *status = NULL;
  while (stream->first) {
    test_job *job = take_job(stream);
    if (!status) status = job->run(job->self);
    job->drop(job->self);
  }
  return status;
}

static tern_status *begin_run(void *self, void **out_stream) {
  test_provider *provider = self;
  test_stream *stream;
  TERN_TRY(test_provider_call(provider, TEST_CALL_BEGIN));
  TERN_TRY(TERN_NEW(tern_allocator_system(), &stream));
  *stream = (test_stream){.provider = provider};
  stream->last = &stream->first;
  provider->live_streams++;
  *out_stream = stream;
  return NULL;
}

static tern_status *synchronize(void *self, void *stream) {
  tern_status *status = test_provider_call(self, TEST_CALL_SYNCHRONIZE);
  if (!status) return test_stream_run(stream);
  for (test_stream *given = stream; given->first;) {
    test_job *job = take_job(given);
    job->drop(job->self);
  }
  return status;
}

static void end_run(void *self, void *stream) {
  test_provider *provider = self;
  test_stream *given = stream;
  if (given->first) provider->violations++; // nobody has waited
  tern_status_ignore(test_stream_run(given));
  TERN_DELETE(tern_allocator_system(), given);
  provider->live_streams--;
}

void test_provider_init(const test_provider_options *options, test_provider *out_provider) {
  *out_provider = (test_provider){.options = *options};
  test_provider *provider = out_provider;
  provider->base = (tern_provider){.name = options->name ? options->name : "TestExecutionProvider",
                                   .self = provider,
                                   .claims = claims,
                                   .prepare = test_kernel_prepare,
                                   .classify = classify,
                                   .recover = recover};
  if (options->compiles) {
    provider->base.compile = test_kernel_compile;
    provider->base.takes_group = takes_group;
  }
  if (options->has_memory) {
    provider->space_allocator = (tern_allocator){provider, give_memory, take_memory};
    provider->space = (tern_memory_space){.name = "test memory",
                                          .self = provider,
                                          .allocator = &provider->space_allocator,
                                          .is_host_visible = options->is_host_visible,
                                          .upload = upload,
                                          .download = download,
                                          .copy = copy};
    provider->base.memory = &provider->space;
  }
  if (options->is_asynchronous) {
    provider->base.begin_run = begin_run;
    provider->base.synchronize = synchronize;
    provider->base.end_run = end_run;
  }
}
