// Sessions as handles: the session itself, what it logs with, and what callers borrow from it.
#ifndef TERN_API_SESSION_H_
#define TERN_API_SESSION_H_

#include "api/env.h"
#include "session/session.h"

struct OrtEpAssignedNode {
  const char *name, *domain, *operator_type; // the model's
};

// A node, and who runs it.
struct OrtEpAssignedSubgraph {
  const char *provider;
  OrtEpAssignedNode node;
  const OrtEpAssignedNode *nodes[1]; // `node`, as callers are given it
};

struct OrtSession {
  tern_session *session;
  OrtLogger logger;
  tern_api_thread_hooks thread_hooks; // of a pool of its own
  OrtEnv *env;                        // held where its pool is used; NULL otherwise
  tern_api_arena *arena;              // of its weights and runs: its own, or the environment's
  tern_api_arena_member member;       // for giving up frames
  bool keeps_frames;                  // from one run to the next: EnableCpuMemArena
  bool has_optional_inputs;           // declared as optionals: runs wrap what they are given
  bool records_assignment;            // "session.record_ep_graph_assignment_info"
  OrtEpAssignedSubgraph *subgraphs;
  const OrtEpAssignedSubgraph **subgraph_list; // as callers are given it
  size_t subgraph_count;
};

// `text` in memory of the caller's allocator.
TERN_MUST_USE tern_status *tern_api_text_give(const char *text, OrtAllocator *allocator,
                                              char **out_text);

#endif
