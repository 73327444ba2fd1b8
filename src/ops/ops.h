// Tern's operators: the registry of every family in this folder.
#ifndef TERN_OPS_OPS_H_
#define TERN_OPS_OPS_H_

#include "graph/op.h"

// All operators Tern knows. Built on first use; lives as long as the process.
TERN_MUST_USE tern_status *tern_ops_registry(const tern_op_registry **out_registry);

// One family a file; listed once, in registry.c.
extern const tern_op_family tern_ops_elementwise; // unary and binary maths, comparison, logic, bits
extern const tern_op_family tern_ops_activation;  // activations
extern const tern_op_family tern_ops_variadic;    // Min, Max, Sum, Mean, Where, Clip
extern const tern_op_family tern_ops_cast;     // Cast, CastLike, BitCast, quantise and dequantise
extern const tern_op_family tern_ops_reduce;   // reductions, arg reductions, cumulative
extern const tern_op_family tern_ops_shape;    // Shape, Reshape, Squeeze, Expand, Constant …
extern const tern_op_family tern_ops_movement; // Transpose, Concat, Split, Slice, Pad, Tile …
extern const tern_op_family tern_ops_indexing; // Gather, Scatter, NonZero, TopK, Unique, OneHot …
extern const tern_op_family tern_ops_matmul;   // MatMul, Gemm, integer forms
extern const tern_op_family tern_ops_einsum;   // Einsum
extern const tern_op_family tern_ops_conv;     // convolutions
extern const tern_op_family tern_ops_pool;     // pooling
extern const tern_op_family tern_ops_normalize; // normalisations, softmax
extern const tern_op_family tern_ops_image;   // Resize, GridSample, RoiAlign, NonMaxSuppression …
extern const tern_op_family tern_ops_rnn;     // RNN, GRU, LSTM
extern const tern_op_family tern_ops_control; // If, Loop, Scan
extern const tern_op_family tern_ops_sequence;  // sequences and optionals
extern const tern_op_family tern_ops_random;    // random and generating operators
extern const tern_op_family tern_ops_legacy;    // removed from ONNX, still run
extern const tern_op_family tern_ops_blocked;   // internal: images in blocks of channels
extern const tern_op_family tern_ops_fused;     // internal: products with what follows them
extern const tern_op_family tern_ops_nn;        // attention and other composite operators
extern const tern_op_family tern_ops_placement; // groups that providers compile, copies

#endif
