// Writes docs/upgrade.md from the operators' rows: every version an operator ever had, and what the
// importer makes of it, and which test holds it to that. The tests' names are those that the
// programs test_upgrade_* list; an upgrade without a test of its name is an error. With --check it
// compares instead of writing, and fails when the page is stale.
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

enum { MAX_NAME_FILES = 16 };

// What the test programs list: a file a program, named after its source, a line a test.
typedef struct test_list {
  tern_os_file files[MAX_NAME_FILES];
  char sources[MAX_NAME_FILES][64];
  int count;
} test_list;

static void test_list_close(test_list *list) {
  for (int i = 0; i < list->count; ++i) tern_os_file_close(&list->files[i]);
}

static tern_status *test_list_open(test_list *list, char **paths, int count) {
  if (count > MAX_NAME_FILES)
    return TERN_ERROR(TERN_INVALID_ARGUMENT, "more than %d lists of tests", MAX_NAME_FILES);
  for (int i = 0; i < count; ++i) {
    const char *slash = strrchr(paths[i], '/');
    const char *name = slash ? slash + 1 : paths[i];
    snprintf(list->sources[i], sizeof list->sources[i], "%.*s.c", (int)strcspn(name, "."), name);
    TERN_TRY(tern_os_file_open(paths[i], tern_allocator_system(), &list->files[i]));
    ++list->count;
  }
  return NULL;
}

static bool has_line(const tern_os_file *file, const char *line) {
  size_t size = strlen(line), at = 0;
  const char *text = file->data;
  while (at < file->size) {
    const char *end = memchr(text + at, '\n', file->size - at);
    size_t found = end ? (size_t)(end - text) - at : file->size - at;
    if (found == size && memcmp(text + at, line, size) == 0) return true;
    at += found + 1;
  }
  return false;
}

// The source that holds the test; NULL when none does.
static const char *test_list_find(const test_list *list, const char *name) {
  for (int i = 0; i < list->count; ++i)
    if (has_line(&list->files[i], name)) return list->sources[i];
  return NULL;
}

// The page, and the upgrades that lack a test, each after a space.
typedef struct writer {
  const test_list *tests;
  tern_text page, untested;
} writer;

static void write_row(writer *out, const entry *e, const char *versions, const char *what,
                      const char *test) {
  tern_text_printf(&out->page, "| %s | %s | %s | %s | `%s` |\n", e->op->name, versions, what, test,
                   e->family);
}

static void write_upgrade(writer *out, const entry *e, const tern_op_version *version) {
  char number[16], name[96], test[256] = "";
  snprintf(number, sizeof number, "%d", version->version);
  snprintf(name, sizeof name, "%s-%s", e->op->name, number);
  const char *source = test_list_find(out->tests, name);
  if (source)
    snprintf(test, sizeof test, "[%s](../tests/unit/ops/%s)", name, source);
  else
    tern_text_printf(&out->untested, " %s", name);
  write_row(out, e, number, version->note ? version->note : "", test);
}

// One row for each version with an upgrade; versions that mean what the next one means share one.
static void write_op(writer *out, const entry *e) {
  char same[160] = "", newest[16];
  bool has_newest = !e->op->deprecated_since;
  const tern_op_version *version = e->op->versions;
  for (; version && version->version; ++version) {
    if (version->upgrade) {
      write_upgrade(out, e, version);
      has_newest = has_newest && version->version != e->op->since;
      continue;
    }
    if (version->version == e->op->since) continue;
    size_t size = strlen(same);
    snprintf(same + size, sizeof same - size, "%s%d", size ? ", " : "", version->version);
  }
  snprintf(newest, sizeof newest, "%d", e->op->since);
  if (same[0]) write_row(out, e, same, "means the same", "");
  if (has_newest) write_row(out, e, newest, "is the newest", "");
}

static void write_page(writer *out, const entry *entries, size_t count) {
  tern_text_printf(
      &out->page, "# What becomes of old operator versions\n\n"
                  "While a model is imported, every node is rewritten to the newest version of its "
                  "operator, one version at a time.\nThis page is written by `cmake --build build "
                  "--target docs` from the operators' rows and from the names of the tests.\nA "
                  "family is `src/ops/FAMILY.c`.\n");
  const char *domain = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (!domain || strcmp(domain, entries[i].op->domain) != 0) {
      domain = entries[i].op->domain;
      tern_text_printf(&out->page,
                       "\n## %s\n\n| operator | version | what happens | test | family |\n"
                       "|---|---|---|---|---|\n",
                       domain[0] ? domain : "ai.onnx");
    }
    write_op(out, &entries[i]);
  }
}

static tern_status *check(const char *path, const tern_text *page) {
  tern_os_file file;
  TERN_TRY(tern_os_file_open(path, tern_allocator_system(), &file));
  bool is_equal = file.size == page->size && memcmp(file.data, page->data, page->size) == 0;
  tern_os_file_close(&file);
  if (is_equal) return NULL;
  return TERN_ERROR(TERN_FAIL, "%s is stale: run 'cmake --build build --target docs'", path);
}

static tern_status *deliver(bool is_check, const char *path, writer *out) {
  TERN_TRY(tern_text_check(&out->page));
  TERN_TRY(tern_text_check(&out->untested));
  if (!is_check) TERN_TRY(tern_os_file_write(path, out->page.data, out->page.size));
  if (out->untested.size > 0)
    return TERN_ERROR(TERN_FAIL, "no test in tests/unit/ops/test_upgrade_*.c is called%.*s",
                      (int)out->untested.size, out->untested.data);
  return is_check ? check(path, &out->page) : NULL;
}

static tern_status *run(bool is_check, const char *path, const test_list *tests) {
  const tern_op_registry *registry;
  entry *entries;
  size_t count;
  writer out = {.tests = tests};
  TERN_TRY(tern_ops_registry(&registry));
  TERN_TRY(collect(registry, &entries, &count));
  tern_text_init(tern_allocator_system(), &out.page);
  tern_text_init(tern_allocator_system(), &out.untested);
  write_page(&out, entries, count);
  tern_status *status = deliver(is_check, path, &out);
  tern_text_deinit(&out.untested);
  tern_text_deinit(&out.page);
  tern_allocator_free(tern_allocator_system(), entries, count * sizeof *entries);
  return status;
}

int main(int argc, char **argv) {
  static test_list tests;
  bool is_check = argc > 1 && strcmp(argv[1], "--check") == 0;
  int at = is_check ? 2 : 1;
  if (argc <= at) {
    fprintf(stderr, "usage: %s [--check] PAGE [LIST_OF_TESTS...]\n", argv[0]);
    return 2;
  }
  tern_status *status = test_list_open(&tests, argv + at + 1, argc - at - 1);
  if (!status) status = run(is_check, argv[at], &tests);
  test_list_close(&tests);
  if (!status) return 0;
  fprintf(stderr, "%s\n", tern_status_message(status));
  tern_status_free(status);
  return 1;
}
