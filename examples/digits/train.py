#!/usr/bin/env python3
"""Train the digit classifier of this example and write digits.onnx and samples/.

A small convolutional network, trained with Adam in numpy on scikit-learn's digits: 8×8 images with
pixels from 0 to 16, of which the last 360 are held out. Prints the accuracy on those.

  train.py            run in this folder, with the packages of requirements.txt
"""

import os
import shutil

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HERE = os.path.dirname(os.path.abspath(__file__))
HELD_OUT = 360
CHANNELS = (1, 24, 48)
EPOCHS, BATCH, RATE, DECAY = 40, 64, 2e-3, 1e-3
LARGEST_PIXEL = 16


def patches(images):
    """[N,C,H,W] -> [N,H,W,C*9]: the 3×3 neighbourhood of each pixel, zeros outside."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), axis=(2, 3))
    n, c, h, w = images.shape
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * 9)


class Convolution:
    """3×3 convolution, ReLU, 2×2 max pooling, with what backward needs of the last forward."""

    def __init__(self, random, inputs, outputs):
        self.weight = random.normal(0, np.sqrt(2 / (9 * inputs)), (inputs * 9, outputs))
        self.bias = np.zeros(outputs)
        self.inputs = inputs

    def forward(self, images):
        self.columns = patches(images)
        activation = np.maximum(self.columns @ self.weight + self.bias, 0)
        n, h, w, c = activation.shape
        self.blocks = activation.reshape(n, h // 2, 2, w // 2, 2, c)
        self.pooled = self.blocks.max(axis=(2, 4))
        return self.pooled.transpose(0, 3, 1, 2)

    def backward(self, gradient):
        """Gradients of weight and bias, and of the images."""
        spread = gradient.transpose(0, 2, 3, 1)[:, :, None, :, None, :]
        top = self.pooled[:, :, None, :, None, :]
        n, h, _, w, _, c = self.blocks.shape
        inner = (spread * ((self.blocks == top) & (top > 0))).reshape(n, h * 2, w * 2, c)
        columns = self.columns.reshape(-1, self.columns.shape[-1])
        flat = inner.reshape(-1, c)
        back = (inner @ self.weight.T).reshape(n, h * 2, w * 2, self.inputs, 3, 3)
        images = np.zeros((n, self.inputs, h * 2 + 2, w * 2 + 2))
        for y in range(3):
            for x in range(3):
                part = back[..., y, x].transpose(0, 3, 1, 2)
                images[:, :, y : y + h * 2, x : x + w * 2] += part
        return [columns.T @ flat, flat.sum(0)], images[:, :, 1:-1, 1:-1]


class Network:
    """Two convolutions and a linear layer."""

    def __init__(self, random):
        self.layers = [Convolution(random, i, o) for i, o in zip(CHANNELS, CHANNELS[1:])]
        features = CHANNELS[-1] * 4
        self.weight = random.normal(0, np.sqrt(1 / features), (features, 10))
        self.bias = np.zeros(10)

    def parameters(self):
        inner = [p for layer in self.layers for p in (layer.weight, layer.bias)]
        return [*inner, self.weight, self.bias]

    def forward(self, images):
        """Probabilities of the ten digits, [N,10]."""
        for layer in self.layers:
            images = layer.forward(images)
        self.shape = images.shape
        self.features = images.reshape(len(images), -1)
        scores = self.features @ self.weight + self.bias
        exponents = np.exp(scores - scores.max(1, keepdims=True))
        return exponents / exponents.sum(1, keepdims=True)

    def backward(self, probabilities, labels):
        """Gradients of the mean cross-entropy, in the order of parameters()."""
        gradient = (probabilities - np.eye(10)[labels]) / len(labels)
        found = [self.features.T @ gradient, gradient.sum(0)]
        images = (gradient @ self.weight.T).reshape(self.shape)
        for layer in reversed(self.layers):
            inner, images = layer.backward(images)
            found = inner + found
        return found


def shifted(random, images):
    """Half of the images as they are, half moved by at most a pixel each way."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    corners = random.integers(0, 3, (len(images), 2))
    corners[random.random(len(images)) < 0.5] = 1
    return np.stack([p[:, y : y + 8, x : x + 8] for p, (y, x) in zip(padded, corners)])


def train(random, network, images, labels):
    parameters = network.parameters()
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = random.permutation(len(images))
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            probabilities = network.forward(shifted(random, images[batch]))
            step += 1
            gradients = network.backward(probabilities, labels[batch])
            for p, g, m, s in zip(parameters, gradients, means, squares):
                m += 0.1 * (g - m)
                s += 0.001 * (g * g - s)
                mean, square = m / (1 - 0.9**step), s / (1 - 0.999**step)
                p -= rate * (mean / (np.sqrt(square) + 1e-8) + DECAY * p)


def export(network, path):
    """Input `image`, float [N,1,8,8] of 0 to 16; output `probabilities`, float [N,10]."""
    tensors = {"largest": np.array(LARGEST_PIXEL), "w_out": network.weight, "b_out": network.bias}
    nodes = [helper.make_node("Div", ["image", "largest"], ["x0"])]
    for i, layer in enumerate(network.layers):
        shape = (layer.inputs, 3, 3, -1)
        tensors[f"w{i}"] = layer.weight.reshape(shape).transpose(3, 0, 1, 2)
        tensors[f"b{i}"] = layer.bias
        same = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
        halved = {"kernel_shape": [2, 2], "strides": [2, 2]}
        nodes += [
            helper.make_node("Conv", [f"x{i}", f"w{i}", f"b{i}"], [f"conv{i}"], **same),
            helper.make_node("Relu", [f"conv{i}"], [f"relu{i}"]),
            helper.make_node("MaxPool", [f"relu{i}"], [f"x{i + 1}"], **halved),
        ]
    nodes += [
        helper.make_node("Flatten", [f"x{len(network.layers)}"], ["features"]),
        helper.make_node("Gemm", ["features", "w_out", "b_out"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 10])],
        [numpy_helper.from_array(a.astype(np.float32), name) for name, a in tensors.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save_model(model, path)


def write_pgm(path, image):
    """A portable graymap as text, one row of pixels a line."""
    rows = "\n".join(" ".join(f"{int(p):2d}" for p in row) for row in image)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"P2\n8 8\n{LARGEST_PIXEL}\n{rows}\n")


def write_samples(network, images, labels, folder):
    """The first held-out image of each digit, and the two that the network is least sure of."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for digit in range(10):
        first = int(np.flatnonzero(labels == digit)[0])
        write_pgm(os.path.join(folder, f"{digit}.pgm"), images[first, 0])
    unclear = np.argsort(network.forward(images / LARGEST_PIXEL).max(1))[:2]
    for rank, i in enumerate(unclear, 1):
        write_pgm(os.path.join(folder, f"{labels[i]}-unclear-{rank}.pgm"), images[i, 0])


def main():
    digits = load_digits()
    images = digits.images[:, None].astype(np.float64)
    random = np.random.default_rng(7)
    network = Network(random)
    train(random, network, images[:-HELD_OUT] / LARGEST_PIXEL, digits.target[:-HELD_OUT])
    held, labels = images[-HELD_OUT:], digits.target[-HELD_OUT:]
    right = int((network.forward(held / LARGEST_PIXEL).argmax(1) == labels).sum())
    print(f"{right} of {HELD_OUT} held-out images right ({100 * right / HELD_OUT:.1f} %)")
    export(network, os.path.join(HERE, "digits.onnx"))
    write_samples(network, held, labels, os.path.join(HERE, "samples"))


if __name__ == "__main__":
    main()
