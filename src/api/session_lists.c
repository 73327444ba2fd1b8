// Session options: copies, lists, and choices of providers.
#include <string.h>

#include "api/env.h"
#include "api/session_options.h"

// ---- Lists. Each text is copied; values and buffers stay the caller's.

static tern_status *add_dim_override(OrtSessionOptions *options, const char *text, bool is_name,
                                     int64_t value) {
  tern_api_dim_override entry = {.is_name = is_name, .value = value};
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(tern_allocator_system(), &options->dim_overrides));
  TERN_TRY(tern_api_text_copy(text, &entry.text));
  options->dim_overrides.data[options->dim_overrides.count++] = entry;
  return NULL;
}

static tern_status *add_initializer(OrtSessionOptions *options, const char *name,
                                    const OrtValue *value, bool is_external) {
  if (!name || !*name || !value)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "an initializer needs a name and a value");
  for (size_t i = 0; i < options->initializers.count; ++i)
    if (strcmp(options->initializers.data[i].name, name) == 0)
      return TERN_ERROR(TERN_INVALID_ARGUMENT, "the initializer \"%s\" has been added", name);
  tern_api_initializer entry = {.value = value, .is_external = is_external};
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(tern_allocator_system(), &options->initializers));
  TERN_TRY(tern_api_text_copy(name, &entry.name));
  options->initializers.data[options->initializers.count++] = entry;
  return NULL;
}

static tern_status *add_memory_file(OrtSessionOptions *options, const char *name, char *data,
                                    size_t size) {
  if (!name || !*name || (!data && size))
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "a file in memory needs a name and bytes");
  tern_api_memory_file entry = {.data = data, .size = size};
  TERN_TRY(TERN_ARRAY_RESERVE_ONE(tern_allocator_system(), &options->memory_files));
  TERN_TRY(tern_api_text_copy(name, &entry.name));
  options->memory_files.data[options->memory_files.count++] = entry;
  return NULL;
}

static tern_status *add_domain(OrtSessionOptions *options, OrtCustomOpDomain *domain) {
  TERN_ARRAY_PUSH(tern_allocator_system(), &options->custom_op_domains, domain);
  return NULL;
}

OrtStatus *ort_AddFreeDimensionOverride(OrtSessionOptions *options, const char *dim_denotation,
                                        int64_t dim_value) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(dim_denotation);
  return tern_api_status(add_dim_override(options, dim_denotation, false, dim_value));
}

OrtStatus *ort_AddFreeDimensionOverrideByName(OrtSessionOptions *options, const char *dim_name,
                                              int64_t dim_value) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(dim_name);
  return tern_api_status(add_dim_override(options, dim_name, true, dim_value));
}

OrtStatus *ort_AddInitializer(OrtSessionOptions *options, const char *name, const OrtValue *val) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(name);
  TERN_API_REQUIRE(val);
  return tern_api_status(add_initializer(options, name, val, false));
}

OrtStatus *ort_AddExternalInitializers(OrtSessionOptions *options,
                                       const char *const *initializer_names,
                                       const OrtValue *const *initializers,
                                       size_t num_initializers) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(initializer_names);
  TERN_API_REQUIRE(initializers);
  for (size_t i = 0; i < num_initializers; ++i)
    TERN_API_TRY(add_initializer(options, initializer_names[i], initializers[i], true));
  return NULL;
}

OrtStatus *ort_AddExternalInitializersFromFilesInMemory(
    OrtSessionOptions *options, const ORTCHAR_T *const *external_initializer_file_names,
    char *const *external_initializer_file_buffer_array,
    const size_t *external_initializer_file_lengths, size_t num_external_initializer_files) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(external_initializer_file_names);
  TERN_API_REQUIRE(external_initializer_file_buffer_array);
  TERN_API_REQUIRE(external_initializer_file_lengths);
  for (size_t i = 0; i < num_external_initializer_files; ++i)
    TERN_API_TRY(add_memory_file(options, external_initializer_file_names[i],
                                 external_initializer_file_buffer_array[i],
                                 external_initializer_file_lengths[i]));
  return NULL;
}

// ---- Custom operators.

OrtStatus *ort_CreateCustomOpDomain(const char *domain, OrtCustomOpDomain **out) {
  TERN_API_REQUIRE(domain);
  TERN_API_REQUIRE(out);
  OrtCustomOpDomain *result;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &result));
  tern_status *status = tern_api_text_copy(domain, &result->name);
  if (status) {
    ort_ReleaseCustomOpDomain(result);
    return tern_api_status(status);
  }
  *out = result;
  return NULL;
}

void ort_ReleaseCustomOpDomain(OrtCustomOpDomain *input) {
  if (!input) return;
  tern_api_text_free(input->name);
  TERN_ARRAY_FREE(tern_allocator_system(), &input->ops);
  TERN_DELETE(tern_allocator_system(), input);
}

static tern_status *add_op(OrtCustomOpDomain *domain, const OrtCustomOp *op) {
  TERN_ARRAY_PUSH(tern_allocator_system(), &domain->ops, op);
  return NULL;
}

OrtStatus *ort_CustomOpDomain_Add(OrtCustomOpDomain *custom_op_domain, const OrtCustomOp *op) {
  TERN_API_REQUIRE(custom_op_domain);
  TERN_API_REQUIRE(op);
  return tern_api_status(add_op(custom_op_domain, op));
}

OrtStatus *ort_AddCustomOpDomain(OrtSessionOptions *options, OrtCustomOpDomain *custom_op_domain) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(custom_op_domain);
  return tern_api_status(add_domain(options, custom_op_domain));
}

// ---- Copies.

// Clears what `options`, a bytewise copy, shares with its original.
static void forget_owned(OrtSessionOptions *options) {
  options->log_id = options->profile_prefix = options->optimized_model_path = NULL;
  options->config = (OrtKeyValuePairs){0};
  memset(&options->dim_overrides, 0, sizeof options->dim_overrides);
  memset(&options->initializers, 0, sizeof options->initializers);
  memset(&options->memory_files, 0, sizeof options->memory_files);
  memset(&options->custom_op_domains, 0, sizeof options->custom_op_domains);
}

static tern_status *copy_lists(const OrtSessionOptions *in, OrtSessionOptions *out) {
  for (size_t i = 0; i < in->dim_overrides.count; ++i) {
    const tern_api_dim_override *entry = &in->dim_overrides.data[i];
    TERN_TRY(add_dim_override(out, entry->text, entry->is_name, entry->value));
  }
  for (size_t i = 0; i < in->initializers.count; ++i) {
    const tern_api_initializer *entry = &in->initializers.data[i];
    TERN_TRY(add_initializer(out, entry->name, entry->value, entry->is_external));
  }
  for (size_t i = 0; i < in->memory_files.count; ++i) {
    const tern_api_memory_file *entry = &in->memory_files.data[i];
    TERN_TRY(add_memory_file(out, entry->name, entry->data, entry->size));
  }
  for (size_t i = 0; i < in->custom_op_domains.count; ++i)
    TERN_TRY(add_domain(out, in->custom_op_domains.data[i]));
  return NULL;
}

static tern_status *copy_owned(const OrtSessionOptions *in, OrtSessionOptions *out) {
  TERN_TRY(tern_api_text_copy(in->log_id, &out->log_id));
  TERN_TRY(tern_api_text_copy(in->profile_prefix, &out->profile_prefix));
  TERN_TRY(tern_api_text_copy(in->optimized_model_path, &out->optimized_model_path));
  TERN_TRY(tern_api_pairs_copy(&in->config, &out->config));
  return copy_lists(in, out);
}

OrtStatus *ort_CloneSessionOptions(const OrtSessionOptions *in_options,
                                   OrtSessionOptions **out_options) {
  TERN_API_REQUIRE(in_options);
  TERN_API_REQUIRE(out_options);
  OrtSessionOptions *copy;
  TERN_API_TRY(TERN_NEW(tern_allocator_system(), &copy));
  memcpy(copy, in_options, sizeof *copy);
  forget_owned(copy);
  tern_status *status = copy_owned(in_options, copy);
  if (status) {
    ort_ReleaseSessionOptions(copy);
    return tern_api_status(status);
  }
  *out_options = copy;
  return NULL;
}

// ---- Providers.

static tern_status *absent_provider(const char *name) {
  return TERN_ERROR(TERN_NOT_IMPLEMENTED, "the %s execution provider is not part of this build",
                    name);
}

// The CPU provider serves every session; naming it changes nothing.
OrtStatus *ort_SessionOptionsAppendExecutionProvider(OrtSessionOptions *options,
                                                     const char *provider_name,
                                                     const char *const *provider_options_keys,
                                                     const char *const *provider_options_values,
                                                     size_t num_keys) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(provider_name);
  if (num_keys) TERN_API_REQUIRE(provider_options_keys);
  if (num_keys) TERN_API_REQUIRE(provider_options_values);
  bool is_cpu =
      strcmp(provider_name, "CPU") == 0 || strcmp(provider_name, tern_api_cpu_device()->name) == 0;
  return is_cpu ? NULL : tern_api_status(absent_provider(provider_name));
}

OrtStatus *ort_SessionOptionsAppendExecutionProvider_V2(
    OrtSessionOptions *session_options, OrtEnv *env, const OrtEpDevice *const *ep_devices,
    size_t num_ep_devices, const char *const *ep_option_keys, const char *const *ep_option_vals,
    size_t num_ep_options) {
  TERN_API_REQUIRE(session_options);
  TERN_API_REQUIRE(env);
  TERN_API_REQUIRE(ep_devices);
  if (num_ep_options) TERN_API_REQUIRE(ep_option_keys);
  if (num_ep_options) TERN_API_REQUIRE(ep_option_vals);
  if (num_ep_devices == 0)
    return tern_api_status(TERN_ERROR(TERN_INVALID_ARGUMENT, "there is no device"));
  for (size_t i = 0; i < num_ep_devices; ++i)
    if (ep_devices[i] != tern_api_cpu_device())
      return tern_api_status(
          TERN_ERROR(TERN_INVALID_ARGUMENT, "device %zu is not of this environment", i));
  return NULL;
}

OrtStatus *ort_SessionOptionsSetEpSelectionPolicy(OrtSessionOptions *session_options,
                                                  OrtExecutionProviderDevicePolicy policy) {
  TERN_API_REQUIRE(session_options);
  session_options->ep_policy = policy;
  session_options->ep_delegate = NULL;
  return NULL;
}

OrtStatus *ort_SessionOptionsSetEpSelectionPolicyDelegate(OrtSessionOptions *session_options,
                                                          EpSelectionDelegate delegate,
                                                          void *delegate_state) {
  TERN_API_REQUIRE(session_options);
  TERN_API_REQUIRE(delegate);
  session_options->ep_delegate = delegate;
  session_options->ep_delegate_state = delegate_state;
  return NULL;
}

OrtStatus *ort_SessionOptionsSetWeightlessSourceModelBuffer(OrtSessionOptions *options,
                                                            const void *source_model_data,
                                                            size_t source_model_data_length) {
  TERN_API_REQUIRE(options);
  TERN_API_REQUIRE(source_model_data);
  options->weightless_source = source_model_data;
  options->weightless_source_bytes = source_model_data_length;
  return NULL;
}

OrtStatus *
ort_ep_SessionOptionsGetWeightlessSourceModelBuffer(const OrtSessionOptions *session_options,
                                                    const void **source_model_data,
                                                    size_t *source_model_data_length) {
  TERN_API_REQUIRE(session_options);
  TERN_API_REQUIRE(source_model_data);
  TERN_API_REQUIRE(source_model_data_length);
  *source_model_data = session_options->weightless_source;
  *source_model_data_length = session_options->weightless_source_bytes;
  return NULL;
}
