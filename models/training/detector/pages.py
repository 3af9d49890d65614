"""One drawn piece of a page from its number: pixels, and where its lines of text are, which way they go and how they lean."""

import math
import os
import random
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text"))

import numpy
from PIL import Image, ImageDraw, ImageFilter

import defects
import texts
import words

SEED = 20261122
# Pixels of the piece as the network sees it, about 96 to the inch; it is drawn twice as large.
SIDE = 512
SCALE = 2
CELL = 4


class Canvas:
    """A page being drawn: its ink, the cores of its lines, and the boxes of its text by the way that they go."""

    def __init__(self, draw, case, width, height):
        self.draw, self.case, self.width, self.height = draw, case, width, height
        self.image = Image.new("L", (width, height), 255)
        self.ink = ImageDraw.Draw(self.image)
        self.cores = Image.new("L", (width, height), 0)
        self.core = ImageDraw.Draw(self.cores)
        # 0: no text, 1: upright, 2..4: turned clockwise by 90, 180, 270 degrees.
        self.ways = Image.new("L", (width, height), 0)
        self.way = ImageDraw.Draw(self.ways)
        # (left, top, right, bottom, text) of what was drawn, before the page leans.
        self.said = []

    def face(self):
        while True:
            face = self.case.pick(self.draw, "Hamburg")
            if face is not None:
                return face

    def fitting(self, face, text):
        return "".join(letter for letter in text if letter in face.characters).strip()

    def text(self, face, size, x, baseline, text, fill=0):
        """Draws and marks one piece of a line; returns where it ends. Pieces outside the page are cut."""
        text = self.fitting(face, text)
        if not text:
            return x
        font = face.at(size)
        self.ink.text((x, baseline), text, font=font, fill=fill, anchor="ls")
        end = x + font.getlength(text)
        self.mark(x, end, baseline, size, text)
        return end

    def mark(self, left, right, baseline, size, text):
        """A line of upright text stands there."""
        self.core.rectangle((left, baseline - 0.46 * size, right, baseline), fill=255)
        self.way.rectangle((left - 0.1 * size, baseline - 0.74 * size, right + 0.1 * size, baseline + 0.22 * size), fill=1)
        self.said.append((left, baseline - 0.74 * size, right, baseline + 0.22 * size, text))

    def turned_text(self, face, size, x, y, text, quarter):
        """A word that runs up or down the page, as on an axis: `quarter` 1 is turned clockwise, 3 the other way."""
        text = self.fitting(face, text)
        if not text:
            return
        font = face.at(size)
        width, height = int(font.getlength(text)) + 4, int(1.1 * size) + 2
        ink, core = Image.new("L", (width, height), 0), Image.new("L", (width, height), 0)
        ImageDraw.Draw(ink).text((2, 0.8 * size), text, font=font, fill=255, anchor="ls")
        ImageDraw.Draw(core).rectangle((2, 0.34 * size, width - 2, 0.8 * size), fill=255)
        turn = Image.Transpose.ROTATE_270 if quarter == 1 else Image.Transpose.ROTATE_90
        ink, core = ink.transpose(turn), core.transpose(turn)
        self.image.paste(0, (x, y), ink)
        self.cores.paste(255, (x, y), core)
        self.way.rectangle((x, y, x + ink.width, y + ink.height), fill=1 + quarter)
        self.said.append((x, y, x + ink.width, y + ink.height, text))


def paragraph(page, face, size, left, right, top, bottom, fill=0, most=60):
    """Lines from `top` until `bottom`, justified or not; returns where the next thing may begin."""
    draw = page.draw
    leading = size * draw.uniform(1.08, 1.7)
    font = face.at(size)
    letters = max(3, int((right - left) / max(1, 0.48 * size)))
    justified = draw.random() < 0.55
    centred = not justified and draw.random() < 0.15
    y = top + size
    lines = draw.randint(1, most)
    for number in range(lines):
        if y > bottom:
            break
        text = page.fitting(face, texts.prose(draw, letters))
        while text and font.getlength(text) > right - left:
            text = text[:-max(1, len(text) // 12)].strip()
        if not text:
            continue
        last = number == lines - 1
        if last and draw.random() < 0.8:
            text = text[:max(4, int(len(text) * draw.random()))].strip()
        if justified and not last and text.count(" ") > 2:
            spare = (right - left - font.getlength(text)) / text.count(" ")
            x = left
            pieces = text.split(" ")
            if spare < size:
                space = font.getlength(" ") + spare
                for piece in pieces:
                    page.ink.text((x, y), piece, font=font, fill=fill, anchor="ls")
                    x += font.getlength(piece) + space
                page.mark(left, x - space, y, size, text)
                y += leading
                continue
        x = (left + right - font.getlength(text)) / 2 if centred else left
        page.text(face, size, x, y, text, fill)
        y += leading
    return y - leading + 0.3 * size


def table(page, face, size, left, right, top, bottom):
    draw = page.draw
    columns = draw.randint(2, 7)
    row = size * draw.uniform(1.25, 2.4)
    places = sorted(draw.uniform(left, right) for _ in range(columns - 1)) if draw.random() < 0.4 else [left + (right - left) * i / columns for i in range(1, columns)]
    edges = [left, *places, right]
    rows = draw.randint(2, 20)
    y, grid, thick = top, draw.choice(("none", "none", "rows", "all")), draw.choice((1, 1, 2, 3))
    for _ in range(rows):
        if y + row > bottom:
            break
        for begin, end in zip(edges, edges[1:]):
            if draw.random() < 0.12:
                continue
            text = page.fitting(face, texts.cell(draw, 0))[:max(1, int((end - begin) / (0.62 * size)))]
            shift = 0.3 * size if draw.random() < 0.7 else max(0, end - begin - face.at(size).getlength(text) - 0.3 * size)
            page.text(face, size, begin + shift, y + row - 0.4 * size, text)
        if grid != "none":
            page.ink.line((left, y, right, y), fill=0, width=thick)
        y += row
    if grid != "none":
        page.ink.line((left, y, right, y), fill=0, width=thick)
    if grid == "all":
        for x in edges:
            page.ink.line((x, top, x, y), fill=0, width=thick)
    return y + size


def curve(draw, left, right, top, bottom):
    """Points of a stroke that wanders, as a signature or a plot."""
    x, y, angle = draw.uniform(left, right), draw.uniform(top, bottom), draw.uniform(0, 6.3)
    points = []
    for _ in range(draw.randint(6, 60)):
        points.append((x, y))
        angle += draw.gauss(0, 0.8)
        step = draw.uniform(4, 30)
        x, y = min(right, max(left, x + step * math.cos(angle))), min(bottom, max(top, y + step * math.sin(angle)))
    return points


def figure(page, noise, left, right, top, bottom):
    """Bars, curves, boxes, or a photograph; with labels now and then, along the axes too."""
    draw, ink = page.draw, page.ink
    bottom = min(bottom, top + draw.uniform(0.3, 1.0) * (right - left))
    if bottom - top < 40 or right - left < 60:
        return bottom
    kind = draw.random()
    if kind < 0.35:
        rough = defects._field(noise, (int(bottom - top), int(right - left)), draw.uniform(4, 120))
        fine = noise.standard_normal(rough.shape, dtype=numpy.float32)
        grey = numpy.clip(draw.uniform(60, 200) + rough * draw.uniform(20, 70) + fine * draw.uniform(0, 30), 0, 255)
        page.image.paste(Image.fromarray(grey.astype(numpy.uint8)), (int(left), int(top)))
    else:
        for _ in range(draw.randint(2, 14)):
            one, other = sorted((draw.uniform(left, right), draw.uniform(left, right)))
            high, low = sorted((draw.uniform(top, bottom), draw.uniform(top, bottom)))
            shape = draw.random()
            fill, width = draw.choice((None, None, draw.randint(0, 240))), draw.randint(1, 5)
            if shape < 0.3:
                ink.rectangle((one, high, other, low), fill=fill, outline=0, width=width)
            elif shape < 0.5:
                ink.ellipse((one, high, other, low), fill=fill, outline=0, width=width)
            elif shape < 0.8:
                ink.line(curve(draw, left, right, top, bottom), fill=draw.randint(0, 120), width=width)
            else:
                for x in range(int(one), int(other), draw.randint(5, 30)):
                    ink.line((x, high, x, low), fill=draw.randint(0, 150), width=draw.randint(1, 3))
    face, size = page.face(), draw.randint(14, 28)
    if kind >= 0.35 or draw.random() < 0.3:
        for _ in range(draw.randint(0, 8)):
            page.text(face, size, draw.uniform(left, right - 30), draw.uniform(top + size, bottom), texts.cell(draw, 0)[:18], 0 if kind >= 0.35 else draw.choice((0, 255)))
        if draw.random() < 0.4:
            page.turned_text(face, size, int(left), int(draw.uniform(top, max(top + 1, bottom - 8 * size))), texts.heading(draw, 12), draw.choice((1, 3, 3)))
    return bottom + size


def banner(page, left, right, top, bottom):
    """Text on a dark or grey ground."""
    draw = page.draw
    size = draw.choice((18, 20, 22, 26, 32, 44, 60))
    height = size * draw.uniform(1.6, 9)
    ground = draw.randint(0, 130) if draw.random() < 0.75 else draw.randint(130, 220)
    page.ink.rectangle((left, top, right, top + height), fill=ground)
    fill = draw.randint(225, 255) if ground < 130 else draw.randint(0, 40)
    paragraph(page, page.face(), size, left + size, right - size, top + 0.3 * size, min(bottom, top + height) - 0.4 * size, fill, 8)
    return top + height + size


def _column(page, noise, left, right, face, size):
    """Things one below the other until the page is full."""
    draw = page.draw
    y, end = -draw.uniform(0, 3) * size, page.height + size
    if draw.random() < 0.3:
        y = draw.uniform(0, 0.5) * page.height
    while y < end:
        kind = draw.random()
        if kind < 0.6:
            y = paragraph(page, face, size, left, right, y, end)
        elif kind < 0.72:
            big = min(120, int(size * draw.uniform(1.1, 2.6)))
            text = texts.heading(draw, max(6, int((right - left) / big)))
            page.text(page.face() if draw.random() < 0.5 else face, big, left, y + 1.2 * big, text[:max(2, int((right - left) / (0.5 * big)))])
            y += 1.6 * big
        elif kind < 0.84:
            y = table(page, face if draw.random() < 0.6 else page.face(), size, left, right, y, end)
        elif kind < 0.92:
            y = figure(page, noise, left, right, y, end)
        else:
            y = banner(page, left, right, y, end)
        y += size * draw.choice((0, 0.3, 0.6, 1, 2, 6))
        if draw.random() < 0.06:
            y += draw.uniform(0.2, 0.8) * page.height


def _page(page, noise):
    draw = page.draw
    kind = draw.random()
    if kind < 0.05:
        if draw.random() < 0.7:
            figure(page, noise, 0, page.width, 0, page.height)
        for _ in range(draw.randint(0, 4)):
            page.ink.line(curve(draw, 0, page.width, 0, page.height), fill=draw.randint(0, 160), width=draw.randint(1, 12))
        return
    if kind < 0.15:
        for _ in range(draw.randint(1, 8)):
            size = draw.choice((16, 20, 24, 30, 40, 60, 90))
            page.text(page.face(), size, draw.uniform(0, page.width * 0.7), draw.uniform(size, page.height), texts.line(draw, 40))
        return
    size = max(13, min(48, round(21 * 2 ** draw.gauss(0, 0.4))))
    face = page.face()
    columns = draw.choice((1, 1, 1, 2, 2, 3))
    margin = draw.choice((0, 10, 40, 120))
    gutter = size * draw.uniform(0.8, 3)
    width = (page.width - 2 * margin - gutter * (columns - 1)) / columns
    for column in range(columns):
        left = margin + column * (width + gutter)
        if column > 0 and draw.random() < 0.2:
            page.ink.line((left - gutter / 2, 0, left - gutter / 2, page.height), fill=0, width=2)
        _column(page, noise, left, left + width, face, size)


def worn(draw, noise, image, strength):
    """A scan's defects at the network's own resolution; `defects` says what each of them is."""
    chance = lambda probability: draw.random() < probability * strength
    em = 11
    if chance(0.2):
        image = defects.strokes(draw, image)
    if chance(0.15):
        image = defects.broken(draw, noise, image, em)
    if chance(0.3):
        image = image.filter(ImageFilter.GaussianBlur(draw.uniform(0.3, 1.0)))
    if chance(0.5):
        image = defects.paper(draw, noise, image, em)
    if chance(0.3):
        image = defects.grain(draw, noise, image)
    if chance(0.12):
        image = defects.threshold(draw, image)
    if chance(0.25):
        image = defects.specks(draw, noise, image, em)
    if chance(0.3):
        image = defects.jpeg(draw, image)
    return image


def edges(draw, image):
    """The scanner's lid, the book's spine: a dark border on one or two sides."""
    canvas = ImageDraw.Draw(image)
    for _ in range(draw.randint(1, 2)):
        depth, grey = draw.randint(4, 60), draw.randint(0, 120)
        side = draw.randrange(4)
        box = ((0, 0, image.width, depth), (0, image.height - depth, image.width, image.height), (0, 0, depth, image.height), (image.width - depth, 0, image.width, image.height))[side]
        canvas.rectangle(box, fill=grey)


def piece(case, number, stage="train", width=SIDE, height=SIDE):
    """Piece `number`: (pixels (height, width) of bytes, cores (height / 4, width / 4) 0..255, ways of the same shape 0..4, degrees counter-clockwise by which lines lean).

    The same number always gives the same piece. It stands upright; the training turns it."""
    draw = random.Random(f"{SEED} page {stage} {number}")
    noise = numpy.random.Generator(numpy.random.SFC64(draw.getrandbits(64)))
    # Room for the corners of a page that leans.
    room = int(0.14 * max(width, height) * SCALE)
    page = Canvas(draw, case, SCALE * width + 2 * room, SCALE * height + 2 * room)
    _page(page, noise)
    kind = draw.random()
    degrees = 0.0 if kind < 0.3 else draw.gauss(0, 1.5) if kind < 0.6 else draw.uniform(-15, 15)
    degrees = max(-15.0, min(15.0, degrees))
    around = page.image
    cut = (room, room, room + SCALE * width, room + SCALE * height)
    turned = [layer.rotate(degrees, method, fillcolor=fill).crop(cut)
              for layer, method, fill in ((around, Image.Resampling.BILINEAR, 255), (page.cores, Image.Resampling.NEAREST, 0), (page.ways, Image.Resampling.NEAREST, 0))]
    image = turned[0].resize((width, height), Image.Resampling.BOX)
    cores = turned[1].resize((width // CELL, height // CELL), Image.Resampling.BOX)
    ways = turned[2].resize((width // CELL, height // CELL), Image.Resampling.NEAREST)
    if draw.random() < 0.08:
        edges(draw, image)
    if draw.random() < 0.8:
        image = worn(draw, noise, image, draw.uniform(0.4, 1.8))
    if draw.random() < 0.04:
        image = image.point(lambda value: 255 - value)
    return numpy.asarray(image), numpy.asarray(cores), numpy.asarray(ways), degrees
