#!/bin/sh
# The part of bench/gpu.sh for networks: a conformance pack on the device, floats at the processor's tolerance and halves at 2e-2, then
# pictures per second. Usage: bench/gpu-networks.sh ONNX-PACK BUILD     BUILD: the folder that gpu.sh built in
set -eu
cd "$(dirname "$0")/.."
status=0
"$2/bin/native_test" --filter "onnx: every" --device cuda --require-cuda --floats --onnx-pack "$1" || status=1
"$2/bin/native_test" --filter "onnx: every" --device cuda --require-cuda --onnx-pack "$1" || status=1
"$2/bin/native_bench" --networks cuda "$1" || status=1
exit "$status"
