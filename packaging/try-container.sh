#!/bin/sh
# Runs the Containerfile's steps in bare Debian roots and tries the image (packaging/src/try-container.ts). Needs root, debootstrap and this checkout's node_modules.
# Usage: packaging/try-container.sh [--build-arg NAME=VALUE ...] [--root DIRECTORY]; DIRECTORY keeps the base system for the next run.
set -eu
cd "$(dirname "$0")/.."
. packaging/bare-root.sh
require_root try-container
exec node --import tsx packaging/src/try-container.ts "$@"
