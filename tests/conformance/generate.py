#!/usr/bin/env python3
"""Write every case of the installed onnx package's backend suite as files.

OUT/<suite>/<case>/ holds model.onnx and test_data_set_<n>/{input,output}_<i>.pb, the layout of
the onnx repository; OUT/cases.tsv lists, one line a case, its path, rtol and atol. An input that
the C ABI has no call to create (an empty sequence, an empty optional) has input_<i>.onnx beside
it, a model that outputs it. A second run with the same versions does nothing.

  generate.py OUT
"""

import os
import shutil
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import DATA_DIR, load_model_tests
from onnx.backend.test.runner import Runner

ON_DISK_SUITES = ("simple", "pytorch-converted", "pytorch-operator")


def stamp():
    """What a generated tree depends on: this file and the packages that make the cases."""
    with open(__file__, encoding="utf-8") as source:
        return f"onnx {onnx.__version__} numpy {np.__version__}\n{source.read()}"


def proto_of(value, type_proto, name):
    """The protobuf message that stores one input or output of the given declared type."""
    kind = type_proto.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, name)
    if isinstance(value, onnx.TensorProto):
        return value
    return numpy_helper.from_array(np.asarray(value), name)


def maker_of(value, type_proto):
    """A model that outputs the value, where a caller of the C ABI cannot create it: None, []."""
    kind = type_proto.WhichOneof("value")
    if kind == "optional_type" and value is None:
        node = onnx.helper.make_node("Optional", [], ["y"], type=type_proto.optional_type.elem_type)
    elif kind != "tensor_type" and isinstance(value, list) and not value:
        sequence = type_proto.optional_type.elem_type if kind == "optional_type" else type_proto
        elem_type = sequence.sequence_type.elem_type.tensor_type.elem_type
        node = onnx.helper.make_node("SequenceEmpty", [], ["y"], dtype=elem_type)
        type_proto = sequence
    else:
        return None
    output = onnx.helper.make_value_info("y", type_proto)
    graph = onnx.helper.make_graph([node], "maker", [], [output])
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8
    )


def write_values(values, infos, prefix):
    for i, (value, info) in enumerate(zip(values, infos, strict=True)):
        with open(f"{prefix}_{i}.pb", "wb") as file:
            file.write(proto_of(value, info.type, info.name).SerializeToString())
        maker = maker_of(value, info.type)
        if maker is not None:
            onnx.save_model(maker, f"{prefix}_{i}.onnx")


def write_node_case(case, folder):
    os.makedirs(folder)
    onnx.save_model(case.model, os.path.join(folder, "model.onnx"))
    for i, (inputs, outputs) in enumerate(case.data_sets):
        data_set = os.path.join(folder, f"test_data_set_{i}")
        os.makedirs(data_set)
        write_values(inputs, case.model.graph.input, os.path.join(data_set, "input"))
        write_values(outputs, case.model.graph.output, os.path.join(data_set, "output"))


def write_light_case(case, folder):
    """A network with constant weights: its input is the ramp that the suite's own runner makes."""
    prefix = os.path.join(DATA_DIR, "light", os.path.basename(case.url).removesuffix(".onnx"))
    data_set = os.path.join(folder, "test_data_set_0")
    os.makedirs(data_set)
    shutil.copy(f"{prefix}.onnx", os.path.join(folder, "model.onnx"))
    graph = onnx.load(f"{prefix}.onnx").graph
    initializers = {i.name for i in graph.initializer}
    infos = [i for i in graph.input if i.name not in initializers]
    inputs = [Runner.generate_dummy_data(i, name=case.name) for i in infos]
    write_values(inputs, infos, os.path.join(data_set, "input"))
    for i in range(len(graph.output)):
        shutil.copy(f"{prefix}_output_{i}.pb", os.path.join(data_set, f"output_{i}.pb"))


def write_suites(out):
    """Write all cases below `out` and yield (path below out, rtol, atol) of each."""
    np.random.seed(0)
    for case in load_model_tests(kind="node"):
        write_node_case(case, os.path.join(out, "node", case.name))
        yield f"node/{case.name}", case.rtol, case.atol
    for suite in ON_DISK_SUITES:
        for case in load_model_tests(kind=suite):
            shutil.copytree(case.model_dir, os.path.join(out, suite, case.name))
            yield f"{suite}/{case.name}", case.rtol, case.atol
    for case in load_model_tests(kind="real"):
        write_light_case(case, os.path.join(out, "light", case.name))
        yield f"light/{case.name}", case.rtol, case.atol


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    out = sys.argv[1]
    stamp_path = os.path.join(out, "stamp")
    if os.path.exists(stamp_path):
        with open(stamp_path, encoding="utf-8") as file:
            if file.read() == stamp():
                return
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    rows = sorted(write_suites(out))
    with open(os.path.join(out, "cases.tsv"), "w", encoding="utf-8") as file:
        file.writelines(f"{path}\t{rtol:g}\t{atol:g}\n" for path, rtol, atol in rows)
    with open(stamp_path, "w", encoding="utf-8") as file:
        file.write(stamp())
    print(f"{len(rows)} cases of onnx {onnx.__version__}")


if __name__ == "__main__":
    main()
