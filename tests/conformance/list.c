// The list of cases and what the manifest and the list of excluded cases say of them.
#include <stdlib.h>
#include <string.h>

#include "suite.h"

// The next line that is neither empty nor a comment, NUL-terminated in place; NULL at the end.
static char *next_line(char **rest) {
  while (**rest) {
    char *line = *rest;
    char *end = line + strcspn(line, "\n");
    *rest = *end ? end + 1 : end;
    *end = 0;
    if (*line && *line != '#') return line;
  }
  return NULL;
}

static char *read_text(const char *path) {
  size_t size;
  return test_file_read(path, &size); // test_alloc's zeros end it
}

static int by_name(const void *a, const void *b) {
  const conformance_case *left = a, *right = b;
  return strcmp(left->name, right->name);
}

case_list case_list_read(const char *folder) {
  const char *path = test_format("%s/cases.tsv", folder);
  char *text = read_text(path);
  size_t lines = 1;
  for (const char *at = text; *at; ++at) lines += *at == '\n';
  case_list list = {.cases = test_alloc(lines * sizeof *list.cases)};
  for (char *line; (line = next_line(&text));) {
    conformance_case *added = &list.cases[list.count++];
    char *rtol = strchr(line, '\t');
    char *atol = rtol ? strchr(rtol + 1, '\t') : NULL;
    if (!atol) test_fail("%s: \"%s\" is not name, rtol, atol", path, line);
    *rtol = 0;
    *added = (conformance_case){
        .name = line, .rtol = strtod(rtol + 1, NULL), .atol = strtod(atol + 1, NULL)};
  }
  qsort(list.cases, list.count, sizeof *list.cases, by_name);
  return list;
}

conformance_case *case_list_find(const case_list *list, const char *name) {
  conformance_case key = {.name = (char *)name};
  return bsearch(&key, list->cases, list->count, sizeof key, by_name);
}

static conformance_case *find_or_fail(const case_list *list, const char *name, const char *path) {
  conformance_case *found = case_list_find(list, name);
  if (!found) test_fail("%s: there is no case %s", path, name);
  return found;
}

void case_list_mark_listed(const case_list *list, const char *manifest) {
  char *text = read_text(manifest);
  for (char *line; (line = next_line(&text));) find_or_fail(list, line, manifest)->is_listed = true;
}

void case_list_mark_excluded(const case_list *list, const char *path) {
  char *text = read_text(path);
  for (char *line; (line = next_line(&text));) {
    char *reason = strchr(line, '\t');
    if (!reason) test_fail("%s: \"%s\" gives no reason", path, line);
    *reason = 0;
    find_or_fail(list, line, path)->exclusion = reason + 1;
  }
}
