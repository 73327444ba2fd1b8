// The contract between the session and whoever computes: an execution provider claims nodes,
// prepares a kernel for each or compiles groups of them into one, owns the memory it computes in,
// and says what its failures mean. The CPU provider stands behind this contract like any other, and
// accepts what the others leave.
//
// Threads: `claims`, `takes_group`, `preferred_block`, `prepare` and `compile` are called by one
// thread at a time, while a session is created or recovers. Everything else may be called by any
// number of threads at once, on one provider and on one kernel; a kernel is const once prepared.
#ifndef TERN_PROVIDERS_PROVIDER_H_
#define TERN_PROVIDERS_PROVIDER_H_

#include "base/text.h"
#include "graph/infer.h"
#include "parallel/parallel.h"

typedef struct tern_provider tern_provider;
typedef struct tern_kernel tern_kernel;
typedef struct tern_invocation tern_invocation;

// What a kernel sees while it computes one node once.
//
// Where bytes lie: inputs and outputs of a provider without memory of its own are the host's. With
// it, `data` of a tensor is a pointer of its memory space, except for constants, for inputs that
// inference reads or that the claim lists in `host_inputs`, and for outputs in `host_outputs`.
struct tern_invocation {
  const tern_node *node;
  const void *state; // what `prepare` made; NULL without
  // NULL: omitted. Tensors are dense, aligned to their element at least, and must not be written.
  // A constant that the kernel has consumed may have no elements any more.
  const tern_value *const *inputs;
  int32_t input_count;
  // NULL: omitted. Tensors have their type, shape and memory already, aligned to
  // TERN_BUFFER_ALIGNMENT, unless the operator is TERN_OP_DATA_DEPENDENT, or a kind other than
  // tensor: those are made by tern_invocation_allocate and tern_invocation_set_output. The memory
  // may be that of an input: where the row's `inplace_inputs` allows it, and input 0's where the
  // operator is a TERN_OP_VIEW, which is done then. That must not be written; it may be a
  // constant's.
  tern_value *const *outputs;
  int32_t output_count;
  tern_allocator *allocator; // for values the kernel makes; host memory
  void *stream;              // what the provider's begin_run gave for this run; NULL without
  // How the kernel spreads its work over threads; NULL: it computes on the caller's alone.
  const tern_parallel *parallel;
  const struct tern_invocation_services *services;
  void *services_self;
};

// What the session does for a kernel. Called through the functions below.
typedef struct tern_invocation_services {
  tern_status *(*allocate)(void *self, int32_t output, tern_dtype dtype, const tern_shape *shape,
                           tern_value **out_value);
  tern_status *(*set_output)(void *self, int32_t output, tern_value *value);
  tern_status *(*scratch)(void *self, size_t bytes, void **out_data);
  tern_status *(*run_subgraph)(void *self, const char *attr, tern_value *const *inputs,
                               int32_t input_count, tern_value **inout_values,
                               int32_t output_count);
  bool (*is_terminated)(void *self);
} tern_invocation_services;

// Gives output `output` its shape and memory, in the space the output lives in, and returns the
// value to write to. Once an output. *out_value is NULL when the output is omitted.
static inline TERN_MUST_USE tern_status *tern_invocation_allocate(tern_invocation *invocation,
                                                                  int32_t output, tern_dtype dtype,
                                                                  const tern_shape *shape,
                                                                  tern_value **out_value) {
  return invocation->services->allocate(invocation->services_self, output, dtype, shape, out_value);
}
// Makes `value` output `output`: a reference of its own is taken, the caller keeps theirs.
static inline TERN_MUST_USE tern_status *
tern_invocation_set_output(tern_invocation *invocation, int32_t output, tern_value *value) {
  return invocation->services->set_output(invocation->services_self, output, value);
}
// Uninitialised host memory until `compute` returns, also where the kernel's work goes on after it
// (an asynchronous provider keeps its own for that); aligned to TERN_BUFFER_ALIGNMENT. Several
// calls give several pieces. 0 bytes give NULL.
static inline TERN_MUST_USE tern_status *tern_invocation_scratch(tern_invocation *invocation,
                                                                 size_t bytes, void **out_data) {
  return invocation->services->scratch(invocation->services_self, bytes, out_data);
}
// Runs the node's subgraph `attr`. Inputs are borrowed; each output is a new reference, which
// stays valid after further runs of the subgraph. An entry of `inout_values` is NULL, or a
// reference to an output of an earlier run, which is given up: its memory is used again where it
// can be. On an error the entries are references or NULL still.
static inline TERN_MUST_USE tern_status *
tern_invocation_run_subgraph(tern_invocation *invocation, const char *attr,
                             tern_value *const *inputs, int32_t input_count,
                             tern_value **inout_values, int32_t output_count) {
  return invocation->services->run_subgraph(invocation->services_self, attr, inputs, input_count,
                                            inout_values, output_count);
}
// The run was asked to stop: long kernels return soon.
static inline bool tern_invocation_is_terminated(tern_invocation *invocation) {
  return invocation->services->is_terminated(invocation->services_self);
}

// A kernel's own form of constants: weights laid out for its loops. The layout and the sources
// decide every byte that kernels read of it, so that whoever asks for the same again, also in
// another session, is given the same memory.
typedef struct tern_packing {
  // Names the form and what else its bytes depend on, sizes and parameters: "gemm f32 b 64x512
  // transposed". The instruction set is the process's and need not be named. Borrowed for the call.
  const char *layout;
  const tern_value *const *sources; // tensors, not of strings; their types and elements count
  int32_t source_count;
  size_t bytes;
  // Writes the `bytes` bytes, aligned to TERN_BUFFER_ALIGNMENT and uninitialised.
  tern_status *(*fill)(void *context, void *out_data);
  void *context;
} tern_packing;

// What a provider sees while it builds a kernel: for one node, or for a group that became one node
// (operator Compiled, whose attribute "body" holds the group's nodes).
typedef struct tern_prepare {
  const tern_node *node;
  // For the state, and for nothing that outlives it; the same is given to `release`.
  tern_allocator *allocator;
  // The inputs whose values every run shares (initializers); NULL for the others.
  const tern_value *const *constants;
  // One entry an input. A kernel that sets it has made its own copy of that constant's elements and
  // does not look at them again, neither through `constants` nor when it computes.
  bool *consumed;
  // Which inputs and outputs the kernel finds on the host, as tern_claim says it; constants are
  // always there. For a provider with memory of its own.
  uint32_t host_inputs, host_outputs;
  // Of `compile`: the nodes of the body read constants directly (tern_edge_constant), and they are
  // no inputs of the node. Set: the kernel has its own copies of all of them. Else NULL.
  bool *consumed_body;
  bool disable_prepacking; // constants stay as they are: nothing is packed
  // Behind tern_prepare_packed; NULL where disable_prepacking is set.
  tern_status *(*packed)(void *self, const tern_packing *packing, const void **out_data);
  void *packed_self;
} tern_prepare;

// The packed bytes, made now or shared with whoever has made them before: const, and valid until
// the kernel has been released, without a call of its own.
static inline TERN_MUST_USE tern_status *tern_prepare_packed(const tern_prepare *prepare,
                                                             const tern_packing *packing,
                                                             const void **out_data) {
  return prepare->packed(prepare->packed_self, packing, out_data);
}

// A prepared kernel.
struct tern_kernel {
  const char *name; // what computes the node, for people: "Conv f32 im2col"; static
  tern_provider *provider;
  void *state;
  tern_status *(*compute)(tern_invocation *invocation);
  void (*release)(void *state, tern_allocator *allocator); // NULL when there is no state
};

// Why a provider leaves a node, or how it runs it.
typedef struct tern_claim {
  bool accepted;
  const char *reason; // static text, for the placement report; NULL when accepted
  // For providers with memory of their own; bit i is input or output i, bit 31 those beyond it too.
  // Inputs whose elements the kernel wants on the host, besides those whose elements inference
  // needs (the shape of Reshape), and outputs that it writes there.
  uint32_t host_inputs, host_outputs;
} tern_claim;

// Memory that is not the host's. Edges live in the space of the provider that makes them; graph
// inputs, graph outputs, constants and what subgraphs capture are the host's. Where an edge is read
// on the other side the session inserts a step that copies it (operators CopyToDevice and
// CopyToHost), once an edge and space. Only tensors of elements with a size go there: a node that
// has strings, sequences, maps or optionals is never put on a provider with its own memory.
//
// Errors of the copies are the provider's failures, and so is a NULL from the allocator, which
// gives a status that says so.
typedef struct tern_memory_space {
  const char *name; // for people: "CUDA device 0"
  void *self;       // for the copies
  // Pointers may mean nothing to the host. Adding to one must give the address that many bytes
  // further, as the session cuts one allocation into many tensors. Aligned to
  // TERN_BUFFER_ALIGNMENT.
  tern_allocator *allocator;
  // The host may read and write the pointers, once the stream is synchronised: no copies to the
  // host are made. The provider may still not be able to read the host's memory, and copies to it
  // are made all the same.
  bool is_host_visible;
  // Copies, in the order of the stream: they may be done after they return. The host's side stays
  // as it is, and is not looked at, until the stream is synchronised. With a NULL stream, of a
  // provider without streams, they are done when they return. `bytes` > 0. Required.
  tern_status *(*upload)(void *self, void *to, const void *host_from, size_t bytes, void *stream);
  tern_status *(*download)(void *self, void *host_to, const void *from, size_t bytes, void *stream);
  // Within the space; the ranges do not overlap. Required.
  tern_status *(*copy)(void *self, void *to, const void *from, size_t bytes, void *stream);
} tern_memory_space;

// What a failure of a provider means to the session, which has a policy for each.
typedef enum tern_failure_kind {
  TERN_FAILURE_ERROR,         // it will fail again: bad values, a bug
  TERN_FAILURE_TRANSIENT,     // the same may succeed now: a queue that was full, a timeout
  TERN_FAILURE_OUT_OF_MEMORY, // of the provider's memory
  TERN_FAILURE_LOST,          // the device is gone, with everything in its memory
} tern_failure_kind;

struct tern_provider {
  // As ORT's programs know it: "CPUExecutionProvider". Static.
  const char *name;
  void *self; // for the functions below

  // Whether the provider can run `node` with the types its edges have now. Depends on the node and
  // what surrounds it only: the same question has the same answer as long as the provider lives. A
  // node is offered to the providers in priority order, and asked of each at most once while a
  // session is created. Control flow is offered to the last provider only.
  tern_claim (*claims)(void *self, const tern_node *node);

  // Builds the kernel of one node that it claimed. *out_kernel is set on success. NULL only where
  // `compile` is there.
  tern_status *(*prepare)(void *self, const tern_prepare *prepare, tern_kernel *out_kernel);

  // NULL: nodes are prepared one by one. Otherwise the nodes that it claimed in one graph are put
  // together into groups that are as large as can be: connected, and without a path that leaves the
  // group and comes back. Each becomes one node, for which this builds the kernel. Refusing it with
  // TERN_NOT_IMPLEMENTED and a message leaves the nodes to the next providers; any other error is a
  // failure. Outputs whose shapes inference cannot tell are allocated by the kernel.
  tern_status *(*compile)(void *self, const tern_prepare *prepare, tern_kernel *out_kernel);
  // Whether a group of `count` nodes, in topological order, is worth compiling; if not, the nodes
  // are left to the next providers. NULL: always. Only `accepted` and `reason` of the answer count.
  tern_claim (*takes_group)(void *self, const tern_node *const *nodes, int32_t count);

  // The channel block (in elements: 8, 16 …) of the blocked layout NCHWc that the kernel for `node`
  // is fastest with, or takes as well as the plain layout; 0: the plain layout, and so when NULL.
  // Asked by the layout pass, before anything is prepared, about nodes that the provider claimed.
  // Convolutions that have one become BlockedConv of ai.tern, and what lies between them runs on
  // tensors of rank 5: the provider is asked whether it claims those too.
  int32_t (*preferred_block)(void *self, const tern_node *node);

  // Memory its kernels read and write; NULL: the host's, from whichever allocator the session has.
  // Constant while the provider lives.
  const tern_memory_space *memory;

  // A run that has steps of this provider begins with begin_run, whose stream goes with every
  // invocation and copy of that run, from one thread at a time, and ends with end_run, also after
  // an error. Kernels whose outputs are not there yet when they return need `synchronize`: when it
  // returns, everything that the stream was given is done. The session calls it before anybody else
  // reads what this provider made or the host's memory that it reads is used again, at the end of
  // every run, and after an error. All three NULL: every kernel is done when it returns. After a
  // failure of `synchronize` nothing that was given to the stream may touch the host's memory any
  // more.
  tern_status *(*begin_run)(void *self, void **out_stream);
  tern_status *(*synchronize)(void *self, void *stream);
  void (*end_run)(void *self, void *stream);

  // What a status that one of the functions above gave, or that came of its memory's allocator,
  // means. NULL: out of memory is that, the rest is TERN_FAILURE_ERROR.
  tern_failure_kind (*classify)(void *self, const tern_status *status);
  // After TERN_FAILURE_LOST, when no run is under way: makes the device usable again. The session
  // then releases all its kernels and prepares new ones. `release` of kernels, end_run and the
  // allocator's free must work on a lost device. NULL: it stays lost.
  tern_status *(*recover)(void *self);

  // Frees the provider: the last call. NULL: it is static.
  void (*destroy)(tern_provider *provider);
};

// Whether the provider's kernels may be called outside of a run, one by one, on the host's memory.
static inline bool tern_provider_computes_anywhere(const tern_provider *provider) {
  return !provider->memory && !provider->begin_run && !provider->synchronize;
}

#endif
