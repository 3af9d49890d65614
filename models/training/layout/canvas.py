"""A page being drawn: its ink, and the regions that are known of it. All lengths are pixels of the canvas, which is twice as large as what the network sees."""

import functools
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text"))

from PIL import Image, ImageDraw, ImageFont

import texts
import words

# Pixels of the page as the network sees it; A4 has some 61 to the inch. The page stands in the upper left corner, what is left over is white.
WIDTH, HEIGHT = 512, 704
SCALE = 2
# DocLayNet's classes (Pfitzmann et al. 2022), in the order of the network's answer.
LABELS = ["caption", "footnote", "formula", "list_item", "page_footer", "page_header", "picture", "section_header", "table", "text", "title"]
# Of the size of letters: how far they reach above and below their baseline.
ABOVE, BELOW = 0.74, 0.22
# A grey from which on a scan shows paper.
LIGHT = 190
BOLD = ("bold", "black", "heavy")


class Ink:
    """What is drawn beside text: into the image, unless `blind`, and as the boxes that a PDF would name: (left, top, right, bottom, kind, what of it a scan shows)."""

    STROKE, AREA, IMAGE = 0, 1, 2
    NOTHING, ALL, FRAME = 0, 1, 2

    def __init__(self, image, blind):
        self.image, self.blind, self.boxes = image, blind, []
        self.canvas = ImageDraw.Draw(image)

    def _add(self, points, kind, shown=ALL):
        across, down = ([*points[0::2]], [*points[1::2]]) if not isinstance(points[0], tuple) else zip(*points)
        self.boxes.append((min(across), min(down), max(across), max(down), kind, shown))

    def _draw(self, shape, points, kind, given):
        dark = {name for name in ("fill", "outline") if given.get(name) is not None and given[name] < LIGHT}
        self._add(points, kind, self.NOTHING if not dark else self.FRAME if shape == "rectangle" and "fill" not in dark else self.ALL)
        if not self.blind:
            getattr(self.canvas, shape)(points, **given)

    def line(self, points, **given):
        self._draw("line", points, self.STROKE, given)

    def rectangle(self, points, **given):
        self._draw("rectangle", points, self.STROKE if given.get("fill") is None else self.AREA, given)

    def ellipse(self, points, **given):
        self._draw("ellipse", points, self.STROKE if given.get("fill") is None else self.AREA, given)

    def pieslice(self, points, begin, end, **given):
        self._add(points, self.AREA, self.ALL if given["fill"] < LIGHT else self.NOTHING)
        if not self.blind:
            self.canvas.pieslice(points, begin, end, **given)

    def paste(self, image, corner):
        """A photograph."""
        self._add((*corner, corner[0] + image.width, corner[1] + image.height), self.IMAGE)
        self.image.paste(image, corner)


class Canvas:
    """`draw` is the page's own source of chance, `case` the faces that it may use, `paper` (width, height) in points. A `blind` one draws nothing and only knows what would stand where."""

    def __init__(self, draw, case, paper, dark=False, blind=False):
        self.draw, self.case = draw, case
        self.point = SCALE * min(WIDTH / paper[0], HEIGHT / paper[1])
        self.width, self.height = paper[0] * self.point, paper[1] * self.point
        self.image = Image.new("L", (SCALE * WIDTH, SCALE * HEIGHT), 255)
        self.ink = Ink(self.image, blind)
        self.regions, self.pieces = [], []
        self.language = words.language(draw)
        self.dark = dark
        if dark:
            self.ink.rectangle((0, 0, self.width, self.height), fill=draw.randint(0, 70))

    def face(self, family=None, bold=False, slanted=False):
        """A face that writes Western text; with `family`, another weight or slant of it where there is one."""
        while family is None:
            face = self.case.pick(self.draw, "Hamburg")
            if face is not None:
                return face
        faces = next(faces for faces in self.case.families if faces[0].family == family)
        wanted = [face for face in faces if bold == any(word in face.style.lower() for word in BOLD) and slanted == face.slanted]
        return self.draw.choice(wanted or faces)

    def region(self, label, left, top, right, bottom):
        """Marks what was drawn; what is off the page or nothing at all is left out."""
        left, top, right, bottom = max(0, left), max(0, top), min(self.width, right), min(self.height, bottom)
        if right - left >= 3 and bottom - top >= 3:
            self.regions.append((LABELS.index(label), left / SCALE, top / SCALE, right / SCALE, bottom / SCALE))

    def joined(self, first, box=None):
        """The pieces of text from number `first` on are one: a line. `box` is a formula's (left, top, right, bottom)."""
        parts = self.pieces[first:]
        if len(parts) > 1:
            main = max(parts, key=lambda part: len(part["text"]) * part["size"])
            del self.pieces[first:]
            self.pieces.append({**main, "left": min(part["left"] for part in parts), "right": max(part["right"] for part in parts), "text": " ".join(part["text"] for part in parts)})
            if box is not None:
                self.pieces[-1].update(top=box[1], bottom=box[3])

    def words(self, count, language=None):
        """So many words of running text."""
        language = language or self.language
        made = [texts.dressed(self.draw, words.word(self.draw, language), language) for _ in range(count)]
        if made:
            made[0] = texts.capital(made[0])
        return made


@functools.lru_cache(1000)
def _font(path, number, size):
    """Without kerning and ligatures: they are not visible at this size, and cost half of the time."""
    return ImageFont.truetype(path, size, index=number, layout_engine=ImageFont.Layout.BASIC)


class Type:
    """A face at a size, in one grey: what text is set in."""

    def __init__(self, face, size, fill=0):
        self.face, self.size, self.fill = face, max(6, round(size)), fill
        self.font = _font(face.path, face.number, self.size)
        self.space = self.font.getlength(" ") or 0.25 * self.size

    def fitting(self, text):
        return "".join(letter for letter in text if letter in self.face.characters).strip()

    def length(self, text):
        return self.font.getlength(text)

    def draw(self, page, x, baseline, text, fill=None):
        """Returns where the text ends."""
        end = x + self.font.getlength(text)
        if not page.ink.blind:
            page.ink.canvas.text((x, baseline), text, font=self.font, fill=self.fill if fill is None else fill, anchor="ls")
        if text:
            page.pieces.append({"left": x, "top": baseline - ABOVE * self.size, "right": end, "bottom": baseline + BELOW * self.size, "baseline": baseline, "size": self.size,
                                "bold": any(word in self.face.style.lower() for word in BOLD), "italic": self.face.slanted, "text": text})
        return end

    def wrapped(self, page, made, width, first=0):
        """Lines of words, the first one shorter by `first`: [(words, length without the gaps)]."""
        lines, line, used, room = [], [], 0.0, width - first
        for word in made:
            word = self.fitting(word)
            if not word:
                continue
            length = self.length(word)
            if line and used + length + self.space * len(line) > room:
                lines.append((line, used))
                line, used, room = [], 0.0, width
            if length > width:
                word = word[:max(1, int(len(word) * width / length))]
                length = self.length(word)
            line.append(word)
            used += length
        if line:
            lines.append((line, used))
        return lines
