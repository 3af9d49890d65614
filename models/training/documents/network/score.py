"""Measures a relation network on pages: `score.py CHECKPOINT TENSORS SPLIT` prints F1 by class, F1 of the relations, and the same by style family and origin."""

import json
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus
import relations

PAIRS = [name for name in relations.RELATIONS if name != "next"]


class Counts:
    """Hits, told and true pairs of each relation; a matrix of classes; nodes whose next and whose level are right."""

    def __init__(self, classes):
        self.classes = classes
        self.pairs = {name: [0, 0, 0] for name in (*PAIRS, *("far-" + name for name in PAIRS), *relations.FLAGS)}
        self.confusion = torch.zeros(len(classes), len(classes), dtype=torch.int64)
        self.right = {"next": [0, 0], "level": [0, 0]}
        self.bins = torch.zeros(10, 3)

    def add(self, outputs, given, labels):
        classes, levels, flags, edges, source, target = outputs
        neighbours = given[3]
        n, k = neighbours.shape
        known = labels.cls >= 0
        odds = torch.softmax(classes[:, 1:], -1)
        found = odds.argmax(-1) + 1
        self.confusion += torch.bincount(labels.cls[known] * len(self.classes) + found[known], minlength=len(self.classes) ** 2).view(len(self.classes), -1)
        self._calibrate(odds.max(-1).values[known], (found == labels.cls)[known])
        has = labels.level >= 0
        self._right("level", levels.argmax(-1)[has] == labels.level[has])
        for at, name in enumerate(relations.FLAGS):
            self._pairs(name, flags[:, at] > 0, labels.flags[:, at] > 0, labels.has_flags[:, at])
        there = neighbours < n
        i, j = torch.arange(n)[:, None].expand(n, k)[there], neighbours[there]
        truth, counts = labels.relation(i, j)
        self._relations("", edges[there] > 0, truth, counts)
        i, j = corpus.far_pairs(labels, neighbours, torch.Generator().manual_seed(1))
        truth, counts = labels.relation(i, j)
        self._relations("far-", (source[i] * target[j]).sum(-1) > 0, truth, counts)
        first = 0
        for length in labels.lengths:
            following = labels.following[first : first + length]
            if (following >= 0).any():
                best = relations.next_scores(outputs, neighbours, first, length, labels.has_order).argmax(1) + first
                self._right("next", (best == following)[following >= 0])
            first += length

    def _calibrate(self, odds, right):
        at = (odds * 10).long().clamp(max=9)
        for column, values in enumerate((torch.ones_like(odds), odds, right.float())):
            self.bins[:, column].index_add_(0, at, values)

    def _right(self, name, hits):
        self.right[name][0] += int(hits.sum())
        self.right[name][1] += len(hits)

    def _pairs(self, name, told, truth, counts):
        told, truth = told & counts, truth & counts
        for at, value in enumerate(((told & truth).sum(), told.sum(), truth.sum())):
            self.pairs[name][at] += int(value)

    def _relations(self, prefix, told, truth, counts):
        for at, name in enumerate(relations.RELATIONS):
            if name != "next":
                self._pairs(prefix + name, told[:, at], truth[:, at], counts[:, at])

    def result(self):
        hits = self.confusion.diag().float()
        f1 = 2 * hits / (self.confusion.sum(0) + self.confusion.sum(1)).clamp(min=1)
        there = self.confusion.sum(1) > 0
        made = {"accuracy": float(hits.sum() / self.confusion.sum().clamp(min=1)), "class_f1": float(f1[there].mean())}
        made |= {name: right / max(1, total) for name, (right, total) in self.right.items()}
        made |= {name: 2 * both / max(1, told + truth) for name, (both, told, truth) in self.pairs.items()}
        made = {name: round(value, 4) for name, value in made.items()}
        made["calibration"] = [[int(total), round(float(odds / max(1, total)), 3), round(float(right / max(1, total)), 3)] for total, odds, right in self.bins.tolist()]
        made["by_class"] = {self.classes[at]: [round(float(f1[at]), 3), int(self.confusion[at].sum())] for at in range(len(self.classes)) if there[at]}
        return made


@torch.no_grad()
def measure(network, pages, classes, confusion=False):
    """Accuracy and mean F1 of the classes; accuracy of next and of the levels; F1 of the relations among neighbours and of far pairs; [nodes, mean confidence, accuracy] by tenths of confidence; [F1, nodes] by class."""
    network.eval()
    counts = Counts(classes)
    for batch in corpus.batches(pages):
        given = corpus.inputs(batch)
        counts.add(network(*given), given, corpus.Labels(batch))
    network.train()
    return (counts.result(), counts.confusion) if confusion else counts.result()


def read(checkpoint):
    """(the network, classes) of a checkpoint of train.py."""
    state = torch.load(checkpoint)
    network = relations.RelationNetwork(len(state["classes"]), state["width"], state["layers"])
    network.load_state_dict(state["network"])
    return network.eval(), state["classes"]


def main():
    checkpoint, tensors, split = sys.argv[1:4]
    torch.set_num_threads(2)
    network, classes = read(checkpoint)
    _, pages = corpus.load(corpus.find(tensors, split))
    made, confusion = measure(network, pages, classes, confusion=True)
    print(json.dumps({"pages": len(pages), **made}, indent=1))
    wrong = [(int(confusion[true, found]), classes[true], classes[found]) for true in range(len(classes)) for found in range(len(classes)) if true != found and confusion[true, found] > 0]
    print("taken for another:", *(f"{count} {true} for {found}" for count, true, found in sorted(wrong, reverse=True)[:25]), sep="\n  ")
    groups = {}
    for page in pages:
        for key in (f"family {page.document['family']}", f"source {page.document['id'].rsplit('/', 2)[0]}", f"shards {page.shard.rsplit('-', 1)[0]}"):
            groups.setdefault(key, []).append(page)
    for key, of in sorted(groups.items()):
        if len(of) >= 10:
            part = measure(network, of, classes)
            print(key, len(of), {name: part[name] for name in ("accuracy", "class_f1", "next", "block", "table", "row", "column")})


if __name__ == "__main__":
    main()
