#!/bin/sh
# Runs all native tests in two processes side by side: most of them, emulated kernels above all, keep one core busy. Usage: native/test/run.sh [DIRECTORY of native_test]
set -u
cd "$(dirname "$0")/../.."
program=${1:-build/native/bin}/native_test
second=$(mktemp)
trap 'rm -f "$second"' EXIT
"$program" --share 2/2 > "$second" 2>&1 &
status=0
"$program" --share 1/2 || status=1
wait $! || status=1
cat "$second"
exit $status
