#!/bin/bash
# From sources to an ONNX file: train.sh DIRECTORY [pages|tensors|train|export]... (all four without names). Each step goes on where it was stopped.
# DIRECTORY gets pages/ (shards), tensors/, network/ (last.pt, log.jsonl) and relations.onnx. Settings: PAGES (20000 for training), HOURS (8, of the learning rate's cycle),
# PYTHON (python3 with torch and onnx), THREADS (1), LECTERN_DOCUMENTS (prepared sources, see sources/README.md). RESTART=1 keeps the weights and begins a new cycle.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || { echo "usage: $0 DIRECTORY [pages|tensors|train|export]..." >&2; exit 2; }
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
cd "$here/../../../.."
python=${PYTHON:-python3}

pages() {
  local make=(nice -n 19 node --import tsx models/training/documents/make.ts "$directory/pages" --workers "${THREADS:-1}" --shard-pages 100)
  "${make[@]}" --split dev --seed 1 --pages 400
  "${make[@]}" --split test --seed 1 --pages 400 --pdf
  "${make[@]}" --split train --seed 1 --pages "${PAGES:-20000}"
  for damage in rules spaces fonts; do "${make[@]}" --split train --seed 2 --pages $((${PAGES:-20000} / 20)) --damage $damage; done
  for renderer in libreoffice latex; do "${make[@]}" --split train --seed 2 --pages $((${PAGES:-20000} / 20)) --renderer $renderer; done
}

tensors() {
  local split
  for split in dev test train; do
    # Half of the training pages are painted in another order than they are read.
    nice -n 19 node --import tsx models/training/documents/network/tensors.ts "$directory/tensors/$split" --repaint "$([ $split = train ] && echo .5 || echo 0)" "$directory"/pages/$split-*.npz
  done
}

train() {
  nice -n 19 "$python" -u models/training/documents/network/train.py "$directory/tensors" "$directory/network" --hours "${HOURS:-8}" --threads "${THREADS:-1}" ${RESTART:+--restart}
}

export_network() {
  "$python" models/training/documents/network/export.py "$directory/network/last.pt" "$directory/relations.onnx"
  "$python" models/training/documents/network/score.py "$directory/network/last.pt" "$directory/tensors" test
}

for step in "${@:-pages tensors train export}"; do
  for name in $step; do
    case $name in
      pages | tensors | train) $name ;;
      export) export_network ;;
      *) echo "$name is no step" >&2; exit 2 ;;
    esac
  done
done
