#!/bin/sh
# Drawn lines and what trains on them in one archive, for a machine without fonts: sh pack.sh LINES TEST TARGET.tar
# LINES is what shards.py filled, TEST what evaluate.py --draw did. In the archive they are lines/ and test/ beside text/ and shared/.
set -eu
[ $# -eq 3 ] || { echo 'usage: pack.sh LINES TEST TARGET.tar' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
for stage in clean degraded; do
  [ -e "$2/$stage/00000.json" ] || { echo "$2 has no $stage lines: python3 $here/evaluate.py $2 --draw" >&2; exit 1; }
done
# Only whole files: the json comes last.
shards=$(cd "$1" && for head in [0-9]*.json; do [ -e "$head" ] && echo "$head ${head%.json}.bin"; done)
[ -n "$shards" ] || { echo "$1 has no lines: python3 $here/shards.py $1 64" >&2; exit 1; }
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
echo "$shards" | wc -l | tr -d ' ' > "$room/end"
# shellcheck disable=SC2086
tar -cf "$3" --transform 's,^,lines/,' -C "$1" $shards -C "$room" end
tar -rf "$3" --transform 's,^\.,test,' -C "$2" ./clean ./degraded
tar -rf "$3" --exclude __pycache__ -C "$here/.." text shared
echo "$3: $(wc -c < "$3") bytes, $(cat "$room/end") files of lines"
