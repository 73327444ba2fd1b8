// Profiles: every call of a step is in the trace once, with what it moved and computed; memory is
// bounded, and what it cost is said.
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "unit/failing_allocator.h"
#include "unit/graph/proto.h"
#include "unit/test.h"

// ---- Traces as texts.

// Takes the file away. Freed by the caller.
static char *read_trace(const char *path) {
  tern_os_file file;
  assert_null(tern_os_file_open(path, tern_allocator_system(), &file));
  char *text = calloc(1, file.size + 1);
  assert_non_null(text);
  memcpy(text, file.data, file.size);
  tern_os_file_close(&file);
  assert_int_equal(remove(path), 0);
  assert_memory_equal(text, "[\n", 2);
  assert_string_equal(text + strlen(text) - 3, "\n]\n");
  return text;
}

static char *end(tern_profiler *profiler) {
  const char *path;
  tern_status *status = tern_profiler_end(profiler, &path);
  if (status) fail_msg("%s", tern_status_message(status));
  return read_trace(path);
}

static size_t count(const char *text, const char *words) {
  size_t found = 0;
  for (; (text = strstr(text, words)); text += strlen(words)) ++found;
  return found;
}

static double number_after(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (!at) fail_msg("no %s in %s", key, text);
  return strtod(at + strlen(key), NULL);
}

// The line of the event called `name` has each of the words, up to NULL.
static void expect_in_event(const char *text, const char *name, const char *const *words) {
  char key[64];
  snprintf(key, sizeof key, "\"name\":\"%s\"", name);
  const char *at = strstr(text, key);
  if (!at) fail_msg("no event %s in %s", name, text);
  while (at > text && at[-1] != '\n') --at;
  size_t size = strcspn(at, "\n");
  char *line = calloc(1, size + 1);
  assert_non_null(line);
  memcpy(line, at, size);
  for (; *words; ++words)
    if (!strstr(line, *words)) fail_msg("'%s' is not in: %s", *words, line);
  free(line);
}
#define EXPECT(text, name, ...)                                                                    \
  expect_in_event(text, name, (const char *const[]){__VA_ARGS__, NULL})

// ---- A session: z = Relu(Reshape(MatMul(x, w))), of which a loop doubles z until it ran n times.

static void put_steps(tern_pb_writer *writer) {
  static const float w[12] = {1};
  static const int64_t flat[1] = {-1};
  put_info(writer, GRAPH_INPUT, "x", TERN_FLOAT, "N,3");
  put_initializer(writer, "w", TERN_FLOAT, "3,4", w, sizeof w);
  put_initializer(writer, "flat", TERN_INT64, "1", flat, sizeof flat);
  put_node(writer, "product", "MatMul", "x,w", "p");
  put_node(writer, "flatten", "Reshape", "p,flat", "f");
  put_node(writer, "", "Relu", "f", "r");
}

// y = r doubled three times.
static void put_loop(tern_pb_writer *writer) {
  static const int64_t three = 3;
  put_initializer(writer, "three", TERN_INT64, "", &three, sizeof three);
  size_t node = open_node(writer, "loop", "Loop", "three,,r", "y");
  open_attr body = open_attr_graph(writer, "body");
  put_info(writer, GRAPH_INPUT, "i", TERN_INT64, "");
  put_info(writer, GRAPH_INPUT, "condition", TERN_BOOL, "");
  put_info(writer, GRAPH_INPUT, "state", TERN_FLOAT, NULL);
  put_node(writer, "", "Identity", "condition", "again");
  put_node(writer, "double", "Add", "state,state", "doubled");
  put_info(writer, GRAPH_OUTPUT, "again", TERN_BOOL, "");
  put_info(writer, GRAPH_OUTPUT, "doubled", TERN_FLOAT, NULL);
  end_attr_graph(writer, body);
  tern_pb_end_message(writer, node);
}

static tern_session *open_session(const char *prefix) {
  tern_pb_writer writer;
  tern_pb_writer_init(tern_allocator_system(), &writer);
  put_model(&writer, 8, 21);
  size_t graph = open_graph(&writer);
  put_steps(&writer);
  put_loop(&writer);
  put_info(&writer, GRAPH_OUTPUT, "y", TERN_FLOAT, NULL);
  tern_pb_end_message(&writer, graph);
  assert_null(tern_pb_writer_finish(&writer));
  tern_session *session;
  tern_session_options options = {.optimization_level = TERN_OPTIMIZE_ALL,
                                  .profile_prefix = prefix};
  tern_status *status =
      tern_session_create_from_memory(writer.data, writer.size, &options, &session);
  if (status) fail_msg("%s", tern_status_message(status));
  tern_pb_writer_deinit(&writer);
  return session;
}

// On `rows` rows of zeros. True on success.
static bool run_with(tern_session *session, const tern_run_options *options, tern_dim rows) {
  static const char *const x = "x", *const y = "y";
  float zeros[30] = {0};
  tern_shape shape = {.rank = 2, .dims = {rows, 3}};
  tern_value input, *output = NULL;
  const tern_value *inputs[] = {&input};
  tern_value_init_tensor(&input, TERN_FLOAT, &shape, zeros, (size_t)rows * 12);
  tern_status *status = tern_session_run(session, options, &x, inputs, 1, &y, 1, &output);
  bool is_right = !status;
  tern_status_free(status);
  tern_value_release(output);
  return is_right;
}

static bool run(tern_session *session, tern_dim rows) {
  return run_with(session, NULL, rows);
}

// A product of 2x3 and 3x4 takes 2*2*3*4 operations; a view takes none and moves nothing; what the
// loop runs is counted by its steps.
static void steps_say_what_they_move_and_compute(void **state) {
  (void)state;
  tern_session *session = open_session("test_profiler_steps");
  assert_true(run(session, 2));
  char *text = end(tern_session_profiler(session));
  char thread[32];
  snprintf(thread, sizeof thread, "\"tid\":%lld,", (long long)tern_os_thread_id());
  EXPECT(text, "product_kernel_time", thread, "\"cat\":\"Node\"", "\"op_name\":\"MatMul\"",
         "\"provider\":\"CPUExecutionProvider\"", "\"node_index\":\"", "\"kernel\":\"",
         "\"input_type_shape\":[{\"float\":[2,3]},{\"float\":[3,4]}]",
         "\"output_type_shape\":[{\"float\":[2,4]}]", "\"output_size\":\"32\"",
         "\"parameter_size\":\"48\"", "\"activation_size\":\"24\"", "\"bytes_read\":72,",
         "\"bytes_written\":32,", "\"flops\":48");
  EXPECT(text, "flatten_kernel_time", "\"output_size\":\"32\"",
         "\"bytes_read\":0,\"bytes_written\":0,\"flops\":0");
  EXPECT(text, "Relu_kernel_time", "\"bytes_read\":32,\"bytes_written\":32,\"flops\":8");
  EXPECT(text, "loop_kernel_time", "\"bytes_read\":0,\"bytes_written\":0,\"flops\":0");
  EXPECT(text, "double_kernel_time", "\"bytes_read\":64,\"bytes_written\":32,\"flops\":8");
  assert_int_equal(count(text, "\"double_kernel_time\""), 3);
  EXPECT(text, "model_run", "\"cat\":\"Session\"");
  free(text);
  tern_session_destroy(session);
}

// Nothing is before the profile's start, and what contains other events comes before them.
static void times_count_from_the_session_s_start(void **state) {
  (void)state;
  tern_session *session = open_session("test_profiler_times");
  assert_true(run(session, 2));
  char *text = end(tern_session_profiler(session));
  assert_int_equal(count(text, "\"ts\":-"), 0);
  assert_int_equal(count(text, "\"dur\":-"), 0);
  static const char *const names[] = {
      "session_initialization", "model_loading_array", "graph_optimization",
      "kernel_preparation",     "model_run",           "product_kernel_time",
      "loop_kernel_time",       "double_kernel_time"};
  const char *at = text;
  for (size_t i = 0; i < TERN_COUNT_OF(names); ++i) {
    at = strstr(at, names[i]);
    if (!at) fail_msg("%s is not in its place in %s", names[i], text);
  }
  assert_true(number_after(text, "\"ts\":") == 0.0);
  free(text);
  tern_session_destroy(session);
}

// A run plans when its sizes are not those of the run before.
static void planning_is_a_part_of_a_run(void **state) {
  (void)state;
  tern_session *session = open_session("test_profiler_planning");
  static const tern_dim rows[] = {2, 2, 3, 3, 3};
  for (size_t i = 0; i < TERN_COUNT_OF(rows); ++i) assert_true(run(session, rows[i]));
  char *text = end(tern_session_profiler(session));
  size_t runs = 0;
  for (const char *at = strstr(text, "\"model_run\""), *next; at; at = next) {
    next = strstr(at + 1, "\"model_run\"");
    const char *planning = strstr(at, "\"planning\"");
    bool is_planned = planning && (!next || planning < next);
    assert_int_equal(is_planned, runs == 0 || rows[runs] != rows[runs - 1]);
    ++runs;
  }
  assert_int_equal(runs, TERN_COUNT_OF(rows));
  free(text);
  tern_session_destroy(session);
}

static void an_ended_profile_takes_nothing_more(void **state) {
  (void)state;
  tern_session *session = open_session("test_profiler_end");
  tern_profiler *profiler = tern_session_profiler(session);
  const char *first, *second;
  assert_null(tern_profiler_end(profiler, &first));
  assert_true(run(session, 1));
  assert_null(tern_profiler_end(profiler, &second));
  assert_ptr_equal(first, second);
  char *text = read_trace(first);
  assert_int_equal(count(text, "kernel_time"), 0);
  free(text);
  tern_session_destroy(session);
}

static void a_session_that_goes_writes_its_profile(void **state) {
  (void)state;
  tern_session *session = open_session("test_profiler_gone");
  assert_true(run(session, 1));
  tern_session_destroy(session);
  glob_t found;
  assert_int_equal(glob("test_profiler_gone_2*.json", 0, NULL, &found), 0);
  assert_int_equal(found.gl_pathc, 1);
  char *text = read_trace(found.gl_pathv[0]);
  assert_int_equal(count(text, "product_kernel_time"), 1);
  free(text);
  globfree(&found);
}

// ---- Many threads, little memory.

enum { THREADS = 8, RUNS_EACH = 40 };

static void *run_many(void *argument) {
  for (int i = 0; i < RUNS_EACH; ++i)
    if (!run(argument, 1 + i % 7)) return NULL;
  return argument;
}

static void threads_lose_no_event(void **state) {
  (void)state;
  tern_session *session = open_session("test_profiler_threads");
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, run_many, session), 0);
  for (size_t i = 0; i < THREADS; ++i) {
    void *result = NULL;
    assert_int_equal(pthread_join(threads[i], &result), 0);
    assert_ptr_equal(result, session);
  }
  char *text = end(tern_session_profiler(session));
  assert_int_equal(count(text, "product_kernel_time"), THREADS * RUNS_EACH);
  assert_int_equal(count(text, "double_kernel_time"), THREADS * RUNS_EACH * 3);
  assert_int_equal(count(text, "dropped_events"), 0);
  assert_int_equal(count(text, "\"model_run\""), THREADS * RUNS_EACH);
  free(text);
  tern_session_destroy(session);
}

static tern_profiler *open_profile(const char *prefix, size_t max_bytes) {
  tern_profiler *profiler;
  const tern_profiler_options options = {
      .prefix = prefix, .start_ns = tern_os_monotonic_ns(), .max_bytes = max_bytes};
  assert_null(tern_profiler_create(tern_allocator_system(), &options, &profiler));
  return profiler;
}

typedef struct recorder {
  tern_profiler *profiler;
  _Atomic bool is_done;
} recorder;

static void *record_until_done(void *argument) {
  recorder *r = argument;
  while (!atomic_load(&r->is_done))
    tern_profiler_add_phase(r->profiler, "phase", tern_os_monotonic_ns());
  return NULL;
}

// What is complete when the profile ends is in its file, whole.
static void a_profile_ends_while_others_record(void **state) {
  (void)state;
  recorder r = {.profiler = open_profile("test_profiler_busy", 1 << 18)};
  pthread_t threads[4];
  for (size_t i = 0; i < TERN_COUNT_OF(threads); ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, record_until_done, &r), 0);
  for (int i = 0; i < 1000; ++i) tern_profiler_add_phase(r.profiler, "own", tern_os_monotonic_ns());
  char *text = end(r.profiler);
  atomic_store(&r.is_done, true);
  for (size_t i = 0; i < TERN_COUNT_OF(threads); ++i)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  size_t dropped = strstr(text, "dropped_events") ? (size_t)number_after(text, "\"count\":") : 0;
  assert_true(count(text, "\"own\"") + dropped >= 1000);
  assert_int_equal(count(text, "\n{"), count(text, "}}"));
  free(text);
  tern_profiler_destroy(r.profiler);
}

static void what_memory_has_no_room_for_is_counted(void **state) {
  (void)state;
  enum { EVENTS = 10000 };
  tern_allocator_stats before, after;
  tern_profiler *profiler = open_profile("test_profiler_full", 100000);
  tern_allocator_get_stats(&before);
  for (int i = 0; i < EVENTS; ++i)
    tern_profiler_add_phase(profiler, "phase", tern_os_monotonic_ns());
  tern_allocator_get_stats(&after);
  assert_true(after.live_bytes - before.live_bytes <= 101000);
  char *text = end(profiler);
  size_t kept = count(text, "\"phase\"");
  assert_in_range(kept, 1000, EVENTS - 1);
  assert_int_equal((size_t)number_after(text, "\"count\":"), EVENTS - kept);
  free(text);
  tern_profiler_destroy(profiler);
}

// One thread that writes to two profiles by turns takes no more memory than it needs.
static void profiles_by_turns_keep_apart(void **state) {
  (void)state;
  tern_profiler *profilers[] = {open_profile("test_profiler_a", 40000),
                                open_profile("test_profiler_b", 40000)};
  for (int i = 0; i < 400; ++i)
    tern_profiler_add_phase(profilers[i % 2], i % 2 ? "odd" : "even", tern_os_monotonic_ns());
  for (int i = 0; i < 2; ++i) {
    char *text = end(profilers[i]);
    assert_int_equal(count(text, i ? "\"odd\"" : "\"even\""), 200);
    assert_int_equal(count(text, i ? "\"even\"" : "\"odd\""), 0);
    assert_int_equal(count(text, "dropped_events"), 0);
    free(text);
    tern_profiler_destroy(profilers[i]);
  }
}

// A run profiled in memory of `allocator`. An end that fails is tried again. How many events there
// are or were dropped; 0 where there was no memory for a profile.
static size_t profile_run(tern_session *session, tern_allocator *allocator) {
  const char *path;
  const tern_profiler_options options = {.prefix = "test_profiler_failing"};
  tern_run_options run_options = {.profiler = NULL};
  tern_status_ignore(tern_profiler_create(allocator, &options, &run_options.profiler));
  if (!run_options.profiler) return 0;
  assert_true(run_with(session, &run_options, 2));
  if (take_code(tern_profiler_end(run_options.profiler, &path)) != TERN_OK)
    assert_null(tern_profiler_end(run_options.profiler, &path));
  char *text = read_trace(path);
  size_t events = count(text, "_kernel_time") + count(text, "\"model_run\"");
  if (strstr(text, "dropped_events")) events += (size_t)number_after(text, "\"count\":");
  free(text);
  tern_profiler_destroy(run_options.profiler);
  return events;
}

// One of the allocations fails, whichever: an event may be lost and counted, or the end fails, and
// the next time succeeds. Nothing is left behind.
static void profiles_survive_failed_allocations(void **state) {
  (void)state;
  tern_session *session = open_session(NULL);
  assert_true(run(session, 2)); // plans, which later runs need not
  failing_allocator allocator;
  failing_allocator_init(&allocator, 0);
  size_t expected = profile_run(session, &allocator.base);
  int64_t attempts = allocator.attempts;
  assert_true(attempts > 4 && expected > 4);
  for (int64_t n = 1; n <= attempts; ++n) {
    failing_allocator_init(&allocator, n);
    size_t found = profile_run(session, &allocator.base);
    if (found) assert_int_equal(found, expected);
    assert_int_equal(allocator.live_blocks, 0);
  }
  tern_session_destroy(session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_say_what_they_move_and_compute),
      cmocka_unit_test(times_count_from_the_session_s_start),
      cmocka_unit_test(planning_is_a_part_of_a_run),
      cmocka_unit_test(an_ended_profile_takes_nothing_more),
      cmocka_unit_test(a_session_that_goes_writes_its_profile),
      cmocka_unit_test(threads_lose_no_event),
      cmocka_unit_test(a_profile_ends_while_others_record),
      cmocka_unit_test(what_memory_has_no_room_for_is_counted),
      cmocka_unit_test(profiles_by_turns_keep_apart),
      cmocka_unit_test(profiles_survive_failed_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
