// Damaged copies of real models, loaded and run: cut at the borders of fields, with bytes changed,
// and with fields removed, doubled and exchanged. Every case must end in a status. Cases run in a
// child process; one that kills it is named with the options that repeat it, and the rest goes on.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fields.h"
#include "support/load_run.h"

typedef struct options {
  size_t cuts, flips, changes; // cases of each kind a model
  long only;                   // a case to repeat alone; -1: all
  unsigned seconds;            // for one case, before it counts as hanging
  uint64_t seed;
  const char *save; // where to write the case, with `only`
  test_load_run_options limits;
} options;

// What the child tells its parent.
typedef struct progress {
  size_t next, loaded, completed;
} progress;

typedef struct model {
  const char *path;
  unsigned char *bytes;
  size_t size;
  test_fields fields;
  unsigned char *copy; // the damaged one
  size_t copy_capacity;
  // Bytes outside tensors' elements, as prefix sums over fields.
  size_t *structure;
  size_t structure_count;
} model;

static void *allocate(size_t size) {
  void *data = malloc(size ? size : 1);
  if (!data) exit(2);
  return data;
}

static bool read_file(const char *path, unsigned char **out_bytes, size_t *out_size) {
  tern_os_file file;
  tern_status *status = tern_os_file_open(path, tern_allocator_system(), &file);
  if (status) {
    fprintf(stderr, "%s\n", tern_status_message(status));
    tern_status_free(status);
    return false;
  }
  *out_bytes = allocate(file.size);
  if (file.size) memcpy(*out_bytes, file.data, file.size);
  *out_size = file.size;
  tern_os_file_close(&file);
  return true;
}

// Positions of all bytes that are not elements of a tensor.
static void find_structure(model *m) {
  unsigned char *marks = allocate(m->size);
  memset(marks, 0, m->size);
  for (size_t i = 0; i < m->fields.count; ++i) {
    const test_field *field = &m->fields.items[i];
    if (field->is_elements) memset(marks + field->data, 1, field->end - field->data);
  }
  m->structure = allocate(m->size * sizeof *m->structure);
  for (size_t i = 0; i < m->size; ++i) {
    if (!marks[i]) m->structure[m->structure_count++] = i;
  }
  free(marks);
}

static bool open_model(const char *path, model *m) {
  *m = (model){.path = path};
  if (!read_file(path, &m->bytes, &m->size)) return false;
  test_fields_find(m->bytes, m->size, &m->fields);
  find_structure(m);
  m->copy_capacity = 2 * m->size + 4096;
  m->copy = allocate(m->copy_capacity);
  return m->fields.count > 0;
}

static void close_model(model *m) {
  free(m->bytes);
  free(m->copy);
  free(m->structure);
  free(m->fields.items);
}

static size_t flip(model *m, test_random *random) {
  memcpy(m->copy, m->bytes, m->size);
  size_t count = 1 + test_random_below(random, 3);
  for (size_t i = 0; i < count; ++i) {
    bool anywhere = test_random_below(random, 10) == 0 || m->structure_count == 0;
    size_t at = anywhere ? test_random_below(random, m->size)
                         : m->structure[test_random_below(random, m->structure_count)];
    m->copy[at] ^= (unsigned char)(1u + test_random_below(random, 255));
  }
  return m->size;
}

// Several changes: each made to what the one before left.
static size_t change(model *m, test_random *random) {
  size_t count = 1 + test_random_below(random, 3), size = 0;
  for (int attempt = 0; attempt < 20 && size == 0; ++attempt)
    size = test_fields_mutate(m->bytes, m->size, &m->fields, random, m->copy, m->copy_capacity);
  for (size_t i = 1; i < count && size; ++i) {
    unsigned char *again = allocate(m->copy_capacity);
    test_fields fields;
    test_fields_find(m->copy, size, &fields);
    size_t changed = test_fields_mutate(m->copy, size, &fields, random, again, m->copy_capacity);
    free(fields.items);
    if (changed) memcpy(m->copy, again, size = changed);
    free(again);
  }
  return size;
}

// Case 0 is the model as it is.
static size_t make_case(model *m, const options *o, size_t index) {
  test_random random = {o->seed * 1000003 + index};
  if (index == 0) {
    memcpy(m->copy, m->bytes, m->size);
    return m->size;
  }
  if (--index < o->cuts) {
    const test_field *field = &m->fields.items[index * m->fields.count / o->cuts];
    memcpy(m->copy, m->bytes, m->size);
    return index % 2 ? field->data : field->start;
  }
  index -= o->cuts;
  return index < o->flips ? flip(m, &random) : change(m, &random);
}

static void run_case(model *m, const options *o, size_t index, progress *shared) {
  size_t size = make_case(m, o, index);
  // A block of its exact size, so that reading past the end is seen.
  void *exact = allocate(size);
  if (size) memcpy(exact, m->copy, size);
  if (o->save) tern_status_ignore(tern_os_file_write(o->save, exact, size));
  test_load_run_result result;
  test_load_run(exact, size, &o->limits, &result);
  free(exact);
  shared->loaded += result.loaded;
  shared->completed += result.completed > 0;
  if (index == 0 || o->only >= 0)
    printf("%s: %s, %d runs completed%s%s\n", m->path, result.loaded ? "loaded" : "refused",
           result.completed, result.message[0] ? ": " : "", result.message);
  fflush(stdout);
}

static void run_cases(model *m, const options *o, size_t end, progress *shared) {
  while (shared->next < end) {
    alarm(o->seconds);
    run_case(m, o, shared->next, shared);
    ++shared->next;
  }
}

// Runs the cases from `shared->next` in a child; false when one killed it.
static bool run_child(model *m, const options *o, size_t end, progress *shared) {
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) exit(2);
  if (child == 0) {
    run_cases(m, o, end, shared);
    exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  bool is_hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  printf("%s: case %zu %s (hostile --cuts %zu --flips %zu --changes %zu --seed %llu --only %zu)\n",
         m->path, shared->next, is_hang ? "hangs" : "crashes", o->cuts, o->flips, o->changes,
         (unsigned long long)o->seed, shared->next);
  return false;
}

static size_t run_model(const char *path, const options *o, progress *shared) {
  model m;
  if (!open_model(path, &m)) {
    fprintf(stderr, "%s: no model\n", path);
    close_model(&m);
    return 1;
  }
  size_t end = 1 + o->cuts + o->flips + o->changes, failures = 0;
  *shared = (progress){0};
  if (o->only >= 0) {
    shared->next = (size_t)o->only;
    end = shared->next + 1;
  }
  while (!run_child(&m, o, end, shared)) {
    ++failures;
    ++shared->next;
  }
  printf("%s: %zu cases, %zu load, %zu run, %zu failures\n", path, end, shared->loaded,
         shared->completed, failures);
  close_model(&m);
  return failures;
}

static int usage(void) {
  fputs("usage: hostile [--cuts N] [--flips N] [--changes N] [--seed N] [--seconds N]\n"
        "               [--memory MIB] [--run-ms N] [--runs N] [--only CASE [--save PATH]]\n"
        "               MODEL...\n"
        "--runs 0 only loads; --run-ms is the CPU time after which a run is asked to stop.\n",
        stderr);
  return 2;
}

int main(int argc, char **argv) {
  options o = {.cuts = 200, .flips = 2000, .changes = 1000, .only = -1, .seconds = 60, .seed = 1};
  o.limits = (test_load_run_options){
      .memory_bytes = (int64_t)256 << 20, .run_cpu_ms = 30, .runs = 2, .round_trip = true};
  int i = 1;
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    const char *value = argv[i + 1];
    unsigned long long number = strtoull(value, NULL, 10);
    if (!strcmp(argv[i], "--cuts"))
      o.cuts = (size_t)number;
    else if (!strcmp(argv[i], "--flips"))
      o.flips = (size_t)number;
    else if (!strcmp(argv[i], "--changes"))
      o.changes = (size_t)number;
    else if (!strcmp(argv[i], "--seed"))
      o.seed = number;
    else if (!strcmp(argv[i], "--seconds"))
      o.seconds = (unsigned)number;
    else if (!strcmp(argv[i], "--memory"))
      o.limits.memory_bytes = (int64_t)(number % (1u << 20)) << 20;
    else if (!strcmp(argv[i], "--run-ms"))
      o.limits.run_cpu_ms = (int)(number % 1000000);
    else if (!strcmp(argv[i], "--runs"))
      o.limits.runs = (int)(number % 1000);
    else if (!strcmp(argv[i], "--only"))
      o.only = (long)number;
    else if (!strcmp(argv[i], "--save"))
      o.save = value;
    else
      return usage();
  }
  if (i == argc) return usage();
  progress *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  size_t failures = 0;
  for (; i < argc; ++i) failures += run_model(argv[i], &o, shared);
  return failures ? 1 : 0;
}
