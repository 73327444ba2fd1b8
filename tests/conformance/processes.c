// Cases in processes of their own, a few at a time, each with a time limit: a crash or an endless
// loop costs one case, and no case sees what another left behind.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

enum { MAX_JOBS = 64, MAX_MESSAGE = 4096, POLL_MS = 1000 };

// A running case: what it writes on standard error is its message. pid 0: the slot is free.
typedef struct job {
  pid_t pid;
  int pipe;
  int64_t deadline_ms;
  bool timed_out;
  conformance_case *which;
  size_t size;
  char message[MAX_MESSAGE];
} job;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void start(job *slot, conformance_case *which, const OrtApi *api, const char *folder,
                  test_session_options options, int timeout_s) {
  int ends[2];
  fflush(NULL);
  if (pipe(ends)) test_fail("pipe: %s", strerror(errno));
  pid_t pid = fork();
  if (pid < 0) test_fail("fork: %s", strerror(errno));
  if (pid == 0) {
    dup2(ends[1], STDERR_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    case_run(api, folder, which, options);
    exit(0);
  }
  close(ends[1]);
  slot->pid = pid;
  slot->pipe = ends[0];
  slot->deadline_ms = now_ms() + (int64_t)timeout_s * 1000;
  slot->timed_out = false;
  slot->which = which;
  slot->size = 0;
}

// Keeps the first bytes of what the process says and drops the rest. False at the end.
static bool drain(job *slot) {
  char dropped[512];
  size_t room = MAX_MESSAGE - 1 - slot->size;
  ssize_t got = room ? read(slot->pipe, slot->message + slot->size, room)
                     : read(slot->pipe, dropped, sizeof dropped);
  if (got > 0 && room) slot->size += (size_t)got;
  return got > 0 || (got < 0 && errno == EINTR);
}

// One line, however many were written.
static void end_message(job *slot) {
  while (slot->size && slot->message[slot->size - 1] == '\n') --slot->size;
  slot->message[slot->size] = 0;
  for (char *at = slot->message; (at = strchr(at, '\n'));) *at = ' ';
}

static void finish(job *slot, int timeout_s) {
  int status;
  while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(slot->pipe);
  slot->pid = 0;
  end_message(slot);
  bool passed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  slot->which->result = passed ? CASE_PASSED : CASE_FAILED;
  if (passed) return;
  const char *text = slot->message;
  if (slot->timed_out) {
    slot->which->message = test_format("no end within %d s", timeout_s);
  } else if (WIFSIGNALED(status)) {
    slot->which->message = test_format("CRASH by signal %d: %s", WTERMSIG(status), text);
  } else if (WEXITSTATUS(status) != 1) {
    slot->which->message = test_format("exit status %d: %s", WEXITSTATUS(status), text);
  } else {
    slot->which->message = test_format("%s", text);
  }
}

// Reads from and ends the running jobs, waiting at most POLL_MS for something to happen.
static void attend(job *jobs, int count, int timeout_s) {
  struct pollfd polled[MAX_JOBS];
  for (int i = 0; i < count; ++i) {
    polled[i] = (struct pollfd){.fd = jobs[i].pid ? jobs[i].pipe : -1, .events = POLLIN};
  }
  poll(polled, (nfds_t)count, POLL_MS);
  for (int i = 0; i < count; ++i) {
    if (!jobs[i].pid) continue;
    if (now_ms() > jobs[i].deadline_ms) {
      jobs[i].timed_out = true;
      kill(jobs[i].pid, SIGKILL);
    }
    if (polled[i].revents && !drain(&jobs[i])) finish(&jobs[i], timeout_s);
  }
}

void case_list_run(const case_list *list, const OrtApi *api, const char *folder,
                   test_session_options options, case_limits limits) {
  static job jobs[MAX_JOBS];
  int count = limits.jobs < MAX_JOBS ? limits.jobs : MAX_JOBS;
  int running = 0;
  size_t next = 0;
  while (next < list->count || running) {
    for (int i = 0; i < count; ++i) {
      while (next < list->count &&
             (!list->cases[next].is_selected || list->cases[next].exclusion)) {
        ++next;
      }
      if (jobs[i].pid || next == list->count) continue;
      start(&jobs[i], &list->cases[next++], api, folder, options, limits.timeout_s);
    }
    attend(jobs, count, limits.timeout_s);
    running = 0;
    for (int i = 0; i < count; ++i) running += jobs[i].pid != 0;
  }
}
