// A provider for tests: it claims what it is told to, computes with the CPU provider's kernels, and
// can have everything that the contract lets a provider have: groups, memory that the host cannot
// read, streams whose work is done when they are synchronised. Every kind of call counts, and can
// be told to fail.
#ifndef TERN_TESTS_PROVIDER_TEST_PROVIDER_H_
#define TERN_TESTS_PROVIDER_TEST_PROVIDER_H_

#include "base/os.h"
#include "providers/provider.h"

typedef enum test_call {
  TEST_CALL_PREPARE,
  TEST_CALL_COMPILE,
  TEST_CALL_ALLOCATE,
  TEST_CALL_UPLOAD,
  TEST_CALL_DOWNLOAD,
  TEST_CALL_BEGIN,
  TEST_CALL_COMPUTE,
  TEST_CALL_SYNCHRONIZE,
  TEST_CALL_RECOVER,
} test_call;
enum { TEST_CALL_COUNT = TEST_CALL_RECOVER + 1 };
extern const char *const test_call_names[TEST_CALL_COUNT];

typedef struct test_provider_options {
  const char *name; // NULL: "TestExecutionProvider"
  // What it claims of what the CPU provider claims: nodes that `takes` accepts, or operators of the
  // list, which NULL ends; both NULL: everything.
  bool (*takes)(const tern_node *node);
  const char *const *ops;
  bool compiles;
  int32_t least_group;            // smaller ones are not worth it
  const char *refuses_to_compile; // groups that have this operator
  bool has_memory, is_host_visible;
  bool is_asynchronous;
  uint32_t host_inputs, host_outputs; // of every claim
  void (*on_recover)(void *self);     // before it recovers; may wait
  void *on_recover_self;
} test_provider_options;

typedef struct test_provider_fault {
  _Atomic int64_t first, count; // calls [first, first + count) fail
  _Atomic int64_t period;       // and every so many; 0: none
  tern_failure_kind kind;
} test_provider_fault;

typedef struct test_provider {
  tern_provider base;
  test_provider_options options;
  tern_memory_space space;
  tern_allocator space_allocator;
  _Atomic int64_t calls[TEST_CALL_COUNT];
  test_provider_fault faults[TEST_CALL_COUNT];
  _Atomic bool is_lost;
  _Atomic int64_t live_kernels, live_blocks, live_streams;
  _Atomic int64_t most_bytes, live_bytes; // of its memory
  _Atomic int64_t violations;             // of the contract, by the session
} test_provider;

// In place. Deinit asserts nothing: look at the counters.
void test_provider_init(const test_provider_options *options, test_provider *out_provider);
// The `nth` call of this kind from now on (1: the next), and those after it up to `count` in all,
// fail. TERN_FAILURE_LOST makes every call fail until the provider recovers.
void test_provider_fail(test_provider *provider, test_call call, int64_t nth, int64_t count,
                        tern_failure_kind kind);
// Every `period`-th call of this kind fails; before anybody calls.
void test_provider_fail_every(test_provider *provider, test_call call, int64_t period,
                              tern_failure_kind kind);
// None fails any more, and nothing is lost.
void test_provider_heal(test_provider *provider);
// Nothing of the session's is left, and it has kept to the contract.
bool test_provider_is_clean(const test_provider *provider);

// ---- Between its files.

// The status of one call: NULL, or what it was told.
TERN_MUST_USE tern_status *test_provider_call(test_provider *provider, test_call call);
// Where the host finds what `data` points to.
void *test_provider_reach(const test_provider *provider, void *data);

TERN_MUST_USE tern_status *test_kernel_prepare(void *self, const tern_prepare *prepare,
                                               tern_kernel *out_kernel);
TERN_MUST_USE tern_status *test_kernel_compile(void *self, const tern_prepare *prepare,
                                               tern_kernel *out_kernel);

// A stream: what was given to it, in order.
typedef struct test_job test_job;
struct test_job {
  test_job *next;
  void *self;
  tern_status *(*run)(void *self);
  void (*drop)(void *self); // frees the job; after `run` too
};
typedef struct test_stream {
  test_provider *provider;
  test_job *first, **last;
} test_stream;
void test_stream_give(test_stream *stream, test_job *job);
// Does what was given, up to the first error; the rest is dropped.
TERN_MUST_USE tern_status *test_stream_run(test_stream *stream);

#endif
