// Threads of the OS seam. Built twice: with the system's sleeping calls and with the portable ones.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/os.h"
#include "unit/test.h"

typedef struct greeting {
  int64_t thread;
  char name[16];
  bool takes_signals;
  _Atomic uint32_t word;
} greeting;

static void greet(void *argument) {
  greeting *g = argument;
  sigset_t mask;
  g->thread = tern_os_thread_id();
  tern_os_thread_set_name("a name longer than systems keep");
  pthread_getname_np(pthread_self(), g->name, sizeof g->name);
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  g->takes_signals = !sigismember(&mask, SIGINT) || sigismember(&mask, SIGSEGV);
  atomic_store(&g->word, 1);
  tern_os_wake(&g->word, 1);
}

static void starts_threads(void **state) {
  (void)state;
  greeting g = {0};
  tern_os_thread thread;
  assert_null(tern_os_thread_create(greet, &g, &thread));
  tern_os_thread_join(&thread);
  assert_int_not_equal(g.thread, tern_os_thread_id());
  assert_string_equal(g.name, "a name longer t");
  assert_false(g.takes_signals);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  assert_false(sigismember(&mask, SIGINT));
}

static void waits_for_detached_threads(void **state) {
  (void)state;
  static greeting g;
  tern_os_thread thread;
  assert_null(tern_os_thread_create(greet, &g, &thread));
  tern_os_thread_detach(&thread);
  while (atomic_load(&g.word) == 0) tern_os_wait(&g.word, 0);
}

static void keeps_to_processors(void **state) {
  (void)state;
  const int32_t none[] = {-1}, absent[] = {60000};
  assert_false(tern_os_thread_set_affinity(none, 1));
  assert_false(tern_os_thread_set_affinity(absent, 1));
}

// ---- Words to sleep on.

enum { SLEEPERS = 4, TURNS = 2000 };

static _Atomic uint32_t turn;

// Each takes every fourth turn.
static void take_turns(void *argument) {
  uint32_t mine = *(const uint32_t *)argument;
  for (;;) {
    uint32_t now = atomic_load(&turn);
    if (now >= TURNS) return;
    if (now % SLEEPERS != mine) {
      tern_os_wait(&turn, now);
      continue;
    }
    atomic_store(&turn, now + 1);
    tern_os_wake(&turn, INT32_MAX);
  }
}

static void wakes_whoever_waits(void **state) {
  (void)state;
  tern_os_thread threads[SLEEPERS];
  uint32_t numbers[SLEEPERS];
  for (uint32_t i = 0; i < SLEEPERS; ++i) {
    numbers[i] = i;
    assert_null(tern_os_thread_create(take_turns, &numbers[i], &threads[i]));
  }
  for (uint32_t i = 0; i < SLEEPERS; ++i) tern_os_thread_join(&threads[i]);
  assert_int_equal(turn, TURNS);
  // A word that has changed already is not waited for.
  tern_os_wait(&turn, TURNS + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_threads), cmocka_unit_test(waits_for_detached_threads),
      cmocka_unit_test(keeps_to_processors), cmocka_unit_test(wakes_whoever_waits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
