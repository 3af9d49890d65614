"""Lines drawn ahead of the training, in files of some thousand: python3 shards.py FOLDER COUNT [WORKERS]. Files that are there are kept."""

import json
import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("text", "shared")]
sys.dont_write_bytecode = True

import numpy

import lines
from workers import side_by_side

LINES = 4096
# The first shards are easy: short lines with few defects, so that the network finds the letters soon.
EASY = 4


def path_of(folder, index):
    return os.path.join(folder, f"{index:05}")


def write(folder, index, case, stage=None, count=LINES):
    """Shard `index`: FOLDER/00000.bin has the pixels, line after line, FOLDER/00000.json their widths and texts. The json comes last: who sees it may read both."""
    path = path_of(folder, index)
    if os.path.exists(path + ".json"):
        return
    easy = index < EASY
    stage = stage or ("easy" if easy else "train")
    widths, written = [], []
    with open(path + ".bin.new", "wb") as file:
        for number in range(index * LINES, index * LINES + count):
            pixels, text = lines.line(case, number, stage, 18 if stage == "easy" else 52)
            widths.append(pixels.shape[1])
            written.append(text)
            file.write(pixels.tobytes())
    os.replace(path + ".bin.new", path + ".bin")
    with open(path + ".json.new", "w") as file:
        json.dump({"widths": widths, "texts": written}, file, ensure_ascii=False)
    os.replace(path + ".json.new", path + ".json")


def read(folder, index):
    """[(pixels (32, width) of bytes, text)]; the pixels are mapped from the file."""
    path = path_of(folder, index)
    with open(path + ".json") as file:
        head = json.load(file)
    pixels = numpy.memmap(path + ".bin", dtype=numpy.uint8, mode="r")
    ends = numpy.cumsum([lines.HEIGHT * width for width in head["widths"]])
    return [(pixels[end - lines.HEIGHT * width:end].reshape(lines.HEIGHT, width), text) for width, end, text in zip(head["widths"], ends, head["texts"])]


def _worker(first, step, folder, count, faces_path):
    import faces  # fonts are needed only where lines are drawn
    case = faces.Case(faces.catalogue(faces_path), held_out=False)
    for index in range(first, count, step):
        write(folder, index, case)
        print(f"shard {index}", flush=True)


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "end"), "w") as file:
        file.write(str(count))
    import faces
    faces_path = os.path.join(folder, "faces.json")
    known = faces.catalogue(faces_path)
    print(f"{len(known)} faces, {len(faces.Case(known, True))} of them held out", flush=True)
    side_by_side(_worker, workers, folder, count, faces_path)


if __name__ == "__main__":
    main()
