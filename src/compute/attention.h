// Scaled dot-product attention: one head, a block of queries at a time, so that only a block of
// scores ever exists.
#ifndef TERN_COMPUTE_ATTENTION_H_
#define TERN_COMPUTE_ATTENTION_H_

#include "base/macros.h"

// Which stage of the scores the caller wants to see.
typedef enum tern_attention_stage {
  TERN_ATTENTION_PRODUCT = 0, // scale * Q * K^T
  TERN_ATTENTION_CAPPED,      // after the soft cap
  TERN_ATTENTION_BIASED,      // after the mask
  TERN_ATTENTION_WEIGHTS,     // after softmax
} tern_attention_stage;

// Queries attended to at once.
enum { TERN_ATTENTION_BLOCK = 64 };

// Query i sees key j when max(0, i + first) <= j < min(visible, i + end), both sums taken without
// overflow for |first|, |end| < 2^62. A key beyond mask_keys is not seen where there is a mask. A
// query that sees no key, or only keys whose mask is -infinity, has the result 0.
#define TERN_ATTENTION_HEAD(T)                                                                     \
  {                                                                                                \
    size_t queries, keys, size, value_size;                                                        \
    const T *q, *k, *v; /* [queries, size], [keys, size], [keys, value_size] */                    \
    size_t ldq, ldk, ldv;                                                                          \
    T scale, softcap; /* softcap 0: none */                                                        \
    const T *mask;    /* added: [queries, mask_keys], or one line where ld_mask is 0; or NULL */   \
    size_t ld_mask, mask_keys;                                                                     \
    int64_t first, end, visible;                                                                   \
    T *y; /* [queries, value_size] */                                                              \
    size_t ldy;                                                                                    \
    T *captured; /* [queries, keys], the scores at `stage`; or NULL */                             \
    tern_attention_stage stage;                                                                    \
  }
typedef struct tern_attention_f32_head TERN_ATTENTION_HEAD(float) tern_attention_f32_head;
typedef struct tern_attention_f64_head TERN_ATTENTION_HEAD(double) tern_attention_f64_head;
#undef TERN_ATTENTION_HEAD

// Bytes of workspace for one thread, aligned to TERN_BUFFER_ALIGNMENT.
size_t tern_attention_f32_workspace_bytes(const tern_attention_f32_head *head);
size_t tern_attention_f64_workspace_bytes(const tern_attention_f64_head *head);
// The queries [begin, end) of a head. begin is a multiple of TERN_ATTENTION_BLOCK; so is end,
// unless it is the head's last. Distinct blocks may be computed at once.
void tern_attention_f32(const tern_attention_f32_head *head, size_t begin, size_t end,
                        void *workspace);
void tern_attention_f64(const tern_attention_f64_head *head, size_t begin, size_t end,
                        void *workspace);

#endif
