#!/usr/bin/env python3
"""Copy a model without its weights: what a parser and a planner see of it, in a small file.

Every initializer and Constant of more than 1 KB becomes a ConstantOfShape node with the same name,
element type and dimensions, in subgraphs too, so the copy loads and runs as the model does, on
other numbers. Text, and types that ConstantOfShape cannot make, stay as they are. Data in other
files is not read. Exit status: 0 done, 1 the model's opset has no ConstantOfShape.
"""

import argparse
import sys
from math import prod

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

LARGEST_KEPT_BYTES = 1024
FIRST_OPSET = 9  # of ConstantOfShape
FILLED_TYPES = {
    TensorProto.FLOAT: np.float32,
    TensorProto.FLOAT16: np.float16,
    TensorProto.DOUBLE: np.float64,
    TensorProto.INT8: np.int8,
    TensorProto.INT16: np.int16,
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
    TensorProto.UINT8: np.uint8,
    TensorProto.UINT16: np.uint16,
    TensorProto.UINT32: np.uint32,
    TensorProto.UINT64: np.uint64,
    TensorProto.BOOL: np.bool_,
}
# Small and not 0, so that products of many layers neither vanish at once nor overflow.
FLOAT_VALUE = 1 / 64


def is_large(tensor):
    dtype = FILLED_TYPES.get(tensor.data_type)
    return dtype is not None and np.dtype(dtype).itemsize * prod(tensor.dims) > LARGEST_KEPT_BYTES


def fill_value(element_type):
    dtype = FILLED_TYPES[element_type]
    value = np.full(1, FLOAT_VALUE if np.issubdtype(dtype, np.floating) else 0, dtype)
    return numpy_helper.from_array(value)


def filled(name, tensor):
    """The two nodes that make a tensor of the same type and dimensions."""
    shape = numpy_helper.from_array(np.array(tensor.dims, np.int64))
    return (
        helper.make_node("Constant", [], [name + "/shape"], value=shape),
        helper.make_node(
            "ConstantOfShape", [name + "/shape"], [name], value=fill_value(tensor.data_type)
        ),
    )


def constant_of(node):
    """The tensor that a Constant holds, or None."""
    if node.op_type != "Constant" or node.domain not in ("", "ai.onnx"):
        return None
    return next((a.t for a in node.attribute if a.type == AttributeProto.TENSOR), None)


def strip(graph):
    nodes, kept, stripped = [], [], set()
    for tensor in graph.initializer:
        if is_large(tensor):
            nodes.extend(filled(tensor.name, tensor))
            stripped.add(tensor.name)
        else:
            kept.append(tensor)
    for node in graph.node:
        constant = constant_of(node)
        if constant is not None and is_large(constant):
            nodes.extend(filled(node.output[0], constant))
            continue
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                strip(body)
        nodes.append(node)
    # Up to IR version 3 an initializer is listed as an input too; a node's output is not.
    inputs = [i for i in graph.input if i.name not in stripped]
    for field, items in (("initializer", kept), ("node", nodes), ("input", inputs)):
        items = [type(item).FromString(item.SerializeToString()) for item in items]
        graph.ClearField(field)
        getattr(graph, field).extend(items)


def resize(graph, side):
    """Makes inputs of rank 4 images of side x side pixels, and drops what was said of later shapes."""
    weights = {tensor.name for tensor in graph.initializer}
    for value in graph.input:
        if value.name in weights:  # up to IR version 3
            continue
        dims = value.type.tensor_type.shape.dim
        for dim in dims[2:] if len(dims) == 4 else []:
            dim.dim_value = side
    for value in graph.output:
        value.type.tensor_type.ClearField("shape")
    graph.ClearField("value_info")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--side", type=int, help="make images of so many pixels a side of the inputs")
    parser.add_argument("--keep-weights", action="store_true", help="only resize")
    parser.add_argument("model")
    parser.add_argument("copy")
    arguments = parser.parse_args()
    model = onnx.load(arguments.model, load_external_data=False)
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)
    if not arguments.keep_weights:
        if opset < FIRST_OPSET:
            print(f"{arguments.model}: opset {opset} has no ConstantOfShape", file=sys.stderr)
            return 1
        strip(model.graph)
    if arguments.side:
        resize(model.graph, arguments.side)
    onnx.save(model, arguments.copy)
    return 0


if __name__ == "__main__":
    sys.exit(main())
