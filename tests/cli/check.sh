# Shell side of the command line's tests: run, then compare exit code and words. Sourced, not run.
# TERN is the program; failures are counted, and finish turns them into the verdict.
set -u
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect CODE WORDS COMMAND...: stdout and stderr together must hold WORDS (fixed text).
expect() {
  code=$1 words=$2
  shift 2
  "$@" >"$work/output" 2>&1
  got=$?
  if [ "$got" -ne "$code" ]; then
    echo "FAIL: exit code $got, not $code: $*"
  elif ! grep -qF -e "$words" "$work/output"; then
    echo "FAIL: no '$words' in the output of: $*"
  else
    return
  fi
  sed 's/^/  | /' "$work/output"
  failures=$((failures + 1))
}

# is_json COMMAND...: its output, which must be one JSON document where something here can tell.
is_json() {
  "$@" >"$work/json" || return
  cat "$work/json"
  ! command -v python3 >/dev/null || python3 -m json.tool "$work/json" >/dev/null
}

finish() {
  [ "$failures" -eq 0 ] || echo "$failures checks failed"
  [ "$failures" -eq 0 ]
  exit
}
