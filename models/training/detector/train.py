"""Trains the detector on what drawn.py draws: python3 train.py PAGES CHECKPOINT [--steps N]. Resumes from the checkpoint; a GPU is used where there is one."""

import argparse
import math
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import detector
import drawn
import measure

SEED = 20261122
RATE, LAST_RATE, WARM_UP = 3e-3, 2e-5, 0.05
# Pieces of pages in a step, and their side in pixels.
BATCH, SIDE = 8, 384
# A new file of pieces joins after so many steps: each piece is seen some four times, in other turns and cuts.
STEPS_A_FILE, FIRST_FILES = 33, 2
EVERY = 200


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


def rate(done):
    """One cycle, `done` from 0 to 1: up in a straight line, down along a cosine."""
    if done < WARM_UP:
        return RATE * max(0.02, done / WARM_UP)
    return LAST_RATE + (RATE - LAST_RATE) * (1 + math.cos(math.pi * min(1.0, (done - WARM_UP) / (1 - WARM_UP)))) / 2


def save(checkpoint, model, optimiser, step):
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step}, checkpoint + ".new")
    os.replace(checkpoint + ".new", checkpoint)


def report(model, pages, device, step):
    model.eval()
    print(f"after {step} steps: {measure.measure(lambda x: model(x.to(device)).float().cpu(), pages)}", flush=True)
    model.train()


def train(options):
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = detector.Detector().to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    first = 0
    if os.path.exists(options.checkpoint):
        saved = torch.load(options.checkpoint, map_location=device)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        first = saved["step"]
        print(f"resumed at step {first}", flush=True)
    pages, pool = drawn.test(options.pages), Pool(options.pages)
    begin, mean = time.time(), None
    for step in range(first, options.steps):
        for group in optimiser.param_groups:
            group["lr"] = rate(step / options.steps)
        x, cores, ways, leans = (part.to(device) for part in batch(pool, step))
        with torch.autocast(device, dtype=torch.bfloat16):
            outputs = model(x)
        loss = loss_of(outputs.float(), cores, ways, leans)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimiser.step()
        mean = loss.item() if mean is None else 0.97 * mean + 0.03 * loss.item()
        if (step + 1) % 20 == 0:
            print(f"step {step + 1}, loss {mean:.4f}, rate {rate(step / options.steps):.5f}, {(step + 1 - first) * BATCH / (time.time() - begin):.1f} pieces/s", flush=True)
        if (step + 1) % EVERY == 0 or step + 1 == options.steps:
            save(options.checkpoint, model, optimiser, step + 1)
            report(model, pages, device, step + 1)


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("pages", help="folder that drawn.py fills")
    asked.add_argument("checkpoint")
    asked.add_argument("--steps", type=int, default=2000, help="steps in all; one cycle of the learning rate")
    train(asked.parse_args())


if __name__ == "__main__":
    main()
