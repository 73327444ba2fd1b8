// What `--input` may say. A spec names a reader and a source; each reader turns bytes into one
// tensor, and trusts nothing in them.
#ifndef TERN_TOOL_INPUT_H
#define TERN_TOOL_INPUT_H

#include "args.h"
#include "model.h"
#include "value.h"

// What an input of the model takes. `dims` below 0 are free. `symbols` as in cli_port.
typedef struct cli_wanted {
  const char *name;
  cli_type type;
  size_t rank;
  const int64_t *dims;
  uint64_t seed;
} cli_wanted;

// One tensor for each input of `model`, as the request's --input, --dim, --random and --seed say.
// `fill` is the spec of inputs not named, and gives free dimensions without a size 1; where it is
// NULL either is an error that lists the model's inputs. An optional input left out keeps the type
// UNDEFINED.
CLI_MUST_USE cli_status *cli_inputs_make(cli_arena *arena, const cli_model *model,
                                         const cli_request *request, uint64_t seed,
                                         const char *fill, cli_tensor **out_inputs);

// Names, types and shapes of such inputs, in a line.
const char *cli_inputs_text(cli_arena *arena, const cli_model *model, const cli_tensor *inputs);

// The tensor that `spec` describes for one input; type and shape are those wanted.
CLI_MUST_USE cli_status *cli_input_read(cli_arena *arena, const char *spec,
                                        const cli_wanted *wanted, cli_tensor *out_tensor);

// Readers. `source` names the bytes in messages.

// A .npy file, versions 1 to 3. `wanted` decides between types that numpy has no name for.
CLI_MUST_USE cli_status *cli_npy_parse(cli_arena *arena, const uint8_t *bytes, size_t size,
                                       cli_type wanted, cli_tensor *out_tensor);

// The bytes of a member of a zip archive, stored or deflated. `name` without its ".npy"; NULL for
// the only member.
CLI_MUST_USE cli_status *cli_zip_member(cli_arena *arena, const uint8_t *bytes, size_t size,
                                        const char *name, const uint8_t **out_bytes,
                                        size_t *out_size);

// A serialised ONNX TensorProto.
CLI_MUST_USE cli_status *cli_pb_parse(cli_arena *arena, const uint8_t *bytes, size_t size,
                                      cli_tensor *out_tensor);

// Nested JSON arrays of numbers, booleans or strings, as elements of the wanted type.
CLI_MUST_USE cli_status *cli_json_parse(cli_arena *arena, const char *text, size_t size,
                                        cli_type type, cli_tensor *out_tensor);

// An image file, sized and normalised as `options` ("size=224&mean=0.5") say.
CLI_MUST_USE cli_status *cli_image_parse(cli_arena *arena, const uint8_t *bytes, size_t size,
                                         const char *options, const cli_wanted *wanted,
                                         cli_tensor *out_tensor);

// "1,2,3": elements in order, filling the wanted shape; where that has rank 0, more or fewer than
// one make a vector.
CLI_MUST_USE cli_status *cli_literal_parse(cli_arena *arena, const char *text,
                                           const cli_wanted *wanted, cli_tensor *out_tensor);

// "random", "zeros" or "ones", then ":SHAPE", then for random ":LOW:HIGH".
CLI_MUST_USE cli_status *cli_generate(cli_arena *arena, const char *spec, const cli_wanted *wanted,
                                      cli_tensor *out_tensor);

#endif
