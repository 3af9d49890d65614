#!/bin/sh
# On a machine with a GPU, CMake, ninja or make, and nvcc, without Node: builds the native half, runs the CUDA tests and conformance packs
# on the device, measures it, and writes bench/results/CARD.md. Takes 9 minutes at most: what there was no time for is marked there as not
# measured. Ends with something else than 0 when a test failed or the measurement did.
# Usage: bench/gpu.sh [--emulated] [PACK]...     a folder with models/*.gguf and expected/*.json, or one with index.json, ops and nets
#   --emulated: the same steps with toys on the emulation, to see that they work; writes build/gpu-emulated.md
# LECTERN_BUILD names a build that is there already (bin/native_test and bin/native_bench are enough; they may come from another machine
# whose libraries are no newer), which leaves the time for measuring; LECTERN_COMMIT the commit where there is no repository.
set -u
cd "$(dirname "$0")/.."
begin=$(date +%s)
left() { echo $((535 - $(date +%s) + begin)); }

device=cuda
if [ "${1:-}" = --emulated ]; then
  device=emulated
  shift
fi
build=${LECTERN_BUILD:-}
mkdir -p build
if [ -z "$build" ]; then
  build=build/gpu
  if [ "$device" = cuda ]; then
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .) || exit 1
    cuda="-DLECTERN_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=$capability"
  else
    cuda=-DLECTERN_CUDA=OFF
  fi
  # shellcheck disable=SC2086
  cmake -S . -B $build -DLECTERN_ADDON=OFF $cuda > build/gpu.log 2>&1 || { cat build/gpu.log; exit 1; }
  # As many compilers as processors: without a number make starts all of them at once.
  timeout 330 cmake --build $build --target native_test --target native_bench --parallel "$(nproc)" > build/gpu.log 2>&1 || { tail -n 60 build/gpu.log; exit 1; }
fi

if [ "$device" = cuda ]; then
  card=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  mkdir -p bench/results
  report=bench/results/$(echo "$card" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-').md
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
  required=--require-cuda
else
  card=emulated
  report=build/gpu-emulated.md
  driver=none
  required=
fi
commit=${LECTERN_COMMIT:-$(git rev-parse --short HEAD 2> /dev/null || echo unknown)}
{
  echo "# $card"
  echo
  echo "$(date -u '+%Y-%m-%d %H:%M') UTC, commit $commit, driver $driver; built in $((535 - $(left))) s. Written by \`bench/gpu.sh\`."
  echo
} > "$report"

status=0
# What ran, and how it ended, is a line of the report; the whole of it is on the terminal.
tested() {
  title=$1
  limit=$2
  shift 2
  if [ "$(left)" -lt 60 ]; then
    echo "- $title: not run, the time was over" >> "$report"
    status=1
    return
  fi
  if timeout "$limit" "$@" > build/gpu-test.log 2>&1; then ended=passed; else
    ended="FAILED ($?)"
    status=1
  fi
  cat build/gpu-test.log
  echo "- $title: $ended, $(grep -c '^ok ' build/gpu-test.log) of $(grep -cE '^(not )?ok ' build/gpu-test.log) passed" >> "$report"
}
if [ "$device" = cuda ]; then
  tested 'kernels against references' 150 "$build/bin/native_test" --filter 'cuda: ' --filter 'prompt rows' --filter 'prompt attention' --filter ragged --filter upload --filter 'recorded passes' --require-cuda
  if [ $status -ne 0 ]; then
    # What follows would fail the same way; single warps are measured instead where it was these.
    export LECTERN_WARPGROUPS=off
    tested 'the same without warpgroups, as is all that follows' 120 "$build/bin/native_test" --filter 'cuda: ' --filter 'prompt rows' --filter ragged --require-cuda
  fi
else
  # The emulation takes minutes for all of them, which npm test runs: one of each kind shows that the step works.
  tested 'kernels against references' 150 "$build/bin/native_test" --filter 'cuda: what' --filter 'cuda: rows of answers' --filter upload --filter 'recorded passes'
fi
: > build/gpu-pictures.md
for pack in "$@"; do
  if [ -f "$pack/index.json" ]; then
    limit=90
    [ "$device" = cuda ] || limit=300
    tested "networks of $(basename "$pack")" $limit sh bench/gpu-networks.sh "$pack" "$build" "$device"
    # Its table of pictures per second stands below the list of what was tested.
    grep '^|' build/gpu-test.log >> build/gpu-pictures.md
    continue
  fi
  limit=60
  name=$(basename "$pack")
  if [ "$device" = emulated ]; then
    # The emulation takes most of a minute for a model, npm test runs all on the processor: the smallest shows that the step works.
    limit=240
    smallest=$(find "$pack/models" -name '*.gguf' -size -1000k -exec ls -S {} + | tail -n 1)
    rm -rf build/gpu-pack
    mkdir -p build/gpu-pack/models build/gpu-pack/expected
    ln -s "$(realpath "$smallest")" build/gpu-pack/models/
    ln -s "$(realpath "$pack/expected/$(basename "$smallest" .gguf).json")" build/gpu-pack/expected/
    pack=build/gpu-pack
    name="$name, $(basename "$smallest" .gguf)"
  fi
  # shellcheck disable=SC2086
  tested "conformance of $name" $limit "$build/bin/native_test" --filter 'llm: a conformance pack' --device $device $required --llm-pack "$pack"
done
{
  echo
  cat build/gpu-pictures.md
  echo
} >> "$report"

# A part is a process: what faults in one takes no other along. Rows that would begin in the last minute are marked instead.
measured() {
  timeout "$(($(left) > 5 ? $(left) : 5))" "$build/bin/native_bench" --gpu $device $(($(left) - 60)) build "$1" > build/gpu-part.md 2> build/gpu-bench.log
  ended=$?
  [ $ended -ne 3 ] || return 1
  tee -a "$report" < build/gpu-part.md
  if [ $ended -ne 0 ]; then
    status=1
    { echo; echo "This part ended early ($ended); what is not above was not measured."; cat build/gpu-bench.log; } | tee -a "$report"
  fi
}
part=0
while measured $part; do part=$((part + 1)); done
if [ "$device" = cuda ] && [ "${LECTERN_WARPGROUPS:-}" != off ] && [ "$(left)" -gt 90 ]; then
  export LECTERN_WARPGROUPS=off
  { echo; echo "# Once more without warpgroups"; } | tee -a "$report"
  for part in 1 2; do measured $part; done
fi
echo "$report, after $((535 - $(left))) s"
exit $status
