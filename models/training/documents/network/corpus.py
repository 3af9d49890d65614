"""Pages of tensors.ts: loaded, gathered into batches of about as many nodes each, one page after another."""

import glob
import json
import os
import random

import numpy
import torch

import relations

NODES_A_BATCH = 1200
# Of the pairs that are no neighbours: those that are drawn for each node.
FAR_PAIRS = 12
COLUMNS = ("features", "geometry", "text", "neighbours", "class", "block", "table", "cell", "order", "level", "target", "anchor")


class Page:
    """The columns of one page, and `document`, the description of its document."""

    __slots__ = (*COLUMNS, "document", "shard")

    def __len__(self):
        return len(self.block)


def load(paths):
    """(classes, pages): every page of the files."""
    pages, classes = [], None
    for path in paths:
        with numpy.load(path) as shard:
            columns = {name: shard[name] for name in shard.files}
        documents = json.loads(columns["documents_bytes"].tobytes().decode())
        classes = json.loads(columns["vocabulary_bytes"].tobytes().decode())["classes"]
        start = 0
        for end, document in zip(columns["page_end"].tolist(), columns["page_document"].tolist()):
            page = Page()
            for name in COLUMNS:
                setattr(page, name, columns[name][start:end])
            page.document, page.shard = documents[document], os.path.basename(path)
            pages.append(page)
            start = end
    return classes, pages


def find(directory, split):
    return sorted(glob.glob(os.path.join(directory, split, "*.npz")))


def batches(pages, draw=None):
    """Lists of pages whose sum of nodes is at most NODES_A_BATCH (one page at least); in random order where `draw` is given."""
    order = list(range(len(pages)))
    if draw is not None:
        draw.shuffle(order)
    made, batch, nodes = [], [], 0
    for index in order:
        if batch and nodes + len(pages[index]) > NODES_A_BATCH:
            made.append(batch)
            batch, nodes = [], 0
        batch.append(pages[index])
        nodes += len(pages[index])
    if batch:
        made.append(batch)
    return made


def gathered(batch, name, kind=numpy.int64):
    return torch.from_numpy(numpy.concatenate([getattr(page, name) for page in batch]).astype(kind))


def inputs(batch):
    """(features, geometry, text, neighbours, page, pages) of relations.RelationNetwork."""
    starts = numpy.cumsum([0, *map(len, batch)])
    neighbours = numpy.concatenate([numpy.where(page.neighbours < 0, starts[-1], page.neighbours.astype(numpy.int64) + start) for page, start in zip(batch, starts)])
    page = numpy.repeat(numpy.arange(len(batch)), [len(page) for page in batch])
    return gathered(batch, "features", numpy.float32), gathered(batch, "geometry", numpy.float32), gathered(batch, "text"), torch.from_numpy(neighbours), torch.from_numpy(page), len(batch)


def unique(batch, name):
    """A column of indices on the page as indices in the batch; -1 stays."""
    starts = numpy.cumsum([0, *(1 + int(getattr(page, name).max(initial=0)) for page in batch)])
    return torch.from_numpy(numpy.concatenate([numpy.where(getattr(page, name) < 0, -1, getattr(page, name).astype(numpy.int64) + start) for page, start in zip(batch, starts)]))


class Labels:
    """What is true of the nodes of a batch: `cls`, `level` (-100 where unknown), `flags` (n, 3) with `has_flags`, `following` (the node after each in the reading order, -100 for none), and relations of any pairs."""

    def __init__(self, batch):
        self.cls = gathered(batch, "class")
        self.level = gathered(batch, "level").clamp(max=relations.LEVELS - 1)
        self.block, self.table = unique(batch, "block"), unique(batch, "table")
        # Targets and anchors count within the same page's structure.
        structure = numpy.cumsum([0, *(2 + int(max(page.target.max(initial=0), page.anchor.max(initial=0))) for page in batch)])
        self.target, self.anchor = (torch.from_numpy(numpy.concatenate([numpy.where(getattr(page, name) < 0, -1, getattr(page, name).astype(numpy.int64) + start) for page, start in zip(batch, structure)])) for name in ("target", "anchor"))
        self.row, self.column, self.rows, self.columns = gathered(batch, "cell")[:, :4].unbind(1)
        self.lengths = [len(page) for page in batch]
        self._order(batch)
        self.flags = torch.stack([self.starts, self.rows > 1, self.columns > 1], 1).float()
        in_cell = self.table >= 0
        self.has_flags = torch.stack([self.has_order & (self.block >= 0), in_cell, in_cell], 1)
        self.cls = torch.where(self.cls == 0, -100, self.cls)
        self.level = torch.where(self.level == 0, -100, self.level)

    def _order(self, batch):
        total = sum(self.lengths)
        following, starts, has_order = numpy.full(total, -100), numpy.zeros(total, bool), numpy.zeros(total, bool)
        first = 0
        for page in batch:
            known = numpy.flatnonzero((page.order >= 0) & (page.__getattribute__("class") != 0))
            ranked = known[numpy.argsort(page.order[known], kind="stable")]
            following[first + ranked[:-1]] = first + ranked[1:]
            has_order[first + ranked] = True
            blocks = page.block[ranked]
            _, firsts = numpy.unique(blocks, return_index=True)
            starts[first + ranked[firsts]] = True
            first += len(page)
        self.following, self.starts, self.has_order = torch.from_numpy(following), torch.from_numpy(starts), torch.from_numpy(has_order)

    def relation(self, i, j):
        """Indices of nodes of one page (any shape each, broadcast) -> (truth, counts), both of that shape and (6,) behind: whether each relation holds, and whether it is asked. Only tables have rows and columns."""
        block = (self.block[i] == self.block[j]) & (self.block[i] >= 0)
        table = (self.table[i] == self.table[j]) & (self.table[i] >= 0)

        def overlap(start, span):
            return table & (start[i] < start[j] + span[j]) & (start[j] < start[i] + span[i])

        caption = (self.target[i] >= 0) & (self.target[i] == self.anchor[j])
        truth = torch.stack([block, table, overlap(self.row, self.rows), overlap(self.column, self.columns), self.following[i] == j, caption], -1)
        every = torch.ones_like(block)
        known = (self.cls[i] != -100) & (self.cls[j] != -100)
        return truth, torch.stack([known & every, every, table, table, self.has_order[i] & self.has_order[j], every], -1)


def far_pairs(labels, neighbours, draw):
    """(i, j): for each node some nodes of its page, more often of its table, and the one that follows it; none of them a neighbour."""
    n = len(labels.cls)
    lengths = torch.tensor(labels.lengths)
    first = torch.repeat_interleave(torch.cumsum(lengths, 0) - lengths, lengths)
    length = torch.repeat_interleave(lengths, lengths)
    i = torch.arange(n)[:, None].expand(n, FAR_PAIRS)
    j = first[:, None] + (torch.rand(n, FAR_PAIRS, generator=draw) * length[:, None]).long()
    follows = torch.where(labels.following >= 0, labels.following, torch.arange(n))
    i, j = torch.cat([i.flatten(), torch.arange(n)]), torch.cat([j.flatten(), follows])
    keep = (i != j) & ~(neighbours[i] == j[:, None]).any(1)
    return i[keep], j[keep]


def draw_of(seed):
    return random.Random(seed)
