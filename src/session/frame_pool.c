// Frames wait in a stack, so that the ones at the bottom are those that nobody needs any more.
#include "session/frame_pool.h"

static void destroy_list(tern_frame *frame) {
  for (tern_frame *next; frame; frame = next) {
    next = frame->next;
    tern_frame_destroy(frame);
  }
}

// Takes out the frames behind the first `keep`. Under the mutex.
static tern_frame *cut(tern_frame_pool *pool, int64_t keep) {
  tern_frame **link = &pool->first;
  for (int64_t i = 0; i < keep; ++i) link = &(*link)->next;
  tern_frame *rest = *link;
  *link = NULL;
  pool->count = keep;
  return rest;
}

// How many of the pooled frames are in use now and then. Under the mutex.
static int64_t count_recent(const tern_frame_pool *pool) {
  int64_t count = 0;
  for (const tern_frame *frame = pool->first; frame; frame = frame->next) {
    if (pool->uses - frame->last_use >= TERN_FRAME_POOL_USES) break;
    ++count;
  }
  return count;
}

static void for_each_subprogram(const tern_program *program, void (*visit)(tern_program *)) {
  for (int32_t i = 0; i < program->step_count; ++i)
    for (int32_t k = 0; k < program->steps[i].subprogram_count; ++k)
      visit(program->steps[i].subprograms[k].program);
}

void tern_frame_pool_drop(tern_program *program) {
  tern_os_mutex_lock(&program->mutex);
  tern_frame *dropped = cut(&program->frames, 0);
  tern_os_mutex_unlock(&program->mutex);
  destroy_list(dropped);
  for_each_subprogram(program, tern_frame_pool_drop);
}

// Drops the frames of a subprogram that has not run since this was called last.
static void look_after(tern_program *program) {
  tern_frame_pool *pool = &program->frames;
  tern_os_mutex_lock(&program->mutex);
  tern_frame *dropped = pool->uses == pool->seen_uses ? cut(pool, 0) : NULL;
  pool->seen_uses = pool->uses;
  tern_os_mutex_unlock(&program->mutex);
  destroy_list(dropped);
  for_each_subprogram(program, look_after);
}

tern_status *tern_frame_acquire(tern_program *program, tern_frame **out_frame) {
  tern_frame_pool *pool = &program->frames;
  tern_os_mutex_lock(&program->mutex);
  tern_frame *frame = pool->first;
  if (frame) {
    pool->first = frame->next;
    pool->count--;
  }
  tern_os_mutex_unlock(&program->mutex);
  if (!frame) return tern_frame_create(program, out_frame);
  *out_frame = frame;
  return NULL;
}

void tern_frame_give_back(tern_program *program, tern_frame *frame) {
  tern_frame_pool *pool = &program->frames;
  tern_frame *dropped = NULL;
  tern_frame_trim(frame);
  tern_os_mutex_lock(&program->mutex);
  frame->next = pool->first;
  frame->last_use = ++pool->uses;
  pool->first = frame;
  pool->count++;
  bool is_turn = pool->uses % TERN_FRAME_POOL_USES == 0;
  if (is_turn) dropped = cut(pool, count_recent(pool));
  tern_os_mutex_unlock(&program->mutex);
  destroy_list(dropped);
  bool is_main = !program->graph->parent_node;
  if (is_turn && is_main) for_each_subprogram(program, look_after);
}
