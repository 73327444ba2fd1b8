#!/usr/bin/env python3
"""Save models after optimisation; hold what is saved to onnx.checker and to ONNX Runtime.

  export.py [OPTION..] [PATH..]      PATH: a model, or a folder of models

Each model is saved by a session at each level, checked in full, and run by ONNX Runtime beside the
original: outputs must agree within 1e-5 × the largest |output|. Then cases of the conformance
suite that the manifest lists are saved at each level, run by Tern itself on what was saved
(`conformance --saved`), checked, and run by ONNX Runtime where that runs the original.
excluded.txt names cases that cannot be saved, unchecked.txt cases that are saved and run but not
held to the checker and ONNX Runtime, each with its reason. Exit status: 0 when all is well.
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "models"))
from compare import difference  # noqa: E402
from recipes import graph_inputs, recipes_of  # noqa: E402

LEVELS = (0, 1, 99)
TOLERANCE = 1e-5
SEED = 1
# At this level weights of at least so many bytes are saved to a file of their own.
EXTERNAL_LEVEL, EXTERNAL_MIN_BYTES, EXTERNAL_NAME = 1, 256, "weights.bin"
EXTERNAL_KEY = "session.optimized_model_external_initializers_"


class Fault(Exception):
    """What is wrong with a saved model."""


def check(path):
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as problem:
        raise Fault(f"onnx.checker: {str(problem).strip()[:400]}") from None


def ort_session(path):
    """None where ONNX Runtime does not take the model."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception:
        return None


def ort_outputs(session, feeds):
    """None where ONNX Runtime fails."""
    try:
        return session.run(None, feeds)
    except Exception:
        return None


def agree(expected, actual):
    if isinstance(expected, list):
        pairs = zip(expected, actual, strict=True)
        return len(expected) == len(actual) and all(agree(a, b) for a, b in pairs)
    if not isinstance(expected, np.ndarray):
        return expected == actual or expected is actual
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return False
    if expected.dtype.kind == "f":
        return difference(expected, actual) <= TOLERANCE
    return np.array_equal(expected, actual)


def run_reference(original, sets):
    """What ONNX Runtime makes of the original: (names, [(feeds, outputs)]); None where it fails."""
    session = ort_session(original)
    runs = [(feeds, ort_outputs(session, feeds)) for feeds in sets] if session else []
    if not runs or any(outputs is None for _, outputs in runs):
        return None
    return [output.name for output in session.get_outputs()], runs


def compare(reference, saved):
    """Holds what ONNX Runtime makes of the saved model to the reference."""
    names, runs = reference
    session = ort_session(saved)
    if session is None:
        raise Fault("ONNX Runtime takes the original, but not what is saved")
    if [output.name for output in session.get_outputs()] != names:
        raise Fault("the outputs have other names")
    for feeds, expected in runs:
        actual = ort_outputs(session, feeds)
        if actual is None:
            raise Fault("ONNX Runtime runs the original, but not what is saved")
        for name, want, got in zip(names, expected, actual, strict=True):
            if not agree(want, got):
                raise Fault(f"output {name} differs from the original's in ONNX Runtime")


class Report:
    def __init__(self):
        self.counts = {"ok": 0, "checked": 0, "FAIL": 0}

    def add(self, what, work):
        """`work` returns whether ONNX Runtime compared too."""
        try:
            verdict, text = ("ok" if work() else "checked"), ""
        except Fault as fault:
            verdict, text = "FAIL", f": {fault}"
        self.counts[verdict] += 1
        if text:
            print(f"{verdict} {what}{text}", flush=True)


def save_model(build, model, level, folder):
    saved = os.path.join(folder, "saved.onnx")
    command = [os.path.join(build, "save_model"), os.path.join(build, "libtern.so"), model]
    command += [str(level), saved]
    if level == EXTERNAL_LEVEL:
        command += [f"{EXTERNAL_KEY}file_name", EXTERNAL_NAME]
        command += [f"{EXTERNAL_KEY}min_size_in_bytes", str(EXTERNAL_MIN_BYTES)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Fault(f"not saved: {done.stderr.strip()[-400:]}")
    return saved


def check_external(saved):
    """Large weights, and only they, stand in the file of their own."""
    for tensor in onnx.load(saved, load_external_data=False).graph.initializer:
        width = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        is_large = int(np.prod(tensor.dims)) * width >= EXTERNAL_MIN_BYTES
        places = [entry.value for entry in tensor.external_data if entry.key == "location"]
        if places != ([EXTERNAL_NAME] if is_large else []):
            raise Fault(f"initializer {tensor.name} is saved in {places}")


def check_model(build, model, level, reference):
    with tempfile.TemporaryDirectory() as folder:
        saved = save_model(build, model, level, folder)
        check(saved)
        if level == EXTERNAL_LEVEL:
            check_external(saved)
        if reference:
            compare(reference, saved)
        return bool(reference)


def check_models(build, model, report):
    name = os.path.splitext(os.path.basename(model))[0]
    graph = onnx.load(model, load_external_data=False).graph
    sets = [make(np.random.default_rng(SEED)) for make in recipes_of(name, graph).values()]
    reference = run_reference(model, sets)
    for level in LEVELS:
        report.add(
            f"{name}, level {level}",
            lambda level=level: check_model(build, model, level, reference),
        )


def read_list(path):
    with open(path, encoding="utf-8") as file:
        return {line.split("\t")[0] for line in file if line.strip()}


def read_feeds(original, data_set):
    """{name: array}; None where a value is no tensor."""
    feeds = {}
    for i, info in enumerate(graph_inputs(onnx.load(original).graph)):
        if info.type.WhichOneof("value") != "tensor_type":
            return None
        feeds[info.name] = numpy_helper.to_array(
            onnx.load_tensor(os.path.join(data_set, f"input_{i}.pb"))
        )
    return feeds


def check_case(original, saved):
    check(saved)
    feeds = read_feeds(original, os.path.join(os.path.dirname(original), "test_data_set_0"))
    reference = run_reference(original, [feeds]) if feeds is not None else None
    if reference:
        compare(reference, saved)
    return bool(reference)


def check_cases(build, level, every, report):
    cases = os.path.join(build, "tests", "conformance", "cases")
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.join(build, "conformance"), "--level", str(level), "--saved", folder]
        command += ["--every", str(every), "--excluded", os.path.join(HERE, "excluded.txt")]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            report.counts["FAIL"] += 1
            lines = done.stdout.splitlines(keepends=True)
            print("".join(line for line in lines if line.startswith("FAIL")), end="")
        unchecked = read_list(os.path.join(HERE, "unchecked.txt"))
        with open(os.path.join(cases, "cases.tsv"), encoding="utf-8") as file:
            names = [line.split("\t")[0] for line in file]
        for name in names:
            saved = os.path.join(folder, name.replace("/", "-") + ".onnx")
            original = os.path.join(cases, name, "model.onnx")
            if os.path.exists(saved) and name not in unchecked:
                report.add(f"{name}, level {level}", lambda a=original, b=saved: check_case(a, b))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a model or a folder of models")
    parser.add_argument("--build", default="build", help="build folder (build)")
    parser.add_argument("--every", type=int, default=1, help="every Nth case; 0: none (1)")
    return parser.parse_args()


def models_in(paths):
    for path in paths:
        if not os.path.exists(path):
            print(f"skip {path}: there is no such model")
        elif os.path.isdir(path):
            yield from sorted(glob.glob(os.path.join(path, "*.onnx")))
        else:
            yield path


def main():
    options = parse_options()
    onnxruntime.set_default_logger_severity(4)
    np.seterr(invalid="ignore")  # infinities are compared as such
    report = Report()
    for model in models_in(options.paths):
        check_models(options.build, model, report)
    for level in LEVELS if options.every else ():
        check_cases(options.build, level, options.every, report)
    compared, checked, failed = report.counts.values()
    print(f"export: {compared} agree, {checked} only checked, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
