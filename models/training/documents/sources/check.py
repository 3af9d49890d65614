"""Checks documents against the vocabulary: `python3 -m sources.check [--count N] [FAMILY ...]`, run in models/training/documents.

Of each family N documents (50) are made. Reported are tables without a valid grid, headings that skip a level, documents without words, unknown elements and kinds. The exit status is 1 when there is a fault.
"""

import argparse
import collections
import re
import sys

from . import grid, registry

ELEMENTS = set("h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd blockquote pre code hr table caption thead tbody tfoot tr th td figure figcaption img svg math div section article header footer main span em strong b i u s a sup sub br small kbd samp var mark q abbr cite del ins colgroup col".split())
KINDS = set("title subtitle author abstract address key-value form-field checkbox footnote reference toc toc-entry page-header page-footer sidebar pull-quote formula formula-number caption stamp signature card column-break".split())
BLOCKS = set("h1 h2 h3 h4 h5 h6 p ul ol dl blockquote pre table figure div section article hr".split())


def _headings(root, faults):
    last = 0
    for element in root.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        level = int(element.tag[1])
        if last and level > last + 1:
            faults.append(f"h{level} after h{last}")
        if not "".join(element.itertext()).strip():
            faults.append(f"an empty h{level}")
        last = level


def _elements(root, faults):
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if next((parent for parent in element.iterancestors() if parent.tag in ("svg", "math")), None) is not None:
            continue
        if element.tag not in ELEMENTS:
            faults.append(f"element {element.tag}")
        kind = element.get("data-kind")
        if kind is not None and kind not in KINDS:
            faults.append(f"kind {kind}")
        if element.tag == "p" and any(child.tag in BLOCKS for child in element):
            faults.append("a block in a paragraph")
        if element.tag in ("ul", "ol") and any(isinstance(child.tag, str) and child.tag != "li" for child in element):
            faults.append(f"something else than li in {element.tag}")
        if kind == "key-value" and {child.get("data-part") for child in element} < {"key", "value"}:
            faults.append("a key-value without its parts")


def faults_of(fragment, least=3):
    """Faults of one document. `least`: words that it must have."""
    root, faults = grid.parse(fragment), []
    for table in root.iter("table"):
        if next(table.iterancestors("table"), None) is not None:
            faults.append("a table in a table")
        faults += grid.grid_of(table)[2][:2]
    _headings(root, faults)
    _elements(root, faults)
    words = re.findall(r"\w+", " ".join(root.itertext()))
    if len(words) < least:
        faults.append(f"{len(words)} words")
    return faults


def check_family(name, count, seed="check"):
    """Counter of the faults of a family, and an example origin of each."""
    found, where, words = collections.Counter(), {}, 0
    for index in range(count):
        document = registry.document(name, seed, index)
        if not document["title"].strip():
            found["no title"] += 1
        words += len(re.findall(r"\w+", re.sub(r"<[^>]*>", " ", document["html"])))
        for fault in set(faults_of(document["html"])):
            found[fault] += 1
            where.setdefault(fault, f"{document['origin']} index {index} {document['lang']}")
    return found, where, words / count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("families", nargs="*")
    options = parser.parse_args()
    wrong = 0
    for name in options.families or sorted(registry.load()):
        found, where, words = check_family(name, options.count)
        print(f"{name}: {options.count} documents, {words:.0f} words each, {sum(found.values())} faults")
        for fault, times in found.most_common(8):
            print(f"  {times} x {fault} ({where[fault]})")
        wrong += sum(found.values())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
