"""Reads shards of labelled pages. `python3 read.py SHARD.npz ...` prints counts: pages, words, classes, tables with spans; README.md describes every column."""

import collections
import json
import sys

import numpy

PARTS = ("word", "ruling", "fill", "image", "drawing", "link", "outline", "node")


def text(shard, name):
    """The JSON value of a text column with one row."""
    return json.loads(shard[name + "_bytes"].tobytes().decode())


class Shard:
    """The arrays of a shard by name; `page(k)` slices those of one page."""

    def __init__(self, path):
        self.arrays = dict(numpy.load(path))
        self.documents = text(self.arrays, "documents")
        self.faces = text(self.arrays, "faces")
        self.vocabulary = text(self.arrays, "vocabulary")
        ends = self.arrays["word_text_end"]
        bytes_ = self.arrays["word_text_bytes"].tobytes()
        starts = [0, *ends[:-1].tolist()]
        self.words = [bytes_[start:end].decode() for start, end in zip(starts, ends.tolist())]

    def __len__(self):
        return len(self.arrays["page_document"])

    def page(self, index):
        """Columns of one page by name: those of its words, rulings, fills, images, drawings, links, outlines and nodes. `text` has the words."""
        out = {name: array[index] for name, array in self.arrays.items() if name.startswith("page_") and not name.endswith("_end")}
        for part in PARTS:
            ends = self.arrays[f"page_{part}_end"]
            start, end = (int(ends[index - 1]) if index > 0 else 0), int(ends[index])
            for name, array in self.arrays.items():
                if (name == part or name.startswith(part + "_")) and not name.startswith("word_text"):
                    out[name] = array[start:end]
            if part == "word":
                out["text"] = self.words[start:end]
        out["document"] = self.documents[int(out["page_document"])]
        return out


def count(paths):
    """Counts over shards, as a dictionary that JSON can hold."""
    total = collections.Counter()
    classes, sources, families, languages, renderers = (collections.Counter() for _ in range(5))
    words_a_page = []
    for path in paths:
        shard = Shard(path)
        names = shard.vocabulary["wordClasses"]
        kinds = shard.vocabulary["nodeKinds"]
        cell, table, heading = kinds.index("cell"), kinds.index("table"), kinds.index("heading")
        for index in range(len(shard)):
            page = shard.page(index)
            document = page["document"]
            words_a_page.append(len(page["text"]))
            classes.update(names[each] for each in page["word_class"])
            sources[document["origin"].rsplit("/", 1)[0]] += 1
            families[document["family"]] += 1
            languages[document["language"]] += 1
            renderers[document["renderer"] + ("" if document["damage"] in ("", "none") else " " + document["damage"])] += 1
            kind = page["node_kind"]
            total["tables"] += int((kind == table).sum())
            total["cells"] += int((kind == cell).sum())
            total["headings"] += int((kind == heading).sum())
            spans = (kind == cell) & ((page["node_cell"][:, 2] > 1) | (page["node_cell"][:, 3] > 1))
            total["cells with spans"] += int(spans.sum())
            total["tables with spans"] += len(set(page["node_target"][spans].tolist()))
            total["pages with tables"] += int((kind == table).any())
            total["mixed words"] += int((page["word_label_flags"] & 1 != 0).sum())
            total["repeated words"] += int((page["word_label_flags"] & 2 != 0).sum())
        total["documents"] += len(shard.documents)
    total["pages"] = len(words_a_page)
    total["words"] = sum(words_a_page)
    quantiles = numpy.percentile(words_a_page, [10, 50, 90]).tolist() if words_a_page else []
    return {"total": total, "words a page (10, 50, 90 %)": quantiles, "classes": dict(classes.most_common()), "sources": dict(sources.most_common()), "families": dict(families.most_common()), "languages": dict(languages.most_common()), "renderers": dict(renderers)}


if __name__ == "__main__":
    print(json.dumps(count(sys.argv[1:]), indent=1, ensure_ascii=False))
