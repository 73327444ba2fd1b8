// Threads that programs make themselves, and the pool that the sessions of an environment share.
#ifndef TERN_API_THREADING_H_
#define TERN_API_THREADING_H_

#include "api/api.h"
#include "parallel/pool.h"

// ORT's way of saying who makes threads; all NULL: the system does.
typedef struct tern_api_thread_hooks {
  OrtCustomCreateThreadFn create;
  void *options;
  OrtCustomJoinThreadFn join;
} tern_api_thread_hooks;

// For a pool, which borrows `hooks` for its life.
tern_pool_hooks tern_api_pool_hooks(tern_api_thread_hooks *hooks);

struct OrtThreadingOptions {
  int intra_op_threads, inter_op_threads; // 0: as many as there are cores to use
  int allow_spinning;
  bool denormal_as_zero;
  char *affinity; // NULL: none
  tern_api_thread_hooks hooks;
};

TERN_MUST_USE tern_status *tern_api_threading_copy(const OrtThreadingOptions *source,
                                                   OrtThreadingOptions *out_copy);
void tern_api_threading_deinit(OrtThreadingOptions *options);

// The global pool that `options` ask for; they must outlive it. `logger`, which it keeps, hears
// what the system refuses.
TERN_MUST_USE tern_status *tern_api_threading_create_pool(OrtThreadingOptions *options,
                                                          const OrtLogger *logger,
                                                          tern_pool **out_pool);

#endif
