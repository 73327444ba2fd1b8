// What a session's memory is used for, to the byte: one counting allocator a use. Together they
// hand out everything the session takes, except packed weights that it shares with others
// (session/packed_store.h).
//
// Blocks may outlive the session, as values do that callers still hold: the account goes with the
// last of them.
#ifndef TERN_SESSION_ACCOUNT_H_
#define TERN_SESSION_ACCOUNT_H_

#include "base/allocator.h"

typedef enum tern_memory_use {
  TERN_MEMORY_MODEL,   // graph, nodes, names, and what the session keeps of itself
  TERN_MEMORY_SOURCE,  // the model's bytes, where they were copied or read instead of mapped
  TERN_MEMORY_WEIGHTS, // initializers: the values, and their elements where they are not the file's
  TERN_MEMORY_KERNELS, // what kernels made when they were prepared, except packed weights
  TERN_MEMORY_PACKED,  // packed weights, where no store is shared
  TERN_MEMORY_PROGRAM, // steps and slots
  TERN_MEMORY_PLANS,
  TERN_MEMORY_PROFILE,
  TERN_MEMORY_FRAMES, // slabs, scratch and tables that runs work in, pooled between runs
  TERN_MEMORY_VALUES, // values made while running: what callers hold, between runs
} tern_memory_use;
enum { TERN_MEMORY_USE_COUNT = TERN_MEMORY_VALUES + 1 };

// "model", "source" …: the names of the report.
extern const char *const tern_memory_use_names[TERN_MEMORY_USE_COUNT];

typedef struct tern_account tern_account;

// Where memory comes from. They must outlive the session and its values.
typedef struct tern_account_sources {
  tern_allocator *structures; // model, program, plans, profile
  tern_allocator *weights;    // source, weights, kernels, packed weights: as long as the session
  tern_allocator *frames;
  tern_allocator *values;
} tern_account_sources;
// Everything from `allocator`.
static inline tern_account_sources tern_account_sources_of(tern_allocator *allocator) {
  return (tern_account_sources){allocator, allocator, allocator, allocator};
}

TERN_MUST_USE tern_status *tern_account_create(const tern_account_sources *sources,
                                               tern_account **out_account);
// The session's reference; accepts NULL.
void tern_account_release(tern_account *account);

tern_allocator *tern_account_allocator(tern_account *account, tern_memory_use use);
// Handed out and not got back. The account itself is counted under TERN_MEMORY_MODEL.
int64_t tern_account_bytes(const tern_account *account, tern_memory_use use);

#endif
