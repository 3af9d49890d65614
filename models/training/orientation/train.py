"""Trains the orientation network on the recogniser's lines: python3 train.py LINES CHECKPOINT --test TEST [--steps N]. Resumes from the checkpoint; a GPU is used where there is one."""

import argparse
import os
import random
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("orientation", "text", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import measure
import orientation
import shards
import training

SEED = 20261122
CYCLE = training.Cycle(3e-3, 2e-5, 0.05)
# Pictures in a step, their rows and columns: some fifteen letters. What is shorter is blank behind the line.
BATCH, ROWS, COLUMNS = 128, 32, 320


class Lines:
    """All lines that were drawn, the easy ones too: (32, width) of bytes, paper 255."""

    def __init__(self, folder):
        self.rows = []
        while os.path.exists(shards.path_of(folder, len(self.rows)) + ".json"):
            self.rows.append(shards.read(folder, len(self.rows)))

    def pick(self, draw):
        return draw.choice(draw.choice(self.rows))[0]


def across(draw, line):
    """Text that runs across the picture: pieces of one line, turned by a quarter, beside each other as lines of a page are, and a band of 32 rows cut out of them."""
    turned = numpy.rot90(line, draw.choice((1, 3)))
    scale, gap = draw.uniform(0.5, 1.6), draw.randint(0, 14)
    rows = min(turned.shape[0], max(12, round(ROWS / scale)))
    pieces = []
    while sum(piece.shape[1] for piece in pieces) * ROWS / rows < COLUMNS:
        top = draw.randint(0, turned.shape[0] - rows)
        piece = turned[top:top + rows]
        if draw.random() < 0.1:
            piece = numpy.full_like(piece, 255)
        pieces += [piece, numpy.full((rows, gap), 255, dtype=numpy.uint8)]
    band = torch.from_numpy(numpy.concatenate(pieces, 1).astype(numpy.float32))[None, None]
    return functional.interpolate(band, size=(ROWS, COLUMNS), mode="bilinear", align_corners=False)[0, 0]


def batch(lines, step):
    """(x (n, 1, 32, columns) of ink, classes (n), columns of the output that count (n))."""
    draw = random.Random(f"{SEED} orientation {step}")
    x, classes, counts = torch.zeros(BATCH, 1, ROWS, COLUMNS), [], []
    for row in range(BATCH):
        line = lines.pick(draw)
        kind = draw.random()
        if kind < 0.2 and line.shape[1] >= 64:
            x[row, 0] = 1 - across(draw, line) / 255
            classes.append(orientation.NEITHER)
            counts.append(COLUMNS // orientation.COLUMN_PIXELS)
            continue
        turned = kind < 0.6
        begin = draw.randint(0, max(0, line.shape[1] - COLUMNS))
        cut = line[:, begin:begin + COLUMNS]
        if turned:
            cut = cut[::-1, ::-1]
        x[row, 0, :, :cut.shape[1]] = torch.from_numpy(1 - cut.astype(numpy.float32) / 255)
        classes.append(orientation.TURNED if turned else orientation.UPRIGHT)
        counts.append(max(1, cut.shape[1] // orientation.COLUMN_PIXELS))
    return warped(draw, x), torch.tensor(classes), torch.tensor(counts)


def warped(draw, x):
    """As other finders of lines would cut them: a little larger or smaller, higher or lower, paler."""
    maps = torch.zeros(BATCH, 2, 3)
    for row in range(BATCH):
        maps[row] = torch.tensor([[draw.uniform(0.92, 1.08), draw.gauss(0, 0.002), 0], [draw.gauss(0, 0.05), draw.uniform(0.85, 1.25), draw.uniform(-0.12, 0.12)]])
    shades = torch.tensor([draw.uniform(0.75, 1.05) for _ in range(BATCH)]).reshape(-1, 1, 1, 1)
    return functional.grid_sample(x, functional.affine_grid(maps, x.shape, align_corners=False), align_corners=False) * shades


def mean_of(logits, counts):
    """(n, 3, 1, columns) -> (n, 3): the mean over the first `counts` columns."""
    counted = torch.arange(logits.shape[3], device=logits.device)[None] < counts[:, None]
    return (logits[:, :, 0] * counted[:, None]).sum(2) / counts[:, None]


def train(options):
    torch.manual_seed(SEED)
    lines, test = Lines(options.lines), measure.lines_of(options.test)
    training.by_steps(
        orientation.Orientation(), CYCLE, options.checkpoint, options.steps, batch_of=lambda step: batch(lines, step),
        loss_of=lambda logits, classes, counts: functional.cross_entropy(mean_of(logits, counts), classes), sentence_of=lambda network: measure.measure(network, test))


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("lines", help="folder that text/shards.py has filled; all its files are used")
    asked.add_argument("checkpoint")
    asked.add_argument("--test", required=True, help="folder of the recogniser's test lines (text/evaluate.py --draw)")
    asked.add_argument("--steps", type=int, default=1800, help="steps in all; one cycle of the learning rate")
    train(asked.parse_args())


if __name__ == "__main__":
    main()
