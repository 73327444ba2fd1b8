// Inputs and outputs bound ahead of runs. A binding holds references to the values it was given,
// and to the outputs of the latest run. An output bound to a device gets a new value in each run;
// those of earlier runs stay what they were for whoever holds them.
#include "api/run.h"

#include <string.h>

#include "api/value.h"

typedef struct bound {
  char *name;
  tern_value *value; // a reference; NULL: an output that no run has made yet
  bool is_given;     // outputs: the caller's value, filled in place
} bound;

typedef struct bound_list {
  TERN_ARRAY(bound) items;
} bound_list;

struct OrtIoBinding {
  OrtSession *session;
  bound_list inputs, outputs;
};

static void clear(bound_list *list) {
  for (size_t i = 0; i < list->items.count; ++i) {
    tern_api_text_free(list->items.data[i].name);
    tern_value_release(list->items.data[i].value);
  }
  list->items.count = 0;
}

// Binds `name`, again or for the first time.
static tern_status *bind(bound_list *list, const char *name, const OrtValue *value) {
  size_t at = 0;
  while (at < list->items.count && strcmp(list->items.data[at].name, name) != 0) ++at;
  if (at == list->items.count) {
    bound added = {0};
    TERN_TRY(TERN_ARRAY_RESERVE_ONE(tern_allocator_system(), &list->items));
    TERN_TRY(tern_api_text_copy(name, &added.name));
    list->items.data[list->items.count++] = added;
  }
  bound *entry = &list->items.data[at];
  tern_value_release(entry->value);
  entry->value = value ? tern_value_retain((tern_value *)(uintptr_t)value) : NULL;
  entry->is_given = value != NULL;
  return NULL;
}

static bool has_input(const tern_session *session, const char *name) {
  for (size_t i = 0; i < tern_session_input_count(session); ++i)
    if (strcmp(tern_session_input(session, i)->name, name) == 0) return true;
  for (size_t i = 0; i < tern_session_overridable_count(session); ++i)
    if (strcmp(tern_session_overridable(session, i)->name, name) == 0) return true;
  return false;
}

static bool has_output(const tern_session *session, const char *name) {
  for (size_t i = 0; i < tern_session_output_count(session); ++i)
    if (strcmp(tern_session_output(session, i)->name, name) == 0) return true;
  return false;
}

OrtStatus *ort_CreateIoBinding(OrtSession *session, OrtIoBinding **out) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(out);
  OrtIoBinding *binding;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &binding));
  binding->session = session;
  *out = binding;
  return NULL;
}

void ort_ReleaseIoBinding(OrtIoBinding *input) {
  if (!input) return;
  clear(&input->inputs);
  clear(&input->outputs);
  TERN_ARRAY_FREE(tern_allocator_system(), &input->inputs.items);
  TERN_ARRAY_FREE(tern_allocator_system(), &input->outputs.items);
  TERN_DELETE(tern_allocator_system(), input);
}

OrtStatus *ort_BindInput(OrtIoBinding *binding_ptr, const char *name, const OrtValue *val_ptr) {
  TERN_API_REQUIRE(binding_ptr);
  TERN_API_REQUIRE(name);
  TERN_API_REQUIRE(val_ptr);
  if (!has_input(binding_ptr->session->session, name))
    return tern_api_status(
        TERN_ERROR(TERN_INVALID_ARGUMENT, "BindInput: the model has no input '%s'", name));
  return tern_api_status(bind(&binding_ptr->inputs, name, val_ptr));
}

static tern_status *bind_output(OrtIoBinding *binding, const char *name, const OrtValue *value) {
  if (!has_output(binding->session->session, name))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "BindOutput: the model has no output '%s'", name);
  return bind(&binding->outputs, name, value);
}

OrtStatus *ort_BindOutput(OrtIoBinding *binding_ptr, const char *name, const OrtValue *val_ptr) {
  TERN_API_REQUIRE(binding_ptr);
  TERN_API_REQUIRE(name);
  TERN_API_REQUIRE(val_ptr);
  return tern_api_status(bind_output(binding_ptr, name, val_ptr));
}

OrtStatus *ort_BindOutputToDevice(OrtIoBinding *binding_ptr, const char *name,
                                  const OrtMemoryInfo *mem_info_ptr) {
  TERN_API_REQUIRE(binding_ptr);
  TERN_API_REQUIRE(name);
  TERN_API_REQUIRE(mem_info_ptr);
  TERN_API_TRY(tern_api_memory_check(mem_info_ptr));
  return tern_api_status(bind_output(binding_ptr, name, NULL));
}

void ort_ClearBoundInputs(OrtIoBinding *binding_ptr) {
  if (binding_ptr) clear(&binding_ptr->inputs);
}

void ort_ClearBoundOutputs(OrtIoBinding *binding_ptr) {
  if (binding_ptr) clear(&binding_ptr->outputs);
}

// Nothing runs behind the caller's back: values are ready when a run returns.
OrtStatus *ort_SynchronizeBoundInputs(OrtIoBinding *binding_ptr) {
  TERN_API_REQUIRE(binding_ptr);
  return NULL;
}

OrtStatus *ort_SynchronizeBoundOutputs(OrtIoBinding *binding_ptr) {
  TERN_API_REQUIRE(binding_ptr);
  return NULL;
}

// ---- What is bound.

OrtStatus *ort_GetBoundOutputNames(const OrtIoBinding *binding_ptr, OrtAllocator *allocator,
                                   char **buffer, size_t **lengths, size_t *count) {
  TERN_API_REQUIRE(binding_ptr);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(buffer);
  TERN_API_REQUIRE(lengths);
  TERN_API_REQUIRE(count);
  const bound_list *list = &binding_ptr->outputs;
  size_t bytes = 0, number = list->items.count, at = 0;
  for (size_t i = 0; i < number; ++i) bytes += strlen(list->items.data[i].name);
  char *names = NULL;
  size_t *sizes = NULL;
  if (number > 0) {
    names = allocator->Alloc(allocator, bytes + 1);
    sizes = allocator->Alloc(allocator, number * sizeof *sizes);
    if (!names || !sizes) {
      if (names) allocator->Free(allocator, names);
      if (sizes) allocator->Free(allocator, sizes);
      return tern_api_status(tern_status_out_of_memory());
    }
  }
  for (size_t i = 0; i < number; ++i) {
    sizes[i] = strlen(list->items.data[i].name);
    memcpy(names + at, list->items.data[i].name, sizes[i]);
    at += sizes[i];
  }
  *buffer = names;
  *lengths = sizes;
  *count = number;
  return NULL;
}

OrtStatus *ort_GetBoundOutputValues(const OrtIoBinding *binding_ptr, OrtAllocator *allocator,
                                    OrtValue ***output, size_t *output_count) {
  TERN_API_REQUIRE(binding_ptr);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(output);
  TERN_API_REQUIRE(output_count);
  const bound_list *list = &binding_ptr->outputs;
  size_t number = list->items.count;
  for (size_t i = 0; i < number; ++i)
    if (!list->items.data[i].value)
      return tern_api_status(TERN_ERROR(TERN_FAIL,
                                        "GetBoundOutputValues: no run has made output '%s' yet",
                                        list->items.data[i].name));
  OrtValue **values = NULL;
  if (number > 0) {
    values = allocator->Alloc(allocator, number * sizeof *values);
    if (!values) return tern_api_status(tern_status_out_of_memory());
  }
  for (size_t i = 0; i < number; ++i)
    values[i] = tern_api_value(tern_value_retain(list->items.data[i].value));
  *output = values;
  *output_count = number;
  return NULL;
}

// ---- Runs.

// The arrays of one run, filled from what is bound.
typedef struct run_arrays {
  const char **names;  // of inputs, then of outputs
  tern_value **values; // likewise
  size_t count;
} run_arrays;

static void fill(const OrtIoBinding *binding, run_arrays *out_arrays) {
  size_t inputs = binding->inputs.items.count;
  for (size_t i = 0; i < inputs; ++i) {
    out_arrays->names[i] = binding->inputs.items.data[i].name;
    out_arrays->values[i] = binding->inputs.items.data[i].value;
  }
  for (size_t i = inputs; i < out_arrays->count; ++i) {
    const bound *entry = &binding->outputs.items.data[i - inputs];
    out_arrays->names[i] = entry->name;
    out_arrays->values[i] = entry->is_given ? entry->value : NULL;
  }
}

static tern_status *run_bound(OrtSession *session, const OrtRunOptions *run_options,
                              OrtIoBinding *binding, run_arrays *arrays) {
  size_t inputs = binding->inputs.items.count, outputs = binding->outputs.items.count;
  fill(binding, arrays);
  const tern_api_run run = {.input_names = arrays->names,
                            .inputs = (const tern_value *const *)arrays->values,
                            .input_count = inputs,
                            .output_names = arrays->names + inputs,
                            .outputs = arrays->values + inputs,
                            .output_count = outputs};
  TERN_TRY(tern_api_run_session(session, run_options, &run));
  for (size_t i = 0; i < outputs; ++i) {
    bound *entry = &binding->outputs.items.data[i];
    if (entry->is_given) continue;
    tern_value_release(entry->value);
    entry->value = run.outputs[i];
  }
  return NULL;
}

OrtStatus *ort_RunWithBinding(OrtSession *session, const OrtRunOptions *run_options,
                              const OrtIoBinding *binding_ptr) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(binding_ptr);
  if (binding_ptr->session != session)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT,
                                      "RunWithBinding: the binding belongs to another session"));
  if (binding_ptr->outputs.items.count == 0)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "RunWithBinding: no output is bound"));
  OrtIoBinding *binding = (OrtIoBinding *)(uintptr_t)binding_ptr;
  run_arrays arrays = {.count = binding->inputs.items.count + binding->outputs.items.count};
  tern_allocator *allocator = tern_allocator_system();
  TERN_API_TRY(
      tern_allocator_calloc(allocator, arrays.count, sizeof *arrays.names, (void **)&arrays.names));
  tern_status *status = tern_allocator_calloc(allocator, arrays.count, sizeof *arrays.values,
                                              (void **)&arrays.values);
  if (!status) status = run_bound(session, run_options, binding, &arrays);
  tern_allocator_free(allocator, arrays.names, arrays.count * sizeof *arrays.names);
  tern_allocator_free(allocator, arrays.values, arrays.count * sizeof *arrays.values);
  return tern_api_status(status);
}
