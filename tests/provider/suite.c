// The contract, call by call.
#include "provider/suite.h"

#include <math.h>
#include <string.h>

#include "provider/models.h"
#include "provider/suite_models.h"
#include "unit/test.h"

static const provider_subject *subject; // cmocka's tests take no argument but their state

tern_provider *suite_create(void) {
  tern_provider *provider;
  suite_check(subject->create(subject->self, &provider));
  return provider;
}

void suite_destroy(tern_provider *provider) {
  subject->destroy(subject->self, provider);
}

const provider_subject *suite_subject(void) {
  return subject;
}

void suite_check(tern_status *status) {
  if (status) fail_msg("%s: %s", subject->name, tern_status_message(status));
}

// ---- Agreement.

static bool numbers_agree(const tern_value *a, const tern_value *b, double tolerance) {
  double largest = 0, apart = 0;
  for (int64_t i = 0; i < tern_value_count(a); ++i) {
    double left = tern_dtype_read_f64(a->dtype, a->data, i);
    double right = tern_dtype_read_f64(b->dtype, b->data, i);
    if (isnan(left) || isnan(right) || isinf(left) || isinf(right)) {
      if (!(isnan(left) && isnan(right)) && left != right) return false;
      continue;
    }
    largest = fmax(largest, fabs(left));
    apart = fmax(apart, fabs(left - right));
  }
  return apart <= tolerance * largest;
}

static bool texts_agree(const tern_value *a, const tern_value *b) {
  const tern_string *left = a->data, *right = b->data;
  for (int64_t i = 0; i < tern_value_count(a); ++i) {
    if (left[i].size != right[i].size) return false;
    if (left[i].size && memcmp(left[i].data, right[i].data, left[i].size) != 0) return false;
  }
  return true;
}

static bool is_real(tern_dtype dtype) {
  return dtype == TERN_FLOAT || dtype == TERN_DOUBLE || dtype == TERN_FLOAT16 ||
         dtype == TERN_BFLOAT16;
}

bool provider_values_agree(const tern_value *a, const tern_value *b, double tolerance) {
  if (!a || !b) return a == b;
  if (a->kind != b->kind || a->dtype != b->dtype || a->item_count != b->item_count) return false;
  for (size_t i = 0; i < a->item_count; ++i)
    if (!provider_values_agree(a->items[i], b->items[i], tolerance)) return false;
  if (a->kind != TERN_KIND_TENSOR) return true;
  if (!tern_shape_equal(&a->shape, &b->shape)) return false;
  if (a->dtype == TERN_STRING) return texts_agree(a, b);
  if (a->data_bytes == 0 || memcmp(a->data, b->data, a->data_bytes) == 0) return true;
  return tolerance > 0 && is_real(a->dtype) && numbers_agree(a, b, tolerance);
}

// ---- Claims and kernels, on the nodes of the suite's models.

static void for_each_node(void (*visit)(tern_provider *provider, const tern_node *node)) {
  tern_provider *provider = suite_create();
  for (const test_model *model = test_models; model->name; ++model) {
    tern_session *session;
    suite_check(test_model_load(model, NULL, &session));
    const tern_model *loaded = tern_session_model(session);
    for (size_t g = 0; g < loaded->graphs.count; ++g) {
      if (!tern_graph_is_live(loaded->graphs.data[g])) continue;
      TERN_GRAPH_FOREACH(loaded->graphs.data[g], node) visit(provider, node);
    }
    tern_session_destroy(session);
  }
  suite_destroy(provider);
}

static int accepted;

static void claim_twice(tern_provider *provider, const tern_node *node) {
  tern_claim first = provider->claims(provider->self, node);
  tern_claim again = provider->claims(provider->self, node);
  assert_int_equal(first.accepted, again.accepted);
  assert_int_equal(first.host_inputs, again.host_inputs);
  assert_int_equal(first.host_outputs, again.host_outputs);
  if (!first.accepted) assert_true(first.reason && first.reason[0]);
  accepted += first.accepted;
}

static void test_claims(void **state) {
  (void)state;
  accepted = 0;
  for_each_node(claim_twice);
  assert_true(accepted > 0);
}

static bool has_subgraphs(const tern_node *node) {
  for (size_t i = 0; node->op->attrs && node->op->attrs[i].name; ++i)
    if (node->attrs[i].type == TERN_ATTR_GRAPH) return true;
  return false;
}

// A kernel that never computes gives everything back.
static void prepare_and_release(tern_provider *provider, const tern_node *node) {
  enum { MOST_INPUTS = 16 };
  const tern_value *constants[MOST_INPUTS] = {NULL};
  tern_value *copies[MOST_INPUTS] = {NULL};
  bool consumed[MOST_INPUTS] = {false};
  if (!provider->prepare || has_subgraphs(node) || node->input_count > MOST_INPUTS) return;
  tern_claim claim = provider->claims(provider->self, node);
  if (!claim.accepted) return;
  for (int32_t i = 0; i < node->input_count; ++i) {
    const tern_value *constant = node->inputs[i] ? tern_edge_constant(node->inputs[i]) : NULL;
    if (!constant || constant->is_spent) continue;
    suite_check(tern_value_clone(tern_allocator_system(), constant, &copies[i]));
    constants[i] = copies[i];
  }
  tern_counting_allocator memory;
  tern_counting_allocator_init(tern_allocator_system(), &memory);
  const tern_prepare prepare = {.node = node,
                                .allocator = &memory.base,
                                .constants = constants,
                                .consumed = consumed,
                                .host_inputs = claim.host_inputs | node->op->shape_inputs,
                                .host_outputs = claim.host_outputs,
                                .disable_prepacking = true};
  tern_kernel kernel = {0};
  suite_check(provider->prepare(provider->self, &prepare, &kernel));
  assert_non_null(kernel.compute);
  assert_non_null(kernel.name);
  for (int32_t i = 0; i < node->input_count; ++i) assert_true(constants[i] || !consumed[i]);
  if (kernel.release) kernel.release(kernel.state, &memory.base);
  assert_int_equal(memory.live_bytes, 0);
  for (int32_t i = 0; i < MOST_INPUTS; ++i) tern_value_release(copies[i]);
}

static void test_kernels_that_never_compute(void **state) {
  (void)state;
  for_each_node(prepare_and_release);
}

// ---- Memory and streams.

typedef struct trip {
  tern_provider *provider;
  const tern_memory_space *space;
  void *stream;
} trip;

static trip begin_trip(tern_provider *provider) {
  trip t = {provider, provider->memory, NULL};
  if (provider->begin_run) suite_check(provider->begin_run(provider->self, &t.stream));
  return t;
}

static void end_trip(const trip *t) {
  if (t->provider->synchronize) suite_check(t->provider->synchronize(t->provider->self, t->stream));
}

// Up at an offset, across to another allocation, and down again.
static void send_round(const trip *t, size_t bytes, size_t offset) {
  tern_allocator *system = tern_allocator_system(), *own = t->space->allocator;
  unsigned char *from, *to;
  char *first, *second;
  suite_check(tern_allocator_alloc(system, bytes, (void **)&from));
  suite_check(tern_allocator_alloc(system, bytes, (void **)&to));
  suite_check(tern_allocator_alloc(own, bytes + offset, (void **)&first));
  suite_check(tern_allocator_alloc(own, bytes + offset, (void **)&second));
  assert_int_equal((uintptr_t)first % TERN_BUFFER_ALIGNMENT, 0);
  assert_int_equal((uintptr_t)second % TERN_BUFFER_ALIGNMENT, 0);
  for (size_t i = 0; i < bytes; ++i) from[i] = (unsigned char)(i * 7 + offset);
  memset(to, 0, bytes);
  void *self = t->space->self;
  suite_check(t->space->upload(self, first + offset, from, bytes, t->stream));
  suite_check(t->space->copy(self, second, first + offset, bytes, t->stream));
  suite_check(t->space->download(self, to, second, bytes, t->stream));
  end_trip(t);
  assert_memory_equal(to, from, bytes);
  tern_allocator_free(own, first, bytes + offset);
  tern_allocator_free(own, second, bytes + offset);
  tern_allocator_free(system, from, bytes);
  tern_allocator_free(system, to, bytes);
}

static void test_memory(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 63, 64, 65, 4096, 100003};
  tern_provider *provider = suite_create();
  if (!provider->memory) {
    suite_destroy(provider);
    skip();
  }
  assert_non_null(provider->memory->name);
  trip t = begin_trip(provider);
  for (size_t i = 0; i < TERN_COUNT_OF(sizes); ++i) {
    send_round(&t, sizes[i], 0);
    send_round(&t, sizes[i], TERN_BUFFER_ALIGNMENT);
    send_round(&t, sizes[i], 3);
  }
  if (provider->end_run) provider->end_run(provider->self, t.stream);
  suite_destroy(provider);
}

// Two runs at once, of which neither does anything.
static void test_streams(void **state) {
  (void)state;
  tern_provider *provider = suite_create();
  bool has_streams = provider->begin_run || provider->synchronize;
  assert_int_equal(provider->begin_run != NULL, provider->end_run != NULL);
  if (has_streams) {
    trip first = begin_trip(provider), second = begin_trip(provider);
    end_trip(&second);
    end_trip(&first);
    end_trip(&first);
    if (provider->end_run) provider->end_run(provider->self, first.stream);
    if (provider->end_run) provider->end_run(provider->self, second.stream);
  }
  suite_destroy(provider);
  if (!has_streams) skip();
}

// Every status means something, also one that the provider did not make.
static void test_classes(void **state) {
  (void)state;
  tern_provider *provider = suite_create();
  tern_status *statuses[] = {tern_status_out_of_memory(), TERN_ERROR(TERN_FAIL, "any")};
  for (size_t i = 0; i < TERN_COUNT_OF(statuses); ++i) {
    if (provider->classify) {
      tern_failure_kind kind = provider->classify(provider->self, statuses[i]);
      assert_in_range(kind, TERN_FAILURE_ERROR, TERN_FAILURE_LOST);
    }
    tern_status_free(statuses[i]);
  }
  suite_destroy(provider);
}

int provider_suite_run(const provider_subject *given, const char *cases) {
  const struct CMUnitTest contract[] = {
      cmocka_unit_test(test_claims),  cmocka_unit_test(test_kernels_that_never_compute),
      cmocka_unit_test(test_memory),  cmocka_unit_test(test_streams),
      cmocka_unit_test(test_classes),
  };
  subject = given;
  int failed = _cmocka_run_group_tests(given->name, contract, TERN_COUNT_OF(contract), NULL, NULL);
  failed += suite_run_models();
  if (!cases) return failed;
  int placed, differ = provider_suite_cases(given, cases, &placed);
  print_message("%s: %d cases with nodes of the provider's, %d differ\n", given->name, placed,
                differ);
  return failed + differ + (placed == 0);
}
