// The pass driver.
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "optimize/pass.h"

// Sweeps over all passes before the driver gives up on a fixed point.
enum { MAX_SWEEPS = 32 };

const tern_pass tern_passes[] = {
    {"eliminate_dead", NULL, 1, NULL, tern_pass_remove_dead},
    {"eliminate_identity",
     "EliminateIdentity;EliminateDropout;EliminateSlice;ExpandElimination;NoopElimination", 1,
     tern_pass_eliminate_identity, NULL},
    {"eliminate_cast", "CastElimination;CastChainElimination", 1, tern_pass_eliminate_cast, NULL},
    {"merge_transposes", "TransposeOptimizer", 1, tern_pass_merge_transposes, NULL},
    {"fold_batch_norm", "ConvBNFusion;MatmulBNFusion", 1, tern_pass_fold_batch_norm, NULL},
    {"fold_channel_mul", "ConvMulFusion", 1, tern_pass_fold_channel_mul, NULL},
    {"fold_channel_add", "ConvAddFusion", 1, tern_pass_fold_channel_add, NULL},
    {"fold_constants", "ConstantFolding;UnsqueezeElimination", 1, tern_pass_fold_constants, NULL},
    {"merge_equal", "CommonSubexpressionElimination", 1, NULL, tern_pass_merge_equal},
    {"fuse_gate", "QuickGeluFusion", 2, tern_pass_fuse_gate, NULL},
    {"fuse_addition", "ConvAddActivationFusion;MatMulAddFusion", 2, tern_pass_fuse_addition, NULL},
    {"fuse_activation", "ConvActivationFusion;GemmActivationFusion", 2, tern_pass_fuse_activation,
     NULL},
    {NULL, NULL, 0, NULL, NULL},
};

size_t tern_optimize_folding_limit(const char *config_value) {
  size_t limit = (size_t)1 << 30;
  if (!config_value || !config_value[0]) return limit;
  char *end;
  unsigned long long given = strtoull(config_value, &end, 10);
  return *end == 0 && given <= SIZE_MAX ? (size_t)given : limit;
}

// Whether a ';'-separated list has `name`, of `size` bytes.
static bool list_has(const char *list, const char *name, size_t size) {
  for (const char *p = list; p && *p;) {
    size_t n = strcspn(p, ";");
    if (n == size && memcmp(p, name, n) == 0) return true;
    p += n + (p[n] == ';');
  }
  return false;
}

static bool is_disabled(const tern_pass *pass, const char *disabled) {
  if (!disabled) return false;
  if (list_has(disabled, pass->name, strlen(pass->name))) return true;
  for (const char *p = pass->ort_names; p && *p;) {
    size_t n = strcspn(p, ";");
    if (list_has(disabled, p, n)) return true;
    p += n + (p[n] == ';');
  }
  return false;
}

static bool is_stopped(const tern_pass_context *ctx) {
  return ctx->options->stop_after > 0 && ctx->total_changes >= ctx->options->stop_after;
}

tern_status *tern_pass_apply(tern_pass_context *ctx, tern_patch *patch) {
  if (is_stopped(ctx)) {
    tern_patch_drop(patch);
    return NULL;
  }
  TERN_TRY(tern_patch_apply(patch));
  ctx->changes++;
  ctx->total_changes++;
  return NULL;
}

bool tern_pass_can_replace(const tern_edge *from, const tern_edge *to) {
  if (from->output_uses == 0) return true;
  return to->producer && to->graph == from->graph && to->output_uses == 0;
}

tern_status *tern_pass_forward(tern_pass_context *ctx, tern_node *node, tern_edge *edge) {
  if (!tern_pass_can_replace(node->outputs[0], edge)) return NULL;
  if (!tern_type_same_kind(&node->outputs[0]->type, &edge->type)) return NULL;
  tern_patch patch;
  tern_patch_init(&patch, node, NULL);
  tern_patch_replace(&patch, node->outputs[0], edge);
  return tern_pass_apply(ctx, &patch);
}

static tern_status *run_on_graph(tern_pass_context *ctx, tern_graph *graph) {
  if (ctx->pass->graph) return ctx->pass->graph(ctx, graph);
  // The list is walked by position that survives removals: the next node is taken after the pass,
  // unless it went as well, in which case the sweep ends early and the next one goes on.
  for (tern_node *node = graph->first; node && !is_stopped(ctx);) {
    tern_node *next = node->next;
    TERN_TRY(ctx->pass->node(ctx, node));
    if (node->graph) next = node->next;
    if (next && next->graph != graph) break;
    node = next;
  }
  return NULL;
}

static tern_status *run_pass(tern_pass_context *ctx, tern_text *out_report) {
  int64_t start_ns = tern_os_monotonic_ns();
  ctx->changes = 0;
  for (size_t g = 0; g < ctx->model->graphs.count; ++g) {
    if (!tern_graph_is_live(ctx->model->graphs.data[g])) continue;
    tern_status *status = run_on_graph(ctx, ctx->model->graphs.data[g]);
    if (status) return tern_status_annotate(status, "pass %s", ctx->pass->name);
  }
  if (ctx->changes) TERN_TRY(tern_graph_collect_captures(ctx->model->graph));
#ifndef NDEBUG
  if (ctx->changes) {
    tern_status *status = tern_model_verify(ctx->model);
    if (status) return tern_status_annotate(status, "after pass %s", ctx->pass->name);
  }
#endif
  if (out_report && ctx->changes)
    tern_text_printf(out_report, "%s: %lld changes, %lld us\n", ctx->pass->name,
                     (long long)ctx->changes,
                     (long long)((tern_os_monotonic_ns() - start_ns) / 1000));
  return NULL;
}

tern_status *tern_optimize_inserted_casts(tern_model *model) {
  static const tern_pass passes[] = {
      {"sink_inserted_cast", NULL, 0, tern_pass_sink_cast, NULL},
      {"eliminate_inserted_cast", NULL, 0, tern_pass_eliminate_cast, NULL},
      {"eliminate_dead", NULL, 0, NULL, tern_pass_remove_dead},
  };
  const tern_optimize_options options = {.level = 0};
  tern_pass_context ctx = {.options = &options, .model = model};
  for (size_t i = 0; i < TERN_COUNT_OF(passes); ++i) {
    ctx.pass = &passes[i];
    TERN_TRY(run_pass(&ctx, NULL));
  }
  return NULL;
}

tern_status *tern_optimize_layout(tern_model *model, const tern_optimize_options *options) {
  static const tern_pass passes[] = {
      {"assign_layout", "NchwcTransformer", 3, tern_pass_assign_layout, NULL},
      {"fold_constants", "ConstantFolding", 3, tern_pass_fold_constants, NULL},
      {"merge_equal", "CommonSubexpressionElimination", 3, NULL, tern_pass_merge_equal},
      {"eliminate_dead", NULL, 3, NULL, tern_pass_remove_dead},
  };
  tern_pass_context ctx = {.options = options, .model = model};
  for (size_t i = 0; i < TERN_COUNT_OF(passes); ++i) {
    if (options->level < passes[i].level || is_disabled(&passes[i], options->disabled)) continue;
    ctx.pass = &passes[i];
    TERN_TRY(run_pass(&ctx, NULL));
    if (i == 0 && ctx.changes == 0) break; // nothing to clean up
  }
  return NULL;
}

tern_status *tern_optimize(tern_model *model, const tern_optimize_options *options,
                           tern_text *out_report) {
  tern_pass_context ctx = {.options = options, .model = model};
  for (int32_t sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
    int64_t before = ctx.total_changes;
    for (const tern_pass *pass = tern_passes; pass->name; ++pass) {
      if (options->level < pass->level || is_disabled(pass, options->disabled)) continue;
      ctx.pass = pass;
      TERN_TRY(run_pass(&ctx, out_report));
    }
    if (ctx.total_changes == before || is_stopped(&ctx)) break;
  }
  return NULL;
}
