// What a session says it holds, against what allocators have handed out and what the process has in
// memory.
#include "session/memory_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/failing_allocator.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

enum { ROWS = 4096, WIDTH = 1024, WIDER = 4096 }; // 16 MiB of table, 16 MiB of weights

static char path[] = "/tmp/tern-report-XXXXXX";

// y = table[rows] * w: `table` is read where it lies, `w` is packed.
static void put_lookup(tern_pb_writer *writer) {
  float *numbers = malloc((size_t)ROWS * WIDTH * sizeof *numbers);
  for (int i = 0; i < ROWS * WIDTH; ++i) numbers[i] = 1e-6f * (float)i;
  tern_pb_writer_init(tern_allocator_system(), writer);
  put_model(writer, 8, 21);
  size_t graph = open_graph(writer);
  put_info(writer, GRAPH_INPUT, "rows", TERN_INT64, "N");
  put_initializer(writer, "table", TERN_FLOAT, "4096,1024", numbers, (size_t)ROWS * WIDTH * 4);
  put_initializer(writer, "w", TERN_FLOAT, "1024,4096", numbers, (size_t)WIDTH * WIDER * 4);
  put_node(writer, "", "Gather", "table,rows", "found");
  put_node(writer, "", "MatMul", "found,w", "y");
  put_info(writer, GRAPH_OUTPUT, "y", TERN_FLOAT, "N,4096");
  tern_pb_end_message(writer, graph);
  assert_null(tern_pb_writer_finish(writer));
  free(numbers);
}

static int save_model(void **state) {
  (void)state;
  tern_pb_writer writer;
  put_lookup(&writer);
  int file = mkstemp(path);
  if (file < 0) return 1;
  close(file);
  assert_null(tern_os_file_write(path, writer.data, writer.size));
  tern_pb_writer_deinit(&writer);
  return 0;
}

static int remove_model(void **state) {
  (void)state;
  return remove(path);
}

static tern_session *load(const tern_session_options *options) {
  tern_session *session;
  tern_status *status = tern_session_create_from_file(path, options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  return session;
}

static tern_value *run(tern_session *session, int64_t count) {
  static const char *const rows = "rows", *const y = "y";
  tern_shape shape = {.rank = 1, .dims = {count}};
  tern_value *input, *output = NULL;
  assert_null(tern_value_create_tensor(tern_allocator_system(), TERN_INT64, &shape, &input));
  for (int64_t i = 0; i < count; ++i) ((int64_t *)input->data)[i] = i * 7 % ROWS;
  tern_status *status =
      tern_session_run(session, NULL, &rows, (const tern_value *const *)&input, 1, &y, 1, &output);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_value_release(input);
  return output;
}

static tern_memory_report report_of(const tern_session *session) {
  tern_memory_report report;
  assert_null(tern_memory_report_make(session, &report));
  int64_t held = 0;
  for (int use = 0; use < TERN_MEMORY_USE_COUNT; ++use) held += report.held[use];
  assert_int_equal(held, report.held_total);
  assert_int_equal(report.parameters, 2 * ROWS * WIDTH);
  assert_int_equal(report.parameter_bytes, 4 * report.parameters);
  assert_int_equal(report.mapped_bytes + report.held_bytes + report.spent_bytes,
                   report.parameter_bytes);
  return report;
}

static int64_t live_bytes(void) {
  tern_allocator_stats stats;
  tern_allocator_get_stats(&stats);
  return stats.live_bytes;
}

// ---- Allocators.

static void held_is_what_the_allocator_gave(void **state) {
  (void)state;
  failing_allocator counted;
  failing_allocator_init(&counted, 0);
  tern_session *session = load(&(tern_session_options){.allocator = &counted.base});
  assert_int_equal(report_of(session).held_total, counted.live_bytes);
  for (int i = 0; i < 40; ++i) {
    tern_value *output = run(session, 1 + i * 13 % 50);
    tern_memory_report report = report_of(session);
    assert_int_equal(report.held_total, counted.live_bytes);
    assert_int_equal(report.held[TERN_MEMORY_VALUES],
                     (int64_t)output->data_bytes + (int64_t)sizeof *output);
    assert_true(report.plans <= TERN_PLAN_CACHE_ENTRIES && report.frames == 1);
    tern_value_release(output);
  }
  tern_session_destroy(session);
  assert_int_equal(counted.live_blocks, 0);
}

static void ways_of_loading_show(void **state) {
  (void)state;
  const int64_t table = (int64_t)ROWS * WIDTH * 4, weights = (int64_t)WIDTH * WIDER * 4;
  tern_session *session = load(&(tern_session_options){0});
  tern_memory_report report = report_of(session);
  assert_int_equal(report.mapped_bytes + report.held_bytes, table);
  assert_int_equal(report.spent_bytes, weights);
  assert_true(report.packed_bytes >= weights && report.packed_bytes < weights + weights / 50);
  assert_true(report.held[TERN_MEMORY_SOURCE] < 1000);
  tern_session_destroy(session);

  tern_metadata unpacked = {"session.disable_prepacking", "1"};
  session = load(&(tern_session_options){.config = &unpacked, .config_count = 1});
  report = report_of(session);
  assert_int_equal(report.packed_bytes, 0);
  assert_int_equal(report.spent_bytes, 0);
  tern_session_destroy(session);

  tern_metadata read = {"session.use_memory_mapped_model", "0"};
  session = load(&(tern_session_options){.config = &read, .config_count = 1});
  report = report_of(session);
  assert_int_equal(report.mapped_bytes, 0);
  assert_int_equal(report.held_bytes, table);
  assert_true(report.held[TERN_MEMORY_SOURCE] >= table + weights);
  tern_session_destroy(session);
}

// What two sessions share is held once, by whoever is left.
static void shared_weights_are_no_ones_own(void **state) {
  (void)state;
  tern_packed_store *store;
  assert_null(tern_packed_store_create(tern_allocator_system(), &store));
  // On the caller's thread: pools are no session's.
  const tern_session_options options = {.packed_store = store, .threads.intra_op = 1};
  tern_session_destroy(load(&options)); // makes what lives as long as the process
  int64_t start = live_bytes();
  tern_session *one = load(&options);
  tern_memory_report alone = report_of(one);
  assert_int_equal(alone.shared_bytes, 0);
  assert_int_equal(alone.held[TERN_MEMORY_PACKED], alone.packed_bytes);
  assert_int_equal(live_bytes() - start, alone.held_total);
  tern_session *two = load(&options);
  tern_memory_report reports[2] = {report_of(one), report_of(two)};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(reports[i].packed_bytes, alone.packed_bytes);
    assert_int_equal(reports[i].shared_bytes, alone.packed_bytes);
    assert_int_equal(reports[i].held_total, alone.held_total - alone.packed_bytes);
  }
  assert_int_equal(live_bytes() - start,
                   reports[0].held_total + reports[1].held_total + alone.packed_bytes);
  tern_session_destroy(one);
  assert_int_equal(report_of(two).held_total, alone.held_total);
  assert_int_equal(live_bytes() - start, alone.held_total);
  tern_session_destroy(two);
  assert_int_equal(live_bytes(), start);
  tern_packed_store_release(store);
}

// ---- The process.

// Bytes of this process's memory that are its own, and of the model's file that are in memory.
typedef struct resident {
  int64_t anonymous, of_file;
} resident;

static resident measure(void) {
  resident sum = {0};
  char line[512];
  bool is_file = false;
  long kilobytes;
  FILE *file = fopen("/proc/self/smaps", "r");
  if (!file) exit(77);
  while (fgets(line, sizeof line, file)) {
    if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' ')) is_file = strstr(line, path);
    if (sscanf(line, "Anonymous: %ld kB", &kilobytes) == 1) sum.anonymous += kilobytes * 1024;
    if (is_file && sscanf(line, "Rss: %ld kB", &kilobytes) == 1) sum.of_file += kilobytes * 1024;
  }
  fclose(file);
  return sum;
}

static int complain(const char *what, int64_t measured, int64_t reported) {
  fprintf(stderr, "%s: %lld bytes are in memory, %lld are reported\n", what, (long long)measured,
          (long long)reported);
  return 1;
}

// Everything that is reported is in memory, and little else: the C library's rounding, and what was
// needed while loading and it has kept. A sixteenth and 2 MiB are allowed for that.
static int compare_with_process(void) {
  resident before = measure();
  tern_session *session = load(&(tern_session_options){0});
  tern_value *output = run(session, 64);
  tern_memory_report report = report_of(session);
  resident after = measure();
  int64_t grown = after.anonymous - before.anonymous, slack = report.held_total / 16 + (2 << 20);
  if (grown < report.held_total - slack || grown > report.held_total + slack)
    return complain("anonymous pages", grown, report.held_total);
  if (after.of_file > report.mapped_bytes + (1 << 20))
    return complain("pages of the model's file", after.of_file, report.mapped_bytes);
  tern_value_release(output);
  tern_session_destroy(session);
  grown = measure().anonymous - before.anonymous;
  return grown > 4 << 20 ? complain("after the session", grown, 0) : 0;
}

// In a process of its own, whose memory nothing else has touched.
static void process_has_what_is_reported(void **state) {
  (void)state;
#ifdef TERN_ADDRESS_SANITIZER
  skip(); // it has memory of its own
#endif
  int outcome = 0;
  pid_t child = fork();
  if (child == 0) _exit(compare_with_process());
  assert_true(child > 0 && waitpid(child, &outcome, 0) == child && WIFEXITED(outcome));
  if (WEXITSTATUS(outcome) == 77) skip();
  assert_int_equal(WEXITSTATUS(outcome), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(process_has_what_is_reported), // first: children inherit memory
      cmocka_unit_test(held_is_what_the_allocator_gave),
      cmocka_unit_test(ways_of_loading_show),
      cmocka_unit_test(shared_weights_are_no_ones_own),
  };
  return cmocka_run_group_tests(tests, save_model, remove_model);
}
