// Damaged copies of real models, loaded and run: cut at the borders of fields, with bytes changed,
// and with fields removed, doubled and exchanged. Every case must end in a status. Cases run in a
// child process; one that kills it is named with the options that repeat it, and the rest goes on.
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fields.h"
#include "support/load_run.h"

enum { MOST_GIVEN = 16 };

typedef struct options {
  int64_t cuts, flips, changes; // cases of each kind a model
  int64_t only;                 // a case to repeat alone; -1: all
  int64_t seconds;              // for one case, before it counts as hanging
  int64_t seed;
  int64_t runs, hostile_runs;  // of each model that loads
  int64_t memory_mib, run_ms;  // what a case gets
  int64_t whole;               // of so many cases one gets what a whole run needs; 0: none
  int64_t whole_mib, whole_ms; // what that is
  const char *save;            // where to write the case, with `only`
  test_given given[MOST_GIVEN];
  size_t given_count;
} options;

// What the child tells its parent: the next case, and how many models were loaded, completed at
// least one run, or were stopped by the limit of time in one.
typedef struct progress {
  size_t next, loaded, completed, stopped, whole, whole_loaded, whole_completed;
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
  test_fields fields;
  test_fields_find(m->bytes, m->size, &fields);
  m->fields = fields;
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
  test_random random = {(uint64_t)o->seed * 1000003 + index};
  if (index == 0) {
    memcpy(m->copy, m->bytes, m->size);
    return m->size;
  }
  size_t cuts = (size_t)o->cuts;
  if (--index < cuts) {
    const test_field *field = &m->fields.items[index * m->fields.count / cuts];
    memcpy(m->copy, m->bytes, m->size);
    return index % 2 ? field->data : field->start;
  }
  index -= cuts;
  return index < (size_t)o->flips ? flip(m, &random) : change(m, &random);
}

static bool is_whole(const options *o, size_t index) {
  return o->whole > 0 && index % (size_t)o->whole == 0;
}

static test_load_run_options limits_of(const options *o, size_t index) {
  bool whole = is_whole(o, index), runs = whole || o->run_ms > 0;
  return (test_load_run_options){
      .memory_bytes = (whole ? o->whole_mib : o->memory_mib) << 20,
      .run_cpu_ms = (int)(whole ? o->whole_ms : o->run_ms),
      .runs = runs ? (int)o->runs : 0,
      .hostile_runs = runs ? (int)o->hostile_runs : 0,
      .round_trip = true,
      .given = o->given,
      .given_count = o->given_count,
  };
}

static void run_case(model *m, const options *o, size_t index, progress *shared) {
  size_t size = make_case(m, o, index);
  // A block of its exact size, so that reading past the end is seen.
  void *exact = allocate(size);
  if (size) memcpy(exact, m->copy, size);
  if (o->save) tern_status_ignore(tern_os_file_write(o->save, exact, size));
  test_load_run_options limits = limits_of(o, index);
  test_load_run_result result;
  test_load_run(exact, size, &limits, &result);
  free(exact);
  shared->loaded += result.loaded;
  shared->completed += result.completed > 0;
  shared->stopped += result.stopped > 0;
  if (is_whole(o, index)) {
    shared->whole++;
    shared->whole_loaded += result.loaded;
    shared->whole_completed += result.completed > 0;
  }
  if (index == 0 || o->only >= 0)
    printf("%s: %s, %d runs completed, %d stopped%s%s\n", m->path,
           result.loaded ? "loaded" : "refused", result.completed, result.stopped,
           result.message[0] ? ": " : "", result.message);
  fflush(stdout);
}

static void run_cases(model *m, const options *o, size_t end, progress *shared) {
  while (shared->next < end) {
    alarm((unsigned)o->seconds);
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
  printf(
      "%s: case %zu %s (hostile --cuts %lld --flips %lld --changes %lld --seed %lld --only %zu)\n",
      m->path, shared->next, is_hang ? "hangs" : "crashes", (long long)o->cuts, (long long)o->flips,
      (long long)o->changes, (long long)o->seed, shared->next);
  return false;
}

static size_t run_model(const char *path, const options *o, progress *shared) {
  model m;
  if (!open_model(path, &m)) {
    fprintf(stderr, "%s: no model\n", path);
    close_model(&m);
    return 1;
  }
  size_t end = (size_t)(1 + o->cuts + o->flips + o->changes), failures = 0;
  *shared = (progress){0};
  if (o->only >= 0) {
    shared->next = (size_t)o->only;
    end = shared->next + 1;
  }
  while (!run_child(&m, o, end, shared)) {
    ++failures;
    ++shared->next;
  }
  printf("%s: %zu cases, %zu load, %zu run, %zu are stopped", path, end, shared->loaded,
         shared->completed, shared->stopped);
  if (o->whole)
    printf("; of %zu with time for whole runs %zu load, %zu run", shared->whole,
           shared->whole_loaded, shared->whole_completed);
  printf("; %zu failures\n", failures);
  close_model(&m);
  return failures;
}

// Options of one number.
static const struct {
  const char *name;
  size_t offset; // in `options`
  int64_t most;
  const char *help;
} numbers[] = {
    {"--cuts", offsetof(options, cuts), 1 << 20, "cases cut at the border of a field"},
    {"--flips", offsetof(options, flips), 1 << 20, "cases with up to three bytes changed"},
    {"--changes", offsetof(options, changes), 1 << 20,
     "cases with fields removed, doubled, filled"},
    {"--seed", offsetof(options, seed), INT32_MAX, "of everything that is chosen"},
    {"--seconds", offsetof(options, seconds), 3600, "after which a case counts as hanging"},
    {"--runs", offsetof(options, runs), 1000, "of each model that loads, with other sizes each"},
    {"--hostile-runs", offsetof(options, hostile_runs), 1000, "further ones, with hostile numbers"},
    {"--memory", offsetof(options, memory_mib), 1 << 20, "MiB for a model and its runs"},
    {"--run-ms", offsetof(options, run_ms), 1000000,
     "CPU time before a run is asked to stop; 0: only load"},
    {"--whole", offsetof(options, whole), 1 << 20, "give one case of so many what whole runs need"},
    {"--whole-memory", offsetof(options, whole_mib), 1 << 20, "MiB that those get"},
    {"--whole-ms", offsetof(options, whole_ms), 1000000, "CPU time that those get a run"},
    {"--only", offsetof(options, only), 1 << 24, "the one case to run"},
};

static int usage(void) {
  fputs("usage: hostile [OPTION VALUE]... MODEL...\n", stderr);
  for (size_t i = 0; i < TERN_COUNT_OF(numbers); ++i)
    fprintf(stderr, "  %-15s %s\n", numbers[i].name, numbers[i].help);
  fputs("  --save PATH     where to write the case that --only names\n"
        "  --shape NAME=N,N...  sizes for what an input's shape leaves open\n"
        "  --fill NAME=N   the number that an input of integers is full of\n",
        stderr);
  return 2;
}

// The entry for the input that `text`, NAME=..., is about; *out_value is what follows. Cuts `text`.
static test_given *find_given(options *o, char *text, char **out_value) {
  char *equals = strrchr(text, '=');
  if (!equals) return NULL;
  *equals = '\0';
  *out_value = equals + 1;
  for (size_t i = 0; i < o->given_count; ++i) {
    if (strcmp(o->given[i].name, text) == 0) return &o->given[i];
  }
  if (o->given_count == MOST_GIVEN) return NULL;
  test_given *given = &o->given[o->given_count++];
  *given = (test_given){.name = text, .shape = {.rank = TERN_RANK_UNKNOWN}};
  return given;
}

static bool read_shape(options *o, char *text) {
  test_given *given = find_given(o, text, &text);
  if (!given) return false;
  given->shape.rank = 0;
  for (char *end; *text && given->shape.rank < TERN_MAX_RANK; text = end + (*end == ',')) {
    given->shape.dims[given->shape.rank++] = strtoll(text, &end, 10);
    if (end == text || (*end && *end != ',')) return false;
  }
  return true;
}

static bool read_fill(options *o, char *text) {
  test_given *given = find_given(o, text, &text);
  if (!given) return false;
  given->has_number = true;
  given->number = strtoll(text, NULL, 10);
  return true;
}

static bool read_option(options *o, const char *name, char *value) {
  if (strcmp(name, "--shape") == 0) return read_shape(o, value);
  if (strcmp(name, "--fill") == 0) return read_fill(o, value);
  if (strcmp(name, "--save") == 0) {
    o->save = value;
    return true;
  }
  for (size_t i = 0; i < TERN_COUNT_OF(numbers); ++i) {
    if (strcmp(name, numbers[i].name) != 0) continue;
    char *end;
    int64_t number = strtoll(value, &end, 10);
    if (end == value || *end || number < 0 || number > numbers[i].most) return false;
    memcpy((char *)o + numbers[i].offset, &number, sizeof number);
    return true;
  }
  return false;
}

int main(int argc, char **argv) {
  options o = {.cuts = 200,
               .flips = 2000,
               .changes = 1000,
               .only = -1,
               .seconds = 60,
               .seed = 1,
               .runs = 2,
               .memory_mib = 256,
               .run_ms = 30,
               .whole_mib = 4096,
               .whole_ms = 30000};
  int i = 1;
  for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
    if (!read_option(&o, argv[i], argv[i + 1])) return usage();
  }
  if (i >= argc || argv[i][0] == '-') return usage();
  progress *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  size_t failures = 0;
  for (; i < argc; ++i) failures += run_model(argv[i], &o, shared);
  return failures ? 1 : 0;
}
