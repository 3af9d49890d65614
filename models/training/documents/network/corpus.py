"""Pages of tensors.ts: loaded, split by the origins that splits.json names, gathered into batches of pages of like length."""

import glob
import json
import os
import random

import numpy
import torch

import relations

NODES_A_BATCH = 2400


class Page:
    __slots__ = ("features", "geometry", "text", "cls", "block", "table", "cell", "order", "level", "document")

    def __len__(self):
        return len(self.cls)


def load(paths):
    """(classes, pages): every page of the files, each with `document`, the description of its document."""
    pages, classes = [], None
    for path in paths:
        with numpy.load(path) as shard:
            columns = {name: shard[name] for name in shard.files}
        documents = json.loads(columns["documents_bytes"].tobytes().decode())
        classes = json.loads(columns["vocabulary_bytes"].tobytes().decode())["classes"]
        start = 0
        for end, document in zip(columns["page_end"].tolist(), columns["page_document"].tolist()):
            page = Page()
            page.features, page.geometry, page.text = (columns[name][start:end] for name in ("features", "geometry", "text"))
            page.cls, page.block, page.table, page.cell, page.order, page.level = (columns[name][start:end] for name in ("class", "block", "table", "cell", "order", "level"))
            page.document = documents[document]
            pages.append(page)
            start = end
    return classes, pages


def find(directory, split):
    return sorted(glob.glob(os.path.join(directory, split, "*.npz")) or glob.glob(os.path.join(directory, f"*{split}*.npz")))


def batches(pages, draw=None):
    """Lists of pages whose padded sum of nodes is at most NODES_A_BATCH (one page at least); in random order where `draw` is given."""
    if draw is None:
        order = sorted(range(len(pages)), key=lambda page: len(pages[page]))
    else:
        order = sorted(range(len(pages)), key=lambda page: len(pages[page]) * draw.uniform(0.85, 1.15))
    made, batch, longest = [], [], 0
    for index in order:
        longest_then = max(longest, len(pages[index]))
        if batch and longest_then * (len(batch) + 1) > NODES_A_BATCH:
            made.append(batch)
            batch, longest_then = [], len(pages[index])
        batch.append(pages[index])
        longest = longest_then
    if batch:
        made.append(batch)
    if draw is not None:
        draw.shuffle(made)
    return made


def tensors(batch):
    """Padded inputs and labels of a batch."""
    b, n = len(batch), max(len(page) for page in batch)
    made = {
        "features": torch.zeros(b, n, relations.FEATURES), "geometry": torch.zeros(b, n, relations.GEOMETRY), "text": torch.zeros(b, n, relations.TEXT, dtype=torch.int64),
        "mask": torch.zeros(b, n, dtype=torch.bool), "cls": torch.full((b, n), -100), "level": torch.full((b, n), -100), "block": torch.full((b, n), -1), "table": torch.full((b, n), -1),
        "cell": torch.full((b, n, 4), -1), "next": torch.full((b, n), -100), "has_order": torch.zeros(b, n, dtype=torch.bool),
    }
    for at, page in enumerate(batch):
        length = len(page)
        for name in ("features", "geometry", "text", "block", "table"):
            made[name][at, :length] = torch.from_numpy(getattr(page, name).astype(numpy.float32 if name in ("features", "geometry") else numpy.int64))
        made["mask"][at, :length] = True
        cls = torch.from_numpy(page.cls.astype(numpy.int64))
        made["cls"][at, :length] = torch.where(cls == 0, -100, cls)
        level = torch.from_numpy(page.level.astype(numpy.int64)).clamp(max=relations.LEVELS - 1)
        made["level"][at, :length] = torch.where(level == 0, -100, level)
        made["cell"][at, :length] = torch.from_numpy(page.cell[:, :4].astype(numpy.int64))
        ranked = sorted(numpy.flatnonzero((page.order >= 0) & (page.cls != 0)).tolist(), key=lambda node: page.order[node])
        for one, other in zip(ranked, ranked[1:]):
            made["next"][at, one] = other
        made["has_order"][at, ranked] = True
    return made


def pair_labels(t):
    """{relation: (b, n, n) bool} and the pairs that exist, and those of one table."""
    exists = t["mask"][:, :, None] & t["mask"][:, None, :]
    exists = exists & ~torch.eye(exists.shape[1], dtype=torch.bool)
    block = (t["block"][:, :, None] == t["block"][:, None, :]) & (t["block"] >= 0)[:, :, None] & exists
    table = (t["table"][:, :, None] == t["table"][:, None, :]) & (t["table"] >= 0)[:, :, None] & exists
    row, column, rows, columns = t["cell"].unbind(-1)

    def overlap(start, span):
        end = start + span
        return table & (start[:, :, None] < end[:, None, :]) & (start[:, None, :] < end[:, :, None])

    return {"block": block, "table": table, "row": overlap(row, rows), "column": overlap(column, columns)}, exists, table


def style_family(page):
    return page.document["family"]


def draw_of(seed):
    return random.Random(seed)
