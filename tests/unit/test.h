// cmocka, with what it needs included before it.
#ifndef TERN_TESTS_UNIT_TEST_H_
#define TERN_TESTS_UNIT_TEST_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
