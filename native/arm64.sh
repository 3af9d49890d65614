#!/usr/bin/env bash
# Builds the addon, lectern-confine and the native tests for Linux on arm64, on a machine of another architecture, and runs the tests
# under qemu's emulation of a user's programs: on a processor with every extension, and on one without dot products of bytes. Times there
# say nothing of a real processor.
#
# usage: native/arm64.sh build | test [TEXT]...
#   build  compiles into build/arm64
#   test   compiles, and runs the tests whose title contains a TEXT, or all; fails if one fails
#
# Debian and Ubuntu: apt-get install cmake g++-aarch64-linux-gnu qemu-user
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/arm64
jobs=${JOBS:-$(nproc)}
case ${1-} in
  build | test) action=$1 && shift ;;
  *) sed -n '/^# usage/,/^#   test/s/^# \?//p' "$0" >&2 && exit 64 ;;
esac
needed=(cmake aarch64-linux-gnu-g++)
[ "$action" = build ] || needed+=(qemu-aarch64)
for program in "${needed[@]}"; do
  command -v "$program" > /dev/null && continue
  echo "native/arm64.sh needs $program. Debian and Ubuntu: apt-get install cmake g++-aarch64-linux-gnu qemu-user" >&2
  exit 69
done

# Without the CUDA kernels' emulation: a fiber switches stacks for each step of it, which takes hours under a second emulation.
cmake -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE=native/arm64.cmake -DLECTERN_ADDON=ON -DLECTERN_CUDA=OFF -DLECTERN_EMULATION=OFF
cmake --build "$build" -j"$jobs" --target lectern_addon lectern_confine native_test
[ "$action" = test ] || exit 0

filters=()
for text in "$@"; do filters+=(--filter "$text"); done
failed=0
for cpu in max cortex-a53; do
  echo "# qemu-aarch64 -cpu $cpu"
  qemu-aarch64 -cpu "$cpu" -L /usr/aarch64-linux-gnu "$build/bin/native_test" "${filters[@]}" || failed=1
done
exit "$failed"
