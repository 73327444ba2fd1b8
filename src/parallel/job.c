// Jobs whose threads each have a workspace.
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
