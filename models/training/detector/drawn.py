"""Pieces of pages drawn ahead of the training, 64 to a file: python3 drawn.py FOLDER COUNT [WORKERS]. Files that are there are kept."""

import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("detector", "shared")]
sys.dont_write_bytecode = True

import numpy

import pages
import faces
from workers import side_by_side

PIECES = 64
# The test's pages are whole ones: A4 at 96 dots per inch, sides that the network takes.
TEST_PAGES, TEST_WIDTH, TEST_HEIGHT = 48, 800, 1120


def path_of(folder, index):
    return os.path.join(folder, f"{index:05}.npz")


def _write(path, rows):
    pixels, cores, ways, degrees = zip(*rows)
    with open(path + ".new", "wb") as file:
        numpy.savez(file, pixels=numpy.stack(pixels), cores=numpy.stack(cores), ways=numpy.stack(ways).astype(numpy.uint8), degrees=numpy.array(degrees, dtype=numpy.float32))
    os.replace(path + ".new", path)


def read(path):
    """The arrays of a file: pixels (n, height, width), cores and ways (n, height / 4, width / 4), degrees (n)."""
    with numpy.load(path) as file:
        return {name: file[name] for name in ("pixels", "cores", "ways", "degrees")}


def test(folder):
    """The test's pages in faces that training never draws, drawn by the first who asks."""
    path = os.path.join(folder, "test.npz")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        case = faces.Case(faces.catalogue(os.path.join(folder, "faces.json")), held_out=True)
        _write(path, [pages.piece(case, number, "test", TEST_WIDTH, TEST_HEIGHT) for number in range(TEST_PAGES)])
    return read(path)


def _worker(first, step, folder, count):
    case = faces.Case(faces.catalogue(os.path.join(folder, "faces.json")), held_out=False)
    for index in range(first, count, step):
        if not os.path.exists(path_of(folder, index)):
            _write(path_of(folder, index), [pages.piece(case, number) for number in range(index * PIECES, (index + 1) * PIECES)])
            print(f"file {index}", flush=True)


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    os.makedirs(folder, exist_ok=True)
    faces.catalogue(os.path.join(folder, "faces.json"))
    side_by_side(_worker, workers, folder, count)


if __name__ == "__main__":
    main()
