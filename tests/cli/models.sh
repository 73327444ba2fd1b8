# The verbs on a model. TERN_LIB swaps in another library than libtern.so, to hold the same checks to it.
. "$(dirname "$0")/check.sh"

model=$ROOT/examples/digits/digits.onnx
library=${TERN_LIB:-$(dirname "$TERN")/libtern.so}
TERN_REAL_RUNTIME=$library
export TERN_REAL_RUNTIME

# tern VERB ARGUMENT...: the verb, with that library.
tern() {
  verb=$1
  shift
  "$TERN" "$verb" --lib "$library" "$@"
}

# What only Tern tells. The first convolution takes a multiply and an add for each of 9 weights of 24 channels at
# 8 x 8 places of 3 images.
if tern info --json | grep -q '"isas"'; then
  expect 0 'instruction set:' tern info
  expect 0 'parameters: 12587 (50.3 kB)' tern inspect "$model"
  expect 0 'at least' tern inspect "$model"
  expect 0 'run on: image float32 3x1x8x8' tern inspect "$model" --dim N=3
  expect 0 'of intermediate values' tern inspect "$model" --memory
  expect 0 'in the order they run' tern inspect "$model" --verbose
  expect 0 '"flops_complete": true' is_json tern inspect "$model" --dim N=3 --json
  expect 0 '"flops": 82944' tern inspect "$model" --dim N=3 --json
  for key in opsets operators parameter_bytes packed_bytes placement kernel; do
    expect 0 "\"$key\"" is_json tern inspect "$model" --json
  done
fi

# ink is the range of the model's training data; over [0, 1) its answers hardly move.
ink=random:2x1x8x8:0:16

expect 0 "library: $library" tern info
expect 0 '"providers": [' tern info --json
expect 0 '"abi"' is_json tern info --json

expect 0 'image  float32 Nx1x8x8' tern inspect "$model"
expect 0 'probabilities  float32 Nx10' tern inspect "$model"
expect 0 '"shape": [' tern inspect "$model" --json
expect 0 '"metadata"' is_json tern inspect "$model" --json
expect 1 "it has shape 1x28, where ?x1x8x8 is expected" tern inspect "$model" --input ones:1x28
expect 2 "free dimensions: 'N'" tern inspect "$model" --dim batch=2
expect 1 "cannot load 'none.onnx'" tern inspect none.onnx
expect 1 'cannot load' tern inspect "$0"

expect 0 'probabilities  float32 3x10' tern run "$model" --random --dim N=3
expect 0 'probabilities  float32 1x10' tern run "$model" --input image=zeros:1x1x8x8
expect 0 'probabilities  float32 2x10' tern run "$model" --input "$ink" --threads 1 --opt 0
expect 2 'image  float32 Nx1x8x8' tern run "$model"
expect 2 'its shape ?x1x8x8 is not fixed' tern run "$model" --random
expect 2 "did you mean 'image'?" tern run "$model" --input imagee=zeros
expect 1 '3 values given for shape ?x1x8x8' tern run "$model" --input 1,2,3
expect 1 'it has shape 1x28, where ?x1x8x8 is expected' tern run "$model" --input ones:1x28
expect 1 "cannot open 'none.npy'" tern run "$model" --input none.npy
expect 2 "free dimensions: 'N'" tern run "$model" --random --dim batch=2
expect 2 "it has 'probabilities'" tern run "$model" --random --output logits=x.npy
expect 2 'neither a .npy nor a .json file' tern run "$model" --random --output probabilities=x.txt

# Every sample but the two unclear ones is the digit it is named for.
printf 'zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n' >"$work/labels"
for pair in 0=zero 1=one 2=two 3=three 4=four 5=five 6=six 7=seven 8=eight 9=nine; do
  expect 0 "${pair#*=}" tern run "$model" --topk 1 --labels "$work/labels" \
    --input "image=$ROOT/examples/digits/samples/${pair%=*}.pgm?scale=16/255"
done

# The same seed gives the same output, another seed another one.
tern run "$model" --input "$ink" --seed 1 >"$work/one" 2>&1
tern run "$model" --input "$ink" --seed 1 >"$work/again" 2>&1
tern run "$model" --input "$ink" --seed 2 >"$work/two" 2>&1
[ -s "$work/one" ] && cmp "$work/one" "$work/again" || failures=$((failures + 1))
expect 1 'differ' cmp "$work/one" "$work/two"

tern run "$model" --input "$ink" --output "probabilities=$work/y.npy" || failures=$((failures + 1))
expect 0 "'shape': (2, 10)" cat "$work/y.npy"
tern run "$model" --input "$ink" --output "probabilities=$work/y.json" || failures=$((failures + 1))
expect 0 '[' cat "$work/y.json"
expect 1 'cannot write' tern run "$model" --input "$ink" --output "probabilities=$work/none/y.npy"

expect 0 'median run' tern bench "$model" --runs 2

# profile OPTION...: bench --profile, in a folder that keeps the trace.
profile() {
  (cd "$work" && rm -f tern-profile-* && tern bench "$model" --runs 3 --profile "$@")
}
expect 0 'median of 3 runs, trace in tern-profile-A_' profile
expect 0 'in kernels' profile
expect 0 'around them' profile --by operator --rows 1
expect 0 'in 6 more rows' profile --by operator --rows 1 --opt 0
expect 0 '1x1x8x8 24x1x3x3' profile --by step --rows 0
expect 2 '--by expects kernel|operator|step' profile --by node
profile --by operator --opt 0 >"$work/profile" 2>&1 || failures=$((failures + 1))
expect 0 ' 2 ' grep ' Conv  *CPUExecutionProvider$' "$work/profile"
expect 0 '"model_run"' is_json cat "$work"/tern-profile-A_*.json
expect 0 'B/A' tern bench "$model" --runs 2 --rounds 1 --against "$library"
expect 4 'the library crashed' tern bench "$model" --runs 2 --rounds 1 --against "$CRASHING"

expect 0 'same within 0.001' tern diff "$model" --input "$ink" --against "$library"
expect 1 'DIFFERS' tern diff "$model" --input "$ink" --against "$WRONG"
expect 1 '2 of 2 outputs differ' tern diff "$model" --input "$ink" --against "$WRONG"
expect 0 'same within 10' tern diff "$model" --against "$WRONG" --tolerance 10 --allow-constant
expect 3 'refused' tern diff "$model" --against "$library" --input image=ones:1x1x8x8
expect 0 'same' tern diff "$model" --against "$library" --input image=ones:1x1x8x8 --allow-constant
expect 4 'the library crashed' tern diff "$model" --against "$CRASHING"
finish
