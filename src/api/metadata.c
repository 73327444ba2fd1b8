// Model metadata: a copy of what the model says of itself, which may outlive the session.
#include "api/pairs.h"
#include "api/session.h"

struct OrtModelMetadata {
  char *producer_name, *graph_name, *domain, *description, *graph_description; // never NULL
  int64_t version;
  OrtKeyValuePairs custom;
};

static tern_status *copy(const char *text, char **out_text) {
  return tern_api_text_copy(text ? text : "", out_text);
}

static tern_status *fill(const tern_model *model, OrtModelMetadata *metadata) {
  TERN_TRY(copy(model->producer_name, &metadata->producer_name));
  TERN_TRY(copy(model->graph->name, &metadata->graph_name));
  TERN_TRY(copy(model->domain, &metadata->domain));
  TERN_TRY(copy(model->doc, &metadata->description));
  TERN_TRY(copy(model->graph->doc, &metadata->graph_description));
  metadata->version = model->model_version;
  for (size_t i = 0; i < model->metadata.count; ++i)
    TERN_TRY(tern_api_pairs_set(&metadata->custom, model->metadata.data[i].key,
                                model->metadata.data[i].value));
  return NULL;
}

OrtStatus *ort_SessionGetModelMetadata(const OrtSession *session, OrtModelMetadata **out) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(out);
  OrtModelMetadata *metadata;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &metadata));
  tern_status *status = fill(tern_session_model(session->session), metadata);
  if (status) {
    ort_ReleaseModelMetadata(metadata);
    return tern_api_status(status);
  }
  *out = metadata;
  return NULL;
}

void ort_ReleaseModelMetadata(OrtModelMetadata *input) {
  if (!input) return;
  tern_api_text_free(input->producer_name);
  tern_api_text_free(input->graph_name);
  tern_api_text_free(input->domain);
  tern_api_text_free(input->description);
  tern_api_text_free(input->graph_description);
  tern_api_pairs_deinit(&input->custom);
  TERN_DELETE(tern_allocator_system(), input);
}

#define GETTER(function, field)                                                                    \
  OrtStatus *function(const OrtModelMetadata *model_metadata, OrtAllocator *allocator,             \
                      char **value) {                                                              \
    TERN_API_REQUIRE(model_metadata);                                                              \
    TERN_API_REQUIRE(allocator);                                                                   \
    TERN_API_REQUIRE(value);                                                                       \
    return tern_api_status(tern_api_text_give(model_metadata->field, allocator, value));           \
  }
GETTER(ort_ModelMetadataGetProducerName, producer_name)
GETTER(ort_ModelMetadataGetGraphName, graph_name)
GETTER(ort_ModelMetadataGetDomain, domain)
GETTER(ort_ModelMetadataGetDescription, description)
GETTER(ort_ModelMetadataGetGraphDescription, graph_description)
#undef GETTER

OrtStatus *ort_ModelMetadataGetVersion(const OrtModelMetadata *model_metadata, int64_t *value) {
  TERN_API_REQUIRE(model_metadata);
  TERN_API_REQUIRE(value);
  *value = model_metadata->version;
  return NULL;
}

OrtStatus *ort_ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata *model_metadata,
                                                    OrtAllocator *allocator, const char *key,
                                                    char **value) {
  TERN_API_REQUIRE(model_metadata);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(key);
  TERN_API_REQUIRE(value);
  const char *found = tern_api_pairs_get(&model_metadata->custom, key);
  if (found) return tern_api_status(tern_api_text_give(found, allocator, value));
  *value = NULL;
  return NULL;
}

OrtStatus *ort_ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata *model_metadata,
                                                     OrtAllocator *allocator, char ***keys,
                                                     int64_t *num_keys) {
  TERN_API_REQUIRE(model_metadata);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(keys);
  TERN_API_REQUIRE(num_keys);
  size_t count = model_metadata->custom.count;
  char **list = NULL;
  if (count > 0) {
    list = allocator->Alloc(allocator, count * sizeof *list);
    if (!list) return tern_api_status(tern_status_out_of_memory());
  }
  for (size_t i = 0; i < count; ++i) {
    tern_status *status = tern_api_text_give(model_metadata->custom.keys[i], allocator, &list[i]);
    if (!status) continue;
    while (i > 0) allocator->Free(allocator, list[--i]);
    allocator->Free(allocator, list);
    return tern_api_status(status);
  }
  *keys = list;
  *num_keys = (int64_t)count;
  return NULL;
}
