"""Compares our ABI headers with ONNX Runtime's own, as a Go module carries them.

usage: compare_official_header.py CLANG INCLUDE_FOLDER

Clang parses both. Every struct member, enumerator and function type of the official header must be
in ours with the same type, value and position; ours may have more, where it is newer. Exits with 77,
and says why, where the module cannot be had.
"""
import json
import re
import subprocess
import sys

MODULE = "github.com/yalue/onnxruntime_go@v1.27.0"
SKIPPED = 77


def official_folder():
    try:
        answer = subprocess.run(["go", "mod", "download", "-json", MODULE], cwd="/",
                                capture_output=True, text=True, timeout=60)
        return json.loads(answer.stdout)["Dir"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        print(f"skipped: {MODULE} cannot be had ({error})")
        sys.exit(SKIPPED)


def plain_type(text):
    text = re.sub(r"\b(enum|struct) ", "", text)
    text = re.sub(r"__attribute__\(\(\w+\)\)", "", text)
    return re.sub(r"\s+", " ", text.replace("OrtStatusPtr", "OrtStatus *")).replace("* (", "*(").strip()


def enumerators(node):
    value = -1
    for child in node.get("inner", []):
        if child["kind"] != "EnumConstantDecl":
            continue
        explicit = next((c for c in child.get("inner", []) if c["kind"] == "ConstantExpr"), None)
        value = int(explicit["value"]) if explicit else value + 1
        yield child["name"], value


def facts(clang, folder):
    """{name: value or type} of enumerators, typedefs and functions, and {struct: [(member, type)]}."""
    source = '#include "onnxruntime_c_api.h"\n'
    tree = json.loads(subprocess.run(
        [clang, "-x", "c", "-std=c11", "-I", folder, "-Xclang", "-ast-dump=json", "-fsyntax-only",
         "-"], input=source, capture_output=True, text=True, check=True).stdout)
    names, structs = {}, {}
    for node in tree["inner"]:
        name, kind = node.get("name", ""), node["kind"]
        if kind == "EnumDecl":
            names.update(enumerators(node))
        elif kind == "RecordDecl" and "Ort" in name:
            fields = [(f["name"], plain_type(f["type"]["qualType"]))
                      for f in node.get("inner", []) if f["kind"] == "FieldDecl" and "name" in f]
            if fields:
                structs[name] = fields
        elif kind in ("TypedefDecl", "FunctionDecl") and ("Ort" in name or name.endswith("Fn")):
            names[name] = plain_type(node["type"]["qualType"])
    return names, structs


def differences(official, ours):
    for name, value in official[0].items():
        if name not in ours[0]:
            yield f"{name} is missing"
        elif ours[0][name] != value:
            yield f"{name} is {ours[0][name]}, not {value}"
    for struct, fields in official[1].items():
        mine = ours[1].get(struct, [])
        for i, field in enumerate(fields):
            if i >= len(mine) or mine[i] != field:
                yield f"{struct} member {i} is {mine[i] if i < len(mine) else None}, not {field}"


def main():
    clang, include = sys.argv[1:]
    official = facts(clang, official_folder())
    members = sum(len(fields) for fields in official[1].values())
    if members < 500 or len(official[0]) < 150:
        sys.exit(f"only {members} members and {len(official[0])} names were found")
    found = list(differences(official, facts(clang, include)))
    print("\n".join(found))
    print(f"{members} members, {len(official[0])} names, {len(found)} differences")
    sys.exit(1 if found else 0)


main()
