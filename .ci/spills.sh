#!/bin/sh
# Compiles the CUDA kernels for Hopper and fails where one spills registers or wgmma is serialised. Without nvcc the check is skipped.
# LOG: the log of a build with CUDAFLAGS='-Xptxas -v'. Without it, or if it holds no kernel, the kernels are compiled for Hopper here. Without nvcc it says so.
set -eu
cd "$(dirname "$0")/.."
if ! command -v nvcc >/dev/null; then
  echo "# skipped: no nvcc here, kernels are not compiled"
  exit 0
fi
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
export reports
report=$reports/all
if [ -n "${1:-}" ] && grep -q 'Compiling entry function' "$1"; then
  grep -aE 'Compiling entry function|bytes spill stores|instructions are serialized' "$1" > "$report"
else
  # Two at a time: a unit takes some hundred MB.
  if ! ls native/cuda/units/*.cu | xargs -P 2 -I {} sh -c 'nvcc -std=c++17 -O2 -arch=sm_90a -Xptxas -v -Inative -c {} -o "$reports/$(basename {}).o" > "$reports/$(basename {}).txt" 2>&1'; then
    cat "$reports"/*.txt
    echo "not ok 1 - cuda: the kernels compile"
    exit 1
  fi
  cat "$reports"/*.txt > "$report"
fi
kernels=$(grep -c 'Compiling entry function' "$report" || true)
spills=$(grep -c 'bytes spill stores' "$report" || true)
clean=$(grep -c ' 0 bytes spill stores, 0 bytes spill loads' "$report" || true)
serialised=$(grep -c 'wgmma.mma_async instructions are serialized' "$report" || true)
products=$(grep -c 'Compiling entry function.*wgmma_gemm' "$report" || true)
if [ "$products" -gt 0 ] && [ "$serialised" -eq 0 ]; then
  echo "ok 2 - cuda: wgmma is serialised in none of $products kernels"
else
  grep 'instructions are serialized' "$report" || true
  echo "not ok 2 - cuda: wgmma is serialised in $serialised of $products kernels"
  exit 1
fi
if [ "$kernels" -gt 0 ] && [ "$spills" -gt 0 ] && [ "$spills" -eq "$clean" ]; then
  echo "ok 1 - cuda: none of $kernels kernels spills registers"
else
  grep -B1 'bytes spill stores' "$report" | grep -v ' 0 bytes spill stores, 0 bytes spill loads'
  echo "not ok 1 - cuda: $((spills - clean)) of $kernels kernels spill registers"
  exit 1
fi
