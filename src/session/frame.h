// What one run of a program works in: the value of every slot, where it lies, the slab, the heap of
// later segments, scratch memory. Frames are pooled by their program and keep what they have worked
// out for the next run: a run with the same shapes finds everything in place.
#ifndef TERN_SESSION_FRAME_H_
#define TERN_SESSION_FRAME_H_

#include "session/heap.h"
#include "session/invoke.h"
#include "session/memory_plan.h"
#include "session/program.h"

typedef enum tern_place {
  TERN_PLACE_GIVEN,  // constants, inputs, captures: not made by this program
  TERN_PLACE_KNOWN,  // computed before its turn, from other known values: its step is skipped
  TERN_PLACE_BUFFER, // in a buffer of the slab or the heap
  TERN_PLACE_OUTPUT, // in the memory of an output of the program
  TERN_PLACE_VIEW,   // the bytes of another slot, wherever they are when its turn comes
  TERN_PLACE_RUN,    // made while running: by the kernel itself, or because it holds strings
} tern_place;

// A buffer is shared by the slots that are views of one another or overwrite one another; the slot
// that was made first founds it, and its number is the buffer's.
typedef struct tern_slot_state {
  void *known;        // the elements of a KNOWN slot, or of an input that sizes follow from
  int32_t known_room; // bytes behind `known`
  int32_t buffer;     // BUFFER, OUTPUT: its buffer. VIEW: the slot whose bytes it shows. Else -1
  int32_t last;       // of the buffer founded here: the last step that needs it
  int32_t output;     // of the buffer founded here: the output whose memory it is, or -1
  uint8_t place;      // a tern_place
  bool is_made;       // the kernel that makes it decides on its type
  bool is_taken;      // the buffer founded here has memory of the slab or the heap now
} tern_slot_state;

enum {
  TERN_STEP_SKIPPED = 1, // all outputs are KNOWN
  TERN_STEP_MAKES = 2,   // an output's type is known once the kernel has run
  TERN_STEP_BINDS = 4,   // an output's memory is found at the step's turn
  TERN_STEP_EMPTY = 8,   // every output is a tensor without elements: nothing is computed
  // What is known of it follows from elements that change without a mark: those of values that
  // kernels make.
  TERN_STEP_VOLATILE = 16,
};

// Whether a slot's type is known in the run under way, and where it stands.
typedef enum tern_typed {
  TERN_UNTYPED = 0,
  TERN_TYPED_HEADER, // a tensor's: in its header
  TERN_TYPED_VALUE,  // of constants, and of kinds other than tensors once they are there
} tern_typed;

typedef struct tern_step_state {
  uint64_t sized; // serial in which its outputs were last inferred; 0: never
  uint8_t flags;
} tern_step_state;

// A segment that begins at a certain step, as it was last placed. The memory it was given holds
// while whatever was placed before it in the run is what it was then.
typedef struct tern_segment {
  uint64_t parent; // identity of what was placed before
  uint64_t id;
  int32_t end;
} tern_segment;

// What runs have needed of a frame's memory, in bytes.
typedef struct tern_frame_need {
  size_t slab, heap, scratch;
} tern_frame_need;

struct tern_frame {
  const tern_program *program;
  // Of the run under way, by slot; NULL: not made, or gone.
  tern_value **values;
  // The caller's tensors by output of the main program, NULL where it gave none; NULL in a
  // subprogram.
  tern_value *const *given;
  // The type of each slot as last seen, and the value itself where it has a place before its turn.
  tern_value *headers;
  tern_slot_state *slots;
  uint8_t *typed;    // by slot: a tern_typed
  uint64_t *changed; // by slot: serial in which type, or elements that sizes follow from, changed
  tern_step_state *steps;
  tern_segment *segments; // by the step that begins them
  tern_value **made;      // by output of the program: tensors made for BUFFERs that leave the run
  tern_frame **bodies;    // frames of the subprograms of the step at work
  uint64_t serial;        // counts the times that the frame was made ready
  uint64_t next_id;       // of placements
  uint64_t chain;         // identity of what is placed so far in the run
  uint64_t heap_chain;    // that to which the heap's free list belongs
  // The first segment: what it was sized for (plan.h), and where it ends.
  TERN_ARRAY(int64_t) key, next_key;
  uint64_t slab_id; // of its placement; 0: has to be placed
  size_t plan_slab_bytes;
  int32_t first_end;
  bool is_ready;
  bool has_planned; // for the run under way: it was sized, or read from a plan
  // Memory.
  char *slab;
  size_t slab_bytes;
  tern_heap heap;
  tern_arena known_values; // of `known`; grows to what the slots need at most
  tern_scratch scratch;
  tern_frame_need need, past_need; // the most in this window of runs, and in the one before
  int32_t window_runs;             // in this window so far
  // In the pool.
  tern_frame *next;
  int64_t last_use; // of the pool
  // For the step at work, with room for the largest.
  const tern_value **inputs;
  tern_value **outputs;
  tern_type *types;            // inputs, then outputs
  const tern_type **type_list; // of the inputs
  char *ahead;                 // results of a step computed before its turn
  tern_buffer_usage *usages;   // for the memory planner
  tern_heap_piece *pieces;     // for the heap
};

// Runs after which a frame looks at what it needs.
enum { TERN_FRAME_WINDOW_RUNS = 64 };

// Values of up to this many elements are computed before their turn: sizes on their way, not data.
enum { TERN_SMALL_ELEMENTS = 64, TERN_SMALL_BYTES = TERN_SMALL_ELEMENTS * 8 };
enum { TERN_AHEAD_OUTPUTS = 8 }; // of a step computed ahead, at most

// A new frame; tern_frame_acquire (session/frame_pool.h) has one sooner.
TERN_MUST_USE tern_status *tern_frame_create(tern_program *program, tern_frame **out_frame);
// Accepts NULL.
void tern_frame_destroy(tern_frame *frame);
// Releases what a run has left in the frame: after a success that is what lives until it ends.
void tern_frame_clear(tern_frame *frame, bool has_failed);
// After a run, and tern_frame_clear: frees what recent runs have not needed.
void tern_frame_trim(tern_frame *frame);
// Once sizes are known, and before anything is computed: an error where a limit stands against what
// the run still has to take, a slab of `slab_bytes` and the tensors that callers get.
TERN_MUST_USE tern_status *tern_frame_admit(const tern_frame *frame, size_t slab_bytes);
// Makes the slab hold at least the plan's bytes, if they are admitted. What was placed in it has to
// be placed again.
TERN_MUST_USE tern_status *tern_frame_reserve(tern_frame *frame, size_t slab_bytes);
// Copies `bytes` into the slot's own memory for known values, and returns it. *out_changed is set
// when they were not there already.
TERN_MUST_USE tern_status *tern_frame_keep(tern_frame *frame, int32_t slot, const void *data,
                                           size_t bytes, bool *out_changed);

#endif
