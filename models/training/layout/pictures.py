"""Figures: photographs, plots, bars, pies, boxes with arrows, logos. Each fills the place that it is given and is one region."""

import math

import numpy
from PIL import Image

import defects
import texts

from canvas import Type


def _grey(page, low=0, high=230):
    return page.draw.randint(low, high)


def photograph(page, noise, box):
    left, top, right, bottom = map(int, box)
    draw, shape = page.draw, (bottom - top, right - left)
    grey = draw.uniform(50, 210) + defects._field(noise, shape, draw.uniform(0.05, 0.5) * max(shape)) * draw.uniform(20, 60) + defects._field(noise, shape, draw.uniform(2, 12)) * draw.uniform(0, 25)
    if draw.random() < 0.5:
        grey = grey + numpy.linspace(draw.uniform(-70, 70), draw.uniform(-70, 70), shape[0], dtype=numpy.float32)[:, None]
    page.ink.paste(Image.fromarray(numpy.clip(grey, 0, 255).astype(numpy.uint8)), (left, top))
    for _ in range(draw.choice((0, 1, 3, 6))):
        x, y, wide, high = draw.uniform(left, right), draw.uniform(top, bottom), draw.uniform(0.05, 0.4) * shape[1], draw.uniform(0.05, 0.5) * shape[0]
        where = (max(left, x - wide), max(top, y - high), min(right, x + wide), min(bottom, y + high))
        (page.ink.ellipse if draw.random() < 0.6 else page.ink.rectangle)(where, fill=_grey(page, 10, 250))


def _axes(page, box, small):
    """Draws the axes with their numbers; returns the plot's own box."""
    draw, ink = page.draw, page.ink
    left, top, right, bottom = box
    inner = (left + 3.2 * small.size, top + draw.choice((0.3, 1.6)) * small.size, right - 0.5 * small.size, bottom - draw.choice((1.5, 2.9)) * small.size)
    if inner[2] - inner[0] < 40 or inner[3] - inner[1] < 30:
        return box
    framed, thin = draw.random() < 0.4, max(1, round(page.point * 0.6))
    if draw.random() < 0.3:
        ink.rectangle(inner, fill=_grey(page, 215, 245))
    if framed:
        ink.rectangle(inner, outline=0, width=thin)
    else:
        ink.line((inner[0], inner[1], inner[0], inner[3]), fill=0, width=thin)
        ink.line((inner[0], inner[3], inner[2], inner[3]), fill=0, width=thin)
    grid = draw.random() < 0.4
    rows, columns = draw.randint(2, 6), draw.randint(2, 8)
    for i in range(rows + 1):
        y = inner[3] - (inner[3] - inner[1]) * i / rows
        number = small.fitting(texts.number(draw)[:4])
        small.draw(page, max(left, inner[0] - small.length(number) - 0.3 * small.size), y + 0.35 * small.size, number)
        if grid:
            ink.line((inner[0], y, inner[2], y), fill=190, width=1)
    for i in range(columns + 1):
        x = inner[0] + (inner[2] - inner[0]) * i / columns
        number = small.fitting(texts.number(draw)[:4])
        x = min(x - small.length(number) / 2, right - small.length(number))
        small.draw(page, x, inner[3] + 1.1 * small.size, number)
    if bottom - inner[3] > 2.5 * small.size:
        label = small.fitting(" ".join(page.words(2)))
        small.draw(page, max(left, (inner[0] + inner[2] - small.length(label)) / 2), bottom - 0.25 * small.size, label[:30])
    if draw.random() < 0.5:
        for number in range(draw.randint(1, 4)):
            y = inner[1] + (1.2 + 1.3 * number) * small.size
            x = inner[2] - 0.35 * (inner[2] - inner[0])
            if y < inner[3]:
                ink.line((x, y - 0.3 * small.size, x + small.size, y - 0.3 * small.size), fill=_grey(page, 0, 160), width=2)
                small.draw(page, x + 1.3 * small.size, y, small.fitting(" ".join(page.words(1)))[:10])
    return inner


def plot(page, noise, box, small):
    draw, ink = page.draw, page.ink
    left, top, right, bottom = _axes(page, box, small)
    for _ in range(draw.randint(1, 5)):
        steps = draw.choice((6, 12, 40, 90))
        level, rise, values = draw.uniform(0.1, 0.9), draw.gauss(0, 0.5), []
        for i in range(steps):
            level += draw.gauss(0, 0.5) / steps ** 0.7 + rise / steps
            values.append(min(1, max(0, level)))
        points = [(left + (right - left) * i / (steps - 1), bottom - (bottom - top) * value) for i, value in enumerate(values)]
        grey = _grey(page, 0, 150)
        if draw.random() < 0.75:
            ink.line(points, fill=grey, width=draw.randint(1, 4))
        if draw.random() < 0.4:
            for x, y in points[::max(1, steps // 15)]:
                ink.ellipse((x - 3, y - 3, x + 3, y + 3), fill=grey)


def bars(page, noise, box, small):
    draw, ink = page.draw, page.ink
    left, top, right, bottom = _axes(page, box, small)
    count, sets = draw.randint(3, 14), draw.choice((1, 1, 2, 3))
    greys = [_grey(page, 20, 220) for _ in range(sets)]
    wide = (right - left) / count
    for i in range(count):
        for one in range(sets):
            x = left + wide * (i + 0.15 + 0.7 * one / sets)
            ink.rectangle((x, bottom - (bottom - top) * draw.uniform(0.05, 1), x + 0.7 * wide / sets, bottom), fill=greys[one])


def pie(page, noise, box, small):
    draw, ink = page.draw, page.ink
    left, top, right, bottom = box
    side = min(right - left, bottom - top)
    x = left + draw.choice((0, 0.5, 1)) * (right - left - side)
    angle = 0
    while angle < 360:
        step = draw.uniform(15, 130)
        ink.pieslice((x, top, x + side, top + side), angle, min(360, angle + step), fill=_grey(page, 20, 245), outline=255)
        angle += step
    room = x - left if x - left > right - x - side else right - x - side
    if room > 5 * small.size:
        begin = left if x - left > right - x - side else x + side + small.size
        for number in range(draw.randint(2, 6)):
            y = top + side * 0.2 + number * 1.6 * small.size
            if y < bottom - small.size:
                ink.rectangle((begin, y - 0.6 * small.size, begin + 0.6 * small.size, y), fill=_grey(page))
                small.draw(page, begin + small.size, y, small.fitting(" ".join(page.words(2)))[:int(room / small.size)])
    else:
        page.ink.rectangle((left, top, right, bottom), outline=0)


def diagram(page, noise, box, small):
    """Boxes with words, in rows, and arrows between them."""
    draw, ink = page.draw, page.ink
    left, top, right, bottom = box
    rows, columns = draw.randint(1, 4), draw.randint(2, 5)
    wide, high, centres = (right - left) / columns, (bottom - top) / rows, []
    round_, fill = draw.random() < 0.3, draw.choice((None, _grey(page, 190, 245)))
    for row in range(rows):
        for column in range(columns):
            if draw.random() < 0.15:
                continue
            where = (left + wide * (column + 0.1), top + high * (row + 0.15), left + wide * (column + 0.9), top + high * (row + 0.85))
            if column == 0 and row == 0:
                where = (left, top, *where[2:])
            if column == columns - 1 and row == rows - 1:
                where = (*where[:2], right, bottom)
            (ink.ellipse if round_ else ink.rectangle)(where, fill=fill, outline=0, width=2)
            word = small.fitting(draw.choice(page.words(3)))[:max(1, int(0.8 * wide / (0.55 * small.size)))]
            small.draw(page, (where[0] + where[2] - small.length(word)) / 2, (where[1] + where[3]) / 2 + 0.35 * small.size, word)
            centres.append(where)
    for one, other in zip(centres, centres[1:]):
        if draw.random() < 0.8:
            if one[3] > other[1]:
                ink.line((one[2], (one[1] + one[3]) / 2, other[0], (other[1] + other[3]) / 2), fill=0, width=2)
            else:
                ink.line(((one[0] + one[2]) / 2, one[3], (other[0] + other[2]) / 2, other[1]), fill=0, width=2)


def drawing(page, noise, box):
    """Strokes, circles and patches, as a map or a machine's drawing."""
    draw, ink = page.draw, page.ink
    left, top, right, bottom = box
    if draw.random() < 0.6:
        ink.rectangle(box, outline=0, width=draw.choice((1, 2)))
    for _ in range(draw.randint(6, 24)):
        x, y, shape = draw.uniform(left, right), draw.uniform(top, bottom), draw.random()
        wide, high = min(right - x, x - left) * draw.random(), min(bottom - y, y - top) * draw.random()
        fill = draw.choice((None, None, None, _grey(page, 90, 240)))
        if shape < 0.25:
            ink.ellipse((x - wide, y - high, x + wide, y + high), outline=0, fill=fill, width=draw.choice((1, 2)))
        elif shape < 0.45:
            ink.rectangle((x - wide, y - high, x + wide, y + high), outline=0, fill=fill, width=draw.choice((1, 2)))
        else:
            angle, points = draw.uniform(0, 6.3), [(x, y)]
            for _ in range(draw.randint(3, 30)):
                angle += draw.gauss(0, 0.7)
                step = draw.uniform(0.02, 0.08) * (right - left)
                x, y = min(right, max(left, x + step * math.cos(angle))), min(bottom, max(top, y + step * math.sin(angle)))
                points.append((x, y))
            ink.line(points, fill=_grey(page, 0, 140), width=draw.randint(1, 3))


def figure(page, noise, box, face, kinds=None):
    """One picture in a box of at least 40 by 40 pixels; marks it."""
    draw = page.draw
    small = Type(face, draw.uniform(6, 9) * page.point)
    if page.dark or draw.random() < 0.15:
        page.ink.rectangle(box, fill=_grey(page, 225, 255))
    kind = kinds if kinds is not None else draw.choices((photograph, plot, bars, pie, diagram, drawing), (4, 4, 2.5, 1, 2, 2))[0]
    if kind in (photograph, drawing):
        kind(page, noise, box)
    else:
        kind(page, noise, box, small)
    page.region("picture", *box)


def logo(page, noise, left, top, size):
    """A mark of a company or a coat of arms; returns its right end."""
    draw, ink = page.draw, page.ink
    wide = size * draw.uniform(0.8, 3)
    for _ in range(draw.randint(2, 4)):
        x, grey = left + draw.uniform(0, wide - 0.3 * size), _grey(page, 0, 170)
        (ink.ellipse if draw.random() < 0.5 else ink.rectangle)((x, top + size * draw.uniform(0, 0.4), min(left + wide, x + size * draw.uniform(0.3, 1)), top + size), fill=grey)
    ink.line((left, top, left + wide, top), fill=_grey(page, 0, 170), width=3)
    ink.line((left, top + size, left + wide, top + size), fill=_grey(page, 0, 170), width=2)
    page.region("picture", left, top, left + wide, top + size)
    return left + wide
