"""Pages that are hard to find text on, with the words that stand there: python3 hard.py FOLDER [COUNT of each kind]. For `npm run bench -- ocr`; faces that training never draws."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy
from PIL import Image, ImageFilter

import pages
import defects
import faces

SEED = 20261123
DPI = 192
SIDE, MARGIN = 1500, 130
KINDS = ("leaning", "boxes", "figures", "photographs", "noise")


def _column(page, noise, kind, left, right):
    draw = page.draw
    face, size = page.face(), draw.randint(19, 30)
    y, end = MARGIN, SIDE - MARGIN
    while y < end - 3 * size:
        choice = draw.random()
        if kind == "boxes" and choice < 0.55:
            y = pages.banner(page, left, right, y, end)
        elif kind == "figures" and choice < 0.5:
            y = pages.figure(page, noise, left, right, y, end)
        elif choice > 0.85:
            y = pages.table(page, face, size, left, right, y, end)
        else:
            y = pages.paragraph(page, face, size, left, right, y, end, 0, draw.randint(3, 9))
        y += size * draw.choice((0.6, 1, 2))


def _photograph(draw, noise, image):
    """As a camera sees a sheet: seen from the side, lit from one side, on a table."""
    width, height = image.size
    ground = numpy.clip(draw.uniform(40, 120) + defects._field(noise, (height, width), 60) * 20 + noise.standard_normal((height, width), dtype=numpy.float32) * 8, 0, 255)
    away = lambda: draw.uniform(0, 0.06)
    corners = (-away() * width, -away() * height, -away() * width, (1 + away()) * height, (1 + away()) * width, (1 + away()) * height, (1 + away()) * width, -away() * height)
    sheet = image.transform((width, height), Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor=0)
    there = Image.new("L", (width, height), 255).transform((width, height), Image.Transform.QUAD, corners, Image.Resampling.NEAREST, fillcolor=0)
    light = numpy.linspace(draw.uniform(0.45, 1), draw.uniform(0.45, 1), width, dtype=numpy.float32)[None] * numpy.linspace(draw.uniform(0.6, 1), 1, height, dtype=numpy.float32)[:, None]
    seen = numpy.where(numpy.asarray(there) > 0, 20 + numpy.asarray(sheet, dtype=numpy.float32) * 0.85 * light, ground)
    seen += noise.standard_normal(seen.shape, dtype=numpy.float32) * draw.uniform(2, 9)
    return defects.jpeg(draw, Image.fromarray(numpy.clip(seen, 0, 255).astype(numpy.uint8)).filter(ImageFilter.GaussianBlur(draw.uniform(0.4, 1.1))))


def page(case, kind, number):
    """(an image at 192 dots per inch, the texts that stand on it). The same kind and number always give the same page."""
    draw = random.Random(f"{SEED} hard {kind} {number}")
    noise = numpy.random.Generator(numpy.random.SFC64(draw.getrandbits(64)))
    canvas = pages.Canvas(draw, case, SIDE, SIDE)
    columns = draw.choice((1, 2))
    width = (SIDE - 2 * MARGIN - 60 * (columns - 1)) / columns
    for column in range(columns):
        left = MARGIN + column * (width + 60)
        _column(canvas, noise, kind, left, left + width)
    image = canvas.image
    said = [text for left, top, right, bottom, text in canvas.said if left >= 0 and top >= 0 and right <= SIDE and bottom <= SIDE]
    if kind == "leaning":
        image = image.rotate(draw.choice((-1, 1)) * draw.uniform(4, 15), Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    if kind == "photographs":
        image = _photograph(draw, noise, image)
    elif kind == "noise":
        image = pages.worn(draw, noise, image.filter(ImageFilter.GaussianBlur(draw.uniform(0.3, 1))), 2.5)
    elif draw.random() < 0.5:
        image = pages.worn(draw, noise, image, 0.8)
    return image, said


def main():
    folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8
    os.makedirs(folder, exist_ok=True)
    case = faces.Case(faces.catalogue(os.path.join(folder, "faces.json")), held_out=True)
    for kind in KINDS:
        for number in range(count):
            image, said = page(case, kind, number)
            name = os.path.join(folder, f"{kind}-{number:02}")
            image.save(name + ".png", dpi=(DPI, DPI))
            with open(name + ".json", "w") as file:
                json.dump(said, file, ensure_ascii=False)
            print(f"{name}: {len(said)} lines", flush=True)


if __name__ == "__main__":
    main()
