#!/bin/sh
# Fuzzes the GGUF reader, the loading of models, grammars, networks and pages under ASan+UBSan, side by side, from made ones on. Usage: native/test/fuzz.sh [SECONDS]
# SECONDS: 60, or 600 with CI_FULL=1. With clang and its runtime (Debian: clang libclang-rt-14-dev) by libFuzzer, which keeps
# what it learns in build/fuzz/corpus-*; without, by a driver that mutates the seeds blindly, in the tree of native/test/sanitize.sh, which holds what they share.
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
[ "$with" = libFuzzer ] && tree=build/fuzz/clang++ || tree=build/asan
echo "# fuzzing the GGUF reader, the loading of models, grammars, networks and pages for $seconds s with $with"
cmake -S . -B "$tree" -DCMAKE_CXX_COMPILER="$compiler" -DLECTERN_SANITIZE=address,undefined -DLECTERN_STRICT=ON -DLECTERN_FUZZ=ON > build/fuzz/log 2>&1 &&
  cmake --build "$tree" --target fuzz_reader fuzz_model fuzz_grammar fuzz_network fuzz_page fuzz_seeds --parallel 2 >> build/fuzz/log 2>&1 || { cat build/fuzz/log; exit 1; }
rm -rf build/fuzz/seeds build/fuzz/grammars build/fuzz/networks build/fuzz/pages
"$tree/bin/fuzz_seeds" build/fuzz/seeds build/fuzz/grammars build/fuzz/networks build/fuzz/pages

# An input that takes so many seconds never ends. Those that give up only after much work take some, and the five fuzzers share the machine.
stuck=300

# fuzz TARGET SEEDS [BYTES]: its exit status.
fuzz() {
  if [ "$with" = libFuzzer ]; then
    mkdir -p "build/fuzz/corpus-$1"
    "$tree/bin/fuzz_$1" -max_total_time="$seconds" -timeout="$stuck" -rss_limit_mb=2048 -max_len="${3:-8192}" -artifact_prefix="build/fuzz/$1-" \
      "build/fuzz/corpus-$1" "build/fuzz/$2" > "build/fuzz/$1.log" 2>&1
  else
    "$tree/bin/fuzz_$1" "build/fuzz/$2" "$seconds" > "build/fuzz/$1.log" 2>&1
  fi
}

# report NUMBER TARGET STATUS TITLE
report() {
  if [ "$3" -eq 0 ]; then
    echo "ok $1 - $4 ($(grep '^Done' "build/fuzz/$2.log"))"
  else
    tail -n 60 "build/fuzz/$2.log"
    echo "not ok $1 - $4 (exit status $3)"
  fi
}

fuzz reader seeds &
reading=$!
fuzz grammar grammars &
writing=$!
fuzz network networks &
running=$!
# A page has some ten thousand pixels.
fuzz page pages 40000 &
looking=$!
reader=0
model=0
grammar=0
network=0
page=0
fuzz model seeds || model=$?
wait "$reading" || reader=$?
wait "$writing" || grammar=$?
wait "$running" || network=$?
wait "$looking" || page=$?
report 1 reader "$reader" "gguf: fuzzing the reader"
report 2 model "$model" "llm: fuzzing the loading of a model"
report 3 grammar "$grammar" "llm: fuzzing grammars"
report 4 network "$network" "onnx: fuzzing networks"
report 5 page "$page" "vision: fuzzing the lines of pages"
[ "$reader" -eq 0 ] && [ "$model" -eq 0 ] && [ "$grammar" -eq 0 ] && [ "$network" -eq 0 ] && [ "$page" -eq 0 ]
