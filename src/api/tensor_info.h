// The parts of OrtTensorTypeAndShapeInfo that type infos are built from.
#ifndef TERN_API_TENSOR_INFO_H_
#define TERN_API_TENSOR_INFO_H_

#include "api/type_info.h"

TERN_MUST_USE tern_status *tern_api_tensor_info_init(tern_dtype dtype, const tern_shape *shape,
                                                     tern_api_symbol_name symbol_name,
                                                     const void *context,
                                                     OrtTensorTypeAndShapeInfo *out_info);
TERN_MUST_USE tern_status *tern_api_tensor_info_copy(const OrtTensorTypeAndShapeInfo *info,
                                                     OrtTensorTypeAndShapeInfo *out_copy);
// Leaves an info without a shape.
void tern_api_tensor_info_deinit(OrtTensorTypeAndShapeInfo *info);

#endif
