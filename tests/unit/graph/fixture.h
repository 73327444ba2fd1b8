// A file being written and the model read from it.
#ifndef TERN_TESTS_UNIT_GRAPH_FIXTURE_H_
#define TERN_TESTS_UNIT_GRAPH_FIXTURE_H_

#include <string.h>

#include "graph/import.h"
#include "unit/failing_allocator.h"
#include "unit/graph/proto.h"
#include "unit/graph/rows.h"
#include "unit/test.h"

typedef struct fixture {
  failing_allocator allocator;
  tern_pb_writer writer;
  tern_model *model;
} fixture;

static inline tern_pb_writer *start(fixture *f) {
  memset(f, 0, sizeof *f);
  failing_allocator_init(&f->allocator, 0);
  tern_pb_writer_init(tern_allocator_system(), &f->writer);
  return &f->writer;
}

static inline tern_status *read_back(fixture *f, const tern_import_options *options) {
  assert_null(tern_pb_writer_finish(&f->writer));
  tern_status *status = tern_model_create(&f->allocator.base, test_rows(), &f->model);
  if (status) return status;
  tern_span bytes = {(const char *)f->writer.data, f->writer.size};
  return tern_import(f->model, bytes, options);
}

// The model must be good.
static inline tern_graph *read_good(fixture *f) {
  tern_status *status = read_back(f, NULL);
  if (status) fail_msg("%s", tern_status_message(status));
  status = tern_model_verify(f->model);
  if (status) fail_msg("%s", tern_status_message(status));
  return f->model->graph;
}

static inline void end(fixture *f) {
  tern_model_destroy(f->model);
  tern_pb_writer_deinit(&f->writer);
  assert_int_equal(f->allocator.live_blocks, 0);
}

// The model must be refused with this code and a message that has every one of these words.
static inline void expect_refused(fixture *f, const tern_import_options *options,
                                  tern_status_code code, const char *const *words) {
  tern_status *status = read_back(f, options);
  assert_non_null(status);
  for (; *words; ++words) {
    if (!strstr(tern_status_message(status), *words))
      fail_msg("'%s' is not in: %s", *words, tern_status_message(status));
  }
  assert_int_equal(tern_status_get_code(status), code);
  tern_status_free(status);
  end(f);
}
#define EXPECT_REFUSED(f, ...)                                                                     \
  expect_refused((f), NULL, TERN_INVALID_GRAPH, (const char *const[]){__VA_ARGS__, NULL})

#endif
