// Loggers: a caller's function, or lines on standard error.
#include <stdio.h>
#include <string.h>

#include "api/env.h"

tern_status *tern_api_logger_init(OrtLoggingFunction function, void *param,
                                  OrtLoggingLevel severity, const char *log_id,
                                  OrtLogger *out_logger) {
  TERN_TRY(tern_api_text_copy(log_id, &out_logger->log_id));
  out_logger->function = function;
  out_logger->param = param;
  out_logger->severity = (int)severity;
  return NULL;
}

void tern_api_logger_deinit(OrtLogger *logger) {
  tern_api_text_free(logger->log_id);
  logger->log_id = NULL;
}

void tern_api_log(const OrtLogger *logger, OrtLoggingLevel severity, const char *code_location,
                  const char *message) {
  static const char letters[] = "VIWEF";
  if ((int)severity < logger->severity) return;
  if (logger->function) {
    logger->function(logger->param, severity, "tern", logger->log_id, code_location, message);
    return;
  }
  size_t letter = (size_t)severity < sizeof letters - 1 ? (size_t)severity : 0;
  fprintf(stderr, "[%c:%s, %s] %s\n", letters[letter], logger->log_id, code_location, message);
}

OrtStatus *ort_Logger_LogMessage(const OrtLogger *logger, OrtLoggingLevel log_severity_level,
                                 const char *message, const ORTCHAR_T *file_path, int line_number,
                                 const char *func_name) {
  TERN_API_REQUIRE(logger);
  TERN_API_REQUIRE(message);
  char location[256];
  snprintf(location, sizeof location, "%s:%d %s", file_path ? file_path : "", line_number,
           func_name ? func_name : "");
  tern_api_log(logger, log_severity_level, location, message);
  return NULL;
}

OrtStatus *ort_Logger_GetLoggingSeverityLevel(const OrtLogger *logger, OrtLoggingLevel *out) {
  TERN_API_REQUIRE(logger);
  TERN_API_REQUIRE(out);
  *out = (OrtLoggingLevel)logger->severity;
  return NULL;
}
