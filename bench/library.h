// A library that speaks ORT's ABI, for the measurements of one child.
#ifndef TERN_BENCH_LIBRARY_H_
#define TERN_BENCH_LIBRARY_H_

#include "engine.h"

// Loads it and makes an environment; what fails ends the process with a message.
bench_lib bench_library_open(const char *path, const char *models);

#endif
