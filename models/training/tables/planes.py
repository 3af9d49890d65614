"""A table as the network sees it, and the truth as it should answer. The program draws the same picture from the words of a page: src/convert/tables/network/picture.ts."""

import math

import numpy

# Pixels of the picture for a size of the text (the words' median); margin around the words in such sizes; sides are multiples of EVEN.
ACROSS, DOWN, MARGIN, EVEN = 4, 8, 1, 4
# The network's answers have half of the picture's pixels in each direction.
STRIDE = 2
# A word's box: from its baseline up, in sizes.
HIGH = 0.7
# Red: words, bold ones brighter. Green: what a word begins with, and over its last TAIL of a size (at most half of it) how it ends. Blue: rules and shades.
PLAIN, BOLD, RULE, SHADE = 170, 255, 255, 64
DIGIT, CAPITAL, SMALL, OTHER = 255, 170, 85, 40
TAIL, STOP, OPEN, GOES_ON = 0.5, 255, 110, 30


def beginning(text):
    """The green of a word."""
    for letter in text:
        if letter.isdigit():
            return DIGIT
        if letter.isalpha():
            return SMALL if letter.islower() else CAPITAL
    return OTHER


def ending(text):
    """The green of a word's end: STOP where a sentence may end, GOES_ON where it cannot, OPEN for the rest."""
    bare = text.rstrip(")]}\"'”’»›“")
    return STOP if bare[-1:] in tuple(".!?;:…") else GOES_ON if bare[-1:] in tuple(",-–—/(") else OPEN


def median(values):
    """The lower of the two in the middle."""
    return sorted(values)[(len(values) - 1) // 2]


class Picture:
    """(height, width, 3) bytes of a table, and the way from points to its pixels. `zoom` is 1 for what the program draws."""

    def __init__(self, words, rules, shades, zoom=1):
        self.em = median([word.size for word in words]) / zoom
        self.left = min(word.left for word in words) - MARGIN * self.em
        self.top = min(word.baseline - HIGH * word.size for word in words) - MARGIN * self.em
        right = max(word.right for word in words) + MARGIN * self.em
        bottom = max(word.baseline for word in words) + MARGIN * self.em
        even = lambda pixels: EVEN * math.ceil(pixels / EVEN)
        self.width, self.height = even((right - self.left) * ACROSS / self.em), even((bottom - self.top) * DOWN / self.em)
        self.pixels = numpy.zeros((self.height, self.width, 3), numpy.uint8)
        for shade in shades:
            self.fill(2, SHADE, shade.left, shade.top, shade.right, shade.bottom)
        for rule in rules:
            self.rule(rule)
        for word in words:
            top = word.baseline - HIGH * min(1.5 * self.em, max(0.7 * self.em, word.size))
            self.fill(0, BOLD if word.bold else PLAIN, word.left, top, word.right, word.baseline)
            tail = word.right - min(TAIL * self.em, 0.5 * (word.right - word.left))
            self.fill(1, beginning(word.text), word.left, top, tail, word.baseline)
            self.fill(1, ending(word.text), tail, top, word.right, word.baseline)

    def x(self, at):
        return (at - self.left) * ACROSS / self.em

    def y(self, at):
        return (at - self.top) * DOWN / self.em

    def fill(self, plane, value, left, top, right, bottom):
        """As much of the value as of the pixel is covered; the brighter one stays."""
        self._cover(plane, value, self.x(left), self.y(top), self.x(right), self.y(bottom))

    def rule(self, rule):
        """One pixel thick, around its middle."""
        if rule.horizontal:
            self._cover(2, RULE, self.x(rule.start), self.y(rule.position) - 0.5, self.x(rule.end), self.y(rule.position) + 0.5)
        else:
            self._cover(2, RULE, self.x(rule.position) - 0.5, self.y(rule.start), self.x(rule.position) + 0.5, self.y(rule.end))

    def _cover(self, plane, value, left, top, right, bottom):
        left, right, top, bottom = max(0.0, left), min(self.width, right), max(0.0, top), min(self.height, bottom)
        if right <= left or bottom <= top:
            return
        x0, x1, y0, y1 = math.floor(left), math.ceil(right), math.floor(top), math.ceil(bottom)
        columns, rows = numpy.arange(x0, x1), numpy.arange(y0, y1)
        across = numpy.minimum(right, columns + 1) - numpy.maximum(left, columns)
        down = numpy.minimum(bottom, rows + 1) - numpy.maximum(top, rows)
        covered = numpy.floor(value * down[:, None] * across[None, :] + 0.5).astype(numpy.uint8)
        part = self.pixels[y0:y1, x0:x1, plane]
        numpy.maximum(part, covered, out=part)


def _gap(low, high, around, count):
    """Pixels of an answer from `low` to `high`: those whose middle lies there, at least the one at `around`."""
    first, last = max(0, math.ceil(low - 0.5)), min(count - 1, math.floor(high - 0.5))
    if last < first:
        first = last = min(count - 1, max(0, math.floor(around)))
    return first, last + 1


class Truth:
    """Of the network's answers, 0 or 1: rows (h), heads (h), columns (w) and spans (2, h, w) with the weight of each (2, h, w): to the right, down."""

    def __init__(self, table, picture):
        height, width = picture.height // STRIDE, picture.width // STRIDE
        self.rows, self.heads, self.columns = numpy.zeros(height, numpy.float32), numpy.zeros(height, numpy.float32), numpy.zeros(width, numpy.float32)
        self.spans, self.weights = numpy.zeros((2, height, width), numpy.float32), numpy.zeros((2, height, width), numpy.float32)
        made = table.contents
        ink = [[math.inf, math.inf, -math.inf, -math.inf] for _ in made.cells]
        for word in table.words:
            box = ink[word.cell]
            box[:] = [min(box[0], word.left), min(box[1], word.baseline - HIGH * word.size), max(box[2], word.right), max(box[3], word.baseline)]
        x = [picture.x(at) / STRIDE for at in table.x]
        y = [picture.y(at) / STRIDE for at in table.y]
        gaps_x, gaps_y = [], []
        for at in range(1, made.columns):
            low = max((box[2] for cell, box in zip(made.cells, ink) if cell.column + cell.columns == at), default=-math.inf)
            high = min((box[0] for cell, box in zip(made.cells, ink) if cell.column == at), default=math.inf)
            low, high = max(picture.x(low) / STRIDE, x[at - 1]) if low > -math.inf else x[at], min(picture.x(high) / STRIDE, x[at + 1]) if high < math.inf else x[at]
            gaps_x.append(_gap(low, high, (low + high) / 2, width))
        reach = 1.2 * DOWN / STRIDE
        for at in range(1, made.rows):
            low = max((box[3] for cell, box in zip(made.cells, ink) if cell.row + cell.rows == at), default=-math.inf)
            high = min((box[1] for cell, box in zip(made.cells, ink) if cell.row == at), default=math.inf)
            low, high = max(picture.y(low) / STRIDE if low > -math.inf else y[at], y[at] - reach), min(picture.y(high) / STRIDE if high < math.inf else y[at], y[at] + reach)
            gaps_y.append(_gap(low, high, (low + high) / 2, height))
        for first, last in gaps_x:
            self.columns[first:last] = 1
        for first, last in gaps_y:
            self.rows[first:last] = 1
        if made.heads > 0:
            self.heads[:max(0, math.floor(y[made.heads] + 0.5))] = 1
        for cell in made.cells:
            top, bottom = max(0, math.floor(y[cell.row])), max(0, math.ceil(y[cell.row + cell.rows]))
            left, right = max(0, math.floor(x[cell.column])), max(0, math.ceil(x[cell.column + cell.columns]))
            for at in range(cell.column + 1, cell.column + cell.columns):
                first, last = gaps_x[at - 1]
                self.spans[0, top:bottom, first:last] = 1
            for at in range(cell.row + 1, cell.row + cell.rows):
                first, last = gaps_y[at - 1]
                self.spans[1, first:last, left:right] = 1
        for first, last in gaps_x:
            self.weights[0, max(0, math.floor(y[0])):math.ceil(y[-1]), first:last] = 1 / (last - first)
        for first, last in gaps_y:
            self.weights[1, first:last, max(0, math.floor(x[0])):math.ceil(x[-1])] = 1 / (last - first)
