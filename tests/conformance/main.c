// The conformance run: every case of the onnx package's backend suite through the public ABI of a
// library, judged by the manifest. See usage below; docs in README.md beside this file.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static const char usage[] =
    "conformance [OPTION..] [PATTERN..]: run the cases whose names contain a PATTERN (all)\n"
    "  --lib FILE       the library to test; another than ours is held to no manifest\n"
    "  --cases DIR      what generate.py wrote\n"
    "  --manifest FILE  cases that must pass; others must fail\n"
    "  --excluded FILE  cases that are not run: name, tab, reason\n"
    "  --update         rewrite the manifest with the cases that pass\n"
    "  --saved DIR      run each model as another session saved it there, unless it is excluded\n"
    "  --every N        only every Nth of the cases (1)\n"
    "  --level N        graph optimisation level (99)\n"
    "  --jobs N         processes at a time (2)\n"
    "  --timeout S      seconds a case may take (60)\n"
    "  --verbose        say why unlisted cases fail and list what is skipped\n";

typedef struct settings {
  const char *library, *folder, *manifest, *excluded;
  bool update, verbose;
  int every;
  test_session_options session;
  case_limits limits;
} settings;

typedef struct tally {
  size_t passed, failed, unlisted, excluded;
} tally;

static int usage_error(void) {
  fputs(usage, stderr);
  return 2;
}

// Returns the index of the first pattern, or -1 where the options are wrong.
static int read_settings(int argc, char **argv, settings *into) {
  static const struct option options[] = {{"lib", 1, 0, 'l'},
                                          {"cases", 1, 0, 'c'},
                                          {"manifest", 1, 0, 'm'},
                                          {"excluded", 1, 0, 'x'},
                                          {"update", 0, 0, 'u'},
                                          {"level", 1, 0, 'o'},
                                          {"saved", 1, 0, 's'},
                                          {"every", 1, 0, 'e'},
                                          {"jobs", 1, 0, 'j'},
                                          {"timeout", 1, 0, 't'},
                                          {"verbose", 0, 0, 'v'},
                                          {"help", 0, 0, 'h'},
                                          {0, 0, 0, 0}};
  *into = (settings){.library = TERN_LIBRARY,
                     .folder = TERN_CASES,
                     .manifest = TERN_MANIFEST,
                     .excluded = TERN_EXCLUDED,
                     .every = 1,
                     .session = {.level = 99, .threads = 1},
                     .limits = {.jobs = 2, .timeout_s = 60}};
  for (int option; (option = getopt_long(argc, argv, "v", options, NULL)) >= 0;) {
    switch (option) {
    case 'l':
      into->library = optarg;
      into->manifest = NULL;
      break;
    case 'c':
      into->folder = optarg;
      break;
    case 'm':
      into->manifest = optarg;
      break;
    case 'x':
      into->excluded = optarg;
      break;
    case 'u':
      into->update = true;
      break;
    case 'o':
      into->session.level = atoi(optarg);
      break;
    case 's':
      into->session.saved = optarg;
      break;
    case 'e':
      into->every = atoi(optarg);
      break;
    case 'j':
      into->limits.jobs = atoi(optarg);
      break;
    case 't':
      into->limits.timeout_s = atoi(optarg);
      break;
    case 'v':
      into->verbose = true;
      break;
    default:
      return -1;
    }
  }
  bool is_valid = into->every > 0 && into->limits.jobs > 0 && into->limits.timeout_s > 0 &&
                  !(into->update && (!into->manifest || into->every > 1 || optind < argc));
  return is_valid ? optind : -1;
}

static void select_cases(const case_list *list, char **patterns, int count, int every) {
  size_t matching = 0;
  for (size_t i = 0; i < list->count; ++i) {
    bool matches = count == 0;
    for (int p = 0; p < count; ++p) matches |= strstr(list->cases[i].name, patterns[p]) != NULL;
    list->cases[i].is_selected = matches && matching++ % (size_t)every == 0;
  }
}

// Another list of excluded cases may stand beside the manifest: what cannot be saved still runs.
static void unlist_excluded(const case_list *list) {
  for (size_t i = 0; i < list->count; ++i) list->cases[i].is_listed &= !list->cases[i].exclusion;
}

static void write_manifest(const case_list *list, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) test_fail("cannot write %s", path);
  fputs("# Cases that must pass, one a line; every other must fail or be in excluded.txt.\n"
        "# Written by `conformance --update`.\n",
        file);
  for (size_t i = 0; i < list->count; ++i) {
    if (list->cases[i].result == CASE_PASSED) fprintf(file, "%s\n", list->cases[i].name);
  }
  if (fclose(file)) test_fail("cannot write %s", path);
}

// Counts one case and says what is wrong with it, if anything is.
static void judge(const conformance_case *judged, const settings *chosen, tally *counts) {
  bool must_pass = judged->is_listed || !chosen->manifest;
  if (judged->exclusion) {
    ++counts->excluded;
    if (judged->is_listed) printf("FAIL %s: both listed and excluded\n", judged->name);
    if (chosen->verbose) printf("skip %s: %s\n", judged->name, judged->exclusion);
    counts->failed += judged->is_listed;
  } else if (judged->result == CASE_PASSED) {
    ++*(must_pass ? &counts->passed : &counts->failed);
    if (!must_pass) printf("FAIL %s: passes, but is not in the manifest\n", judged->name);
  } else if (must_pass) {
    ++counts->failed;
    printf("FAIL %s: %s\n", judged->name, judged->message);
  } else {
    ++counts->unlisted;
    if (chosen->verbose) printf("skip %s: %s\n", judged->name, judged->message);
  }
}

static void print_counts(const char *name, size_t length, const tally *counts) {
  printf("%.*s: %zu passed, %zu failed, %zu skipped (%zu fail and are not in the manifest, %zu "
         "excluded)\n",
         (int)length, name, counts->passed, counts->failed, counts->unlisted + counts->excluded,
         counts->unlisted, counts->excluded);
}

// Prints a line for each suite and one for all. Returns the exit status.
static int report(const case_list *list, const settings *chosen) {
  tally all = {0}, suite = {0};
  for (size_t i = 0; i < list->count; ++i) {
    const conformance_case *judged = &list->cases[i];
    size_t length = strcspn(judged->name, "/");
    if (judged->is_selected) judge(judged, chosen, &suite);
    bool is_last = i + 1 == list->count || strncmp(judged->name, judged[1].name, length + 1) != 0;
    if (!is_last) continue;
    print_counts(judged->name, length, &suite);
    all.passed += suite.passed;
    all.failed += suite.failed;
    all.unlisted += suite.unlisted;
    all.excluded += suite.excluded;
    suite = (tally){0};
  }
  print_counts("conformance", strlen("conformance"), &all);
  return all.failed ? 1 : 0;
}

static void relist_passed(const case_list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    list->cases[i].is_listed = list->cases[i].result == CASE_PASSED;
  }
}

int main(int argc, char **argv) {
  settings chosen;
  int first = read_settings(argc, argv, &chosen);
  if (first < 0) return usage_error();
  case_list list = case_list_read(chosen.folder);
  if (chosen.manifest && !chosen.update) case_list_mark_listed(&list, chosen.manifest);
  case_list_mark_excluded(&list, chosen.excluded);
  if (chosen.session.saved) unlist_excluded(&list);
  select_cases(&list, argv + first, argc - first, chosen.every);
  case_list_run(&list, test_ort_load(chosen.library), chosen.folder, chosen.session, chosen.limits);
  if (chosen.update) {
    write_manifest(&list, chosen.manifest);
    relist_passed(&list);
  }
  return report(&list, &chosen);
}
