// What the tests of the ABI share.
#ifndef TERN_TESTS_UNIT_API_API_TEST_H_
#define TERN_TESTS_UNIT_API_API_TEST_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cpu_provider_factory.h"
#include "tern.h"

static inline const OrtApi *ort(void) {
  return OrtGetApiBase()->GetApi(ORT_API_VERSION);
}

static inline void check_ok(OrtStatus *status) {
  if (status) fail_msg("%s", ort()->GetErrorMessage(status));
}

// The status is an error of `code`, with a message.
static inline void check_error(OrtStatus *status, OrtErrorCode code) {
  assert_non_null(status);
  assert_int_equal(ort()->GetErrorCode(status), code);
  assert_true(strlen(ort()->GetErrorMessage(status)) > 0);
  ort()->ReleaseStatus(status);
}

#define check_invalid(expr) check_error((expr), ORT_INVALID_ARGUMENT)

#endif
