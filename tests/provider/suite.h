// What any execution provider has to show: the contract of providers/provider.h, call by call, and
// models spread over the provider and the CPU's that give the CPU's results. A provider's tests are
// a program that says how to create it and calls provider_suite_run; with a folder of the ONNX
// package's cases it runs those as well.
#ifndef TERN_TESTS_PROVIDER_SUITE_H_
#define TERN_TESTS_PROVIDER_SUITE_H_

#include "providers/provider.h"

typedef struct provider_subject {
  const char *name; // for the report
  // A new provider, for one check; `destroy` is called when its sessions are gone.
  tern_status *(*create)(void *self, tern_provider **out_provider);
  void (*destroy)(void *self, tern_provider *provider);
  void *self;
  // How far results may be from the CPU's, in parts of an output's largest element; 0: not a bit.
  double tolerance;
} provider_subject;

// Checks everything that the provider has. `cases` is a folder of cases, or NULL. Prints a line a
// check; returns how many failed.
int provider_suite_run(const provider_subject *subject, const char *cases);

// Runs every case below `cases` on the provider and on the CPU alone, with the case's inputs.
// Returns how many differ; *out_placed is how many had a node on the provider.
int provider_suite_cases(const provider_subject *subject, const char *cases, int *out_placed);

// Kinds, types and shapes are the same, and numbers no further apart than the tolerance allows.
bool provider_values_agree(const tern_value *a, const tern_value *b, double tolerance);

#endif
