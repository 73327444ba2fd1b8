// What flows along a graph's edges while it runs and what callers pass in and out: tensors,
// sequences, maps, optionals and sparse tensors. Also the static side: the types that describe
// them.
//
// Ownership: a tern_value is reference counted (create gives one reference, release drops it).
// Its bytes either belong to it or are borrowed from something that outlives it (a mapped file, a
// slab, the caller). A value that more than one holder can see is not written.
#ifndef TERN_BASE_VALUE_H_
#define TERN_BASE_VALUE_H_

#include "base/allocator.h"
#include "base/dtype.h"

// The largest rank of a tensor. The standard sets none; models stay below 10.
#define TERN_MAX_RANK 24

// A dimension: ≥ 0 is a size. Negative is a size not known before a run: TERN_DIM_UNKNOWN, or a
// symbol (≤ TERN_DIM_FIRST_SYMBOL), an entry of its model's symbol table. Two dimensions with one
// symbol are equal in every run.
typedef int64_t tern_dim;
#define TERN_DIM_UNKNOWN ((tern_dim)-1)
#define TERN_DIM_FIRST_SYMBOL ((tern_dim)-2)

#define TERN_RANK_UNKNOWN (-1)

typedef struct tern_shape {
  int32_t rank; // TERN_RANK_UNKNOWN in a type whose rank is not known; ≥ 0 in a value
  tern_dim dims[TERN_MAX_RANK];
} tern_shape;

// The number of elements of a shape whose dimensions are all known: 1 for rank 0, 0 when a
// dimension is 0. False when a dimension or the rank is unknown, or where the product of the
// dimensions that are not 0 overflows: strides of a shape that has a count fit into 64 bits.
bool tern_shape_count(const tern_shape *shape, int64_t *out_count);
// The product of dims[begin..end), all of them known; INT64_MAX on overflow, which only an empty
// tensor's dimensions reach.
int64_t tern_shape_product(const tern_shape *shape, int32_t begin, int32_t end);
bool tern_shape_equal(const tern_shape *a, const tern_shape *b);
// All dimensions are sizes.
bool tern_shape_is_known(const tern_shape *shape);
void tern_shape_set(tern_shape *out_shape, int32_t rank, const tern_dim *dims);
// Copies the rank and as many dimensions as there are: cheaper than assigning the struct.
void tern_shape_copy(tern_shape *out_shape, const tern_shape *shape);
// "[1,3,?,640]" into `buffer`, NUL-terminated, cut when too long. Returns `buffer`.
const char *tern_shape_format(const tern_shape *shape, char *buffer, size_t size);
enum { TERN_SHAPE_TEXT_BYTES = 160 };

typedef enum tern_kind {
  TERN_KIND_NONE = 0, // an omitted optional input or output
  TERN_KIND_TENSOR,
  TERN_KIND_SPARSE_TENSOR,
  TERN_KIND_SEQUENCE,
  TERN_KIND_MAP,
  TERN_KIND_OPTIONAL,
} tern_kind;

// A static type. Contained types are borrowed from the arena of whoever made the type.
typedef struct tern_type tern_type;
struct tern_type {
  tern_kind kind;
  tern_dtype dtype;         // of elements (tensor, sparse tensor) or keys (map); may be undefined
  tern_shape shape;         // of tensors and sparse tensors
  const tern_type *element; // of sequences, optionals and map values; NULL where not known
  const char *denotation;   // NULL or the standard's semantic tag ("IMAGE")
};

static inline tern_type tern_type_tensor(tern_dtype dtype) {
  return (tern_type){
      .kind = TERN_KIND_TENSOR, .dtype = dtype, .shape = {.rank = TERN_RANK_UNKNOWN}};
}
// "tensor(float)[1,?]", "seq(tensor(int64)[])" into `buffer`, cut when too long. Returns `buffer`.
const char *tern_type_format(const tern_type *type, char *buffer, size_t size);
enum { TERN_TYPE_TEXT_BYTES = 240 };
// Kinds and element types are the same, contained types too; what is not known is only the same as
// what is not known. Shapes are not compared.
bool tern_type_same_kind(const tern_type *a, const tern_type *b);

typedef struct tern_value tern_value;
struct tern_value {
  _Atomic int32_t references;
  tern_kind kind;
  tern_dtype dtype;          // elements (tensor, sparse tensor) or keys (map)
  tern_shape shape;          // tensors and sparse tensors; all sizes known
  void *data;                // tensors: elements; sparse tensors: values; NULL when empty
  size_t data_bytes;         // that the shape needs; for strings only the tern_string array
  tern_allocator *allocator; // of the value itself, and of `data` when it is owned
  bool owns_data;
  // Borrowed data that is not aligned for its type: memcpy may read it, loads may not.
  bool is_misaligned;
  // The elements were given up once nothing read them any more: type and shape remain, and
  // `data_bytes`.
  bool is_spent;
  void (*deleter)(void *deleter_context, void *data); // frees borrowed `data` when not NULL
  void *deleter_context;

  // Sequences: items. Maps: items[0] is the keys tensor, items[1] the values (a tensor, or a
  // sequence when the values are not scalars). Optionals: one item, or none. Sparse tensors:
  // items[0..] are the index tensors of `sparse_format`, and element_type is the type of the
  // values.
  tern_value **items;
  size_t item_count, item_capacity;
  tern_type element_type; // sequences, optionals and map values: their static type
  tern_type *inner_types; // what element_type contains, owned
  size_t inner_type_count;
  int32_t sparse_format; // 0 none yet, otherwise ORT's OrtSparseFormat numbers
};

// An uninitialised tensor with its own memory (strings start empty). `shape` must be known.
TERN_MUST_USE tern_status *tern_value_create_tensor(tern_allocator *allocator, tern_dtype dtype,
                                                    const tern_shape *shape,
                                                    tern_value **out_value);
// A tensor over borrowed memory of `data_bytes`, at least the shape's bytes; what is beyond them is
// never touched.
TERN_MUST_USE tern_status *tern_value_wrap_tensor(tern_allocator *allocator, tern_dtype dtype,
                                                  const tern_shape *shape, void *data,
                                                  size_t data_bytes, tern_value **out_value);
// An empty sequence, map or optional. `element_type`, NULL where not known, is copied with what it
// contains, without denotations.
TERN_MUST_USE tern_status *tern_value_create_container(tern_allocator *allocator, tern_kind kind,
                                                       tern_dtype key_dtype,
                                                       const tern_type *element_type,
                                                       tern_value **out_value);
// A sparse tensor without values and indices, of which `dense_shape` is all that is known.
TERN_MUST_USE tern_status *tern_value_create_sparse(tern_allocator *allocator, tern_dtype dtype,
                                                    const tern_shape *dense_shape,
                                                    tern_value **out_value);
// Takes values and indices away again.
void tern_value_clear_sparse(tern_value *value);
// Appends an item and takes a reference to it. Errors: `item` has no reference count, is the
// container itself, or does not fit (an optional holds one item, a map two).
TERN_MUST_USE tern_status *tern_value_append(tern_value *container, tern_value *item);
// A deep copy that owns everything.
TERN_MUST_USE tern_status *tern_value_clone(tern_allocator *allocator, const tern_value *value,
                                            tern_value **out_value);
tern_value *tern_value_retain(tern_value *value);
// A counted reference to the same contents, for whoever keeps a value beyond the call that showed
// it: `value` itself, retained, when it is counted and owns its contents; otherwise a clone.
TERN_MUST_USE tern_status *tern_value_share(tern_allocator *allocator, const tern_value *value,
                                            tern_value **out_value);
// Accepts NULL.
void tern_value_release(tern_value *value);

// Gives a misaligned tensor an aligned copy of its elements; does nothing to others.
TERN_MUST_USE tern_status *tern_value_align(tern_value *tensor);
// Gives up the elements of a tensor that nobody will read again, and frees them where they are its
// own. Does nothing unless the caller's is the only reference.
void tern_value_spend(tern_value *tensor);

// Initialises a tensor value in place over borrowed memory, for slots and the stack: it has no
// reference count of its own and is not released.
void tern_value_init_tensor(tern_value *out_value, tern_dtype dtype, const tern_shape *shape,
                            void *data, size_t data_bytes);

// The number of elements of a tensor.
int64_t tern_value_count(const tern_value *value);
// Sets element `index` of an owning string tensor to a copy of `text`, or to zeros where `text` is
// NULL. Each string is an allocation
// of `size` bytes from the value's allocator (`data` is NULL where `size` is 0).
TERN_MUST_USE tern_status *tern_value_set_string(tern_value *tensor, int64_t index,
                                                 const char *text, size_t size);
// Whether `value` may stand where `type` is expected: kind and element type agree, as far as `type`
// says them. An optional admits what it would contain. Shapes are not compared.
bool tern_type_admits(const tern_type *type, const tern_value *value);
// Fills `out_type` with the type a value has; contained types are borrowed from the value.
void tern_value_get_type(const tern_value *value, tern_type *out_type);

#endif
