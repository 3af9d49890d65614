"""The relation network: for the nodes of a page (nodes.ts) the class of each and, for each pair, whether they are of one block, of one table, in one row, in one column, and which comes next.

A transformer (Vaswani et al. 2017) over the nodes whose attention is biased by how two nodes stand to each other; the same pair features feed the relations.
"""

import torch
from torch import nn
from torch.nn import functional

FEATURES, GEOMETRY, TEXT = 58, 11, 16
CHARACTERS, CHARACTER_CLASSES, CHARACTER_WIDTH = 14, 42, 6
WORD_BUCKETS, WORD_WIDTH = 1024, 10
RELATIONS = ("block", "table", "row", "column", "next")
LEVELS = 7
PAIR_FEATURES = 26


def squash(length):
    """A length in ems, the more compressed the longer: -1 to 1, half of it at 4 ems."""
    return length / (4 + length.abs())


def zero(length, scale):
    """1 where a length is 0, falling to 0 at twice `scale` ems."""
    return (1 - length.abs() / (2 * scale)).clamp(min=0)


def pair_features(g):
    """geometry (b, n, 11) -> (b, n, n, 26): of the second index as seen from the first."""
    left, top, right, bottom, base, size, rule_left, rule_above, rule_right, rule_below, fill = g.unbind(-1)

    def difference(a, b):
        return b[:, None, :] - a[:, :, None]

    ll, rr, cc = difference(left, left), difference(right, right), difference(left + right, left + right) / 2
    tt, bb = difference(top, top), difference(bottom, bottom)
    after, below = difference(right, left), difference(bottom, top)
    before, above = -after.transpose(1, 2), -below.transpose(1, 2)
    baseline = difference(base, base)
    height = (bottom - top).clamp(min=0.3)
    width = (right - left).clamp(min=0.3)
    over_y = (torch.minimum(bottom[:, :, None], bottom[:, None, :]) - torch.maximum(top[:, :, None], top[:, None, :])) / torch.minimum(height[:, :, None], height[:, None, :])
    over_x = (torch.minimum(right[:, :, None], right[:, None, :]) - torch.maximum(left[:, :, None], left[:, None, :])) / torch.minimum(width[:, :, None], width[:, None, :])
    ratio = torch.log2(size.clamp(min=0.1))
    is_right, is_below = (after > -0.2).float(), (below > -0.2).float()
    cut_right = is_right * (difference(rule_right, left) > -0.1).float()
    cut_below = is_below * (difference(rule_below, top) > -0.1).float()
    same_fill = (fill[:, :, None] == fill[:, None, :]).float()
    return torch.stack([
        squash(ll), squash(rr), squash(cc), squash(tt), squash(bb), squash(after), squash(before), squash(below), squash(above), squash(baseline),
        zero(ll, 0.15), zero(rr, 0.15), zero(cc, 0.2), zero(baseline, 0.1), zero(baseline, 0.5), zero(tt, 0.3),
        over_y.clamp(-1, 1), over_x.clamp(-1, 1), difference(ratio, ratio).clamp(-2, 2), zero(difference(size, size), 0.05),
        cut_right, cut_right.transpose(1, 2), cut_below, cut_below.transpose(1, 2), same_fill, same_fill * (fill[:, :, None] > 0).float(),
    ], -1)


class Layer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.bias = nn.Linear(hidden, heads)

    def forward(self, h, pairs, mask):
        b, n, width = h.shape
        q, k, v = self.qkv(self.before_attention(h)).view(b, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        bias = self.bias(pairs).permute(0, 3, 1, 2).masked_fill(~mask[:, None, None, :], -1e4)
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        h = h + self.out(attended.transpose(1, 2).reshape(b, n, width))
        return h + self.down(functional.gelu(self.up(self.before_forward(h))))


class RelationNetwork(nn.Module):
    """In: features (b, n, 58), geometry (b, n, 11) in ems, text (b, n, 16) int64, mask (b, n) of nodes that exist. Out: logits of classes (b, n, c), of heading levels (b, n, 7), of relations (b, 5, n, n)."""

    def __init__(self, classes, width=128, layers=5, heads=8, hidden=24, relation_width=24):
        super().__init__()
        self.relation_width = relation_width
        self.register_buffer("mean", torch.zeros(FEATURES))
        self.register_buffer("deviation", torch.ones(FEATURES))
        self.characters = nn.Embedding(CHARACTER_CLASSES, CHARACTER_WIDTH)
        self.words = nn.Embedding(WORD_BUCKETS, WORD_WIDTH)
        self.first = nn.Linear(FEATURES + CHARACTERS * CHARACTER_WIDTH + 2 * WORD_WIDTH, width)
        self.pairs = nn.Sequential(nn.Linear(PAIR_FEATURES, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.layers = nn.ModuleList([Layer(width, heads, hidden) for _ in range(layers)])
        self.last = nn.LayerNorm(width)
        self.classes = nn.Linear(width, classes)
        self.levels = nn.Linear(width, LEVELS)
        self.queries = nn.Linear(width, len(RELATIONS) * relation_width)
        self.keys = nn.Linear(width, len(RELATIONS) * relation_width)
        self.relations = nn.Linear(hidden, len(RELATIONS))

    def forward(self, features, geometry, text, mask):
        b, n, _ = features.shape
        letters = self.characters(text[..., :CHARACTERS]).flatten(2)
        words = self.words(text[..., CHARACTERS:]).flatten(2)
        h = self.first(torch.cat([((features - self.mean) / self.deviation).clamp(-5, 5), letters, words], -1))
        pairs = self.pairs(pair_features(geometry))
        for layer in self.layers:
            h = layer(h, pairs, mask)
        h = self.last(h)
        shape = (b, n, len(RELATIONS), self.relation_width)
        scores = torch.einsum("bird,bjrd->brij", self.queries(h).view(shape), self.keys(h).view(shape)) / self.relation_width**0.5
        return self.classes(h), self.levels(h), scores + self.relations(pairs).permute(0, 3, 1, 2)
