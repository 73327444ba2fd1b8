#!/bin/sh
# venv.sh DIR: the pinned Python packages of the tests, in DIR/venv; made anew when the pins change.
set -eu
tests=$(dirname "$0")
venv=$1/venv
pins=$(cat "$tests/conformance/requirements.txt" "$tests/models/requirements.txt")
[ "$pins" != "$(cat "$venv/pins" 2>/dev/null)" ] || exit 0
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$tests/models/requirements.txt"
printf '%s\n' "$pins" >"$venv/pins"
