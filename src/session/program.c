// From graph to steps and slots.
#include "session/program.h"

#include <string.h>

#include "session/frame_pool.h"
#include "session/plan.h"
#include "session/prepare.h"
#include "session/waits.h"

// While a program is built, a map tells each edge's slot. It is kept beside the edges, because one
// edge has a slot in every program that reads it.
typedef struct slot_entry {
  const tern_edge *edge;
  int32_t slot;
} slot_entry;

typedef struct slot_map {
  slot_entry *entries;
  size_t capacity; // a power of two
} slot_map;

typedef struct build {
  tern_program *program;
  const tern_program_options *options;
  slot_map map;
  TERN_ARRAY(tern_slot) slots;
  TERN_ARRAY(int32_t) captures;
  const struct build *around; // the program that holds this one; NULL for the main graph
} build;

static slot_entry *find_entry(const slot_map *map, const tern_edge *edge) {
  size_t mask = map->capacity - 1;
  size_t i = (size_t)(((uintptr_t)edge >> 4) * 0x9e3779b97f4a7c15u >> 32) & mask;
  while (map->entries[i].edge && map->entries[i].edge != edge) i = (i + 1) & mask;
  return &map->entries[i];
}

static tern_status *grow_map(build *b) {
  slot_map old = b->map;
  b->map.capacity = old.capacity ? old.capacity * 2 : 64;
  tern_status *status = tern_allocator_calloc(b->program->allocator, b->map.capacity,
                                              sizeof *b->map.entries, (void **)&b->map.entries);
  if (status) {
    b->map = old;
    return status;
  }
  for (size_t i = 0; i < old.capacity; ++i) {
    if (old.entries[i].edge) *find_entry(&b->map, old.entries[i].edge) = old.entries[i];
  }
  tern_allocator_free(b->program->allocator, old.entries, old.capacity * sizeof *old.entries);
  return NULL;
}

static tern_status *add_slot(build *b, const tern_edge *edge, tern_slot_role role,
                             int32_t *out_slot) {
  if ((b->slots.count + 1) * 2 > b->map.capacity) TERN_TRY(grow_map(b));
  tern_slot slot = {
      .edge = edge, .role = role, .first = -1, .last = -1, .output = -1, .parent_slot = -1};
  TERN_ARRAY_PUSH(b->program->allocator, &b->slots, slot);
  *out_slot = (int32_t)b->slots.count - 1;
  *find_entry(&b->map, edge) = (slot_entry){edge, *out_slot};
  return NULL;
}

static int32_t known_slot(const build *b, const tern_edge *edge) {
  if (b->map.capacity == 0) return -1;
  const slot_entry *entry = find_entry(&b->map, edge);
  return entry->edge ? entry->slot : -1;
}

// The slot through which this program reads `edge`, made when it is first read: a constant of any
// graph, or a value of a graph further out. Steps and inputs have theirs already.
static tern_status *read_slot(build *b, const tern_edge *edge, int32_t *out_slot) {
  *out_slot = known_slot(b, edge);
  if (*out_slot >= 0) return NULL;
  if (tern_edge_constant(edge)) return add_slot(b, edge, TERN_SLOT_CONSTANT, out_slot);
  if (!b->around)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is read before anything makes it", edge->name);
  int32_t parent_slot = known_slot(b->around, edge);
  if (parent_slot < 0)
    return TERN_ERROR(TERN_INVALID_GRAPH, "'%s' is not a value of a graph further out", edge->name);
  TERN_TRY(add_slot(b, edge, TERN_SLOT_CAPTURE, out_slot));
  b->slots.data[*out_slot].parent_slot = parent_slot;
  TERN_ARRAY_PUSH(b->program->allocator, &b->captures, *out_slot);
  return NULL;
}

static void touch(build *b, int32_t slot, int32_t step) {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): `slot` is one of them.
  if (b->slots.data[slot].last < step) b->slots.data[slot].last = step;
}

static tern_status *build_program(const tern_graph *graph, const tern_program_options *options,
                                  const build *around, tern_program **out_program);

static tern_status *add_subprograms(build *b, tern_step *step, int32_t index) {
  const tern_node *node = step->node;
  int32_t count = 0;
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i)
    count += node->attrs[i].type == TERN_ATTR_GRAPH;
  if (count == 0 || step->placement->kernel.compute)
    return NULL; // compiled: nothing is left to run
  TERN_TRY(TERN_ARENA_ARRAY(&b->program->arena, count, &step->subprograms));
  // What the subgraphs read stays alive until the step is done.
  for (size_t i = 0; i < node->captures.count; ++i) {
    int32_t slot;
    TERN_TRY(read_slot(b, node->captures.data[i], &slot));
    touch(b, slot, index);
  }
  for (size_t i = 0; node->op->attrs[i].name; ++i) {
    if (node->attrs[i].type != TERN_ATTR_GRAPH) continue;
    tern_subprogram *sub = &step->subprograms[step->subprogram_count];
    sub->attr = node->attrs[i].name;
    TERN_TRY(build_program(node->attrs[i].u.graph, b->options, b, &sub->program));
    step->subprogram_count++;
  }
  return NULL;
}

static void note_largest(tern_program *program, const tern_step *step) {
  size_t in = (size_t)step->input_count, out = (size_t)step->output_count;
  size_t subprograms = (size_t)step->subprogram_count;
  if (subprograms > program->largest_subprograms) program->largest_subprograms = subprograms;
  if (in > program->largest_inputs) program->largest_inputs = in;
  if (out > program->largest_outputs) program->largest_outputs = out;
}

static tern_status *add_step(build *b, const tern_node *node, int32_t index) {
  tern_step *step = &b->program->steps[index];
  step->node = node;
  step->input_count = node->input_count;
  step->output_count = node->output_count;
  step->op_flags = node->op->flags;
  step->shape_inputs = node->op->shape_inputs;
  step->inplace_inputs = node->op->inplace_inputs;
  TERN_TRY(tern_partition_place(b->options->partition, node, &step->placement));
  b->program->step_count = index + 1; // from here on the step is destroyed with the program
  TERN_TRY(TERN_ARENA_ARRAY(&b->program->arena, node->input_count, &step->inputs));
  TERN_TRY(TERN_ARENA_ARRAY(&b->program->arena, node->output_count, &step->outputs));
  for (int32_t i = 0; i < node->input_count; ++i) {
    step->inputs[i] = -1;
    if (!node->inputs[i]) continue;
    TERN_TRY(read_slot(b, node->inputs[i], &step->inputs[i]));
    touch(b, step->inputs[i], index);
  }
  TERN_TRY(add_subprograms(b, step, index));
  for (int32_t i = 0; i < node->output_count; ++i) {
    step->outputs[i] = -1;
    if (!node->outputs[i]) continue;
    TERN_TRY(add_slot(b, node->outputs[i], TERN_SLOT_STEP, &step->outputs[i]));
    tern_slot *slot = &b->slots.data[step->outputs[i]];
    slot->first = slot->last = index; // one that nobody reads dies at once
    slot->space =
        step->placement->provider ? tern_placement_output_space(step->placement, i) : NULL;
  }
  note_largest(b->program, step);
  return tern_step_prepare(b->program, b->options, step);
}

static tern_status *add_interface(build *b, const tern_graph *graph) {
  tern_program *program = b->program;
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, graph->inputs.count, &program->inputs));
  for (size_t i = 0; i < graph->inputs.count; ++i)
    TERN_TRY(add_slot(b, graph->inputs.data[i], TERN_SLOT_INPUT, &program->inputs[i]));
  program->input_count = (int32_t)graph->inputs.count;
  return NULL;
}

static tern_status *add_outputs(build *b, const tern_graph *graph) {
  tern_program *program = b->program;
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, graph->outputs.count, &program->outputs));
  for (size_t i = 0; i < graph->outputs.count; ++i) {
    TERN_TRY(read_slot(b, graph->outputs.data[i], &program->outputs[i]));
    tern_slot *slot = &b->slots.data[program->outputs[i]];
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a slot, or no success.
    if (slot->output < 0) slot->output = (int32_t)i;
    slot->last = program->step_count;
  }
  program->output_count = (int32_t)graph->outputs.count;
  return NULL;
}

// What a view shows is needed as long as the view is.
static void extend_viewed(tern_program *program) {
  for (int32_t i = program->step_count - 1; i >= 0; --i) {
    const tern_step *step = &program->steps[i];
    if (!(step->op_flags & TERN_OP_VIEW) || step->output_count == 0) continue;
    if (step->inputs[0] < 0 || step->outputs[0] < 0) continue;
    tern_slot *viewed = &program->slots[step->inputs[0]];
    const tern_slot *view = &program->slots[step->outputs[0]];
    // An output of the program is no view: it leaves with memory of its own.
    if (view->output < 0 && viewed->last < view->last) viewed->last = view->last;
  }
}

// Each step's list of slots that die with it.
static tern_status *list_dying(tern_program *program) {
  int32_t *counts; // the last is of those that no step ends
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, program->step_count + 1, &counts));
  for (int32_t s = 0; s < program->slot_count; ++s) {
    const tern_slot *slot = &program->slots[s];
    if (slot->role == TERN_SLOT_STEP) counts[slot->last]++;
  }
  for (int32_t i = 0; i < program->step_count; ++i)
    TERN_TRY(TERN_ARENA_ARRAY(&program->arena, counts[i], &program->steps[i].dying));
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, counts[program->step_count], &program->lasting));
  for (int32_t s = 0; s < program->slot_count; ++s) {
    const tern_slot *slot = &program->slots[s];
    if (slot->role != TERN_SLOT_STEP) continue;
    if (slot->last == program->step_count) {
      program->lasting[program->lasting_count++] = s;
    } else {
      tern_step *step = &program->steps[slot->last];
      step->dying[step->dying_count++] = s;
    }
  }
  return NULL;
}

static tern_status *keep_lists(build *b) {
  tern_program *program = b->program;
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, b->slots.count, &program->slots));
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, b->captures.count, &program->captures));
  if (b->slots.count)
    memcpy(program->slots, b->slots.data, b->slots.count * sizeof *program->slots);
  if (b->captures.count)
    memcpy(program->captures, b->captures.data, b->captures.count * sizeof *program->captures);
  program->slot_count = (int32_t)b->slots.count;
  program->capture_count = (int32_t)b->captures.count;
  TERN_TRY(TERN_ARENA_ARRAY(&program->arena, b->slots.count, &program->reaches_shape));
  tern_program_set_waits(program);
  extend_viewed(program);
  return list_dying(program);
}

static tern_status *fill(build *b, const tern_graph *graph) {
  TERN_TRY(TERN_ARENA_ARRAY(&b->program->arena, graph->node_count, &b->program->steps));
  TERN_TRY(add_interface(b, graph));
  int32_t index = 0;
  for (const tern_node *node = graph->first; node; node = node->next)
    TERN_TRY(add_step(b, node, index++));
  TERN_TRY(add_outputs(b, graph));
  return keep_lists(b);
}

static tern_status *build_program(const tern_graph *graph, const tern_program_options *options,
                                  const build *around, tern_program **out_program) {
  tern_program *program;
  tern_allocator *allocator = tern_account_allocator(options->account, TERN_MEMORY_PROGRAM);
  TERN_TRY(TERN_NEW(allocator, &program));
  program->allocator = allocator;
  program->plan_allocator = tern_account_allocator(options->account, TERN_MEMORY_PLANS);
  program->frame_allocator = tern_account_allocator(options->account, TERN_MEMORY_FRAMES);
  program->graph = graph;
  tern_arena_init(allocator, &program->arena);
  tern_counting_allocator_init(tern_account_allocator(options->account, TERN_MEMORY_KERNELS),
                               &program->kernel_allocator);
  tern_os_mutex_init(&program->mutex);
  build b = {.program = program, .options = options, .around = around};
  tern_status *status = fill(&b, graph);
  tern_allocator_free(allocator, b.map.entries, b.map.capacity * sizeof *b.map.entries);
  TERN_ARRAY_FREE(allocator, &b.slots);
  TERN_ARRAY_FREE(allocator, &b.captures);
  if (status) {
    tern_program_destroy(program);
    return status;
  }
  *out_program = program;
  return NULL;
}

tern_status *tern_program_create(const tern_graph *graph, const tern_program_options *options,
                                 tern_program **out_program) {
  const tern_model *model = graph->model;
  // Where preparing counts who has consumed a constant.
  for (size_t i = 0; i < model->all_edges.count; ++i) model->all_edges.data[i]->scratch = NULL;
  return build_program(graph, options, NULL, out_program);
}

static void release_kernel(tern_program *program, tern_step *step) {
  if (step->kernel.release) // those of the partition are released with it
    step->kernel.release(step->kernel.state, &program->kernel_allocator.base);
  step->kernel.release = NULL;
  for (size_t k = 0; k < step->packed.count; ++k) tern_packed_release(step->packed.data[k]);
  TERN_ARRAY_FREE(program->allocator, &step->packed);
}

void tern_program_release_kernels(tern_program *program) {
  for (int32_t i = 0; i < program->step_count; ++i) {
    tern_step *step = &program->steps[i];
    for (int32_t k = 0; k < step->subprogram_count; ++k)
      tern_program_release_kernels(step->subprograms[k].program);
    release_kernel(program, step);
  }
  for (size_t i = 0; i < TERN_PLAN_CACHE_ENTRIES; ++i) {
    tern_plan_release(program->plans[i]);
    program->plans[i] = NULL;
  }
  tern_frame_pool_drop(program);
}

void tern_program_destroy(tern_program *program) {
  if (!program) return;
  tern_program_release_kernels(program);
  for (int32_t i = 0; i < program->step_count; ++i) {
    for (int32_t k = 0; k < program->steps[i].subprogram_count; ++k)
      tern_program_destroy(program->steps[i].subprograms[k].program);
  }
  tern_os_mutex_deinit(&program->mutex);
  tern_arena_deinit(&program->arena);
  TERN_DELETE(program->allocator, program);
}
