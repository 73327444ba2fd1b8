// Traces of both kinds of library: what is kept of them, and the time that is a call's own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_test.h"
#include "json.h"
#include "trace.h"

// Tern's and ORT's fields, a loop whose body has two calls, another thread, and what is no call.
static const char text[] =
    "[\n"
    "{\"cat\":\"Session\",\"tid\":1,\"dur\":9.5,\"ts\":10,\"name\":\"model_run\",\"args\":{}},\n"
    "{\"cat\":\"Session\",\"tid\":1,\"dur\":5,\"ts\":0,\"name\":\"session_initialization\","
    "\"args\":{}},\n"
    "{\"cat\":\"Session\",\"tid\":0,\"dur\":0,\"ts\":0,\"name\":\"dropped_events\","
    "\"args\":{\"count\":7}},\n"
    "{\"cat\":\"Node\",\"tid\":1,\"dur\":2.25,\"ts\":15,\"name\":\"b_kernel_time\",\"args\":{"
    "\"op_name\":\"Add\"}},\n"
    "{\"cat\":\"Node\",\"tid\":1,\"dur\":8,\"ts\":11,\"name\":\"loop_kernel_time\",\"args\":{"
    "\"op_name\":\"Loop\"}},\n"
    "{\"cat\":\"Node\",\"tid\":1,\"dur\":1,\"ts\":11,\"name\":\"a_kernel_time\",\"args\":{"
    "\"op_name\":\"Conv\",\"provider\":\"P\",\"node_index\":\"3\",\"kernel\":\"K\","
    "\"input_type_shape\":[{\"float\":[1,3,8,8]},{\"float\":[]}],\"output_size\":\"5\","
    "\"bytes_read\":100,\"bytes_written\":20,\"flops\":400}},\n"
    "{\"cat\":\"Node\",\"tid\":2,\"dur\":4,\"ts\":12,\"name\":\"c_kernel_time\",\"args\":{"
    "\"op_name\":\"Mul\",\"output_size\":\"5\",\"parameter_size\":\"6\",\"activation_size\":"
    "\"7\"}},\n"
    "{\"cat\":\"Node\",\"tid\":1,\"dur\":0,\"ts\":12,\"name\":\"a_fence_before\",\"args\":{}}\n"
    "]\n";

static cli_status *read_text(cli_arena *arena, const char *bytes, cli_trace *out_trace) {
  char path[] = "/tmp/tern-trace-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
  close(fd);
  cli_status *status = cli_trace_read(arena, path, out_trace);
  unlink(path);
  return status;
}

static void calls_keep_what_is_their_own(void **state) {
  (void)state;
  if (!cli_json_is_available()) skip();
  cli_arena arena = {0};
  cli_trace trace;
  assert_null(read_text(&arena, text, &trace));
  assert_int_equal(trace.call_count, 4);
  static const char *const nodes[] = {"loop", "a", "b", "c"};
  static const double own[] = {8 - 1 - 2.25, 1, 2.25, 4};
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(trace.calls[i].node, nodes[i]);
    assert_true(trace.calls[i].own_us == own[i]);
  }
  assert_true(trace.calls[0].us == 8);
  const cli_trace_call *a = &trace.calls[1], *c = &trace.calls[3];
  assert_string_equal(a->op, "Conv");
  assert_string_equal(a->kernel, "K");
  assert_string_equal(a->provider, "P");
  assert_string_equal(a->shapes, "1x3x8x8 scalar");
  assert_int_equal(a->index, 3);
  assert_true(a->flops == 400 && a->bytes == 120);
  assert_true(c->flops < 0 && c->bytes == 18);
  assert_int_equal(trace.phase_count, 2);
  assert_string_equal(trace.phases[0].name, "session_initialization");
  assert_true(trace.phases[1].start_us == 10 && trace.phases[1].us == 9.5);
  assert_true(trace.dropped == 7);
  cli_arena_free(&arena);
}

static void what_is_no_trace_is_refused(void **state) {
  (void)state;
  if (!cli_json_is_available()) skip();
  cli_arena arena = {0};
  cli_trace trace;
  assert_null(read_text(&arena, "", &trace));
  assert_int_equal(trace.call_count + trace.phase_count, 0);
  static const char *const bad[] = {"{", "{\"cat\":\"Node\"\n}", "[\n{\"name\":}\n]"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cli_status *status = read_text(&arena, bad[i], &trace);
    assert_non_null(status);
    cli_status_free(status);
  }
  cli_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(calls_keep_what_is_their_own),
                                     cmocka_unit_test(what_is_no_trace_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
