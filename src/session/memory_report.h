// What a session holds, to the byte: by use, and where its weights lie.
#ifndef TERN_SESSION_MEMORY_REPORT_H_
#define TERN_SESSION_MEMORY_REPORT_H_

#include "session/session.h"

typedef struct tern_memory_report {
  // Handed out to this session and not got back. Packed weights are here when no other session
  // holds them; they come on top of the account's where a store is shared.
  int64_t held[TERN_MEMORY_USE_COUNT];
  int64_t held_total;
  int64_t shared_bytes; // packed weights that others hold too
  // Initializers, each once: what the model says they have, by what became of it.
  int64_t parameters;      // elements
  int64_t parameter_bytes; // the sum of the next three
  int64_t mapped_bytes;    // in files, mapped, or the caller's: not held
  int64_t held_bytes;      // among held[TERN_MEMORY_WEIGHTS] and held[TERN_MEMORY_SOURCE]
  int64_t spent_bytes;     // given up: packed, and read by nobody any more
  int64_t packed_bytes;    // packed weights, shared ones too, each once
  int64_t plans;           // in caches
  int64_t slab_bytes;      // of the plan that needs most
  int64_t frames;          // in pools
} tern_memory_report;

// Exact when nothing of the session runs meanwhile.
TERN_MUST_USE tern_status *tern_memory_report_make(const tern_session *session,
                                                   tern_memory_report *out_report);

// `report` as a JSON object: "held" with the names of uses and "total", the rest by the names
// above.
void tern_memory_report_write(const tern_memory_report *report, tern_text *out_text);

#endif
