"""Table number N of training, of the validation or of the test: always the same one. As a command it writes those of the test (or of the validation) as pages for `npm run bench -- tables`."""

import argparse
import copy
import functools
import html
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "text"))
sys.dont_write_bytecode = True

import contents
import faces
import setting
import styles

SEED = 20261123


@functools.lru_cache(None)
def _case(held_out):
    return faces.Case(faces.catalogue(os.environ.get("LECTERN_FACES", "faces.json")), held_out)


def _faces(draw, case, text):
    """A face that has the text, and its family's bold one where there is one."""
    face = case.pick(draw, text) or case.pick(draw, "abc")
    family = next(faces_of for faces_of in case.families if faces_of[0].family == face.family)
    bold = next((other for other in family if "bold" in other.style.lower() and other.slanted == face.slanted and other.has(text)), face)
    return face, bold


def worn(draw, table):
    """The table as a reader of pictures gives it: boxes a little off, words lost, run together or read into specks, rules lost or broken, no bold, some lean."""
    table = copy.copy(table)
    em, lean = table.size, draw.gauss(0, 0.002)
    shake = draw.choice([0.02, 0.05, 0.1]) * em
    lost, joined = draw.choice([0, 0.01, 0.03]), draw.choice([0, 0.02, 0.08])
    words = []
    for word in table.words:
        if draw.random() < lost:
            continue
        last = words[-1] if words else None
        if last is not None and last.cell == word.cell and last.baseline == word.baseline and draw.random() < joined:
            last.right, last.text = word.right, last.text + word.text
            continue
        words.append(copy.copy(word))
    shaken = {}
    for word in words:
        line = word.cell, word.baseline
        if line not in shaken:
            shaken[line] = draw.gauss(0, shake * 0.6), max(0.7, draw.gauss(1, 0.06))
        word.left += draw.gauss(0, shake)
        word.right = max(word.left + 0.15 * em, word.right + draw.gauss(0, shake))
        word.baseline += shaken[line][0] + lean * word.left
        word.size *= shaken[line][1]
        word.bold = False
        if draw.random() < 0.02:
            word.text = word.text.upper() if draw.random() < 0.5 else word.text.lower()
    for _ in range(draw.choice([0, 0, 0, 1, 2])):
        left, baseline = draw.uniform(table.x[0], table.x[-1]), draw.uniform(table.y[0], table.y[-1])
        words.append(setting.Word(draw.choice("·.-|'"), left, left + 0.3 * em, baseline, em, False, -1))
    table.words = words
    if draw.random() < 0.3:
        table.rules = [rule for rule in table.rules if draw.random() < 0.7]
    rules = []
    for rule in table.rules:
        rule = copy.copy(rule)
        rule.position += draw.gauss(0, 0.05 * em)
        if draw.random() < 0.1:
            middle = draw.uniform(rule.start, rule.end)
            rules.append(setting.Rule(rule.horizontal, rule.position, middle + 0.5 * em, rule.end, rule.thickness))
            rule.end = middle
        rules.append(rule)
    table.rules = [rule for rule in rules if rule.end > rule.start]
    if draw.random() < 0.5:
        table.shades = []
    return table


# Of the tables, how many are worn.
WORN = {"train": 0.55, "validation": 0.4, "test": 0.4}


def table(number, part="train"):
    """`part`: train, validation (looks and faces of training, contents as in the test), test (looks and faces that training never draws)."""
    draw = random.Random(f"{SEED} {part} {number}")
    held_out, for_training = part == "test", part == "train"
    while True:
        style = styles.make(draw, held_out, for_training)
        made = setting.shown(contents.make(draw, for_training), style)
        face, bold = _faces(draw, _case(held_out), " ")
        whole = setting.set_table(draw, made, style, face, bold)
        if len(whole.words) < 4 or (whole.x[-1] - whole.x[0]) / whole.size > 110 or (whole.y[-1] - whole.y[0]) / whole.size > 90:
            continue
        # Large ones cost as much as many small ones and teach little more.
        area = (whole.x[-1] - whole.x[0]) * (whole.y[-1] - whole.y[0]) / whole.size ** 2
        if for_training and draw.random() < (0.9 if area > 2000 else 0.65 if area > 900 else 0):
            continue
        is_worn = draw.random() < WORN[part]
        ready = worn(draw, whole) if is_worn else whole
        if len([word for word in ready.words if word.cell >= 0]) >= 4:
            ready.style, ready.worn = style, is_worn
            return ready


def truth_of(made):
    """The table as HTML."""
    rows = [[] for _ in range(made.rows)]
    for cell in sorted(made.cells, key=lambda one: (one.row, one.column)):
        spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (f' colspan="{cell.columns}"' if cell.columns > 1 else "")
        rows[cell.row].append(f"<td{spans}>{html.escape(cell.text, quote=False)}</td>")
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in rows) + "</table>"


def page_of(one):
    """As plain data: words as [text, left, right, baseline, size, bold], rules as [horizontal, position, start, end, thickness], shades as [left, top, right, bottom], in points."""
    near = lambda number: round(number, 2)
    return {
        "rules": one.style.rules, "family": " ".join(styles.family(one.style)), "worn": one.worn, "rows": one.contents.rows, "columns": one.contents.columns, "heads": one.contents.heads, "size": near(one.size), "width": near(one.x[-1]), "height": near(one.y[-1]),
        "words": [[word.text, near(word.left), near(word.right), near(word.baseline), near(word.size), word.bold] for word in one.words],
        "lines": [[rule.horizontal, near(rule.position), near(rule.start), near(rule.end), near(rule.thickness)] for rule in one.rules],
        "shades": [[near(shade.left), near(shade.top), near(shade.right), near(shade.bottom)] for shade in one.shades],
        "truth": truth_of(one.contents),
    }


def main():
    options = argparse.ArgumentParser()
    options.add_argument("target")
    options.add_argument("count", type=int)
    options.add_argument("--validation", action="store_true", help="of the validation instead of the test")
    options.add_argument("--first", type=int, default=0, help="number of the first table")
    given = options.parse_args()
    with open(given.target, "w") as file:
        for number in range(given.first, given.first + given.count):
            file.write(json.dumps(page_of(table(number, "validation" if given.validation else "test")), ensure_ascii=False) + "\n")
    print(f"{given.target}: {given.count} tables")


if __name__ == "__main__":
    main()
