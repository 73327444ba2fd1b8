// Models of the engine's tests and measurements, written into a writer that each initialises. The
// graph is closed; tern_pb_writer_finish is the caller's.
#ifndef TERN_TESTS_SUPPORT_MODELS_H_
#define TERN_TESTS_SUPPORT_MODELS_H_

#include "format/pb.h"

// y = x after `nodes` small operators one after the other. Both are float[N,8].
void model_chain(tern_pb_writer *writer, int nodes);

// y = x + count, by a Loop that runs `count` times while `condition` holds; x and y are float[1],
// `count` an int64, `condition` a bool that the body hands on.
void model_loop(tern_pb_writer *writer);

// y = x + outer * inner, by a loop like that within another.
void model_nested_loop(tern_pb_writer *writer);

// y[B,S,64] of x[B,S,64]: an attention layer and a two-layer perceptron over sequences whose number
// and length are open, with the shape arithmetic that exporters write.
void model_layer(tern_pb_writer *writer);
enum { MODEL_LAYER_WIDTH = 64 };

// What stands at the end of a detector: of `boxes`, float[1,N,4], and `scores`, float[1,3,N], those
// that survive suppression, their scores, best first, and which of them are above a half. How many
// there are is known only while it runs.
void model_detector(tern_pb_writer *writer);

#endif
