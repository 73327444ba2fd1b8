// Reading and copying options.
#include "session/options.h"

#include <string.h>

const char *tern_session_options_get(const tern_session_options *options, const char *key) {
  for (size_t i = options->config_count; i > 0; --i) {
    if (strcmp(options->config[i - 1].key, key) == 0) return options->config[i - 1].value;
  }
  return NULL;
}

bool tern_session_options_is(const tern_session_options *options, const char *key,
                             const char *value) {
  const char *found = tern_session_options_get(options, key);
  return found && strcmp(found, value) == 0;
}

static tern_status *copy_text(tern_options_copy *copy, const char *text, const char **out_text) {
  return tern_arena_copy_text(&copy->arena, text, strlen(text), out_text);
}

static tern_status *copy_config(tern_options_copy *copy, const tern_session_options *from) {
  tern_metadata *config;
  TERN_TRY(TERN_ARENA_ARRAY(&copy->arena, from->config_count, &config));
  for (size_t i = 0; i < from->config_count; ++i) {
    TERN_TRY(copy_text(copy, from->config[i].key, &config[i].key));
    TERN_TRY(copy_text(copy, from->config[i].value, &config[i].value));
  }
  copy->options.config = config;
  return NULL;
}

static tern_status *copy_overrides(tern_options_copy *copy, const tern_session_options *from) {
  tern_dim_override *overrides;
  TERN_TRY(TERN_ARENA_ARRAY(&copy->arena, from->override_count, &overrides));
  for (size_t i = 0; i < from->override_count; ++i) {
    overrides[i] = from->overrides[i];
    TERN_TRY(copy_text(copy, from->overrides[i].name, &overrides[i].name));
  }
  copy->options.overrides = overrides;
  return NULL;
}

// The tensors' data outlives the session; the tensors themselves need not.
static tern_status *copy_initializers(tern_options_copy *copy, const tern_session_options *from) {
  const char **names;
  tern_value **values;
  tern_allocator *allocator = copy->arena.allocator;
  TERN_TRY(TERN_ARENA_ARRAY(&copy->arena, from->initializer_count, &names));
  TERN_TRY(TERN_ARENA_ARRAY(&copy->arena, from->initializer_count, &values));
  for (size_t i = 0; i < from->initializer_count; ++i) {
    const tern_value *given = from->initializer_values[i];
    TERN_TRY(copy_text(copy, from->initializer_names[i], &names[i]));
    TERN_TRY(TERN_ARRAY_RESERVE_ONE(allocator, &copy->values));
    TERN_TRY(tern_value_wrap_tensor(allocator, given->dtype, &given->shape, given->data,
                                    given->data_bytes, &values[i]));
    copy->values.data[copy->values.count++] = values[i];
  }
  copy->options.initializer_names = names;
  copy->options.initializer_values = values;
  return NULL;
}

tern_status *tern_options_copy_make(tern_allocator *allocator, const tern_session_options *options,
                                    tern_options_copy *out_copy) {
  *out_copy = (tern_options_copy){.options = *options};
  tern_session_options *to = &out_copy->options;
  tern_arena_init(allocator, &out_copy->arena);
  // The source has the files; a keeper keeps what loading packed.
  to->external_count = to->provider_count = 0;
  to->optimized_model_path = to->profile_prefix = NULL;
  to->packed_keeper = NULL;
  to->cancel = NULL;
  TERN_TRY(copy_config(out_copy, options));
  TERN_TRY(copy_overrides(out_copy, options));
  return copy_initializers(out_copy, options);
}

void tern_options_copy_deinit(tern_options_copy *copy) {
  tern_allocator *allocator = copy->arena.allocator;
  if (!allocator) return;
  for (size_t i = 0; i < copy->values.count; ++i) tern_value_release(copy->values.data[i]);
  TERN_ARRAY_FREE(allocator, &copy->values);
  tern_arena_deinit(&copy->arena);
}
