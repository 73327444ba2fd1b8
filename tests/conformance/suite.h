// The conformance suite: the cases that generate.py wrote, the two lists that say what is expected
// of them, and the process that runs one. main.c decides what the results mean.
#ifndef TERN_TESTS_CONFORMANCE_SUITE_H_
#define TERN_TESTS_CONFORMANCE_SUITE_H_

#include "support/ort.h"

typedef enum case_result { CASE_NOT_RUN, CASE_PASSED, CASE_FAILED } case_result;

typedef struct conformance_case {
  char *name; // "suite/test_name"
  double rtol, atol;
  bool is_selected;      // by the patterns on the command line
  bool is_listed;        // in the manifest: must pass
  const char *exclusion; // reason in the list of excluded cases; NULL: none
  case_result result;
  char *message; // why it failed
} conformance_case;

typedef struct case_list {
  conformance_case *cases; // sorted by name
  size_t count;
} case_list;

// Reads FOLDER/cases.tsv.
case_list case_list_read(const char *folder);
// NULL: no such case.
conformance_case *case_list_find(const case_list *list, const char *name);
// Marks the cases named by the lines of a manifest, and those of a list of "name<TAB>reason".
// A name that is no case fails: a list must not rot.
void case_list_mark_listed(const case_list *list, const char *manifest);
void case_list_mark_excluded(const case_list *list, const char *path);

typedef struct case_limits {
  int jobs;
  int timeout_s; // a case
} case_limits;

// Runs every selected, not excluded case in a process of its own and stores results. A process
// that crashes, exits non-zero or exceeds its time has failed.
void case_list_run(const case_list *list, const OrtApi *api, const char *folder,
                   test_session_options options, case_limits limits);

// Runs one case in this process, which ends at the first failure (test_fail). With options.saved, a
// folder, the model that runs is what another session saved there.
void case_run(const OrtApi *api, const char *folder, const conformance_case *which,
              test_session_options options);

#endif
