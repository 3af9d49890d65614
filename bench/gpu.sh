#!/bin/sh
# On a machine with a GPU, CMake, ninja or make, and nvcc, without Node: builds the native half, runs the CUDA tests and conformance packs
# on the device, measures it, and writes bench/results/CARD.md. Takes 9 minutes at most: what there was no time for is marked there as not
# measured. What is worth most comes first, each part is a process of its own and is in the report as soon as it is done. Ends with something
# else than 0 when a test failed or the measurement did.
# Usage: bench/gpu.sh [--emulated] [PACK]...     a folder with models/*.gguf and expected/*.json, or one with index.json, ops and nets
#   --emulated: the same steps with toys on the emulation, to see that they work; writes build/gpu-emulated.md
# LECTERN_BUILD names a build that is there already (bin/native_test and bin/native_bench are enough; they may come from another machine
# whose libraries are no newer: bench/gpu-carry.sh makes an archive of them), which leaves the time for measuring; LECTERN_COMMIT the commit where
# there is no repository; LECTERN_RESULTS the folder of the report and of what the parts said, where bench/results is not what comes back.
set -u
cd "$(dirname "$0")/.."
# Where CUDA and its driver lie unless the caller names other places.
PATH=$PATH:/usr/local/cuda/bin:/usr/local/nvidia/bin
begin=$(date +%s)
seconds=${LECTERN_SECONDS:-535}
left() { echo $((seconds - $(date +%s) + begin)); }
# No part outlasts the whole, nor takes what is kept for those that are worth more.
kept=10
at_most() { if [ "$1" -lt "$(($(left) - kept))" ]; then echo "$1"; else echo "$(($(left) > kept + 5 ? $(left) - kept : 5))"; fi; }

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
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -n 1 | tr -d .)
    [ -n "$capability" ] || { echo "There is no GPU here, or no nvidia-smi to say which: bench/gpu.sh cpu tries the script without one." >&2; exit 1; }
    cuda="-DLECTERN_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=$capability"
  else
    cuda=-DLECTERN_CUDA=OFF
  fi
  # CMake takes make unless another generator is named, also where there is no make.
  if [ ! -f $build/CMakeCache.txt ] && command -v ninja > /dev/null; then cuda="$cuda -G Ninja"; fi
  # shellcheck disable=SC2086
  cmake -S . -B $build -DLECTERN_ADDON=OFF $cuda > build/gpu.log 2>&1 || { cat build/gpu.log; exit 1; }
  # As many compilers as processors: without a number make starts all of them at once.
  timeout -k 5 330 cmake --build $build --target native_test --target native_bench --parallel "$(nproc)" > build/gpu.log 2>&1 || { tail -n 60 build/gpu.log; exit 1; }
fi

if [ "$device" = cuda ]; then
  card=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  results=${LECTERN_RESULTS:-bench/results}
  report=$results/$(echo "$card" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-').md
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
  required=--require-cuda
else
  card=emulated
  results=${LECTERN_RESULTS:-build}
  report=$results/gpu-emulated.md
  driver=none
  required=
fi
# What the parts said, whole.
logs=$results
[ -n "${LECTERN_RESULTS:-}" ] || logs=build
log=$logs/gpu-tests.log
mkdir -p "$results" "$logs"
: > "$log"
commit=${LECTERN_COMMIT:-$(git rev-parse --short HEAD 2> /dev/null || echo unknown)}
{
  echo "# $card"
  echo
  echo "$(date -u '+%Y-%m-%d %H:%M') UTC, commit $commit, driver $driver; built in $((seconds - $(left))) s. Written by \`bench/gpu.sh\`."
  echo
} > "$report"
if [ "$device" = cuda ]; then
  # Lowered clocks and power limits explain numbers that nothing else does.
  nvidia-smi --query-gpu=name,memory.total,memory.free,clocks.max.sm,clocks.max.mem,power.limit,mig.mode.current,compute_mode,pcie.link.gen.current,pcie.link.width.current --format=csv >> "$log" 2>&1
fi

# Debug switches of the kernels, which native_test and native_bench take in front of their other words.
switches=
status=0
# What ran, and how it ended, is a line of the report, with what failed; the whole of it is in the log.
tested() {
  title=$1
  limit=$(at_most "$2")
  shift 2
  hung=no
  if [ "$(left)" -lt $((kept + 50)) ]; then
    echo "- $title: not run, the time was over" >> "$report"
    status=1
    return 1
  fi
  since=$(date +%s)
  if timeout -k 5 "$limit" "$@" > build/gpu-test.log 2>&1; then ended=passed; else
    ended="FAILED ($?)"
    case $ended in *124* | *137*) hung=yes ;; esac
    status=1
  fi
  { echo "## $title"; cat build/gpu-test.log; } >> "$log"
  cat build/gpu-test.log
  echo "- $title: $ended, $(grep -c '^ok ' build/gpu-test.log) of $(grep -cE '^(not )?ok ' build/gpu-test.log) passed in $(($(date +%s) - since)) s" >> "$report"
  [ "$ended" != passed ] || return 0
  grep -E '^# failed|^not ok' build/gpu-test.log | head -n 12 | sed 's/^/  - /' >> "$report"
  # A process that ended in the midst of a test says so by its last lines.
  tail -n 3 build/gpu-test.log | sed 's/^/  - last: /' >> "$report"
  return 1
}
# What the checker of memory says to tests that failed, where there is one and time.
examined() {
  command -v compute-sanitizer > /dev/null && [ "$(left)" -gt 300 ] || return 0
  timeout -k 5 50 compute-sanitizer --tool memcheck --print-limit 4 "$build/bin/native_test" "$@" > build/gpu-test.log 2>&1
  { echo "## compute-sanitizer, $*"; cat build/gpu-test.log; } >> "$log"
  grep '^=========' build/gpu-test.log | head -n 12 | sed 's/^/  - /' >> "$report"
}
kernels() {
  title=$1
  limit=$2
  shift 2
  # shellcheck disable=SC2086
  tested "$title" "$limit" "$build/bin/native_test" $switches "$@" --require-cuda && return 0
  # What hangs would hang again, twice as long.
  # shellcheck disable=SC2086
  [ $hung = yes ] || examined $switches "$@" --require-cuda
  return 1
}
# Where warpgroups are the reason, all that follows does without them.
prefill() {
  kernels "prefill$1" 60 --filter 'prefill rows' && kernels "attention of prefill$1" 60 --filter 'prefill attention' && kernels "embeddings$1" 60 --filter ragged --filter 'cuda: embeddings'
}
if [ "$device" = cuda ]; then
  # Kernels that hang, each for a minute, shall leave time to measure those that do not.
  kept=150
  kernels 'weights and uploads' 40 --filter 'cuda: repacked' --filter 'cuda: bit planes' --filter upload
  kernels 'decode' 60 --filter 'cuda: decode' --filter 'recorded passes'
  if ! prefill ''; then
    switches='--warpgroups off'
    if prefill ' without warpgroups, as is all that follows'; then :; else switches=; fi
  fi
  kernels 'whole models' 60 --filter 'cuda: models of every' --filter 'cuda: prefill chunks' --filter 'cuda: more positions'
  kernels 'sampling' 60 --filter 'cuda: sampling' --filter 'cuda: generations'
else
  # The emulation takes minutes for all of them, which npm test runs: one of each kind shows that the step works.
  tested 'kernels against references' 150 "$build/bin/native_test" --filter 'cuda: bit planes' --filter 'cuda: decode rows' --filter upload --filter 'recorded passes'
fi
kept=10
echo >> "$report"

# A part is a process: what faults in one takes no other along. Rows that would begin in the last minute are marked instead.
measured() {
  if [ "$(left)" -lt 25 ]; then
    { echo; echo "Part $1 and what follows were not measured: the time was over."; } | tee -a "$report"
    return 1
  fi
  part_limit=$(at_most "${2:-200}")
  # shellcheck disable=SC2086
  timeout -k 5 "$part_limit" "$build/bin/native_bench" $switches --gpu $device $((part_limit > 40 ? part_limit - 30 : part_limit / 2)) build "$1" > build/gpu-part.md 2> build/gpu-bench.log
  ended=$?
  [ $ended -ne 3 ] || return 1
  tee -a "$report" < build/gpu-part.md
  if [ $ended -ne 0 ]; then
    status=1
    { echo; echo "This part ended early ($ended); what is not above was not measured."; cat build/gpu-bench.log; } | tee -a "$report"
  fi
}
# Ceilings, 70B, bge-m3.
for part in 0 1 2; do measured $part || break; done

: > build/gpu-pictures.md
echo >> "$report"
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
  tested "conformance of $name" $limit "$build/bin/native_test" $switches --filter 'llm: a conformance pack' --device $device $required --llm-pack "$pack"
done
if [ "$device" = cuda ]; then kernels 'kernels of networks' 60 --filter 'cuda: products of networks' --filter 'cuda: convolutions' --filter 'cuda: operands' --filter 'cuda: long lines' --filter 'cuda: attention of networks'; fi
{
  echo
  cat build/gpu-pictures.md
  echo
} >> "$report"

# What a debug switch costs: decode by another kernel, and without dependent launches.
if [ "$device" = cuda ] && [ "$(left)" -gt 150 ]; then
  usual=$switches
  switches="$usual --decode rings"
  { echo; echo "# Decode without the tensor cores (\`LECTERN_DECODE=rings\`)"; } | tee -a "$report"
  measured 1 60
  switches=$usual
fi
if [ "$device" = cuda ] && [ "$(left)" -gt 150 ]; then
  usual=$switches
  switches="$usual --early-launches off"
  { echo; echo "# Without dependent launches (\`LECTERN_EARLY_LAUNCHES=off\`)"; } | tee -a "$report"
  measured 1 60
  switches=$usual
fi
# What holds the kernels up, for work on their speed: the counters of a few launches of the 8B model, where the profiler is there.
profiled() {
  [ "$(left)" -gt 75 ] || return 0
  # shellcheck disable=SC2086
  timeout -k 5 55 ncu --clock-control none --kernel-name-base function --kernel-name "regex:$1" --launch-skip "$2" --launch-count "$3" --section SpeedOfLight \
    --section MemoryWorkloadAnalysis --section WarpStateStats --section SchedulerStats --section LaunchStats "$build/bin/native_bench" $switches --gpu cuda 40 build 4 >> "$logs/gpu-profile.log" 2>&1
}
if [ "$device" = cuda ] && command -v ncu > /dev/null; then
  : > "$logs/gpu-profile.log"
  profiled 'mma_gemv|ring_gemv|register_gemv|split_kv' 30 5
  # The kernels of a prefill layer, whose quantised weights are unpacked first where there is wgmma.
  profiled 'unpack_rows|dense_gemm|wgmma_gemm|mma_gemm|flash_attention' 24 12
fi
# The other models, then loading.
{ echo; echo "# The other models, and loading"; } | tee -a "$report"
part=3
while measured $part 90; do part=$((part + 1)); done
if [ "$device" = cuda ] && [ "$switches" != "--warpgroups off" ] && [ "$(left)" -gt 90 ]; then
  switches='--warpgroups off'
  { echo; echo "# Once more without warpgroups"; } | tee -a "$report"
  for part in 1 2; do measured $part 60; done
fi
echo "$report, after $((seconds - $(left))) s"
exit $status
