#!/usr/bin/env python3
"""Run models through a library that speaks ONNX Runtime's ABI and through ONNX Runtime; compare.

  compare.py [OPTION..] PATH..      PATH: a model, or a folder of models

For each set of inputs (recipes.py), two seeds and each optimisation level, every output must be
within 1e-3 × the largest |output| of ONNX Runtime's (integers and text: equal). A model whose
outputs hardly move between the seeds proves nothing and is refused. A model with stored outputs
beside it (<model>_output_<i>.pb, as the onnx package ships) is fed the backend suite's ramp and
held to those instead.

A manifest names what must agree, one a line: a listed set that does not, and an unlisted one that
does, fail the run. Without a manifest all must agree. Exit status: 0 as expected, 1 not, 77 there
is no such PATH.
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from recipes import graph_inputs, recipes_of

TOLERANCE = 1e-3
LEAST_MOVEMENT = 1e-2
SEEDS = (1, 2)
TIMEOUT_S = 600
SKIPPED = 77


class Mismatch(Exception):
    """What a model did that it should not."""


class Library:
    """A library under test, driven by the run_model program in a process of its own."""

    def __init__(self, runner, path):
        self.runner, self.path = runner, path

    def run(self, model, feeds, level, threads):
        with tempfile.TemporaryDirectory() as folder:
            for i, value in enumerate(feeds):
                onnx.save_tensor(
                    numpy_helper.from_array(value), os.path.join(folder, f"input_{i}.pb")
                )
            command = [self.runner, self.path, model, str(level), str(threads), folder]
            done = subprocess.run(
                command, timeout=TIMEOUT_S, stderr=subprocess.PIPE, text=True, check=False
            )
            if done.returncode:
                raise Mismatch(f"exit status {done.returncode}: {done.stderr.strip()[-400:]}")
            count = len(glob.glob(os.path.join(folder, "output_*.pb")))
            paths = [os.path.join(folder, f"output_{i}.pb") for i in range(count)]
            return [numpy_helper.to_array(onnx.load_tensor(path)) for path in paths]


def run_reference(model, feeds):
    """ONNX Runtime's outputs: {name: array} in, [array] out."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def is_float(array):
    return array.dtype.kind == "f"


def difference(expected, actual):
    """Largest |actual - expected| as a share of the largest |expected|."""
    if not expected.size:
        return 0.0
    wide, seen = expected.astype(np.float64), actual.astype(np.float64)
    if not np.array_equal(np.isfinite(wide), np.isfinite(seen)):
        return np.inf
    finite = np.isfinite(wide)
    largest = np.abs(wide[finite]).max(initial=0)
    return np.abs(wide - seen)[finite].max(initial=0) / max(largest, 1e-20)


def check_output(name, expected, actual):
    """Raises Mismatch, or returns the relative difference."""
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        raise Mismatch(
            f"{name} is {actual.dtype}{list(actual.shape)},"
            f" expected {expected.dtype}{list(expected.shape)}"
        )
    if not is_float(expected):
        if not np.array_equal(expected, actual):
            raise Mismatch(f"{name} differs")
        return 0.0
    apart = difference(expected, actual)
    if not apart <= TOLERANCE:
        raise Mismatch(f"{name} differs by {apart:.2g} of its largest value")
    return apart


def check_outputs(names, expected, actual):
    if len(expected) != len(actual):
        raise Mismatch(f"{len(actual)} outputs, expected {len(expected)}")
    rows = zip(names, expected, actual, strict=True)
    return max(check_output(name, want, got) for name, want, got in rows)


def movement(one, two):
    """How far outputs move between two inputs, as a share of their largest value."""
    moves = [
        np.inf if a.shape != b.shape else difference(a, b)
        for a, b in zip(one, two, strict=True)
        if is_float(a)
    ]
    return max(moves, default=0.0)


def check_against(library, model, graph, feeds, expected, options):
    """Runs the library at every level; returns the largest difference."""
    names = [output.name for output in graph.output]
    inputs = [feeds[info.name] for info in graph_inputs(graph)]
    worst = 0.0
    for level in options.levels:
        actual = library.run(model, inputs, level, options.threads)
        try:
            worst = max(worst, check_outputs(names, expected, actual))
            if options.same_bits:
                again = library.run(model, inputs, level, 1)
                if any(a.tobytes() != b.tobytes() for a, b in zip(actual, again, strict=True)):
                    raise Mismatch(f"1 and {options.threads} threads give different bits")
        except Mismatch as mismatch:
            raise Mismatch(f"level {level}: {mismatch}") from None
    return worst


def compare_seeds(library, model, graph, make, options):
    references = []
    worst = 0.0
    for seed in SEEDS:
        feeds = make(np.random.default_rng(seed))
        references.append(run_reference(model, feeds))
        worst = max(worst, check_against(library, model, graph, feeds, references[-1], options))
    moved = movement(*references)
    if moved < LEAST_MOVEMENT:
        raise Mismatch(f"refused: outputs move by only {moved:.2g} between seeds")
    return f"within {worst:.1e}, outputs move by {min(moved, 9.99):.2f}"


def compare_stored(library, model, graph, stored, options):
    (info,) = graph_inputs(graph)
    shape = [d.dim_value or 1 for d in info.type.tensor_type.shape.dim]
    count = int(np.prod(shape))
    ramp = (np.arange(count).reshape(shape) / count).astype(np.float32)
    expected = [numpy_helper.to_array(onnx.load_tensor(path)) for path in stored]
    worst = check_against(library, model, graph, {info.name: ramp}, expected, options)
    return f"within {worst:.1e} of the stored outputs"


def compare_model(library, model, options):
    """Yields (what, verdict, text) for each set of inputs."""
    name = os.path.splitext(os.path.basename(model))[0]
    graph = onnx.load(model, load_external_data=False).graph
    stored = sorted(glob.glob(f"{os.path.splitext(model)[0]}_output_*.pb"))
    if stored:
        work = {"": lambda: compare_stored(library, model, graph, stored, options)}
    else:
        work = {
            label: lambda make=make: compare_seeds(library, model, graph, make, options)
            for label, make in recipes_of(name, graph).items()
        }
    for label, compare in work.items():
        what = f"{name} {label}".strip()
        try:
            yield what, True, compare()
        except (Mismatch, subprocess.TimeoutExpired) as problem:
            yield what, False, str(problem)


def models_in(paths):
    for path in paths:
        if not os.path.exists(path):
            print(f"skip {path}: there is no such model")
            sys.exit(SKIPPED)
        yield from sorted(glob.glob(os.path.join(path, "*.onnx"))) if os.path.isdir(path) else [path]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a model or a folder of models")
    parser.add_argument("--build", default="build", help="build folder (build)")
    parser.add_argument("--lib", help="library under test (BUILD/libtern.so)")
    parser.add_argument(
        "--levels", type=lambda text: [int(n) for n in text.split(",")], default=[0, 99],
        help="optimisation levels, with commas (0,99)",
    )
    parser.add_argument("--manifest", help="file of names that must agree (all)")
    parser.add_argument("--update", action="store_true", help="rewrite the manifest")
    parser.add_argument("--threads", type=int, default=2, help="intra-op threads (2)")
    parser.add_argument(
        "--same-bits", action="store_true", help="one thread must give the same bits"
    )
    return parser.parse_args()


def read_manifest(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return {line for line in lines if line and not line.startswith("#")}


def write_manifest(path, names):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Models that must agree, one a line; every other must not.\n")
        file.writelines(f"{name}\n" for name in sorted(names))


def verdict_of(what, agrees, must):
    """The word a line of the report starts with."""
    if must is None or what in must:
        return "ok  " if agrees else "FAIL"
    return "FAIL" if agrees else "skip"


def main():
    options = parse_options()
    library = Library(
        os.path.join(options.build, "run_model"),
        options.lib or os.path.join(options.build, "libtern.so"),
    )
    must = None
    if options.manifest and not options.update:
        must = read_manifest(options.manifest)
    agreeing, counts = set(), {"ok  ": 0, "FAIL": 0, "skip": 0}
    for model in list(models_in(options.paths)):
        for what, agrees, text in compare_model(library, model, options):
            verdict = verdict_of(what, agrees, must)
            if verdict == "FAIL" and agrees:
                text += ", but is not in the manifest"
            print(f"{verdict} {what}: {text}", flush=True)
            counts[verdict] += 1
            if agrees:
                agreeing.add(what)
    if options.update:
        write_manifest(options.manifest, agreeing)
        counts["FAIL"] = 0
    passed, failed, skipped = counts.values()
    print(f"models: {passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
