"""Trains the orientation network on the recogniser's lines: python3 train.py LINES CHECKPOINT --test TEST [--steps N]. Resumes from the checkpoint; a GPU is used where there is one."""

import argparse
import math
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text"))
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import measure
import orientation
import shards

SEED = 20261122
RATE, LAST_RATE, WARM_UP = 3e-3, 2e-5, 0.05
# Pictures in a step, their rows and columns: some fifteen letters. What is shorter is blank behind the line.
BATCH, ROWS, COLUMNS = 128, 32, 320
EVERY = 200


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


def rate(done):
    """One cycle, `done` from 0 to 1: up in a straight line, down along a cosine."""
    if done < WARM_UP:
        return RATE * max(0.02, done / WARM_UP)
    return LAST_RATE + (RATE - LAST_RATE) * (1 + math.cos(math.pi * min(1.0, (done - WARM_UP) / (1 - WARM_UP)))) / 2


def mean_of(logits, counts):
    """(n, 3, 1, columns) -> (n, 3): the mean over the first `counts` columns."""
    counted = torch.arange(logits.shape[3], device=logits.device)[None] < counts[:, None]
    return (logits[:, :, 0] * counted[:, None]).sum(2) / counts[:, None]


def report(model, test, device, step):
    model.eval()
    print(f"after {step} steps: {measure.measure(lambda x: model(x.to(device)).float().cpu(), test)}", flush=True)
    model.train()


def train(options):
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = orientation.Orientation().to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    first = 0
    if os.path.exists(options.checkpoint):
        saved = torch.load(options.checkpoint, map_location=device)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        first = saved["step"]
        print(f"resumed at step {first}", flush=True)
    lines, test = Lines(options.lines), measure.lines_of(options.test)
    begin, mean = time.time(), None
    for step in range(first, options.steps):
        for group in optimiser.param_groups:
            group["lr"] = rate(step / options.steps)
        x, classes, counts = (part.to(device) for part in batch(lines, step))
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = model(x)
        loss = functional.cross_entropy(mean_of(logits.float(), counts), classes)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimiser.step()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if (step + 1) % 50 == 0:
            print(f"step {step + 1}, loss {mean:.4f}, rate {rate(step / options.steps):.5f}, {(step + 1 - first) * BATCH / (time.time() - begin):.0f} pictures/s", flush=True)
        if (step + 1) % EVERY == 0 or step + 1 == options.steps:
            torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}, options.checkpoint + ".new")
            os.replace(options.checkpoint + ".new", options.checkpoint)
            report(model, test, device, step + 1)


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("lines", help="folder that text/shards.py has filled; all its files are used")
    asked.add_argument("checkpoint")
    asked.add_argument("--test", required=True, help="folder of the recogniser's test lines (text/evaluate.py --draw)")
    asked.add_argument("--steps", type=int, default=1800, help="steps in all; one cycle of the learning rate")
    train(asked.parse_args())


if __name__ == "__main__":
    main()
