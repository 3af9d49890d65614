"""One line of text as dark ink on white paper, with what is around it on a page: neighbouring lines, rules, underlines."""

from PIL import Image, ImageDraw


class Drawn:
    """`image` is grey, white paper; `baseline` and `em` in pixels say where the letters stand and how large they are."""

    def __init__(self, image, baseline, em, left, right):
        self.image, self.baseline, self.em, self.left, self.right = image, baseline, em, left, right


def _spaced(draw, canvas, face, text, size, x, baseline):
    """Words one by one with wider or narrower gaps, as in justified columns; sometimes letter by letter. Returns where the ink ends."""
    font = face.at(size)
    gap = font.getlength(" ") * draw.uniform(0.7, 2.2)
    tracking = size * draw.uniform(0.02, 0.22) if draw.random() < 0.25 else None
    for word in text.split(" "):
        if tracking is None:
            canvas.text((x, baseline), word, font=font, fill=0, anchor="ls")
            x += font.getlength(word) + gap
        else:
            for letter in word:
                canvas.text((x, baseline), letter, font=font, fill=0, anchor="ls")
                x += font.getlength(letter) + tracking
            x += gap
    return x - gap


def _small_caps(canvas, face, text, size, x, baseline):
    """What was a small letter is drawn as a smaller capital."""
    big, small = face.at(size), face.at(max(6, round(size * 0.78)))
    for part, font in _runs(text, big, small):
        canvas.text((x, baseline), part.upper(), font=font, fill=0, anchor="ls")
        x += font.getlength(part.upper())
    return x


def _runs(text, big, small):
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or text[end].islower() != text[start].islower():
            yield text[start:end], small if text[start].islower() else big
            start = end


def can_be_small_caps(face, text):
    upper = text.upper()
    return len(upper) == len(text) and face.has(upper) and upper != text and "ß" not in text and "µ" not in text


def line(draw, face, text, size, neighbour):
    """Draws `text` at `size` pixels; `neighbour` is a text for the lines above and below, or None. Returns (Drawn, the text as it is seen)."""
    font = face.at(size)
    margin = size
    width = int(font.getlength(text) * 1.1) + 2 * margin + 8
    style = draw.random()
    if style < 0.12:
        width = int(width * 2.6)
    image = Image.new("L", (width, 3 * size + 4), 255)
    canvas = ImageDraw.Draw(image)
    baseline = int(1.95 * size)
    x = margin + draw.random()
    if style < 0.12:
        end = _spaced(draw, canvas, face, text, size, x, baseline)
    elif style < 0.15 and can_be_small_caps(face, text):
        end = _small_caps(canvas, face, text, size, x, baseline)
        text = text.upper()
    else:
        canvas.text((x, baseline), text, font=font, fill=0, anchor="ls")
        end = x + font.getlength(text)
    if neighbour is not None:
        leading = size * draw.uniform(1.05, 1.45)
        start = x - draw.uniform(0, size)
        canvas.text((start, baseline - leading), neighbour, font=font, fill=0, anchor="ls")
        canvas.text((start, baseline + leading), neighbour[::-1], font=font, fill=0, anchor="ls")
    _rules(draw, canvas, size, baseline, x, end)
    return Drawn(image, baseline, size, x, end), text


def _rules(draw, canvas, size, baseline, left, right):
    thick = max(1, round(size * draw.uniform(0.03, 0.09)))
    kind = draw.random()
    if kind < 0.04:
        y = baseline + size * draw.uniform(0.08, 0.2)
        start = left + draw.choice([0, 0, draw.random() * (right - left)])
        canvas.line((start, y, right, y), fill=0, width=thick)
    elif kind < 0.06:
        y = baseline + size * draw.choice([-1, -1, 1]) * draw.uniform(0.85, 1.1)
        canvas.line((0, y, canvas.im.size[0], y), fill=0, width=thick)
    elif kind < 0.08:
        for place in (left - size * draw.uniform(0.3, 0.7), right + size * draw.uniform(0.3, 0.7))[draw.randint(0, 1):]:
            canvas.line((place, 0, place, canvas.im.size[1]), fill=0, width=thick)
