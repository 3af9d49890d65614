"""Trains the recogniser on the lines that shards.py draws: python3 train.py SHARDS CHECKPOINT [--visits N]. Resumes from the checkpoint; a GPU is used where there is one."""

import argparse
import os
import random
import sys
import time

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("text", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import alphabet
import evaluate
import lines
import network
import shards
import training

SEED = 20261122
CYCLE = training.Cycle(2.5e-3, 1e-5, 0.04)
# Columns of pixels in a batch: 40 lines of 400.
COLUMNS = 16384
# Shards are taken in groups; all lines of a group are seen so often, in another order and a little changed, before the next group.
GROUP, REPEATS = 4, 2
# Widths are rounded up to it: few shapes, little padding.
ROUND = 32


def batches(group):
    """Lists of lines of about one width, by width; every batch of a width but the last has the same number of lines."""
    by_width = {}
    for pixels, text in group:
        by_width.setdefault(-(-(pixels.shape[1] + 8) // ROUND) * ROUND, []).append((pixels, text))
    for width in sorted(by_width):
        size = max(8, COLUMNS // width // 8 * 8)
        rows = by_width[width]
        for start in range(0, len(rows), size):
            yield width, rows[start:start + size]


def tensors(width, rows, draw):
    """(lines, 1, 32, width) with ink 1 and paper 0, shifted and shaded a little, and the texts' classes, one after the other."""
    x = numpy.zeros((len(rows), 1, lines.HEIGHT, width), dtype=numpy.float32)
    for row, (pixels, _) in enumerate(rows):
        start = draw.randint(0, width - pixels.shape[1]) if draw.random() < 0.3 else draw.randint(0, 4)
        start = min(start, width - pixels.shape[1])
        down = draw.choice((0, 0, -1, 1))
        ink = (255 - pixels.astype(numpy.float32)) * (draw.uniform(0.75, 1.05) / 255)
        x[row, 0, max(0, down):lines.HEIGHT + min(0, down), start:start + pixels.shape[1]] = ink[max(0, -down):lines.HEIGHT - max(0, down)]
    codes = [alphabet.encode(text) for _, text in rows]
    return torch.from_numpy(x), torch.tensor([code for text in codes for code in text]), torch.tensor([len(text) for text in codes])


def stream(folder):
    """Batches without end, the same for every run: (width, rows). Waits for shards that are still being drawn."""
    first = 0
    while True:
        known = shards_there(folder, first)
        group = [line for index in known for line in shards.read(folder, index)]
        for repeat in range(REPEATS):
            draw = random.Random(f"{SEED} {first} {repeat}")
            rows = list(group)
            draw.shuffle(rows)
            made = list(batches(rows))
            draw.shuffle(made)
            for width, part in made:
                yield width, part
        first += GROUP


def shards_there(folder, first):
    """The group that begins at `first`; when all that will be drawn are used, it begins again from the second group."""
    end = os.path.join(folder, "end")
    while True:
        last = int(open(end).read()) if os.path.exists(end) else None
        if last is not None and first + GROUP > last:
            usable = max(1, last // GROUP - 1)
            first = GROUP * (1 + (first // GROUP - 1) % usable) if last >= 2 * GROUP else 0
        if all(os.path.exists(shards.path_of(folder, index) + ".json") for index in range(first, first + GROUP)):
            return range(first, first + GROUP)
        print("waiting for lines", flush=True)
        time.sleep(10)


def optimiser_of(model):
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    vectors = [weight for weight in model.parameters() if weight.dim() == 1]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.02}, {"params": vectors, "weight_decay": 0.0}], lr=CYCLE.first, betas=(0.9, 0.98))


def loss_of(model, x, codes, lengths):
    """CTC, in the mean over the lines, each divided by its length."""
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        logits = model(x)
    steps = functional.log_softmax(logits.float().squeeze(2).permute(2, 0, 1), 2)
    columns = torch.full((x.shape[0],), steps.shape[0])
    losses = functional.ctc_loss(steps, codes, columns, lengths, reduction="none", zero_infinity=True)
    return (losses / lengths.to(losses.device)).mean()


def train(options):
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = network.Recogniser().to(device)
    optimiser = optimiser_of(model)
    state = {"step": 0, "visits": 0, **training.resume(options.checkpoint, model, optimiser, device), "total": options.visits}
    test = evaluate.Test(options.test)
    begin, before, last, mean = time.time(), state["visits"], time.time(), None
    for step, (width, rows) in enumerate(stream(options.shards)):
        if step < state["step"]:
            continue
        if state["visits"] >= options.visits:
            break
        rate = CYCLE.rate(state["visits"] / options.visits)
        x, codes, lengths = tensors(width, rows, random.Random(f"{SEED} step {step}"))
        loss = loss_of(model, x.to(device), codes, lengths)
        training.learn(model, optimiser, loss, rate)
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        state["step"], state["visits"] = step + 1, state["visits"] + len(rows)
        if (step + 1) % 100 == 0:
            print(f"step {step + 1}, {state['visits']} lines, loss {mean:.4f}, rate {rate:.5f}, {(state['visits'] - before) / (time.time() - begin):.0f} lines/s", flush=True)
        if time.time() - last > 300:
            training.save(options.checkpoint, model, optimiser, **state)
            report(model, test, device, state, 300)
            last = time.time()
    training.save(options.checkpoint, model, optimiser, **state)
    report(model, test, device, state, None)


def report(model, test, device, state, count):
    with training.Answers(model, device) as answers:
        for stage in evaluate.STAGES:
            print(f"after {state['visits']} lines, {stage}: {test.measure(answers, stage, count)}", flush=True)


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("shards", help="folder that shards.py fills")
    asked.add_argument("checkpoint")
    asked.add_argument("--test", required=True, help="folder of the test's lines, written by evaluate.py when it is empty")
    asked.add_argument("--visits", type=int, default=800000, help="lines to see in all; one cycle of the learning rate")
    train(asked.parse_args())


if __name__ == "__main__":
    main()
