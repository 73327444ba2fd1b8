// A graph as an ONNX file.
#include "graph/import.h"

tern_status *tern_export(const tern_model *model, const tern_export_options *options,
                         tern_pb_writer *out_model, tern_pb_writer *out_external) {
  (void)model, (void)options, (void)out_model, (void)out_external;
  return TERN_ERROR(TERN_NOT_IMPLEMENTED, "models are not written");
}
