"""The line network: what each line of text and each drawing of a page is, and which of them are one region. Each item reads its neighbours several times over (message passing, Gilmer et al. 2017)."""

import torch
from torch import nn
from torch.nn import functional

import items
from canvas import LABELS

WIDTH, ROUNDS = 96, 4
# While it learns, an item forgets so much of itself at each look, and does not see so many of its neighbours.
DROPPED = 0.1
CLASSES = len(LABELS) + 1
SIDES = 5


class LineNetwork(nn.Module):
    """In: features (n, FEATURES), neighbours (n, 5) with n for none, page (n) from 0, pairs (m, 2), pair features (m, PAIR_FEATURES). Out: logits of the classes (n, 12) and of the pairs' being one region (m)."""

    def __init__(self, mean=None, deviation=None):
        super().__init__()
        self.register_buffer("mean", torch.zeros(items.FEATURES) if mean is None else mean)
        self.register_buffer("deviation", torch.ones(items.FEATURES) if deviation is None else deviation)
        self.first = nn.Linear(items.FEATURES, WIDTH)
        self.rounds = nn.ModuleList([nn.Linear(WIDTH * (SIDES + 2), WIDTH) for _ in range(ROUNDS)])
        self.classes = nn.Linear(WIDTH, CLASSES)
        self.pair = nn.Linear(2 * WIDTH + items.PAIR_FEATURES, WIDTH)
        self.joined = nn.Linear(WIDTH, 1)

    def forward(self, features, neighbours, page, pairs, pair_features):
        h = functional.relu(self.first((features - self.mean) / self.deviation))
        pages = int(page.max()) + 1 if len(page) else 0
        counts = torch.zeros(pages, 1).index_add_(0, page, torch.ones(len(page), 1))
        for layer in self.rounds:
            beside = neighbours.masked_fill(torch.rand(neighbours.shape) < DROPPED, len(h)) if self.training else neighbours
            padded = torch.cat([h, torch.zeros(1, WIDTH)])
            mean = torch.zeros(pages, WIDTH).index_add(0, page, h) / counts
            h = h + functional.relu(layer(torch.cat([functional.dropout(h, DROPPED, self.training), *(padded[beside[:, side]] for side in range(SIDES)), mean[page]], 1)))
        # Which of two comes first does not matter.
        one, other = h[pairs[:, 0]], h[pairs[:, 1]]
        both = functional.relu(self.pair(torch.cat([one + other, (one - other).abs(), pair_features], 1)))
        return self.classes(h), self.joined(both)[:, 0]


def regions(found, classes, joined):
    """[(class, left, top, right, bottom, score)] of one page from its items, the logits of their classes and of their pairs. Items of one class that are joined are one region; a stroke by itself is none."""
    odds = torch.softmax(classes, 1).numpy()
    best = odds.argmax(1)
    parents = list(range(len(best)))

    def root(item):
        while parents[item] != item:
            item = parents[item]
        return item

    for (i, j), value in zip(found.pairs, joined.tolist()):
        if value > 0 and best[i] == best[j]:
            parents[root(i)] = root(j)
    made = {}
    for item, label in enumerate(best):
        if label < len(LABELS):
            made.setdefault(root(item), []).append(item)
    rows = []
    for group in made.values():
        boxes = found.boxes[group]
        if (boxes[:, 2].max() - boxes[:, 0].min()) * (boxes[:, 3].max() - boxes[:, 1].min()) > 0:
            rows.append((best[group[0]], boxes[:, 0].min(), boxes[:, 1].min(), boxes[:, 2].max(), boxes[:, 3].max(), odds[group].max(1).mean()))
    return sorted(rows, key=lambda row: -row[5])
