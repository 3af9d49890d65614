#!/bin/sh
# Packs what bench/gpu.sh needs on a machine with a GPU that is lent for minutes and takes no more than some dozen megabytes along: a
# build's native_test and native_bench without their symbols, and of each pack what fits, the smallest first.
# Usage: bench/gpu-carry.sh ARCHIVE.tar.gz MEGABYTES [PACK]...     PACK as gpu.sh takes it; LECTERN_BUILD: the build, build/native where it says nothing
# There: mkdir -p build/carried && tar -xzf ARCHIVE.tar.gz -C build/carried && LECTERN_BUILD=build/carried bench/gpu.sh build/carried/packs/*
set -eu
archive=$(realpath "$1")
megabytes=$2
shift 2
packs=""
for pack in "$@"; do packs="$packs $(realpath "$pack")"; done
cd "$(dirname "$0")/.."
build=${LECTERN_BUILD:-build/native}
carried=$(mktemp -d)
trap 'rm -rf "$carried"' EXIT
mkdir -p "$carried/bin" "$carried/packs"
for program in native_test native_bench; do strip -o "$carried/bin/$program" "$build/bin/$program"; done

compressed() { tar -czf - -C "$1" "$2" | wc -c; }
room=$((megabytes * 1000000 - $(compressed "$carried" bin)))
# takes PACK THING: where it fits
takes() {
  bytes=$(compressed "$1" "$2")
  [ "$bytes" -le "$room" ] || return 1
  room=$((room - bytes))
  target="$carried/packs/$(basename "$1")/$2"
  mkdir -p "$(dirname "$target")"
  cp -rL "$1/$2" "$target"
}
count=$(echo "$packs" | wc -w)
for pack in $packs; do
  # Each gets an equal part of what is left.
  later=$((room - room / count))
  room=$((room / count))
  if [ -f "$pack/index.json" ]; then
    takes "$pack" index.json && takes "$pack" ops || echo "$pack: its cases do not fit" >&2
    for net in $(du -s "$pack"/nets/* | sort -n | awk '{print $2}'); do takes "$pack" "nets/$(basename "$net")" || break; done
  else
    # One of each architecture before a second of any.
    for model in $(find -L "$pack/models" -name '*.gguf' -exec ls -rLS {} + | awk -F/ '{ kind = $NF; sub(/-.*/, "", kind); print (seen[kind]++ > 0), NR, $0 }' | sort -n -k 1,1 -k 2,2 | cut -d ' ' -f 3-); do
      takes "$pack" "models/$(basename "$model")" || break
      takes "$pack" "expected/$(basename "$model" .gguf).json" || rm "$carried/packs/$(basename "$pack")/models/$(basename "$model")"
    done
  fi
  room=$((room + later))
  count=$((count - 1))
done
tar -czf "$archive" -C "$carried" bin packs
echo "$archive: $(wc -c < "$archive") bytes"
for pack in "$carried"/packs/*; do [ ! -d "$pack" ] || echo "  $(basename "$pack"): $(find "$pack" \( -name '*.gguf' -o -name net.json \) | wc -l) models"; done
