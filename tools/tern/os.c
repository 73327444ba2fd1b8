// POSIX side of os.h. A child is forked, never executed anew: the parent loads no runtime library,
// so a child starts small and its peak memory is its own.
#include "os.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *cli_os_open_library(const char *path, const char **out_reason) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) *out_reason = dlerror();
  return library;
}

void *cli_os_symbol(void *library, const char *name) {
  return dlsym(library, name);
}

const char *cli_os_symbol_file(cli_arena *arena, void *symbol) {
  Dl_info info;
  if (!dladdr(symbol, &info) || !info.dli_fname) return NULL;
  return cli_copy(arena, info.dli_fname, strlen(info.dli_fname));
}

const char *cli_os_program_folder(cli_arena *arena) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || (size_t)length == sizeof path) return NULL;
  while (length > 0 && path[length - 1] != '/') length--;
  return length > 1 ? cli_copy(arena, path, (size_t)length - 1) : "";
}

bool cli_os_is_terminal_stderr(void) {
  return isatty(STDERR_FILENO);
}

uint64_t cli_os_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool write_all(int file, const uint8_t *bytes, size_t size) {
  while (size) {
    ssize_t wrote = write(file, bytes, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

static cli_status *read_to_end(int file, cli_buffer *buffer) {
  uint8_t chunk[65536];
  for (;;) {
    ssize_t got = read(file, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cli_fail(CLI_FAILED, "cannot read from a child: %s", strerror(errno));
    if (got == 0) return NULL;
    CLI_TRY(cli_buffer_put(buffer, chunk, (size_t)got));
  }
}

// Leaves without the parent's exit handlers, which belong to the parent.
static _Noreturn void be_child(int (*body)(void *, cli_buffer *), void *arg, int file) {
  cli_buffer reply = {0};
  int exit_code = body(arg, &reply);
  fflush(NULL);
  if (!write_all(file, reply.bytes, reply.size)) exit_code = CLI_FAILED;
  _exit(exit_code);
}

static cli_status *wait_for(pid_t child, cli_os_end *out_end) {
  int state;
  struct rusage usage;
  while (wait4(child, &state, 0, &usage) < 0)
    if (errno != EINTR) return cli_fail(CLI_FAILED, "lost a child: %s", strerror(errno));
  out_end->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : CLI_CRASHED;
  out_end->signal_name = WIFSIGNALED(state) ? strsignal(WTERMSIG(state)) : NULL;
  out_end->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
  return NULL;
}

cli_status *cli_os_run_child(int (*body)(void *arg, cli_buffer *reply), void *arg,
                             cli_buffer *out_reply, cli_os_end *out_end) {
  int ends[2];
  if (pipe(ends)) return cli_fail(CLI_FAILED, "cannot make a pipe: %s", strerror(errno));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(body, arg, ends[1]);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return cli_fail(CLI_FAILED, "cannot start a child: %s", strerror(errno));
  }
  cli_status *status = read_to_end(ends[0], out_reply);
  close(ends[0]);
  cli_status *waited = wait_for(child, out_end);
  if (!status) return waited;
  cli_status_free(waited);
  return status;
}
