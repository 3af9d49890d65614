"""Trains the line network on what layers.py draws: python3 line_train.py FOLDER CHECKPOINT [--passes N]; measures it: python3 line_train.py FOLDER CHECKPOINT --measure styles|faces."""

import argparse
import glob
import os
import random
import sys
import time

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("layout", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch
from torch.nn import functional

import items
import layers
import line_network
import measure
import training
from canvas import LABELS

SEED = 20261123
CYCLE = training.Cycle(3e-3, 2e-5, 0.05)
# Pages of a step.
BATCH = 16
# Of each number's own deviation, so that no single one is trusted.
NOISE = 0.12


class Page:
    """Arrays of one page, small enough to keep thousands."""

    def __init__(self, page):
        found = items.Items(page)
        classes, owners = items.truth_of(found, page["regions"], LABELS)
        self.features, self.neighbours = torch.from_numpy(found.features).float(), torch.from_numpy(found.neighbours)
        self.pairs, self.pair_features = torch.from_numpy(found.pairs), torch.from_numpy(found.pair_features).float()
        self.classes = torch.from_numpy(classes)
        first, other = found.pairs[:, 0], found.pairs[:, 1]
        self.joined = torch.from_numpy(((owners[first] == owners[other]) & (owners[first] >= 0)).astype(numpy.float32))


def together(pages):
    """Several pages as one: items behind one another, neighbours and pairs renumbered."""
    count, first, parts = sum(len(page.features) for page in pages), 0, []
    for number, page in enumerate(pages):
        parts.append((page.features, torch.where(page.neighbours < 0, torch.full_like(page.neighbours, count), page.neighbours + first), torch.full((len(page.features),), number), page.pairs + first, page.pair_features, page.classes, page.joined))
        first += len(page.features)
    return [torch.cat(part) for part in zip(*parts)]


def load(folder, files):
    pages = []
    for path in sorted(glob.glob(os.path.join(folder, "lines-[0-9]*.json")))[:files]:
        pages += [Page(page) for page in layers.read(path) if page["lines"]]
    return pages


def train(options):
    torch.manual_seed(SEED)
    pages = load(options.pages, options.files)
    every = torch.cat([page.features for page in pages])
    model = line_network.LineNetwork(every.mean(0), every.std(0).clamp(min=0.05))
    # Rare classes count more, by the root of how rare they are.
    shares = torch.bincount(torch.cat([page.classes for page in pages]), minlength=line_network.CLASSES).float()
    weights = (shares.max() / shares.clamp(min=1)) ** 0.35
    print(f"{len(pages)} pages, {len(every)} items, {sum(weight.numel() for weight in model.parameters())} weights", flush=True)
    optimiser = torch.optim.AdamW(model.parameters(), lr=CYCLE.first, weight_decay=0.01)
    steps, begin = options.passes * (len(pages) // BATCH), time.time()
    first = training.resume(options.checkpoint, model, optimiser).get("pass", 0)
    step = first * (len(pages) // BATCH)
    for number in range(first, min(options.passes, options.stop or options.passes)):
        order, losses = list(range(len(pages))), []
        random.Random(f"{SEED} pass {number}").shuffle(order)
        # A restart takes up the same noise.
        torch.manual_seed(SEED + number)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            *given, classes, joined = together([pages[index] for index in order[start:start + BATCH]])
            given[0] = given[0] + NOISE * model.deviation * torch.randn_like(given[0])
            found, pairs = model(*given)
            loss = functional.cross_entropy(found, classes, weights) + functional.binary_cross_entropy_with_logits(pairs, joined)
            training.learn(model, optimiser, loss, CYCLE.rate(step / steps))
            losses.append(loss.item())
            step += 1
        training.save(options.checkpoint, model, optimiser, **{"pass": number + 1})
        print(f"pass {number + 1}, loss {numpy.mean(losses):.4f}, {time.time() - begin:.0f} s", flush=True)


def measured(options):
    model, _ = training.trained(options.checkpoint, line_network.LineNetwork())
    made = {False: 0, True: 0}
    with torch.no_grad():
        for page in layers.read(os.path.join(options.pages, f"lines-test-{options.measure}.json")):
            if page["lines"]:
                classes, joined = model(*together([Page(page)])[:5])
                found = numpy.array(line_network.regions(items.Items(page), classes, joined), dtype=float).reshape(-1, 6)
                made[page["scanned"]] = made[page["scanned"]] + measure.counts(found, numpy.array(page["regions"], dtype=float).reshape(-1, 5))
    for name, count in (("born digital", made[False]), ("read from scans", made[True]), ("all", made[False] + made[True])):
        print(f"{name}: {measure.sentence(count)}")


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("pages", help="folder that layers.py fills")
    asked.add_argument("checkpoint")
    asked.add_argument("--passes", type=int, default=10, help="over all pages; one cycle of the learning rate")
    asked.add_argument("--stop", type=int, help="after so many passes of the cycle")
    asked.add_argument("--files", type=int, help="of the pages, the first so many")
    asked.add_argument("--measure", choices=["styles", "faces"])
    options = asked.parse_args()
    (measured if options.measure else train)(options)


if __name__ == "__main__":
    main()
