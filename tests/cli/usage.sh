# What the command line says without a model: help, versions, errors and libraries that are none.
. "$(dirname "$0")/check.sh"

expect 0 'tern ' "$TERN" --version
expect 0 'exit codes:' "$TERN" help
expect 0 'exit codes:' "$TERN" --help
for verb in run inspect bench diff info; do
  expect 0 "usage: tern $verb" "$TERN" help "$verb"
  expect 0 "usage: tern $verb" "$TERN" "$verb" --help
done

# Every option that help lists is explained in the documentation, with its image options.
for word in $(for verb in run inspect bench diff info; do "$TERN" help "$verb"; done |
  sed -n 's/^ *\(--[a-z-]*\) .*/\1/p; s/^ *\([a-z]*=\)[^ ]* .*/\1/p' | sort -u); do
  expect 0 "$word" cat "$ROOT/docs/command-line.md"
done

expect 2 'a verb is expected' "$TERN"
expect 2 "did you mean 'bench'?" "$TERN" bensh
expect 2 "did you mean 'diff'?" "$TERN" help dif
expect 2 "did you mean '--threads'?" "$TERN" run model.onnx --thread 1
expect 2 "'run' expects MODEL" "$TERN" run
expect 2 'expects --against LIB' "$TERN" diff model.onnx
expect 2 'give --topk K too' "$TERN" run model.onnx --labels names.txt
expect 1 "cannot load the library './none.so'" "$TERN" info --lib ./none.so
echo 'not a library' >"$work/text.so"
expect 1 'cannot load the library' "$TERN" info --lib "$work/text.so"
expect 1 'it has no OrtGetApiBase' "$TERN" info --lib libm.so.6
expect 4 'the library crashed: Aborted' "$TERN" bench model.onnx --lib "$CRASHING"
if [ -w /dev/full ]; then
  expect 1 'cannot write the output' sh -c '"$0" help >/dev/full' "$TERN"
fi
finish
