"""Trains the detector on what drawn.py draws: python3 train.py PAGES CHECKPOINT [--steps N]. Resumes from the checkpoint; a GPU is used where there is one."""

import argparse
import os
import random
import sys
import time

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("detector", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import detector
import drawn
import measure
import training

SEED = 20261122
CYCLE = training.Cycle(3e-3, 2e-5, 0.05)
# Pieces of pages in a step, and their side in pixels.
BATCH, SIDE = 8, 384
# A new file of pieces joins after so many steps: each piece is seen some four times, in other turns and cuts.
STEPS_A_FILE, FIRST_FILES = 33, 2


class Pool:
    """The files that are known at a step: the same at the same step, however fast they are drawn."""

    def __init__(self, folder):
        self.folder, self.files = folder, {}

    def piece(self, draw, step):
        count = FIRST_FILES + step // STEPS_A_FILE
        # The newest half is drawn from more often, so that what is new is seen soon.
        index = draw.randrange(count) if draw.random() < 0.5 else draw.randrange(count // 2, count)
        while index not in self.files:
            path = drawn.path_of(self.folder, index)
            if os.path.exists(path):
                self.files[index] = drawn.read(path)
            else:
                print("waiting for pages", flush=True)
                time.sleep(10)
        file = self.files[index]
        return file, draw.randrange(len(file["degrees"]))


def batch(pool, step):
    """(x (n, 1, side, side), cores (n, h, w) 0..1, ways (n, h, w) 0..4, leans (n)), of pieces turned, cut and shaded."""
    draw = random.Random(f"{SEED} step {step}")
    small = SIDE // detector.CELL
    xs, cores, ways, leans = [], [], [], []
    for _ in range(BATCH):
        file, row = pool.piece(draw, step)
        rows = (file["pixels"].shape[1] - SIDE) // detector.CELL
        top, left, quarter = draw.randint(0, rows), draw.randint(0, rows), draw.randrange(4)
        pixels = file["pixels"][row, top * 4:top * 4 + SIDE, left * 4:left * 4 + SIDE]
        core, way = (file[name][row, top:top + small, left:left + small] for name in ("cores", "ways"))
        x = (1 - pixels.astype(numpy.float32) / 255) * draw.uniform(0.7, 1.05)
        xs.append(numpy.rot90(x, -quarter))
        cores.append(numpy.rot90(core, -quarter).astype(numpy.float32) / 255)
        ways.append(numpy.where(numpy.rot90(way, -quarter) > 0, (numpy.rot90(way, -quarter).astype(numpy.int64) - 1 + quarter) % 4 + 1, 0))
        leans.append(file["degrees"][row] / detector.LEAN_DEGREES)
    return (torch.from_numpy(numpy.ascontiguousarray(numpy.stack(xs)))[:, None], torch.from_numpy(numpy.stack(cores)), torch.from_numpy(numpy.stack(ways)), torch.tensor(leans, dtype=torch.float32))


def loss_of(outputs, cores, ways, leans):
    """The cores in the mean over all cells, a missed one counting twice; orientation and lean in the mean over the cells of text."""
    core = functional.binary_cross_entropy_with_logits(outputs[:, detector.CORE], cores, pos_weight=torch.tensor(2.0, device=outputs.device))
    text = ways > 0
    if not text.any():
        return core
    orientation = functional.cross_entropy(outputs[:, detector.ORIENTATION:detector.LEAN], (ways - 1).clamp(min=0), reduction="none")[text].mean()
    lean = functional.smooth_l1_loss(outputs[:, detector.LEAN], leans[:, None, None].expand_as(ways), reduction="none", beta=0.05)[text].mean()
    return 2 * core + 0.5 * orientation + 0.5 * lean


def train(options):
    torch.manual_seed(SEED)
    pages, pool = drawn.test(options.pages), Pool(options.pages)
    training.by_steps(
        detector.Detector(), CYCLE, options.checkpoint, options.steps, batch_of=lambda step: batch(pool, step), loss_of=loss_of,
        sentence_of=lambda network: measure.measure(network, pages), decay=0.97, say_every=20)


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("pages", help="folder that drawn.py fills")
    asked.add_argument("checkpoint")
    asked.add_argument("--steps", type=int, default=2000, help="steps in all; one cycle of the learning rate")
    train(asked.parse_args())


if __name__ == "__main__":
    main()
