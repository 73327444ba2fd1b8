// The options of a run.
#ifndef TERN_API_RUN_OPTIONS_H_
#define TERN_API_RUN_OPTIONS_H_

#include "api/pairs.h"

struct OrtRunOptions {
  int log_severity_level; // an OrtLoggingLevel, or -1: the session's
  int log_verbosity_level;
  char *tag;              // never NULL
  _Atomic bool terminate; // runs look here between steps
  char *profile_prefix;   // NULL: not profiled
  OrtSyncStream *sync_stream;
  OrtKeyValuePairs config;
};

#endif
