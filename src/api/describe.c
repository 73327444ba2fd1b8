// What sessions and the library itself say of themselves, as JSON.
#include "api/describe.h"

#include "api/session.h"
#include "base/cpu.h"
#include "compute/leaves.h"

// Hands `text` over in the caller's memory.
static OrtStatus *give(tern_status *status, tern_text *text, OrtAllocator *allocator, char **out) {
  if (!status) status = tern_text_check(text);
  if (!status) status = tern_api_text_give(text->data, allocator, out);
  tern_text_deinit(text);
  return tern_api_status(status);
}

OrtStatus *tern_api_describe_session(const OrtSession *session, OrtAllocator *allocator,
                                     char **out_json) {
  TERN_API_REQUIRE(session);
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(out_json);
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  return give(tern_session_describe(session->session, &text), &text, allocator, out_json);
}

// ---- The library.

// A list under way, and whether its next item is the first.
typedef struct json_list {
  tern_text *text;
  bool has_items;
} json_list;

static void put_item(json_list *list, const char *item) {
  if (list->has_items) tern_text_append(list->text, ",", 1);
  tern_text_json_string(list->text, item);
  list->has_items = true;
}

static void put_kernel(void *context, const char *name, const char *description) {
  json_list *list = context;
  tern_text_printf(list->text, "%s{\"name\":", list->has_items ? "," : "");
  tern_text_json_string(list->text, name);
  tern_text_printf(list->text, ",\"description\":");
  tern_text_json_string(list->text, description);
  tern_text_printf(list->text, "}");
  list->has_items = true;
}

static void put_isas(tern_text *text) {
  json_list isas = {.text = text};
  tern_text_printf(text, ",\"isas\":[");
  for (int isa = 0; isa < TERN_ISA_COUNT; ++isa)
    if (tern_leaves_for((tern_cpu_isa)isa)) put_item(&isas, tern_cpu_isa_name((tern_cpu_isa)isa));
  tern_text_printf(text, "]");
}

static void put_features(tern_text *text) {
  json_list features = {.text = text};
  tern_text_printf(text, ",\"features\":[");
  for (int i = 0; i < TERN_CPU_FEATURE_COUNT; ++i)
    if (tern_cpu_has_feature((tern_cpu_feature)i))
      put_item(&features, tern_cpu_feature_name((tern_cpu_feature)i));
  tern_text_printf(text, "]");
}

OrtStatus *tern_api_describe_runtime(OrtAllocator *allocator, char **out_json) {
  TERN_API_REQUIRE(allocator);
  TERN_API_REQUIRE(out_json);
  const tern_leaves *leaves = tern_leaves_selected();
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  tern_text_printf(&text, "{\"version\":\"%s\",\"isa\":\"%s\"", TERN_VERSION,
                   tern_cpu_isa_name(leaves->isa));
  put_isas(&text);
  put_features(&text);
  json_list kernels = {.text = &text};
  tern_text_printf(&text, ",\"kernels\":[");
  tern_leaves_list(leaves, put_kernel, &kernels);
  tern_text_printf(&text, "]}");
  return give(NULL, &text, allocator, out_json);
}
