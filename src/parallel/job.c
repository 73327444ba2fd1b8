// Jobs in other terms than single items.
#include "parallel/parallel.h"

typedef struct run {
  const tern_parallel_job *job;
  char *workspaces;
} run;

// Whole buffers, so that no two threads write to one cache line.
static size_t bytes_each(const tern_parallel_job *job) {
  return (job->workspace_bytes + TERN_BUFFER_ALIGNMENT - 1) / TERN_BUFFER_ALIGNMENT *
         TERN_BUFFER_ALIGNMENT;
}

size_t tern_parallel_job_bytes(const tern_parallel *parallel, const tern_parallel_job *job) {
  return (size_t)tern_parallel_lanes(parallel, job->count, job->item_ns) * bytes_each(job);
}

static void run_items(void *context, int64_t begin, int64_t end) {
  const run *r = context;
  r->job->fn(r->job->context, begin, end,
             r->workspaces + (size_t)tern_parallel_lane() * bytes_each(r->job));
}

void tern_parallel_job_run(const tern_parallel *parallel, const tern_parallel_job *job,
                           void *workspaces) {
  run r = {job, workspaces};
  tern_parallel_for(parallel, job->count, job->item_ns, run_items, &r);
}

typedef struct blocks {
  tern_parallel_fn fn;
  void *context;
  int64_t count, block;
} blocks;

static void run_blocks(void *context, int64_t begin, int64_t end) {
  const blocks *b = context;
  b->fn(b->context, begin * b->block, tern_min_i64(end * b->block, b->count));
}

void tern_parallel_for_blocks(const tern_parallel *parallel, int64_t count, int64_t block,
                              double element_ns, tern_parallel_fn fn, void *context) {
  blocks b = {fn, context, count, block};
  int64_t items = count / block + (count % block != 0);
  double ns = element_ns * (double)block;
  tern_parallel_for(parallel, items, ns < 1 ? 1 : (int64_t)ns, run_blocks, &b);
}
