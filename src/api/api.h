// What the files of src/api share: statuses across the ABI, argument checks, copies of text, and
// the listing of the tables. Nothing here is exported.
#ifndef TERN_API_API_H_
#define TERN_API_API_H_

#include "api/prototypes.h"
#include "base/allocator.h"

// The version of ONNX Runtime that the ABI stands for.
#define TERN_API_ORT_VERSION "1.30.0"

// An OrtStatus is a tern_status: the codes are the same numbers.
static inline OrtStatus *tern_api_status(tern_status *status) {
  return (OrtStatus *)status;
}

// Returns early with ORT_INVALID_ARGUMENT where a pointer the caller must pass is NULL.
#define TERN_API_REQUIRE(pointer)                                                                  \
  do {                                                                                             \
    if ((pointer) == NULL)                                                                         \
      return tern_api_status(                                                                      \
          TERN_ERROR(TERN_INVALID_ARGUMENT, "%s: %s is NULL", __func__, #pointer));                \
  } while (0)

// Early return of a tern_status across the ABI.
#define TERN_API_TRY(expr)                                                                         \
  do {                                                                                             \
    tern_status *try_status_ = (expr);                                                             \
    if (try_status_ != NULL) return tern_api_status(try_status_);                                  \
  } while (0)

// A copy owned by the caller, freed with tern_api_text_free; NULL stays NULL.
TERN_MUST_USE tern_status *tern_api_text_copy(const char *text, char **out_text);
void tern_api_text_free(char *text);
// Replaces `*inout_text` by a copy of `text`; on failure nothing changes.
TERN_MUST_USE tern_status *tern_api_text_set(char **inout_text, const char *text);
// The protocol of ORT's string getters: with `buffer` NULL only `*inout_size` is set, in bytes with
// the terminator; too small a size is an error that sets it too.
TERN_MUST_USE tern_status *tern_api_text_get(const char *text, char *buffer, size_t *inout_size);

// One entry of one table, for the documentation and the tests.
typedef struct tern_api_entry {
  const char *table, *name;
  bool is_implemented;
} tern_api_entry;
// The entry at `index`, over all tables in the order of the ABI; false past the last.
bool tern_api_get_entry(size_t index, tern_api_entry *out_entry);

// The exported function OrtGetApiBase answers this.
const OrtApiBase *tern_api_base(void);

#endif
