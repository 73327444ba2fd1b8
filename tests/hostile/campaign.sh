#!/bin/sh
# campaign.sh BUILD MODELS [EXPORTED]: the whole campaign of damage. 200 cuts and 2,000 flips of each
# model below MODELS (of 3 MB at most), and of a copy without weights of each model in EXPORTED (what
# export_models.py makes), by BUILD/hostile, which wants to be built with sanitizers. PYTHON is one
# that has onnx (python3); ONLY, when set, a pattern that the models' names must match. Copies are
# left in BUILD/stripped. About 45 minutes of one core.
#
# A whole run of some models takes seconds. There one case of a few (--whole) gets the time and the
# memory for it, and the others see their first layers (--run-ms 50) or are only loaded (--run-ms 0);
# or the copy is one for smaller images.
set -eu
build=$1 models=$2 exported=${3:-}
here=$(dirname "$0")
copies=$build/stripped
failures=0

damage() {
  for model in "$@"; do :; done # the last argument
  basename "$model" | grep -Eq "${ONLY:-.}" || return 0
  "$build/hostile" --cuts 200 --flips 2000 --changes 0 --seconds 600 --run-ms 2000 "$@" ||
    failures=$((failures + 1))
}

# strip NAME [OPTION..]: EXPORTED's model without weights; skipped where there is none.
strip() {
  name=$1
  shift
  [ -f "$exported/$name.onnx" ] || { echo "$exported/$name.onnx: not there"; return 1; }
  mkdir -p "$copies"
  "${PYTHON:-python3}" "$here/strip.py" "$@" "$exported/$name.onnx" "$copies/$name.onnx"
}

damage "$models/mnist.onnx"
damage --shape input=1,576 --shape state=2,1,128 --fill sr=16000 "$models/silero_vad.onnx"
damage --shape input=2,256 --shape state=2,2,128 --fill sr=8000 "$models/silero_vad.onnx"
damage --runs 1 "$models/SqueezeNet_fp16.onnx"
damage --runs 1 "$models/version-RFB-320.onnx"
damage --runs 1 --run-ms 0 --whole 50 "$models/candy.onnx"
mkdir -p "$copies"
"${PYTHON:-python3}" "$here/strip.py" --keep-weights --side 64 "$models/candy.onnx" "$copies/candy.onnx"
damage "$copies/candy.onnx"

for name in shufflenet squeezenet; do damage --runs 1 "$models/light/light_$name.onnx"; done
for name in densenet121 inception_v1 inception_v2 resnet50; do
  damage --runs 1 --run-ms 50 --whole 8 "$models/light/light_$name.onnx"
done
# Fully connected layers of hundreds of megabytes.
for name in bvlc_alexnet zfnet512; do
  damage --runs 1 --run-ms 50 --whole 8 "$models/light/light_$name.onnx"
done
damage --runs 1 --run-ms 0 --whole 40 "$models/light/light_vgg19.onnx"

[ -n "$exported" ] || exit $((failures > 0))
for name in squeezenet1_1 mobilenet_v2 efficientnet_b0 densenet121 unet yolo_like resnet18 resnet50; do
  if strip "$name" --side 64; then damage --runs 1 "$copies/$name.onnx"; fi
done
if strip lstm3_bi; then damage "$copies/lstm3_bi.onnx"; fi
if strip ssdlite320; then damage --runs 1 "$copies/ssdlite320.onnx"; fi
if strip bert_base; then
  damage --runs 1 --whole 4 --shape input_ids=1,8 --shape attention_mask=1,8 --shape token_type_ids=1,8 \
    --fill token_type_ids=1 "$copies/bert_base.onnx"
fi
if strip gpt2_past; then damage --runs 1 --whole 4 "$copies/gpt2_past.onnx"; fi
if strip vgg19; then damage --runs 1 --run-ms 0 --whole 100 "$copies/vgg19.onnx"; fi
exit $((failures > 0))
