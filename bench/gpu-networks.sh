#!/bin/sh
# The part of bench/gpu.sh for networks: a conformance pack on the device, f16x3 at 1e-3, f16 at 2e-2 and f32 at the processor's tolerance, then
# pictures per second of each network as a table. Usage: bench/gpu-networks.sh ONNX-PACK BUILD [DEVICE]
#   BUILD: the folder that gpu.sh built in     DEVICE: cuda, or emulated: op cases alone and one run of each network, to see that the steps work
set -eu
cd "$(dirname "$0")/.."
device=${3:-cuda}
which="onnx: every"
required=--require-cuda
if [ "$device" = emulated ]; then
  which="onnx: every op case"
  required=
fi
status=0
for precision in f16x3 f16 f32; do
  # shellcheck disable=SC2086
  "$2/bin/native_test" --filter "$which" --device "$device" $required --precision $precision --onnx-pack "$1" || status=1
done
"$2/bin/native_bench" --networks "$device" "$1" || status=1
exit "$status"
