// Arenas: memory that sessions and callers take from one place, counted and, where that was asked
// for, limited. Nothing is kept that is not in use: what sessions hold for their next runs counts
// as in use, and goes when others would go beyond the limit.
//
// An arena is held by whoever got it, and by every block it has handed out.
#ifndef TERN_API_ARENA_H_
#define TERN_API_ARENA_H_

#include "api/api.h"
#include "session/account.h"

typedef struct tern_api_arena tern_api_arena;

// `custom`, or NULL for the system, gives the memory, and must outlive the arena; its Reserve gives
// what is held as long as a session. Its blocks may be aligned to anything. `limit_bytes`, 0 for
// none, counts for everything and is kept by what runs take: weights may go beyond it.
TERN_MUST_USE tern_status *tern_api_arena_create(OrtAllocator *custom, size_t limit_bytes,
                                                 tern_api_arena **out_arena);
tern_api_arena *tern_api_arena_retain(tern_api_arena *arena);
// Accepts NULL.
void tern_api_arena_release(tern_api_arena *arena);
// The process's own, static: behind the allocator with default options.
tern_api_arena *tern_api_arena_of_process(void);

// What callers are given; lives as long as the arena.
OrtAllocator *tern_api_arena_allocator(tern_api_arena *arena);
// The arena that `allocator` belongs to: one that tern_api_arena_allocator gave.
tern_api_arena *tern_api_arena_of(OrtAllocator *allocator);
// For a session's weights, frames and values.
tern_account_sources tern_api_arena_sources(tern_api_arena *arena);
// As `weights` there, but neither counted nor reserved.
tern_allocator *tern_api_arena_uncounted(tern_api_arena *arena);

// A holder of memory that it can do without. `give_up` may be called by any thread that allocates.
typedef struct tern_api_arena_member tern_api_arena_member;
struct tern_api_arena_member {
  void (*give_up)(void *self);
  void *self;
  tern_api_arena *arena; // the arena's business from here on
  tern_api_arena_member *next, **link;
};
// `member` stays where it is until it leaves.
void tern_api_arena_join(tern_api_arena *arena, tern_api_arena_member *member);
// Accepts one that has not joined.
void tern_api_arena_leave(tern_api_arena_member *member);
// Has every member give up what it can.
void tern_api_arena_shrink(tern_api_arena *arena);

#endif
