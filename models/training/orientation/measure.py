"""How well the orientation of lines is recognised in faces that training never drew: python3 measure.py TEST --checkpoint FILE | --onnx FILE."""

import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("orientation", "text", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch

import evaluate
import networks
import orientation

# Lines shorter than this many columns are no votes: the longest of a page are asked.
LEAST_COLUMNS = 96


def lines_of(folder):
    """The recogniser's test lines: {stage: [(32, width) of bytes]}."""
    return {stage: [pixels for pixels, _ in rows] for stage, rows in evaluate.Test(folder).rows.items()}


def score(network, pixels):
    """(32, width) of bytes -> the three classes' logits, meant over the line's columns."""
    logits = network(torch.from_numpy(evaluate.prepared(numpy.ascontiguousarray(pixels))))[0, :, 0]
    return logits[:, :max(1, pixels.shape[1] // orientation.COLUMN_PIXELS)].mean(1)


def measure(network, lines):
    """One sentence. `network` takes (1, 1, 32, width) and gives (1, 3, 1, width / 8)."""
    parts = []
    with torch.no_grad():
        for stage, rows in lines.items():
            long = [row for row in rows if row.shape[1] >= LEAST_COLUMNS]
            right = neither = 0
            for row in long:
                for turned, pixels in ((False, row), (True, row[::-1, ::-1])):
                    found = score(network, pixels)
                    right += (found[orientation.TURNED] > found[orientation.UPRIGHT]).item() == turned
                    neither += found.argmax().item() == orientation.NEITHER
            parts.append(f"{stage}: {100 * right / (2 * len(long)):.2f} % of {2 * len(long)} lines right, {100 * neither / (2 * len(long)):.2f} % taken for none")
    return "; ".join(parts)


def main():
    path, network = networks.asked(__doc__, ("test", "folder of the recogniser's test lines"), orientation.Orientation())
    print(measure(network, lines_of(path)))


if __name__ == "__main__":
    main()
