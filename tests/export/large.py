#!/usr/bin/env python3
"""A model with more than 2 GiB of external weights loads and runs without all of them being read.

  large.py BUILD

The weights are a sparse file in a temporary folder, a table of which the model picks rows. Saving
it in one file fails and names the way out. Exit status: 0 as it should be, 1 not, 77 where the disk
is too short.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROWS, COLUMNS = 600_000, 1024
TABLE_BYTES = ROWS * COLUMNS * 4
PICKED = np.array([0, ROWS // 2, ROWS - 1], np.int64)
RESIDENT_MAX_BYTES = 256 << 20
SKIPPED = 77


def row(index):
    return (np.arange(COLUMNS) + index % 1000).astype(np.float32)


def write_table(path):
    with open(path, "wb") as file:
        file.truncate(TABLE_BYTES)
        for index in PICKED:
            file.seek(int(index) * COLUMNS * 4)
            file.write(row(index).tobytes())


def write_model(folder):
    table = TensorProto(name="table", data_type=TensorProto.FLOAT, dims=[ROWS, COLUMNS])
    table.data_location = TensorProto.EXTERNAL
    for key, value in ("location", "table.bin"), ("offset", "0"), ("length", str(TABLE_BYTES)):
        table.external_data.add(key=key, value=value)
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("Add", ["rows", "rows"], ["y"]),
    ]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", COLUMNS])
    graph = helper.make_graph(nodes, "large", [ids], [y], [table])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path = os.path.join(folder, "large.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    write_table(os.path.join(folder, "table.bin"))
    return path


def run(build, *command):
    command = [os.path.join(build, command[0]), os.path.join(build, "libtern.so"), *command[1:]]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)


def check(build, folder):
    """What is wrong, or None."""
    model = write_model(folder)
    onnx.save_tensor(numpy_helper.from_array(PICKED), os.path.join(folder, "input_0.pb"))
    done = run(build, "run_model", model, "99", "1", folder)
    if done.returncode:
        return f"not run: {done.stderr.strip()}"
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if resident > RESIDENT_MAX_BYTES:
        return f"{resident >> 20} MiB were in memory"
    y = numpy_helper.to_array(onnx.load_tensor(os.path.join(folder, "output_0.pb")))
    if not np.array_equal(y, [2 * row(index) for index in PICKED]):
        return "the rows are wrong"
    done = run(build, "save_model", model, "99", os.path.join(folder, "saved.onnx"))
    if not done.returncode or "external_initializers_file_name" not in done.stderr:
        return f"saved in one file: {done.stderr.strip()}"
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        if shutil.disk_usage(folder).free < TABLE_BYTES:
            print(f"skip: less than {TABLE_BYTES >> 20} MiB of disk are free")
            sys.exit(SKIPPED)
        problem = check(sys.argv[1], folder)
    if problem:
        sys.exit(f"large: {problem}")


if __name__ == "__main__":
    main()
