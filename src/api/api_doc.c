// tern_api_doc FILE writes docs/c-api.md: the state of every entry of the ABI's tables, read from
// the tables themselves. tern_api_doc --check FILE fails where the file says something else.
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/text.h"

static void count_entries(const char *table, size_t *out_working, size_t *out_total) {
  tern_api_entry entry;
  *out_working = *out_total = 0;
  for (size_t i = 0; tern_api_get_entry(i, &entry); ++i) {
    if (strcmp(entry.table, table) != 0) continue;
    *out_working += entry.is_implemented;
    *out_total += 1;
  }
}

static void write_table(tern_text *text, const char *table) {
  size_t working, total;
  count_entries(table, &working, &total);
  tern_text_printf(text, "\n## %s: %zu of %zu\n\n| slot | entry | state |\n|---|---|---|\n", table,
                   working, total);
  tern_api_entry entry;
  size_t slot = 0;
  for (size_t i = 0; tern_api_get_entry(i, &entry); ++i) {
    if (strcmp(entry.table, table) != 0) continue;
    tern_text_printf(text, "| %zu | `%s` | %s |\n", slot++, entry.name,
                     entry.is_implemented ? "works" : "not implemented");
  }
}

static void write_page(tern_text *text) {
  tern_text_printf(
      text, "# The C ABI, entry by entry\n\n"
            "Written by `tern_api_doc` from the tables of `libtern.so`; the test `api.doc` fails "
            "where this page is stale\n(`cmake --build build --target c_api_doc` renews it). An "
            "entry that is not implemented answers a status of code\n`ORT_NOT_IMPLEMENTED` that "
            "names it; one that returns no status does nothing, or answers NULL or 0.\n");
  const char *last = "";
  tern_api_entry entry;
  for (size_t i = 0; tern_api_get_entry(i, &entry); ++i) {
    if (strcmp(entry.table, last) != 0) write_table(text, entry.table);
    last = entry.table;
  }
}

static int check_page(const tern_text *text, FILE *file, const char *path) {
  size_t at = 0;
  int c;
  while ((c = getc(file)) != EOF && at < text->size && c == (unsigned char)text->data[at]) ++at;
  if (c == EOF && at == text->size) return 0;
  fprintf(stderr, "%s is stale from byte %zu on\n", path, at);
  return 1;
}

int main(int argc, char **argv) {
  bool is_check = argc == 3 && strcmp(argv[1], "--check") == 0;
  if (argc != 2 && !is_check) {
    fprintf(stderr, "usage: tern_api_doc [--check] FILE\n");
    return 2;
  }
  const char *path = argv[argc - 1];
  tern_text text;
  tern_text_init(tern_allocator_system(), &text);
  write_page(&text);
  FILE *file = fopen(path, is_check ? "rb" : "wb");
  int result = 1;
  if (text.failed || !file)
    perror(path);
  else if (is_check)
    result = check_page(&text, file, path);
  else
    result = fwrite(text.data, 1, text.size, file) != text.size;
  if (file && fclose(file) != 0) result = 1;
  tern_text_deinit(&text);
  return result;
}
