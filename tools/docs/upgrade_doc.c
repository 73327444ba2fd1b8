// Writes docs/upgrade.md from the operators' rows: every version an operator ever had, and what the
// importer makes of it. With --check it compares instead, and fails when the page is stale.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "ops/ops.h"

typedef struct entry {
  const tern_op *op;
  const char *family;
} entry;

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strcmp(x->op->domain, y->op->domain);
  return order ? order : strcmp(x->op->name, y->op->name);
}

static tern_status *collect(const tern_op_registry *registry, entry **out_entries,
                            size_t *out_count) {
  size_t count = 0, n = 0;
  entry *entries;
  for (size_t f = 0; f < registry->family_count; ++f) count += registry->families[f]->count;
  TERN_TRY(
      tern_allocator_calloc(tern_allocator_system(), count, sizeof *entries, (void **)&entries));
  for (size_t f = 0; f < registry->family_count; ++f) {
    const tern_op_family *family = registry->families[f];
    for (size_t i = 0; i < family->count; ++i)
      entries[n++] = (entry){.op = &family->ops[i], .family = family->name};
  }
  if (count > 0) qsort(entries, count, sizeof *entries, compare_entries);
  *out_entries = entries;
  *out_count = count;
  return NULL;
}

static void write_row(tern_text *out, const entry *e, const char *versions, const char *what) {
  tern_text_printf(out, "| %s | %s | %s | `%s` |\n", e->op->name, versions, what, e->family);
}

// One row for each version with an upgrade; versions that mean what the next one means share one.
static void write_op(tern_text *out, const entry *e) {
  char same[160] = "";
  const tern_op_version *version = e->op->versions;
  for (; version && version->version; ++version) {
    char number[16];
    snprintf(number, sizeof number, "%d", version->version);
    if (version->upgrade) {
      write_row(out, e, number, version->note ? version->note : "");
      continue;
    }
    if (version->version == e->op->since) continue;
    if (same[0]) strncat(same, ", ", sizeof same - strlen(same) - 1);
    strncat(same, number, sizeof same - strlen(same) - 1);
  }
  char newest[16];
  snprintf(newest, sizeof newest, "%d", e->op->since);
  if (same[0]) write_row(out, e, same, "means the same");
  if (!e->op->deprecated_since) write_row(out, e, newest, "is the newest");
}

static void write_page(tern_text *out, const entry *entries, size_t count) {
  tern_text_printf(
      out, "# What becomes of old operator versions\n\n"
           "While a model is imported, every node is rewritten to the newest version of its "
           "operator, one version at a time.\nThis page is written from the operators' rows by "
           "`cmake --build build --target docs`. A family is `src/ops/FAMILY.c`;\nits tests are in "
           "`tests/unit/ops`.\n");
  const char *domain = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (!domain || strcmp(domain, entries[i].op->domain) != 0) {
      domain = entries[i].op->domain;
      tern_text_printf(out,
                       "\n## %s\n\n| operator | version | what happens | family |\n"
                       "|---|---|---|---|\n",
                       domain[0] ? domain : "ai.onnx");
    }
    write_op(out, &entries[i]);
  }
}

static tern_status *check(const char *path, const tern_text *page) {
  tern_os_file file;
  TERN_TRY(tern_os_file_open(path, false, &file));
  bool is_equal = file.size == page->size && memcmp(file.data, page->data, page->size) == 0;
  tern_os_file_close(&file);
  if (is_equal) return NULL;
  return TERN_ERROR(TERN_FAIL, "%s is stale: run 'cmake --build build --target docs'", path);
}

static tern_status *run(bool is_check, const char *path) {
  const tern_op_registry *registry;
  entry *entries;
  size_t count;
  tern_text page;
  TERN_TRY(tern_ops_registry(&registry));
  TERN_TRY(collect(registry, &entries, &count));
  tern_text_init(tern_allocator_system(), &page);
  write_page(&page, entries, count);
  tern_status *status = tern_text_check(&page);
  if (!status)
    status = is_check ? check(path, &page) : tern_os_file_write(path, page.data, page.size);
  tern_text_deinit(&page);
  tern_allocator_free(tern_allocator_system(), entries, count * sizeof *entries);
  return status;
}

int main(int argc, char **argv) {
  bool is_check = argc == 3 && strcmp(argv[1], "--check") == 0;
  if (argc != 2 && !is_check) {
    fprintf(stderr, "usage: %s [--check] FILE\n", argv[0]);
    return 2;
  }
  tern_status *status = run(is_check, argv[argc - 1]);
  if (!status) return 0;
  fprintf(stderr, "%s\n", tern_status_message(status));
  tern_status_free(status);
  return 1;
}
