// Writes small models into the folder named on the command line, so that the fuzzer starts from
// files that reach every message: one a dtype with typed and raw tensors, and one with the rest.
#include <stdio.h>

#include "base/os.h"
#include "format/onnx.h"

static tern_pb_writer writer;

static size_t begin(uint32_t number) {
  return tern_pb_begin_message(&writer, number);
}
static void end(size_t mark) {
  tern_pb_end_message(&writer, mark);
}

static void write_tensor(tern_dtype dtype, uint32_t field) {
  tern_pb_write_packed_i64(&writer, 1, (int64_t[]){2}, 1);
  tern_pb_write_varint(&writer, 2, (uint64_t)dtype);
  if (field == 4)
    tern_pb_write_packed_f32(&writer, field, (float[]){1, 2}, 2);
  else if (field == 6 || field == 9 || field == 10)
    for (int i = 0; i < (field == 6 ? 2 : 1); ++i)
      tern_pb_write_bytes(&writer, field, "0123456789abcdef", 16);
  else
    tern_pb_write_packed_i64(&writer, field, (int64_t[]){1, 2}, 2);
}

static void write_sparse(void) {
  size_t part = begin(1);
  write_tensor(TERN_FLOAT, 4);
  end(part);
  part = begin(2);
  write_tensor(TERN_INT64, 7);
  end(part);
  tern_pb_write_packed_i64(&writer, 3, (int64_t[]){4}, 1);
}

static void write_value_info(void) {
  tern_pb_write_text(&writer, 1, "x");
  size_t type = begin(2), sequence = begin(4), element = begin(1), tensor = begin(1);
  tern_pb_write_varint(&writer, 1, TERN_FLOAT);
  size_t shape = begin(2), dim = begin(1);
  tern_pb_write_text(&writer, 2, "n");
  end(dim);
  end(shape);
  end(tensor);
  end(element);
  end(sequence);
  end(type);
}

// One node with an attribute of every kind; field numbers as in AttributeProto.
static void write_node(bool with_graph) {
  tern_pb_write_text(&writer, 1, "x");
  tern_pb_write_text(&writer, 2, "y");
  tern_pb_write_text(&writer, 4, "Op");
  size_t attribute = begin(5);
  tern_pb_write_float(&writer, 2, 1);
  tern_pb_write_varint(&writer, 3, 5);
  tern_pb_write_packed_f32(&writer, 7, (float[]){1, 2}, 2);
  tern_pb_write_packed_i64(&writer, 8, (int64_t[]){1, -2}, 2);
  size_t part = begin(5);
  write_tensor(TERN_INT32, 5);
  end(part);
  part = begin(22);
  write_sparse();
  end(part);
  if (with_graph) {
    part = begin(6);
    size_t node = begin(1);
    write_node(false);
    end(node);
    end(part);
  }
  end(attribute);
}

static void write_model(int dtype) {
  static const uint32_t fields[] = {4, 5, 6, 7, 9, 10, 11};
  tern_pb_write_varint(&writer, 1, 10);
  size_t graph = begin(7);
  for (size_t i = 0; i < TERN_COUNT_OF(fields); ++i) {
    size_t tensor = begin(5);
    write_tensor((tern_dtype)dtype, fields[i]);
    end(tensor);
  }
  size_t part = begin(1);
  write_node(true);
  end(part);
  part = begin(11);
  write_value_info();
  end(part);
  part = begin(15);
  write_sparse();
  end(part);
  end(graph);
  size_t function = begin(25);
  tern_pb_write_text(&writer, 1, "F");
  end(function);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  for (int dtype = 1; dtype < TERN_DTYPE_COUNT; ++dtype) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", argv[1], tern_dtype_name((tern_dtype)dtype));
    tern_pb_writer_init(tern_allocator_system(), &writer);
    write_model(dtype);
    tern_status *status = tern_pb_writer_finish(&writer);
    if (!status) status = tern_os_file_write(path, writer.data, writer.size);
    tern_pb_writer_deinit(&writer);
    if (status) {
      fprintf(stderr, "%s\n", tern_status_message(status));
      return 1;
    }
  }
  return 0;
}
