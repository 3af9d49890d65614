#!/bin/sh
# Runs the native tests under sanitizers: plain CMake builds without Node. Usage: native/test/sanitize.sh [address|thread]
set -eu
cd "$(dirname "$0")/../.."

run() {
  echo "# native tests under $1"
  cmake -S . -B "build/$2" -DLECTERN_SANITIZE="$1" -DLECTERN_STRICT=ON > "build/$2.log" 2>&1 || { cat "build/$2.log"; exit 1; }
  cmake --build "build/$2" --target native_test --parallel 2 > "build/$2.log" 2>&1 || { cat "build/$2.log"; exit 1; }
  "build/$2/bin/native_test"
}

mkdir -p build
case "${1:-all}" in
  address) run address,undefined asan ;;
  thread) run thread tsan ;;
  all) run address,undefined asan; run thread tsan ;;
  *) echo "usage: native/test/sanitize.sh [address|thread]" >&2; exit 2 ;;
esac
