#!/bin/sh
# Fuzzes the GGUF reader under ASan+UBSan, from made models on. Usage: native/test/fuzz.sh [SECONDS]
# SECONDS: 60, or 600 with CI_FULL=1. With clang and its runtime (Debian: clang libclang-rt-14-dev) by libFuzzer, which keeps
# what it learns in build/fuzz/corpus; without, by a driver that mutates the seeds blindly.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-$([ "${CI_FULL:-}" = 1 ] && echo 600 || echo 60)}
mkdir -p build/fuzz

compiler=${CXX:-c++}
with="the built-in driver (no clang with libFuzzer here)"
probe='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
if echo "$probe" | clang++ -x c++ -fsanitize=fuzzer,address - -o build/fuzz/probe 2> build/fuzz/probe.log; then
  compiler=clang++
  with=libFuzzer
fi
tree="build/fuzz/$(basename "$compiler")"
echo "# fuzzing the GGUF reader for $seconds s with $with"
cmake -S . -B "$tree" -DCMAKE_CXX_COMPILER="$compiler" -DLECTERN_SANITIZE=address,undefined -DLECTERN_FUZZ=ON > build/fuzz/log 2>&1 &&
  cmake --build "$tree" --target fuzz_reader fuzz_seeds --parallel 2 >> build/fuzz/log 2>&1 || { cat build/fuzz/log; exit 1; }
rm -rf build/fuzz/seeds
"$tree/bin/fuzz_seeds" build/fuzz/seeds

status=0
if [ "$with" = libFuzzer ]; then
  mkdir -p build/fuzz/corpus
  "$tree/bin/fuzz_reader" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -artifact_prefix=build/fuzz/ \
    build/fuzz/corpus build/fuzz/seeds > build/fuzz/run.log 2>&1 || status=$?
else
  "$tree/bin/fuzz_reader" build/fuzz/seeds "$seconds" > build/fuzz/run.log 2>&1 || status=$?
fi
if [ "$status" -ne 0 ]; then
  tail -n 60 build/fuzz/run.log
  echo "not ok 1 - gguf: fuzzing the reader (exit status $status)"
  exit 1
fi
echo "ok 1 - gguf: fuzzing the reader ($(grep '^Done' build/fuzz/run.log))"
