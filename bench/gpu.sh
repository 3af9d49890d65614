#!/bin/sh
# On a machine with a GPU, CMake and nvcc, without Node: builds the native half, runs the CUDA tests and a conformance pack on the device.
# Usage: bench/gpu.sh [LLM-PACK [ONNX-PACK]]     a folder with models/*.gguf and expected/*.json, one with index.json, ops and nets
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
cmake -S . -B build/gpu -DLECTERN_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES="$capability" > build/gpu.log 2>&1 || { cat build/gpu.log; exit 1; }
cmake --build build/gpu --target native_test --target native_bench --parallel > build/gpu.log 2>&1 || { tail -n 60 build/gpu.log; exit 1; }
build/gpu/bin/native_test --filter "cuda: " --filter "prompt rows" --filter "prompt attention" --filter "ragged" --require-cuda
build/gpu/bin/native_bench --prompts cuda
if [ $# -gt 0 ]; then
  build/gpu/bin/native_test --filter "llm: a conformance pack" --device cuda --require-cuda --llm-pack "$1"
fi
if [ $# -gt 1 ]; then
  sh bench/gpu-networks.sh "$2" build/gpu
fi
