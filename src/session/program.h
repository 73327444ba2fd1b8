// A program: one graph as a flat list of steps over numbered slots, with its kernels. Built once
// when a session is created and const afterwards. Subgraphs are programs of their own, held by the
// step that runs them.
#ifndef TERN_SESSION_PROGRAM_H_
#define TERN_SESSION_PROGRAM_H_

#include "base/os.h"
#include "session/account.h"
#include "session/packed_store.h"
#include "session/partition.h"

typedef struct tern_program tern_program;
typedef struct tern_plan tern_plan;   // session/plan.h
typedef struct tern_frame tern_frame; // session/frame.h

typedef enum tern_slot_role {
  TERN_SLOT_STEP,     // made by a step
  TERN_SLOT_CONSTANT, // the same in every run
  TERN_SLOT_INPUT,    // given by the caller, or by the step that runs the subgraph
  TERN_SLOT_CAPTURE,  // of a graph further out
} tern_slot_role;

typedef struct tern_slot {
  const tern_edge *edge;
  tern_slot_role role;
  int32_t output; // the first output of the program that it is; -1: none, it does not leave the run
  // Steps that make it and last read it, or a view of it; -1 before the first, step_count at the
  // end.
  int32_t first, last;
  int32_t parent_slot;            // CAPTURE: the slot of the program around
  const tern_memory_space *space; // STEP: where its bytes lie; NULL: on the host
} tern_slot;

typedef struct tern_subprogram {
  const char *attr;
  tern_program *program;
} tern_subprogram;

typedef struct tern_step {
  const tern_node *node;
  int32_t *inputs;  // slots; -1: omitted
  int32_t *outputs; // likewise
  // Of the node and its operator's row, for walks over all steps that should touch nothing else.
  int32_t input_count, output_count;
  uint32_t op_flags, shape_inputs, inplace_inputs;
  tern_kernel kernel;
  const tern_placement *placement;
  tern_subprogram *subprograms;
  int32_t subprogram_count;
  int32_t *dying; // slots that nobody reads after this step
  int32_t dying_count;
  uint32_t waits;                   // providers to wait for before the step: a set
  TERN_ARRAY(tern_packed *) packed; // what the kernel asked for with tern_prepare_packed
  int64_t state_bytes;              // that the kernel holds, `packed` too
} tern_step;

// Plans kept for one program: few enough for a search one by one, and not more than these bytes
// unless the latest alone needs them.
enum { TERN_PLAN_CACHE_ENTRIES = 32, TERN_PLAN_CACHE_BYTES = 4 << 20 };

// Frames that no run is at work in (session/frame_pool.h).
typedef struct tern_frame_pool {
  tern_frame *first; // the one used last; older ones behind it
  int64_t count;
  int64_t uses;      // frames given back so far
  int64_t seen_uses; // when the main program last looked after it
} tern_frame_pool;

struct tern_program {
  tern_allocator *allocator, *plan_allocator, *frame_allocator; // of one account
  const tern_graph *graph;
  tern_arena arena;
  tern_counting_allocator kernel_allocator; // of the kernels' states
  tern_step *steps;
  int32_t step_count;
  tern_slot *slots;
  int32_t slot_count;
  int32_t *inputs, *outputs; // slots of the graph's inputs and outputs
  int32_t input_count, output_count;
  int32_t *captures; // slots
  int32_t capture_count;
  int32_t *lasting; // slots that steps make and that live until the run ends, outputs among them
  int32_t lasting_count;
  size_t largest_inputs, largest_outputs, largest_subprograms; // of any step
  uint32_t providers; // of its steps and those of subprograms: a set
  uint32_t waits;     // those to wait for when the last step is done
  // By slot: sizes were seen to follow from its elements. Of inputs and captures they belong to a
  // plan's key then. Never taken back.
  _Atomic bool *reaches_shape;
  // What runs have spent on planning, in all.
  _Atomic int64_t planning_ns, plans_made, plans_found, segments_placed;
  // What runs share and change, under `mutex`.
  tern_os_mutex mutex;
  tern_plan *plans[TERN_PLAN_CACHE_ENTRIES]; // most recently used first
  size_t plan_bytes;                         // of all of them
  tern_frame_pool frames;
};

typedef struct tern_program_options {
  tern_account *account;     // must outlive the program
  tern_partition *partition; // who runs what; outlives the program
  bool disable_prepacking;
  tern_packed_store *packed_store;   // retained by what is packed; NULL: nothing is packed
  tern_allocator *packed_allocator;  // of what is packed; must outlive every session that shares it
  tern_packed_keeper *packed_keeper; // keeps what is packed, too; NULL: nobody does
} tern_program_options;

// Prepares every kernel of `graph` and its subgraphs. The graph must outlive the program. An error
// names the first node that no provider claims, with the reasons.
TERN_MUST_USE tern_status *tern_program_create(const tern_graph *graph,
                                               const tern_program_options *options,
                                               tern_program **out_program);
// Releases what kernels, plans and frames hold, for good: the steps can be looked at still. No run
// may be under way.
void tern_program_release_kernels(tern_program *program);
// Accepts NULL and half-built programs. No run may be under way.
void tern_program_destroy(tern_program *program);

#endif
