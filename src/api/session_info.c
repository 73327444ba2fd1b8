// What callers ask of a session: inputs, outputs, memory, devices, profile, who runs which node.
#include "api/session.h"

#include <string.h>

#include "api/type_info.h"

tern_status *tern_api_text_give(const char *text, OrtAllocator *allocator, char **out_text) {
  size_t size = strlen(text) + 1;
  char *copy = allocator->Alloc(allocator, size);
  if (!copy) return tern_status_out_of_memory();
  memcpy(copy, text, size);
  *out_text = copy;
  return NULL;
}

// ---- Inputs, outputs, overridable initializers: three lists, read alike.

typedef struct interface_list {
  const char *what;
  size_t (*count)(const tern_session *session);
  const tern_edge *(*get)(const tern_session *session, size_t index);
} interface_list;

static const interface_list inputs = {"input", tern_session_input_count, tern_session_input};
static const interface_list outputs = {"output", tern_session_output_count, tern_session_output};
static const interface_list overridables = {
    "overridable initializer", tern_session_overridable_count, tern_session_overridable};

static OrtStatus *get_count(const interface_list *list, const OrtSession *session, size_t *out) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(out);
  *out = list->count(session->session);
  return NULL;
}

static tern_status *find(const interface_list *list, const OrtSession *session, size_t index,
                         const tern_edge **out_edge) {
  size_t count = list->count(session->session);
  if (index >= count)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "%s %zu: the model has %zu", list->what, index, count);
  *out_edge = list->get(session->session, index);
  return NULL;
}

static OrtStatus *get_name(const interface_list *list, const OrtSession *session, size_t index,
                           OrtAllocator *allocator, char **value) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(value);
  const tern_edge *edge;
  TERN_API_TRY(find(list, session, index, &edge));
  return tern_api_status(tern_api_text_give(edge->name, allocator, value));
}

static const char *symbol_name(const void *context, tern_dim symbol) {
  const char *name = tern_model_symbol_name(context, symbol);
  return name[0] ? name : NULL;
}

static OrtStatus *get_type(const interface_list *list, const OrtSession *session, size_t index,
                           OrtTypeInfo **type_info) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(type_info);
  const tern_edge *edge;
  TERN_API_TRY(find(list, session, index, &edge));
  return tern_api_status(tern_api_type_info_create(
      &edge->type, symbol_name, tern_session_model(session->session), type_info));
}

OrtStatus *ort_SessionGetInputCount(const OrtSession *session, size_t *out) {
  return get_count(&inputs, session, out);
}

OrtStatus *ort_SessionGetOutputCount(const OrtSession *session, size_t *out) {
  return get_count(&outputs, session, out);
}

OrtStatus *ort_SessionGetOverridableInitializerCount(const OrtSession *session, size_t *out) {
  return get_count(&overridables, session, out);
}

OrtStatus *ort_SessionGetInputTypeInfo(const OrtSession *session, size_t index,
                                       OrtTypeInfo **type_info) {
  return get_type(&inputs, session, index, type_info);
}

OrtStatus *ort_SessionGetOutputTypeInfo(const OrtSession *session, size_t index,
                                        OrtTypeInfo **type_info) {
  return get_type(&outputs, session, index, type_info);
}

OrtStatus *ort_SessionGetOverridableInitializerTypeInfo(const OrtSession *session, size_t index,
                                                        OrtTypeInfo **type_info) {
  return get_type(&overridables, session, index, type_info);
}

OrtStatus *ort_SessionGetInputName(const OrtSession *session, size_t index, OrtAllocator *allocator,
                                   char **value) {
  return get_name(&inputs, session, index, allocator, value);
}

OrtStatus *ort_SessionGetOutputName(const OrtSession *session, size_t index,
                                    OrtAllocator *allocator, char **value) {
  return get_name(&outputs, session, index, allocator, value);
}

OrtStatus *ort_SessionGetOverridableInitializerName(const OrtSession *session, size_t index,
                                                    OrtAllocator *allocator, char **value) {
  return get_name(&overridables, session, index, allocator, value);
}

// ---- Memory and devices: everything is the CPU's.

static tern_status *check_room(const interface_list *list, const OrtSession *session, size_t room) {
  size_t count = list->count(session->session);
  return room == count ? NULL
                       : TERN_ERROR(TERN_INVALID_ARGUMENT, "room for %zu %ss: the model has %zu",
                                    room, list->what, count);
}

static OrtStatus *get_memory(const interface_list *list, const OrtSession *session,
                             const OrtMemoryInfo **infos, size_t count) {
  TERN_API_REQUIRE(session);
  TERN_API_TRY(check_room(list, session, count));
  if (count > 0) TERN_API_REQUIRE(infos);
  for (size_t i = 0; i < count; ++i) infos[i] = tern_api_cpu_memory_info();
  return NULL;
}

static OrtStatus *get_devices(const interface_list *list, const OrtSession *session,
                              const OrtEpDevice **devices, size_t count) {
  TERN_API_REQUIRE(session);
  TERN_API_TRY(check_room(list, session, count));
  if (count > 0) TERN_API_REQUIRE(devices);
  for (size_t i = 0; i < count; ++i) devices[i] = tern_api_cpu_device();
  return NULL;
}

OrtStatus *ort_SessionGetMemoryInfoForInputs(const OrtSession *session,
                                             const OrtMemoryInfo **inputs_memory_info,
                                             size_t num_inputs) {
  return get_memory(&inputs, session, inputs_memory_info, num_inputs);
}

OrtStatus *ort_SessionGetMemoryInfoForOutputs(const OrtSession *session,
                                              const OrtMemoryInfo **outputs_memory_info,
                                              size_t num_outputs) {
  return get_memory(&outputs, session, outputs_memory_info, num_outputs);
}

OrtStatus *ort_SessionGetEpDeviceForInputs(const OrtSession *session,
                                           const OrtEpDevice **inputs_ep_devices,
                                           size_t num_inputs) {
  return get_devices(&inputs, session, inputs_ep_devices, num_inputs);
}

OrtStatus *ort_SessionGetEpDeviceForOutputs(const OrtSession *session,
                                            const OrtEpDevice **outputs_ep_devices,
                                            size_t num_outputs) {
  return get_devices(&outputs, session, outputs_ep_devices, num_outputs);
}

// ---- Profile.

OrtStatus *ort_SessionEndProfiling(OrtSession *session, OrtAllocator *allocator, char **out) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(out);
  tern_profiler *profiler = tern_session_profiler(session->session);
  const char *path = "";
  if (profiler) TERN_API_TRY(tern_profiler_end(profiler, &path));
  return tern_api_status(tern_api_text_give(path, allocator, out));
}

OrtStatus *ort_SessionGetProfilingStartTimeNs(const OrtSession *session, uint64_t *out) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(out);
  const tern_profiler *profiler = tern_session_profiler(session->session);
  *out = profiler ? (uint64_t)tern_profiler_start_ns(profiler) : 0;
  return NULL;
}

// ---- Who runs which node.

OrtStatus *ort_Session_GetEpGraphAssignmentInfo(const OrtSession *session,
                                                const OrtEpAssignedSubgraph *const **ep_subgraphs,
                                                size_t *num_ep_subgraphs) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(ep_subgraphs);
  TERN_API_REQUIRE(num_ep_subgraphs);
  if (!session->records_assignment)
    return tern_api_status(TERN_ERROR(TERN_FAIL, "the session was created without the config entry "
                                                 "session.record_ep_graph_assignment_info"));
  *ep_subgraphs = session->subgraph_list;
  *num_ep_subgraphs = session->subgraph_count;
  return NULL;
}

OrtStatus *ort_EpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph *ep_subgraph,
                                            const char **out) {
  TERN_API_REQUIRE(ep_subgraph);
  TERN_API_REQUIRE(out);
  *out = ep_subgraph->provider;
  return NULL;
}

OrtStatus *ort_EpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph *ep_subgraph,
                                           const OrtEpAssignedNode *const **ep_nodes,
                                           size_t *num_ep_nodes) {
  TERN_API_REQUIRE(ep_subgraph);
  TERN_API_REQUIRE(ep_nodes);
  TERN_API_REQUIRE(num_ep_nodes);
  *ep_nodes = ep_subgraph->nodes;
  *num_ep_nodes = TERN_COUNT_OF(ep_subgraph->nodes);
  return NULL;
}

static OrtStatus *get_node_text(const OrtEpAssignedNode *ep_node, const char *text,
                                const char **out) {
  TERN_API_REQUIRE(ep_node);
  TERN_API_REQUIRE(out);
  *out = text ? text : "";
  return NULL;
}

OrtStatus *ort_EpAssignedNode_GetName(const OrtEpAssignedNode *ep_node, const char **out) {
  return get_node_text(ep_node, ep_node ? ep_node->name : NULL, out);
}

OrtStatus *ort_EpAssignedNode_GetDomain(const OrtEpAssignedNode *ep_node, const char **out) {
  return get_node_text(ep_node, ep_node ? ep_node->domain : NULL, out);
}

OrtStatus *ort_EpAssignedNode_GetOperatorType(const OrtEpAssignedNode *ep_node, const char **out) {
  return get_node_text(ep_node, ep_node ? ep_node->operator_type : NULL, out);
}
