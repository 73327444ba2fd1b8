// Tern's own account of a session and of itself, fetched and set out for people.
#include "describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

// Parses and frees what the library gave.
static cli_status *take(OrtAllocator *allocator, char *text, cli_json **out_json) {
  cli_status *status = cli_json_read(text, out_json);
  allocator->Free(allocator, text);
  return cli_fail_in(status, "what the library says of itself");
}

cli_status *cli_describe_session(const cli_model *model, cli_json **out_json) {
  const cli_lib *lib = model->lib;
  OrtAllocator *allocator;
  char *text;
  *out_json = NULL;
  if (!lib->tern || !cli_json_is_available()) return NULL;
  CLI_TRY(cli_ort(lib, lib->ort->GetAllocatorWithDefaultOptions(&allocator)));
  CLI_TRY(cli_ort(lib, lib->tern->DescribeSession(model->session, allocator, &text)));
  return take(allocator, text, out_json);
}

cli_status *cli_describe_runtime(const cli_lib *lib, cli_json **out_json) {
  OrtAllocator *allocator;
  char *text;
  *out_json = NULL;
  if (!lib->tern || !cli_json_is_available()) return NULL;
  CLI_TRY(cli_ort(lib, lib->ort->GetAllocatorWithDefaultOptions(&allocator)));
  CLI_TRY(cli_ort(lib, lib->tern->DescribeRuntime(allocator, &text)));
  return take(allocator, text, out_json);
}

// ---- A session.

static const char *flops_text(cli_arena *arena, double flops) {
  if (flops < 1e3) return cli_print(arena, "%.0f FLOP", flops);
  if (flops < 1e6) return cli_print(arena, "%.1f kFLOP", flops / 1e3);
  if (flops < 1e9) return cli_print(arena, "%.1f MFLOP", flops / 1e6);
  return cli_print(arena, "%.2f GFLOP", flops / 1e9);
}

// "ai.onnx.ml.Scaler"; the standard's own domain is left out.
static const char *op_text(cli_arena *arena, const cli_json *node) {
  const char *domain = cli_json_text_in(node, "domain"), *op = cli_json_text_in(node, "op");
  return domain[0] ? cli_print(arena, "%s.%s", domain, op) : op;
}

static void print_opsets(const cli_json *session) {
  const cli_json *opsets = cli_json_get(session, "opsets");
  printf("IR version: %.0f\nopsets:", cli_json_number_in(session, "ir_version"));
  for (size_t i = 0; i < cli_json_count(opsets); i++) {
    const cli_json *opset = cli_json_at(opsets, i);
    const char *domain = cli_json_text_in(opset, "domain");
    printf("%s %s %.0f", i ? "," : "", domain[0] ? domain : "ai.onnx",
           cli_json_number_in(opset, "version"));
  }
  printf("\n");
}

static void print_sums(cli_arena *arena, const cli_json *session, const char *ran) {
  double flops = cli_json_number_in(session, "flops");
  bool is_complete = cli_json_is_true_in(session, "flops_complete");
  printf("parameters: %.0f (%s)\n", cli_json_number_in(session, "parameters"),
         cli_bytes_text(arena, cli_json_number_in(session, "parameter_bytes")));
  printf("operations: %s%s", is_complete ? "" : "at least ", flops_text(arena, flops));
  if (!is_complete)
    printf(" (%s)", ran ? "some sizes are known only within the run"
                        : "sizes are open; --dim gives them, --memory runs with 1");
  printf("\n");
  if (ran) printf("run on: %s\n", ran);
}

// One line of bytes, unless there are none.
static void print_bytes(cli_arena *arena, const char *name, const cli_json *memory, const char *key,
                        const char *note) {
  double bytes = cli_json_number_in(memory, key);
  if (bytes > 0) printf("  %-26s%12s%s\n", name, cli_bytes_text(arena, bytes), note);
}

static void print_memory(cli_arena *arena, const cli_json *session, bool has_run) {
  static const struct {
    const char *key, *name, *note;
  } uses[] = {
      {"model", "graph", ""},
      {"source", "bytes of the model", ", copied"},
      {"weights", "weights", ""},
      {"packed", "packed weights", ""},
      {"kernels", "tables of kernels", ""},
      {"program", "steps", ""},
      {"plans", "plans", ""},
      {"profile", "profile", ""},
      {"frames", "frames of past runs", ", with the kernels' scratch"},
      {"values", "values", " that callers hold"},
  };
  const cli_json *memory = cli_json_get(session, "memory"), *held = cli_json_get(memory, "held");
  printf("memory\n");
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    print_bytes(arena, uses[i].name, held, uses[i].key, uses[i].note);
  print_bytes(arena, "held in all", held, "total", "");
  print_bytes(arena, "shared packed weights", memory, "shared_bytes", ", with other sessions");
  print_bytes(arena, "weights in mapped files", memory, "mapped_bytes", ", not held");
  print_bytes(arena, "weights given up", memory, "spent_bytes", ", as they were before packing");
  if (has_run) print_bytes(arena, "largest plan", memory, "slab_bytes", " of intermediate values");
}

// ---- Placement.

// Nodes that one kernel runs.
struct group {
  const char *provider, *op, *kernel;
  size_t nodes;
  double flops;
};

static struct group *find_group(struct group *groups, size_t *count, const struct group *wanted) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(groups[i].op, wanted->op) == 0 && strcmp(groups[i].kernel, wanted->kernel) == 0 &&
        strcmp(groups[i].provider, wanted->provider) == 0)
      return &groups[i];
  groups[*count] = *wanted;
  return &groups[(*count)++];
}

static int heavier_first(const void *a, const void *b) {
  const struct group *left = a, *right = b;
  int order = strcmp(left->provider, right->provider);
  if (order) return order;
  if (left->flops != right->flops) return left->flops > right->flops ? -1 : 1;
  if (left->nodes != right->nodes) return left->nodes > right->nodes ? -1 : 1;
  return strcmp(left->op, right->op);
}

static size_t group_nodes(cli_arena *arena, const cli_json *placement, struct group **out_groups) {
  struct group *groups = cli_arena_array(arena, cli_json_count(placement), sizeof *groups);
  size_t count = 0;
  for (size_t i = 0; i < cli_json_count(placement); i++) {
    const cli_json *node = cli_json_at(placement, i);
    struct group one = {.provider = cli_json_text_in(node, "provider"),
                        .op = op_text(arena, node),
                        .kernel = cli_json_text_in(node, "kernel")};
    struct group *group = find_group(groups, &count, &one);
    group->nodes++;
    group->flops += cli_json_number_in(node, "flops");
  }
  if (count) qsort(groups, count, sizeof *groups, heavier_first);
  *out_groups = groups;
  return count;
}

static int widest(int width, const char *text) {
  int length = (int)strlen(text);
  return length > width ? length : width;
}

static void print_groups(cli_arena *arena, const cli_json *session) {
  struct group *groups;
  size_t count = group_nodes(arena, cli_json_get(session, "placement"), &groups);
  double total = cli_json_number_in(session, "flops");
  int op_width = 8, kernel_width = 6;
  for (size_t i = 0; i < count; i++) {
    op_width = widest(op_width, groups[i].op);
    kernel_width = widest(kernel_width, groups[i].kernel);
  }
  for (size_t i = 0; i < count; i++) {
    const struct group *group = &groups[i];
    if (i == 0 || strcmp(group->provider, groups[i - 1].provider) != 0)
      printf("%s\n  %6s  %-*s  %-*s  %12s\n", group->provider, "nodes", op_width, "operator",
             kernel_width, "kernel", "operations");
    printf("  %6zu  %-*s  %-*s  %12s", group->nodes, op_width, group->op, kernel_width,
           group->kernel, flops_text(arena, group->flops));
    if (total > 0) printf("%7.1f%%", 100 * group->flops / total);
    printf("\n");
  }
}

static void print_nodes(cli_arena *arena, const cli_json *session) {
  const cli_json *placement = cli_json_get(session, "placement");
  int op_width = 8, kernel_width = 6;
  for (size_t i = 0; i < cli_json_count(placement); i++) {
    const cli_json *node = cli_json_at(placement, i);
    op_width = widest(op_width, op_text(arena, node));
    kernel_width = widest(kernel_width, cli_json_text_in(node, "kernel"));
  }
  for (size_t i = 0; i < cli_json_count(placement); i++) {
    const cli_json *node = cli_json_at(placement, i);
    printf("  %-*s  %-*s  %12s  %s  %s\n", op_width, op_text(arena, node), kernel_width,
           cli_json_text_in(node, "kernel"),
           cli_json_get(node, "flops") ? flops_text(arena, cli_json_number_in(node, "flops")) : "?",
           cli_json_text_in(node, "provider"), cli_json_text_in(node, "node"));
  }
}

void cli_describe_print_session(cli_arena *arena, const cli_json *session,
                                const cli_describe_options *options) {
  print_opsets(session);
  print_sums(arena, session, options->ran);
  print_memory(arena, session, options->ran != NULL);
  printf("after optimisation: %.0f nodes\n", cli_json_number_in(session, "nodes"));
  print_groups(arena, session);
  if (!options->verbose) return;
  printf("in the order they run\n");
  print_nodes(arena, session);
}

// ---- The library.

static void print_names(const char *title, const cli_json *names) {
  printf("%s", title);
  for (size_t i = 0; i < cli_json_count(names); i++) printf(" %s", cli_json_text_at(names, i));
  printf("\n");
}

void cli_describe_print_runtime(const cli_json *runtime) {
  const cli_json *kernels = cli_json_get(runtime, "kernels");
  printf("instruction set: %s\n", cli_json_text_in(runtime, "isa"));
  print_names("instruction sets here:", cli_json_get(runtime, "isas"));
  print_names("processor features:", cli_json_get(runtime, "features"));
  printf("kernels\n");
  for (size_t i = 0; i < cli_json_count(kernels); i++) {
    const cli_json *kernel = cli_json_at(kernels, i);
    printf("  %-24s%s\n", cli_json_text_in(kernel, "name"),
           cli_json_text_in(kernel, "description"));
  }
}
