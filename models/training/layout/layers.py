"""Pages as readers of files know them, drawn ahead of the training of the line network: python3 layers.py FOLDER COUNT [WORKERS]; the test's: python3 layers.py FOLDER --test; the test's first as pictures: --show COUNT. Files that are there are kept."""

import json
import os
import random
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("layout", "shared")]
sys.dont_write_bytecode = True

from PIL import Image, ImageDraw

import canvas
import faces
import items
import pages
from workers import side_by_side
import styles
from canvas import SCALE

# Pixels: patches of ink on a scan nearer than this are one, and smaller ones are none.
PATCH_GAP, LEAST_PATCH = 2.5, 12
# Of a file.
PAGES = 200
# The test's two parts: families of styles that training never draws, and training's own families; both in faces that it never draws.
TESTS = {"styles": (styles.HELD_OUT, 240), "faces": (styles.FAMILIES, 120)}


def path_of(folder, index):
    return os.path.join(folder, f"lines-{index:04}.json")


def write(path, made):
    with open(path + ".new", "w") as file:
        json.dump({"labels": canvas.LABELS, "pages": made}, file, ensure_ascii=False, separators=(",", ":"))
    os.replace(path + ".new", path)


def read(path):
    with open(path) as file:
        return json.load(file)["pages"]


def layer(case, number, stage="train", families=styles.FAMILIES):
    """Page `number` as a reader of files knows it: its lines of text, the boxes of what is drawn, and its regions; in pixels of the page as the layout network sees it.

    A third are read from scans: boxes are a little off, bold and slanted faces are not known, and of drawings only long strokes and patches of ink are found."""
    page, family, draw, _ = pages.composed(case, number, stage, families, True)
    scanned = draw.random() < 0.33
    wide, high = page.width / SCALE, page.height / SCALE
    lines = [{**{key: part[key] / SCALE for key in ("left", "top", "right", "bottom", "size")}, "bold": part["bold"], "italic": part["italic"], "text": part["text"]} for part in merged(page.pieces)]
    drawn = [[*(round(value / SCALE, 2) for value in box[:4]), box[4]] for box in page.ink.boxes]
    if scanned:
        lines = [off(draw, line) for line in lines if draw.random() > 0.01]
        patches, strokes = [], []
        for box, (*_, shown) in zip(drawn, page.ink.boxes):
            if is_rule(box) or shown == canvas.Ink.FRAME:
                strokes += sides_of(box)
            elif shown == canvas.Ink.ALL:
                patches.append(box)
        drawn = [box for box in strokes if draw.random() < 0.9] + inked(random.Random(f"{pages.SEED} patches {stage} {number}"), patches, wide, high)
    lines = [{**line, **{key: round(line[key], 2) for key in ("left", "top", "right", "bottom", "size")}} for line in lines if line["left"] < wide and line["top"] < high]
    regions = [[label, *(round(value, 2) for value in box)] for label, *box in page.regions]
    return {"width": round(wide, 2), "height": round(high, 2), "lines": lines, "drawn": drawn, "regions": regions, "family": family, "scanned": scanned}


def is_rule(box):
    return max(box[2] - box[0], box[3] - box[1]) > 15 and min(box[2] - box[0], box[3] - box[1]) < 2


def sides_of(box):
    """A rule, or the four of a frame."""
    left, top, right, bottom, _ = box
    if is_rule(box):
        return [box]
    sides = [left, top, right, top], [left, bottom, right, bottom], [left, top, left, bottom], [right, top, right, bottom]
    return [made for made in ([*side, canvas.Ink.STROKE] for side in sides) if is_rule(made)]


def inked(draw, boxes, wide, high):
    """The patches of ink beside text and rules that are seen on a scan: what touches is one."""
    made = items.clusters_of(boxes, wide, high, PATCH_GAP / items.TOUCHING)
    made = [box[:4] for box in made if min(box[2] - box[0], box[3] - box[1]) > LEAST_PATCH and draw.random() < 0.95]
    if draw.random() < 0.06:
        # A stain, a stamp, the edge of the paper.
        left, top, side = draw.uniform(0, 0.9 * wide), draw.uniform(0, 0.9 * high), draw.uniform(LEAST_PATCH, 4 * LEAST_PATCH)
        made.append([left, top, left + side * draw.uniform(0.3, 2), top + side * draw.uniform(0.3, 3)])
    return [[*(round(value + draw.gauss(0, 0.8), 2) for value in box), canvas.Ink.AREA] for box in made]


def off(draw, line):
    """A line as it is read from a scan."""
    size = line["size"] * draw.gauss(1, 0.05)
    shift = [draw.gauss(0, 0.05) * line["size"] for _ in range(4)]
    return {**line, **{key: line[key] + by for key, by in zip(("left", "top", "right", "bottom"), shift)}, "size": size, "bold": False, "italic": False}


def merged(pieces):
    """Pieces on one baseline with less between them than lines are broken at are one."""
    made = []
    for part in pieces:
        last = made[-1] if made else None
        if last is not None and abs(last["baseline"] - part["baseline"]) < 0.1 * part["size"] and -0.3 * part["size"] < part["left"] - last["right"] < 0.8 * part["size"]:
            made[-1] = {**last, "right": max(last["right"], part["right"]), "top": min(last["top"], part["top"]), "bottom": max(last["bottom"], part["bottom"]), "text": last["text"] + " " + part["text"]}
        elif last is not None and part["text"] and abs(last["baseline"] - part["baseline"]) < 0.1 * part["size"] and part["left"] < last["left"] and 0 <= last["left"] - part["right"] < 2 * part["size"] and len(part["text"]) < 6:
            # The mark of a list's item is drawn behind its line.
            made[-1] = {**last, "left": part["left"], "text": part["text"] + " " + last["text"]}
        else:
            made.append(part)
    return made


def case_of(folder, held_out):
    return faces.Case(faces.catalogue(os.path.join(folder, "faces.json")), held_out)


def show(folder, count):
    """The first pages of the test as pictures with their regions, for inspection."""
    for number in range(count):
        pixels, regions, _, _ = pages.piece(case_of(folder, True), number, "test styles", styles.HELD_OUT)
        image = Image.fromarray(pixels).convert("RGB")
        ink = ImageDraw.Draw(image)
        for label, *box in regions:
            ink.rectangle(box, outline=(40 + 19 * int(label), 230 - 20 * int(label), 255 * (int(label) % 2)))
            ink.text((box[0], box[1] - 9), canvas.LABELS[int(label)], fill="red")
        image.save(os.path.join(folder, f"page-{number:03}.png"))


def _worker(first, step, folder, count):
    case = case_of(folder, False)
    for index in range(first, count, step):
        if not os.path.exists(path_of(folder, index)):
            write(path_of(folder, index), [layer(case, number) for number in range(index * PAGES, (index + 1) * PAGES)])
            print(f"file {index}", flush=True)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    faces.catalogue(os.path.join(folder, "faces.json"))
    if sys.argv[2] == "--test":
        case = case_of(folder, True)
        for name, (families, count) in TESTS.items():
            write(os.path.join(folder, f"lines-test-{name}.json"), [layer(case, number, "test " + name, families) for number in range(count)])
        return
    if sys.argv[2] == "--show":
        show(folder, int(sys.argv[3]))
        return
    count, workers = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    side_by_side(_worker, workers, folder, count)


if __name__ == "__main__":
    main()
