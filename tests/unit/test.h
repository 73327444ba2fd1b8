// cmocka, with what it needs included before it.
#ifndef TERN_TESTS_UNIT_TEST_H_
#define TERN_TESTS_UNIT_TEST_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// What cmocka's checks say is so for what follows, which Clang's static analyzer cannot know.
#ifdef __clang_analyzer__
#undef assert_true
#undef assert_false
#undef assert_null
#undef assert_non_null
#undef fail_msg
#define assert_true(condition) ((condition) ? (void)0 : __builtin_unreachable())
#define assert_false(condition) assert_true(!(condition))
#define assert_null(pointer) assert_true(!(pointer))
#define assert_non_null(pointer) assert_true(pointer)
#define fail_msg(...) __builtin_unreachable()
#endif

#endif
