# The verbs on a model. TERN_LIB swaps in another library than libtern.so, to hold the same checks to it.
. "$(dirname "$0")/check.sh"

model=$MODELS/mnist.onnx
if [ ! -f "$model" ]; then
  echo "skip cli.models: no $model"
  exit 77
fi
library=${TERN_LIB:-$(dirname "$TERN")/libtern.so}
TERN_REAL_RUNTIME=$library
export TERN_REAL_RUNTIME

# tern VERB ARGUMENT...: the verb, with that library.
tern() {
  verb=$1
  shift
  "$TERN" "$verb" --lib "$library" "$@"
}

output='Plus214_Output_0'
expect 0 "library: $library" tern info
expect 0 '"providers": [' tern info --json

expect 0 'Input3  float32 1x1x28x28' tern inspect "$model"
expect 0 "$output  float32 1x10" tern inspect "$model"
expect 0 '"shape": [' tern inspect "$model" --json
expect 1 "cannot load 'none.onnx'" tern inspect none.onnx
expect 1 'cannot load' tern inspect "$0"

expect 0 "$output  float32 1x10" tern run "$model" --random
expect 0 "$output  float32 1x10" tern run "$model" --input Input3=zeros
expect 0 "$output  float32 1x10" tern run "$model" --input random:1x1x28x28:0:255 --threads 1 --opt 0
expect 2 'Input3  float32 1x1x28x28' tern run "$model"
expect 2 "did you mean 'Input3'?" tern run "$model" --input Input=zeros
expect 1 '3 values given for shape 1x1x28x28' tern run "$model" --input 1,2,3
expect 1 'it has shape 1x28, where 1x1x28x28 is expected' tern run "$model" --input ones:1x28
expect 1 "cannot open 'none.npy'" tern run "$model" --input none.npy
expect 2 'no input has such a dimension' tern run "$model" --random --dim batch=2
expect 2 "it has '$output'" tern run "$model" --random --output logits=x.npy
expect 2 'neither a .npy nor a .json file' tern run "$model" --random --output "$output=x.txt"

# The same seed gives the same output, another seed another one.
tern run "$model" --random --seed 1 >"$work/one" 2>&1
tern run "$model" --random --seed 2 >"$work/two" 2>&1
tern run "$model" --random --seed 1 >"$work/again" 2>&1
[ -s "$work/one" ] && cmp "$work/one" "$work/again" || failures=$((failures + 1))
expect 1 'differ' cmp "$work/one" "$work/two"

printf 'zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n' >"$work/labels"
tern run "$model" --random --topk 10 --labels "$work/labels" >"$work/top" 2>&1
for label in zero four nine; do expect 0 "$label" cat "$work/top"; done
expect 0 '10.' cat "$work/top"

tern run "$model" --random --output "$output=$work/y.npy" || failures=$((failures + 1))
expect 0 "'shape': (1, 10)" cat "$work/y.npy"
tern run "$model" --random --output "$output=$work/y.json" || failures=$((failures + 1))
expect 0 '[' cat "$work/y.json"
expect 1 'cannot write' tern run "$model" --random --output "$output=$work/none/y.npy"

expect 0 'median run' tern bench "$model" --runs 2
expect 0 'B/A' tern bench "$model" --runs 2 --rounds 1 --against "$library"
expect 4 'the library crashed' tern bench "$model" --runs 2 --rounds 1 --against "$CRASHING"

expect 0 'same within 0.001' tern diff "$model" --against "$library"
expect 1 'DIFFERS' tern diff "$model" --against "$WRONG"
expect 1 '2 of 2 outputs differ' tern diff "$model" --against "$WRONG"
expect 0 'same within 10' tern diff "$model" --against "$WRONG" --tolerance 10 --allow-constant
expect 3 'refused' tern diff "$model" --against "$library" --input Input3=ones
expect 0 'same' tern diff "$model" --against "$library" --input Input3=ones --allow-constant
expect 4 'the library crashed' tern diff "$model" --against "$CRASHING"
finish
