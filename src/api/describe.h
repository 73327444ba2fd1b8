// The entries of Tern's own table.
#ifndef TERN_API_DESCRIBE_H_
#define TERN_API_DESCRIBE_H_

#include "api/api.h"

OrtStatus *tern_api_describe_session(const OrtSession *session, OrtAllocator *allocator,
                                     char **out_json);
OrtStatus *tern_api_describe_runtime(OrtAllocator *allocator, char **out_json);

#endif
