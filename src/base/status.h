// Errors are values. A function that can fail returns `tern_status *`: NULL is success, anything
// else is an owned object that the caller passes on, inspects or frees. Nothing below the ABI
// prints, aborts or sets a global error.
#ifndef TERN_BASE_STATUS_H_
#define TERN_BASE_STATUS_H_

#include "base/macros.h"

// The numbers are ORT's (OrtErrorCode), so that a status crosses the ABI unchanged.
typedef enum tern_status_code {
  TERN_OK = 0,
  TERN_FAIL = 1,
  TERN_INVALID_ARGUMENT = 2,
  TERN_NO_SUCH_FILE = 3,
  TERN_NO_MODEL = 4,
  TERN_ENGINE_ERROR = 5,
  TERN_RUNTIME_EXCEPTION = 6,
  TERN_INVALID_PROTOBUF = 7,
  TERN_MODEL_LOADED = 8,
  TERN_NOT_IMPLEMENTED = 9,
  TERN_INVALID_GRAPH = 10,
  TERN_EP_FAIL = 11,
  TERN_MODEL_LOAD_CANCELED = 12,
  TERN_MODEL_REQUIRES_COMPILATION = 13,
  TERN_NOT_FOUND = 14,
} tern_status_code;

typedef struct tern_status tern_status;

// Creates a status. Never returns NULL: when memory is out, a shared static status of code
// TERN_FAIL that says so is returned (freeing it is harmless).
TERN_MUST_USE tern_status *tern_status_create(tern_status_code code, const char *file, int line,
                                              const char *format, ...) TERN_PRINTF(4, 5);

// The status for a failed allocation. Needs no memory itself.
TERN_MUST_USE tern_status *tern_status_out_of_memory(void);
// One that says why: a limit that was set.
TERN_MUST_USE tern_status *tern_status_over_limit(const char *format, ...) TERN_PRINTF(1, 2);
// Of both.
bool tern_status_is_out_of_memory(const tern_status *status);

// Puts "<context>: " before the message, so that an error names the node, file or step it passed
// through on its way up. Takes and returns ownership; keeps the code. NULL stays NULL.
TERN_MUST_USE tern_status *tern_status_annotate(tern_status *status, const char *format, ...)
    TERN_PRINTF(2, 3);

// NULL is TERN_OK.
tern_status_code tern_status_get_code(const tern_status *status);
// NUL-terminated, borrowed from the status; "" for NULL.
const char *tern_status_message(const tern_status *status);
// Where the status was created, as "file:line"; "" for NULL and for out-of-memory.
const char *tern_status_where(const tern_status *status);
// Accepts NULL.
void tern_status_free(tern_status *status);
// Drops an error on purpose: where a failure only means "this cannot be done here".
static inline void tern_status_ignore(tern_status *status) {
  tern_status_free(status);
}

// Clang's static analyzer does not know that what is created is there, and would follow every error
// on as a success. An expression, because it does not look into functions of functions for ever.
#ifdef __clang_analyzer__
#define tern_status_never_null(status)                                                             \
  ({                                                                                               \
    tern_status *never_null_ = (status);                                                           \
    if (!never_null_) __builtin_unreachable();                                                     \
    never_null_;                                                                                   \
  })
#define tern_status_out_of_memory() tern_status_never_null(tern_status_out_of_memory())
#else
#define tern_status_never_null(status) (status)
#endif

#define TERN_ERROR(code, ...)                                                                      \
  tern_status_never_null(tern_status_create((code), __FILE__, __LINE__, __VA_ARGS__))

// Evaluates a status expression and returns early from the enclosing function when it failed.
#define TERN_TRY(expr)                                                                             \
  do {                                                                                             \
    tern_status *try_status_ = (expr);                                                             \
    if (TERN_UNLIKELY(try_status_ != NULL)) return try_status_;                                    \
  } while (0)

#endif
