#!/bin/sh
# Runs the native tests under sanitizers: plain CMake builds without Node. Usage: native/test/sanitize.sh [address|thread]
# The thread sanitizer builds and runs the tests in which threads meet, with CI_FULL=1 all of them. What needs the emulation of CUDA is built for neither.
set -eu
cd "$(dirname "$0")/../.."

# run SANITIZERS TREE [native_test's words]
run() {
  sanitizers=$1
  tree=build/$2
  shift 2
  echo "# native tests under $sanitizers"
  cmake -S . -B "$tree" -DLECTERN_SANITIZE="$sanitizers" -DLECTERN_STRICT=ON -DLECTERN_ALL_TESTS="$([ "${CI_FULL:-}" = 1 ] && echo ON || echo OFF)" > "$tree.log" 2>&1 || { cat "$tree.log"; exit 1; }
  cmake --build "$tree" --target native_test --parallel 2 > "$tree.log" 2>&1 || { cat "$tree.log"; exit 1; }
  # Where the kernel scatters addresses widely the thread sanitizer finds no room for its shadow.
  if [ "$sanitizers" = thread ] && setarch "$(uname -m)" -R true 2> /dev/null; then
    setarch "$(uname -m)" -R "$tree/bin/native_test" "$@"
  else
    "$tree/bin/native_test" "$@"
  fi
}

threads() {
  if [ "${CI_FULL:-}" = 1 ]; then
    run thread tsan
  else
    run thread tsan --filter 'upload: several threads' --filter 'lane: ' --filter 'cpu: ' --filter 'engine: ' --filter 'weight loader: ' --filter 'llm: chunks'
  fi
}

mkdir -p build
case "${1:-all}" in
  address) run address,undefined asan ;;
  thread) threads ;;
  all) run address,undefined asan; threads ;;
  *) echo "usage: native/test/sanitize.sh [address|thread]" >&2; exit 2 ;;
esac
