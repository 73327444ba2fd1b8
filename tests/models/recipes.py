"""What to feed the models that are compared: for each, one or more named sets of inputs.

A recipe takes a seeded numpy generator and returns {input name: array}. A model without a recipe
gets normally distributed values in every floating-point input, with open dimensions of 1.
"""

import numpy as np
import onnx

GPT2_LAYERS = 12


def normal(random, *shape, scale=1.0):
    return random.normal(0, scale, shape).astype(np.float32)


def pixels(random, *shape, dtype=np.float32):
    return random.uniform(0, 255, shape).astype(dtype)


def token_ids(random, count, *shape):
    return random.integers(0, count, shape, dtype=np.int64)


def silero_vad(random):
    return {
        "input": normal(random, 1, 576, scale=0.3),
        "state": normal(random, 2, 1, 128, scale=0.3),
        "sr": np.array(16000, np.int64),
    }


def bert_base(random):
    """Two sentences and padding."""
    mask = np.ones((1, 128), np.int64)
    mask[:, 112:] = 0
    types = np.zeros((1, 128), np.int64)
    types[:, 60:112] = 1
    return {
        "input_ids": token_ids(random, 30000, 1, 128),
        "attention_mask": mask,
        "token_type_ids": types,
    }


def gpt2(tokens, past):
    def make(random):
        inputs = {"input_ids": token_ids(random, 50000, 1, tokens)}
        for i in range(GPT2_LAYERS):
            inputs[f"past_k{i}"] = normal(random, 1, 12, past, 64)
            inputs[f"past_v{i}"] = normal(random, 1, 12, past, 64)
        return inputs

    return make


RECIPES = {
    "SqueezeNet_fp16": {"": lambda r: {"data_0": pixels(r, 1, 3, 224, 224, dtype=np.float16)}},
    "candy": {"": lambda r: {"inputImage": pixels(r, 1, 3, 720, 720)}},
    "mnist": {"": lambda r: {"Input3": pixels(r, 1, 1, 28, 28)}},
    "silero_vad": {"": silero_vad},
    "bert_base": {"": bert_base},
    "gpt2_past": {"past 0": gpt2(8, 0), "past 64": gpt2(1, 64)},
    "lstm3_bi": {"": lambda r: {"x": normal(r, 1, 200, 80)}},
}


def graph_inputs(graph):
    initializers = {i.name for i in graph.initializer}
    return [i for i in graph.input if i.name not in initializers]


def from_declared_types(graph):
    def make(random):
        inputs = {}
        for info in graph_inputs(graph):
            tensor = info.type.tensor_type
            dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
            if not np.issubdtype(dtype, np.floating):
                raise ValueError(f"{info.name} is {dtype}: the model needs a recipe")
            shape = [d.dim_value if d.dim_value > 0 else 1 for d in tensor.shape.dim]
            inputs[info.name] = random.normal(0, 1, shape).astype(dtype)
        return inputs

    return make


def recipes_of(name, graph):
    """{set name: recipe} for the model called `name`."""
    return RECIPES.get(name) or {"": from_declared_types(graph)}
