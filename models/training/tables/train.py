"""Trains the table network: python3 train.py CHECKPOINT --steps N --begin FILE. Draws its tables itself, each step from a seed of its own; resumes from the checkpoint."""

import argparse
import math
import multiprocessing
import os
import random
import sys
import time

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("tables", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import drawn
import separators
import planes
import training

LAST_RATE, WARM_UP = 2e-6, 0.04
BATCH = 16
# Of the mean of the weights over the steps, what a step leaves of it: the mean is what is exported.
KEPT = 0.998
# Tables of a run of steps are drawn at once and sorted by size, so that little of a batch is padding; they are seen twice, in other company and at another size.
POOL, SEEN = 16, 2
ZOOM = 0.82, 1.2
EVERY = 10


def samples(number):
    """Pictures (h, w, 3) and truths of table `number`, one for each time that it is seen. The second is drawn larger or smaller: a reader of scans is not sure of sizes."""
    table = drawn.table(number)
    made = []
    for zoom in (1, random.Random(f"{drawn.SEED} zoom {number}").uniform(*ZOOM)):
        picture = planes.Picture(table.words, table.rules, table.shades, zoom)
        made.append((picture.pixels, planes.Truth(table, picture)))
    return made


def drawn_pool(number):
    return [samples(number * POOL * BATCH + index) for index in range(POOL * BATCH)]


class Pool:
    """The batches of POOL * SEEN steps: the same at the same step. Another process draws the next ones meanwhile."""

    def __init__(self, first):
        self.first = first
        self.number, self.batches, self.drawer, self.coming = None, None, multiprocessing.Pool(1), {}

    def batch(self, step):
        number, at = divmod(step, POOL * SEEN)
        number += self.first
        if number != self.number:
            ready = self.coming.pop(number).get() if number in self.coming else drawn_pool(number)
            self.coming = {number + 1: self.drawer.apply_async(drawn_pool, (number + 1,))}
            self.batches, self.number = [], number
            for turn in range(SEEN):
                draw = random.Random(f"{drawn.SEED} pool {number} {turn}")
                order = sorted((seen[turn] for seen in ready), key=lambda one: one[0].shape[0] * one[0].shape[1] * draw.uniform(0.8, 1.25))
                parts = [order[first:first + BATCH] for first in range(0, len(order), BATCH)]
                draw.shuffle(parts)
                self.batches += parts
        return padded(self.batches[at])


def coarse(truth):
    """Spans and their weights for places of separators.CELL pixels."""
    by_four = lambda x: x.reshape(2, x.shape[1] // 2, 2, x.shape[2] // 2, 2).sum((2, 4))
    weights = by_four(truth.weights)
    return by_four(truth.spans * truth.weights) / numpy.maximum(weights, 1e-9), weights


def padded(samples):
    """A batch's tensors: pictures, which places are inside of them, truths and weights, as large as the largest."""
    high, wide = max(pixels.shape[0] for pixels, _ in samples), max(pixels.shape[1] for pixels, _ in samples)
    count, h, w = len(samples), high // planes.STRIDE, wide // planes.STRIDE
    x, inside = numpy.zeros((count, 3, high, wide), numpy.float32), numpy.zeros((count, 1, h // 2, w // 2), numpy.float32)
    rows, columns = numpy.zeros((count, 2, h), numpy.float32), numpy.zeros((count, 1, w), numpy.float32)
    spans, weights = numpy.zeros((count, 2, h // 2, w // 2), numpy.float32), numpy.zeros((count, 2, h // 2, w // 2), numpy.float32)
    for at, (pixels, truth) in enumerate(samples):
        tall, broad = truth.rows.shape[0], truth.columns.shape[0]
        x[at, :, :pixels.shape[0], :pixels.shape[1]] = pixels.transpose(2, 0, 1) / 255
        inside[at, :, :tall // 2, :broad // 2] = 1
        rows[at, 0, :tall], rows[at, 1, :tall], columns[at, 0, :broad] = truth.rows, truth.heads, truth.columns
        spans[at, :, :tall // 2, :broad // 2], weights[at, :, :tall // 2, :broad // 2] = coarse(truth)
    return [torch.from_numpy(one) for one in (x, inside, rows, columns, spans, weights)]


def losses(answers, batch):
    """Of rows, heads, columns and spans: means of the binary cross entropy."""
    _, inside, rows, columns, spans, weights = batch
    cross = lambda given, truth: functional.binary_cross_entropy_with_logits(given.float(), truth, reduction="none")
    tall, broad = torch.repeat_interleave(inside.amax(3), 2, 2)[:, 0], torch.repeat_interleave(inside.amax(2), 2, 2)
    by_row = cross(answers[0], rows) * tall[:, None]
    return [
        by_row[:, 0].sum() / tall.sum(), by_row[:, 1].sum() / tall.sum(), (cross(answers[1], columns) * broad).sum() / broad.sum(),
        (cross(answers[2], spans) * weights).sum() / weights.sum().clamp(min=1),
    ]


def rate_at(share, highest):
    if share < WARM_UP:
        return highest * share / WARM_UP
    return LAST_RATE + (highest - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP)))


def follow(mean, model):
    """The mean of the weights goes a little towards those of the step."""
    state = model.state_dict()
    for name, weight in mean.items():
        weight.lerp_(state[name], 1 - KEPT)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--begin", help="an exported network whose weights are the first")
    parser.add_argument("--first", type=int, default=0, help="number of the first pool of tables: others than those that the network of --begin has seen")
    parser.add_argument("--rate", type=float, default=8e-4, help="the highest learning rate of the cycle")
    parser.add_argument("--until", type=int, help="a step to stop at, for going on with another number of steps")
    given = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 1)))
    torch.manual_seed(drawn.SEED)
    model = separators.Separators().to(memory_format=torch.channels_last)
    print(sum(weight.numel() for weight in model.parameters()), "weights", flush=True)
    optimiser = torch.optim.AdamW(model.parameters(), lr=given.rate, weight_decay=1e-3)
    if given.begin is not None:
        separators.begin_from(model, given.begin)
    state = training.resume(given.checkpoint, model, optimiser)
    step = state.get("step", 0)
    mean = state.get("mean") or {name: weight.clone() for name, weight in model.state_dict().items()}
    pool, sums, began = Pool(given.first), numpy.zeros(4), time.time()
    model.train()
    while step < min(given.steps, given.until or given.steps):
        batch = pool.batch(step)
        with torch.autocast("cpu", torch.bfloat16):
            answers = model(batch[0].to(memory_format=torch.channels_last), batch[1])
        parts = losses(answers, batch)
        training.learn(model, optimiser, 2 * parts[0] + 0.5 * parts[1] + 2 * parts[2] + parts[3], rate_at(step / given.steps, given.rate))
        follow(mean, model)
        sums += [part.item() for part in parts]
        step += 1
        if step % EVERY == 0 or step == given.steps:
            print(f"{step} rows {sums[0] / EVERY:.4f} heads {sums[1] / EVERY:.4f} columns {sums[2] / EVERY:.4f} spans {sums[3] / EVERY:.4f}, {time.time() - began:.0f} s", flush=True)
            sums[:] = 0
            training.save(given.checkpoint, model, optimiser, step=step, mean=mean)


if __name__ == "__main__":
    main()
