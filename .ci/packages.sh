#!/bin/sh
# Packs the npm packages of the program that was compiled last, and installs them in a bare Debian root without a compiler (packaging/try-npm.sh).
set -eu
cd "$(dirname "$0")/.."
skip() { echo "ok 1 - npm packages in a bare Debian root # SKIP $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
command -v debootstrap > /dev/null || skip "there is no debootstrap on this machine"
node dist/packaging/src/npm-packages.js --into build/npm-packed
sh packaging/try-npm.sh build/npm-packed build/bare-root
