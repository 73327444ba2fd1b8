// Between the files of the suite.
#ifndef TERN_TESTS_PROVIDER_SUITE_MODELS_H_
#define TERN_TESTS_PROVIDER_SUITE_MODELS_H_

#include "provider/suite.h"

const provider_subject *suite_subject(void);
tern_provider *suite_create(void);
void suite_destroy(tern_provider *provider);
// Fails the check at hand.
void suite_check(tern_status *status);

// The checks that run models; returns how many failed.
int suite_run_models(void);

#endif
