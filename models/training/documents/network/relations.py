"""The relation network: what each node of a page is (nodes.ts), and how it belongs to other nodes. README.md describes its inputs and outputs.

A graph transformer: every node attends to its neighbours (neighbours.ts), biased by how the two stand to each other (graph attention; relative positions as biases after Raffel et al. 2020), and to a summary
of its page. Its cost is linear in the nodes. Pages stand one after another: row `page` of a node is the index of its page.
"""

import torch
from torch import nn
from torch.nn import functional

FEATURES, GEOMETRY, TEXT, NEIGHBOURS = 58, 11, 16, 24
CHARACTERS, CHARACTER_CLASSES, CHARACTER_WIDTH = 14, 42, 6
WORD_BUCKETS, WORD_WIDTH = 1024, 10
RELATIONS = ("block", "table", "row", "column", "next", "caption")
FLAGS = ("start", "row-span", "column-span")
LEVELS = 7
EDGE_FEATURES = 28
VECTOR = 16
ABSENT = -1e4
# Scores of a page's summary are bounded, so that their powers need no maximum over the page.
MOST_SCORE = 8.0


def squash(length):
    """A length in ems, the more compressed the longer: -1 to 1, half of it at 4 ems."""
    return length / (4 + length.abs())


def zero(length, scale):
    """1 where a length is 0, falling to 0 at twice `scale` ems."""
    return (1 - length.abs() / (2 * scale)).clamp(min=0)


def edge_features(g, neighbours):
    """geometry (n, 11), neighbours (n, k) -> (n, k, 28): of the neighbour as seen from the node. The geometry of no neighbour is 0."""
    n = len(neighbours)
    its = gathered(g, neighbours)
    left, top, right, bottom, base, size, _, _, rule_right, rule_below, fill = (column[:, None] for column in g.unbind(-1))
    l, t, r, b, its_base, its_size, _, _, its_rule_right, its_rule_below, its_fill = its.unbind(-1)
    ll, rr, cc, tt, bb, baseline = l - left, r - right, (l + r - left - right) / 2, t - top, b - bottom, its_base - base
    after, before, below, above = l - right, r - left, t - bottom, b - top
    height, width = (bottom - top).clamp(min=0.3), (right - left).clamp(min=0.3)
    over_y = (torch.minimum(bottom, b) - torch.maximum(top, t)) / torch.minimum(height, (b - t).clamp(min=0.3))
    over_x = (torch.minimum(right, r) - torch.maximum(left, l)) / torch.minimum(width, (r - l).clamp(min=0.3))
    same_fill = (fill == its_fill).float()
    step = neighbours - torch.arange(n)[:, None]
    return torch.stack([
        squash(ll), squash(rr), squash(cc), squash(tt), squash(bb), squash(after), squash(before), squash(below), squash(above), squash(baseline),
        zero(ll, 0.15), zero(rr, 0.15), zero(cc, 0.2), zero(baseline, 0.1), zero(baseline, 0.5), zero(tt, 0.3),
        over_y.clamp(-1, 1), over_x.clamp(-1, 1), (its_size - size).clamp(-2, 2), zero(its_size - size, 0.05),
        (after > -0.2).float() * (l - rule_right > -0.1).float(), (before < 0.2).float() * (left - its_rule_right > -0.1).float(),
        (below > -0.2).float() * (t - rule_below > -0.1).float(), (above < 0.2).float() * (top - its_rule_below > -0.1).float(),
        same_fill, same_fill * (fill > 0).float(), (step == 1).float(), (step == -1).float(),
    ], -1)


def gathered(values, neighbours):
    """values (n, width), neighbours (n, k) -> (n, k, width); zeros where there is no neighbour."""
    return functional.embedding(neighbours, torch.cat([values, values.new_zeros(1, values.shape[1])]))


class Layer(nn.Module):
    def __init__(self, width, attended, heads, hidden):
        super().__init__()
        self.heads, self.attended = heads, attended
        self.before_attention, self.before_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * attended), nn.Linear(attended + hidden, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.bias = nn.Linear(hidden, heads)
        self.page_scores, self.page_out = nn.Linear(width, heads), nn.Linear(attended, width, bias=False)

    def forward(self, h, edges, absent, neighbours, page, pages):
        """h (n, width), edges (n, k, hidden), absent (n, k, 1) 0 or ABSENT, neighbours (n, k), page (n) -> (n, width)"""
        n, width = len(h), self.attended
        k, heads, depth = neighbours.shape[1], self.heads, width // self.heads
        normed = self.before_attention(h)
        q, keys, values = self.qkv(normed).split(width, -1)
        both = gathered(torch.cat([keys, values], -1), neighbours)
        scores = (q[:, None] * both[..., :width]).view(n, k, heads, depth).sum(-1) / depth**0.5 + self.bias(edges) + absent
        share = torch.softmax(scores, 1)
        seen = (share[..., None] * both[..., width:].view(n, k, heads, depth)).sum(1).flatten(1)
        stands = (share[..., None] * edges.view(n, k, heads, -1)).sum(1).flatten(1)
        weight = torch.exp(MOST_SCORE * torch.tanh(self.page_scores(normed) / MOST_SCORE))
        total = weight.new_zeros(pages, heads).index_add(0, page, weight)
        summary = values.new_zeros(pages, width).index_add(0, page, (weight[..., None] * values.view(n, heads, depth)).flatten(1))
        summary = self.page_out((summary.view(pages, heads, depth) / total[..., None]).flatten(1))
        h = h + self.out(torch.cat([seen, stands], -1)) + summary[page]
        return h + self.down(functional.relu(self.up(self.before_forward(h))))


class RelationNetwork(nn.Module):
    """In: features (n, 58), geometry (n, 11) in ems, text (n, 16) int64, neighbours (n, 24) int64 with n for none, page (n) and the number of pages.
    Out: logits of classes (n, c), of levels (n, 7), of flags (n, 3), of relations to neighbours (n, 24, 6), and vectors from (n, 6, 16) and to (n, 6, 16) whose products are the logits of pairs that are no neighbours."""

    def __init__(self, classes, width=128, layers=4, attended=64, heads=8, hidden=32, head_width=64):
        super().__init__()
        self.register_buffer("mean", torch.zeros(FEATURES))
        self.register_buffer("deviation", torch.ones(FEATURES))
        self.characters = nn.Embedding(CHARACTER_CLASSES, CHARACTER_WIDTH)
        self.words = nn.Embedding(WORD_BUCKETS, WORD_WIDTH)
        self.first = nn.Linear(FEATURES + CHARACTERS * CHARACTER_WIDTH + 2 * WORD_WIDTH, width)
        self.edges = nn.Sequential(nn.Linear(EDGE_FEATURES, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.layers = nn.ModuleList([Layer(width, attended, heads, hidden) for _ in range(layers)])
        self.last = nn.LayerNorm(width)
        self.classes, self.levels, self.flags = nn.Linear(width, classes), nn.Linear(width, LEVELS), nn.Linear(width, len(FLAGS))
        self.one, self.other, self.between = nn.Linear(width, head_width), nn.Linear(width, head_width, bias=False), nn.Linear(hidden, head_width, bias=False)
        self.relations = nn.Linear(head_width, len(RELATIONS))
        self.source, self.target = nn.Linear(width, len(RELATIONS) * VECTOR), nn.Linear(width, len(RELATIONS) * VECTOR)

    def forward(self, features, geometry, text, neighbours, page, pages):
        n = len(features)
        letters = self.characters(text[:, :CHARACTERS]).flatten(1)
        words = self.words(text[:, CHARACTERS:]).flatten(1)
        h = self.first(torch.cat([((features - self.mean) / self.deviation).clamp(-5, 5), letters, words], -1))
        edges = self.edges(edge_features(geometry, neighbours))
        absent = (neighbours == n).float()[..., None] * ABSENT
        for layer in self.layers:
            h = layer(h, edges, absent, neighbours, page, pages)
        h = self.last(h)
        source, target = self.source(h).view(n, -1, VECTOR), self.target(h).view(n, -1, VECTOR)
        hidden = functional.relu(self.one(h)[:, None] + gathered(self.other(h), neighbours) + self.between(edges))
        return self.classes(h), self.levels(h), self.flags(h), self.relations(hidden), source, target


def next_scores(outputs, neighbours, first, length, has_order):
    """(length, length) logits that the second node of a page follows the first."""
    _, _, _, edges, source, target = outputs
    at = RELATIONS.index("next")
    rows = slice(first, first + length)
    scores = source[rows, at] @ target[rows, at].T
    near = neighbours[rows] - first
    there = (near < length) & (near >= 0)
    # Neighbours have logits of their own; the spare column takes those of no neighbour.
    scores = functional.pad(scores, (0, 1)).scatter(1, torch.where(there, near, length), edges[rows, :, at])[:, :length]
    return scores.masked_fill(~has_order[rows][None, :] | torch.eye(length, dtype=torch.bool), ABSENT)
