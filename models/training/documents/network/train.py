"""Trains the relation network: `train.py TENSORS OUT [--hours H]`. TENSORS holds train/ and dev/ of tensors.ts. OUT/last.pt is the checkpoint from which the next call goes on; OUT/log.jsonl has the curve."""

import argparse
import json
import math
import os
import sys
import time

import torch
from torch.nn import functional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus
import relations
import score

# The rest of the losses as a share of that of the classes.
WEIGHTS = {"class": 1.0, "level": 0.2, "flags": 0.3, "block": 1.0, "table": 0.5, "row": 1.0, "column": 1.0, "caption": 0.3, "next": 0.5, "far": 0.5}
RATE, LAST_RATE, WARM_UP, DECAY = 2e-3, 2e-5, 200, 0.02
# Of words whose bucket is hidden in training: most words of the test are not known.
HIDDEN_WORDS = 0.2


def losses(outputs, given, labels, draw):
    classes, levels, flags, edges, source, target = outputs
    neighbours = given[3]
    n, k = neighbours.shape
    made = {"class": functional.cross_entropy(classes, labels.cls, ignore_index=-100)}
    if (labels.level >= 0).any():
        made["level"] = functional.cross_entropy(levels, labels.level, ignore_index=-100)
    made["flags"] = functional.binary_cross_entropy_with_logits(flags, labels.flags, labels.has_flags.float())
    i = torch.arange(n)[:, None].expand(n, k)
    there = neighbours < n
    i, j, logits = i[there], neighbours[there], edges[there]
    truth, counts = labels.relation(i, j)
    loss = functional.binary_cross_entropy_with_logits(logits, truth.float(), reduction="none") * counts
    for at, name in enumerate(relations.RELATIONS):
        if name != "next":
            made[name] = loss[:, at].sum() / counts[:, at].sum().clamp(min=1)
    i, j = corpus.far_pairs(labels, neighbours, draw)
    truth, counts = labels.relation(i, j)
    far = functional.binary_cross_entropy_with_logits((source[i] * target[j]).sum(-1), truth.float(), reduction="none") * counts
    counts = counts & (torch.arange(len(relations.RELATIONS)) != relations.RELATIONS.index("next"))
    made["far"] = (far * counts).sum() / counts.sum().clamp(min=1)
    sums, first = [], 0
    for length in labels.lengths:
        following = labels.following[first : first + length]
        if (following >= 0).any():
            scores = relations.next_scores(outputs, neighbours, first, length, labels.has_order)
            sums.append(functional.cross_entropy(scores, torch.where(following >= 0, following - first, -100), ignore_index=-100, reduction="sum"))
        first += length
    made["next"] = sum(sums) / (labels.following >= 0).sum().clamp(min=1)
    return made


def rate_at(done):
    """At `done` of the cycle, from 0 to 1: down along a cosine."""
    return LAST_RATE + (RATE - LAST_RATE) * (1 + math.cos(math.pi * min(1.0, done))) / 2


def hide_words(text, draw):
    hidden = torch.rand(len(text), 2, generator=draw) < HIDDEN_WORDS
    text[:, relations.CHARACTERS :][hidden] = 0


class Training:
    def __init__(self, asked):
        self.asked = asked
        self.known, self.pages = [], []
        self.classes = self._load()
        _, self.dev = corpus.load(corpus.find(asked.tensors, "dev"))
        print(f"{len(self.pages)} pages to train on, {len(self.dev)} of other origins to measure", flush=True)
        self.network = relations.RelationNetwork(len(self.classes), asked.width, asked.layers)
        some = torch.cat([torch.from_numpy(page.features) for page in self.pages[:: max(1, len(self.pages) // 2000)]])
        self.network.mean.copy_(some.mean(0))
        self.network.deviation.copy_(some.std(0).clamp(min=0.05))
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=DECAY)
        # `done` is the share of the cycle that is over, so that a call with other hours goes on where the last one ended.
        self.step, self.seen, self.epoch, self.done = 0, 0, 0, 0.0
        self.last = os.path.join(asked.out, "last.pt")
        if os.path.exists(self.last):
            state = torch.load(self.last)
            self.network.load_state_dict(state["network"])
            if asked.restart:
                return
            self.optimiser.load_state_dict(state["optimiser"])
            self.step, self.seen, self.epoch, self.done = state["step"], state["seen"], state["epoch"], state["done"]

    def _load(self):
        """Adds the pages of files that have come since; returns the classes."""
        new = [path for path in corpus.find(self.asked.tensors, "train") if path not in self.known]
        classes, pages = corpus.load(new)
        self.known += new
        self.pages += pages
        return classes

    def run(self):
        """Trains for the hours asked for; the rate falls to its end in them."""
        weights = sum(weight.numel() for weight in self.network.parameters())
        print(f"{weights} weights, from step {self.step}", flush=True)
        began, before, measured = time.time(), self.done, time.time()
        draw = torch.Generator().manual_seed(1000 * self.asked.seed + self.step)
        recent = {}
        while self.done < 1:
            for batch in corpus.batches(self.pages, corpus.draw_of(1000 * self.asked.seed + self.epoch)):
                self.done = before + (1 - before) * min(1.0, (time.time() - began) / (3600 * self.asked.hours))
                for name, value in self._learn(batch, draw).items():
                    recent.setdefault(name, []).append(value)
                if self.step % 50 == 0:
                    print(self.step, f"{(self.seen) / max(1, self.step):.1f} pages a step, {time.time() - began:.0f} s", {name: round(sum(values[-50:]) / len(values[-50:]), 4) for name, values in recent.items()}, flush=True)
                if time.time() - measured > 60 * self.asked.measure_minutes or self.done >= 1:
                    self._report(recent)
                    recent, measured = {}, time.time()
                    self._load()
                if self.done >= 1:
                    break
            self.epoch += 1

    def _learn(self, batch, draw):
        given, labels = corpus.inputs(batch), corpus.Labels(batch)
        hide_words(given[2], draw)
        made = losses(self.network(*given), given, labels, draw)
        for group in self.optimiser.param_groups:
            group["lr"] = rate_at(self.done) * min(1.0, (self.step + 1) / WARM_UP)
        self.optimiser.zero_grad(set_to_none=True)
        sum(WEIGHTS[name] * value for name, value in made.items()).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        self.seen += len(batch)
        return {name: float(value.detach()) for name, value in made.items()}

    def _report(self, recent):
        row = {"step": self.step, "trained_pages": len(self.pages), "seen": self.seen, "epoch": self.epoch, "done": round(self.done, 4), "loss": {name: round(sum(values) / len(values), 4) for name, values in recent.items()}}
        row["dev"] = score.measure(self.network, self.dev, self.classes) if self.dev else None
        with open(os.path.join(self.asked.out, "log.jsonl"), "a") as log:
            log.write(json.dumps(row) + "\n")
        print(row, flush=True)
        torch.save({"network": self.network.state_dict(), "optimiser": self.optimiser.state_dict(), "step": self.step, "seen": self.seen, "epoch": self.epoch, "done": self.done, "classes": self.classes, "width": self.asked.width, "layers": self.asked.layers}, self.last + ".new")
        os.replace(self.last + ".new", self.last)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tensors")
    parser.add_argument("out")
    parser.add_argument("--hours", type=float, default=1.0, help="until the rate has fallen to its end")
    parser.add_argument("--measure-minutes", type=float, default=10, help="between measurements on dev, each of which saves the checkpoint")
    parser.add_argument("--restart", action="store_true", help="keeps the weights of the checkpoint and begins a new cycle of the rate")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)
    os.makedirs(asked.out, exist_ok=True)
    Training(asked).run()


if __name__ == "__main__":
    main()
