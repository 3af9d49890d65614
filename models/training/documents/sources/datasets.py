"""Tables of public data that ship in Debian packages, as documents with random rows and columns of them: data sets of R and gretl, ISO codes, time zones, Unicode, vendors of hardware, units."""

import csv
import functools
import glob
import gzip
import io
import json
import os
import re

from . import cache
from .draw import Draw
from .language import Language
from .markup import Cell, heading, note, paragraph, row, table, tag, text

# A set has at least so many rows and columns.
FEWEST_ROWS, FEWEST_COLUMNS, MOST_COLUMNS = 8, 2, 14


def _separated(path, separator):
    opened = gzip.open(path, "rt", encoding="utf-8", errors="replace") if path.endswith(".gz") else open(path, encoding="utf-8", errors="replace")
    with opened:
        content = opened.read(400000)
    rows = [line for line in csv.reader(io.StringIO(content), delimiter=separator) if line and not line[0].startswith("#")] if separator else [line.split() for line in content.splitlines() if line.strip()]
    return rows[0], rows[1:]


def _iso(path):
    with open(path, encoding="utf-8") as opened:
        entries = next(iter(json.load(opened).values()))
    names = sorted({key for entry in entries[:400] for key in entry if isinstance(entry[key], str)})
    return names, [[entry.get(name, "") for name in names] for entry in entries]


def _zones(path):
    rows = [line.split("\t") for line in open(path, encoding="utf-8").read().splitlines() if line and not line.startswith("#")]
    return ["Code", "Coordinates", "Zone", "Comments"][:max(len(row) for row in rows)], rows


def _unicode(path):
    rows = [line.split(";") for line in open(path, encoding="utf-8").read().splitlines() if ";" in line and not line.startswith("#")]
    return ["Code", "Name", "Category", "Combining", "Bidi"], [[part.split("#")[0].strip() for part in row[:5]] for row in rows]


def _vendors(path):
    rows = [re.match(r"([0-9a-f]{4})\s+(.+)", line) for line in open(path, encoding="utf-8", errors="replace").read().splitlines()]
    return ["ID", "Vendor"], [list(match.groups()) for match in rows if match]


def _types(path):
    rows = [line.split(None, 1) for line in open(path, encoding="utf-8").read().splitlines() if "/" in line and not line.startswith("#")]
    return ["Media type", "Extensions"], [row + [""] * (2 - len(row)) for row in rows]


def _units(path):
    rows = [line.split("#")[0].split(None, 1) for line in open(path, encoding="utf-8", errors="replace").read().splitlines() if line and line[0].isalpha()]
    return ["Unit", "Definition"], [[part.strip() for part in row] for row in rows if len(row) == 2]


def _comma(path):
    return _separated(path, ",")


def _tabbed(path):
    return _separated(path, "\t")


def _spaced(path):
    return _separated(path, None)


# Patterns of files: package, path in it, reader, language.
SETS = [("iso-codes", "usr/share/iso-codes/json/iso_*.json", _iso, "en"), ("tzdata", "usr/share/zoneinfo/*.tab", _zones, "en"), ("unicode-data", "usr/share/unicode/UnicodeData.txt", _unicode, "en"), ("unicode-data", "usr/share/unicode/Blocks.txt", _unicode, "en"),
        ("hwdata", "usr/share/hwdata/*.ids", _vendors, "en"), ("ieee-data", "usr/share/ieee-data/*.csv", _comma, "en"), ("media-types", "etc/mime.types", _types, "en"), ("units", "usr/share/units/definitions.units", _units, "en"),
        ("gretl", "usr/share/gretl/data/**/*.csv", _comma, "en"), ("r-cran-survival", "usr/lib/R/site-library/survival/**/*.csv", _comma, "en"), ("r-base-core", "usr/lib/R/library/**/*.csv", _comma, "en"), ("r-base-core", "usr/lib/R/library/**/*.tab", _spaced, "en"),
        ("python-pandas-doc", "usr/share/doc/**/*.csv", _comma, "en"), ("python-biopython-doc", "usr/share/doc/**/*.tsv", _tabbed, "en")]


@functools.lru_cache(None)
def _read(path, at):
    names, rows = SETS[at][2](path)
    width = len(names)
    rows = [[part.strip()[:120] for part in line] + [""] * (width - len(line)) for line in rows if 0 < len(line) <= width]
    kept = [column for column in range(width) if any(line[column] for line in rows[:500])][:MOST_COLUMNS]
    return [names[column] for column in kept], [[line[column] for column in kept] for line in rows]


@functools.lru_cache(None)
def _paths():
    """Of each set its file and its place in SETS."""
    made = {}
    for at, (package, pattern, _, _) in enumerate(SETS):
        for path in sorted(glob.glob(cache.unpacked(package, pattern), recursive=True)):
            try:
                names, rows = _read(path, at)
            except (ValueError, IndexError, OSError, StopIteration, csv.Error):
                continue
            if len(rows) >= FEWEST_ROWS and len(names) >= FEWEST_COLUMNS:
                made[f"{package}-{os.path.basename(path).split('.')[0]}"] = (path, at)
    return made


def available():
    """Names of the sets that are there: {name: (package, language)}."""
    return {name: (SETS[at][0], SETS[at][3]) for name, (_, at) in _paths().items()}


def _titled(name):
    return re.sub(r"[_.]+", " ", name).strip().capitalize()


def _is_number(value):
    return re.fullmatch(r"[-+]?[\d.,]+%?", value) is not None


def _one(draw, names, rows, shape):
    columns = sorted(draw.sample(range(len(names)), draw.randint(min(2, len(names)), min(len(names), shape["columns"]))))
    count = min(len(rows), draw.choice([4, 6, 9, 14, 20, 32, 55]))
    start = draw.randrange(len(rows) - count + 1)
    chosen = rows[start:start + count] if draw.chance(0.6) else draw.sample(rows, count)
    if shape["sorted"]:
        chosen = sorted(chosen, key=lambda line: line[columns[0]])
    numeric = [sum(_is_number(line[column]) for line in chosen) > 0.7 * count for column in columns]
    head = [row([Cell(text(_titled(names[column])), head=True, scope="col", data_align="right" if number and shape["aligned"] else None) for column, number in zip(columns, numeric)])] if shape["headed"] else []
    body = []
    for line in chosen:
        body.append(row([Cell(text(line[column]), head=at == 0 and shape["labelled"] and bool(line[column]), scope="row" if at == 0 and shape["labelled"] and line[column] else None, data_align="right" if number and shape["aligned"] else None) for at, (column, number) in enumerate(zip(columns, numeric))]))
    return head, body


def document(name, seed):
    """A document of one set: one to three tables with headings, captions, notes or text around them."""
    path, at = _paths()[name]
    names, rows = _read(path, at)
    draw, language = Draw(f"data/{name}/{seed}"), Language(SETS[at][3])
    title = f"{_titled(name.replace('-', ' '))}: {language.title(draw, 1, 4)}"
    shape = {"columns": draw.choice([2, 3, 4, 6, 9]), "sorted": draw.chance(0.2), "aligned": draw.chance(0.7), "headed": draw.chance(0.85), "labelled": draw.chance(0.5)}
    parts = [heading(1, title)] if draw.chance(0.8) else []
    for index in range(draw.choice([1, 1, 1, 2, 3])):
        if index and parts and draw.chance(0.5):
            parts.append(heading(2 if parts[0].startswith("<h1") else 1, language.title(draw, 1, 5)))
        parts += [paragraph(language.paragraph(draw, 1, 4)) for _ in range(draw.choice([0, 0, 1, 2]))]
        head, body = _one(draw, names, rows, shape)
        caption = tag("strong", text(f"Table {index + 1}.")) + " " + text(language.phrase(draw, 2, 8)) if draw.chance(0.4) else None
        parts.append(table(head, body, caption=caption))
        if draw.chance(0.25):
            parts.append(note(draw.pick("*|a|1"), text(language.sentence(draw))))
    return {"origin": f"data/{name}", "family": "data", "lang": language.code, "dir": "ltr", "title": title, "html": "".join(parts)}
