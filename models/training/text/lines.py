"""One training line from its number: the text, its face, its defects, the crop that a detector would make, and the network's 32 rows."""

import random

import numpy
from PIL import Image

import alphabet
import defects
import draw as drawing
import texts

SEED = 20261122
HEIGHT = 32
# Longer lines teach nothing new, they only cost: the network has no memory beyond some letters.
WIDEST = 640


def normalise(pixels):
    """Grey (rows, columns) as the network sees it: paper 255, ink 0, white on black turned round.

    The 2nd and 98th percentile are the darkest and the lightest that count; paper is on the median's side, at the 80th percentile of what is lighter. Below 24 grey levels between
    ink and paper there is nothing to read, and the image stays flat."""
    low, middle, high = numpy.percentile(pixels, (2, 50, 98), method="lower").astype(numpy.int32)
    if middle - low < high - middle:
        pixels = 255 - pixels
        low, high = 255 - high, 255 - low
    light = int(numpy.percentile(pixels, 80, method="lower"))
    span = max(24, light - int(low))
    stretched = (pixels.astype(numpy.int32) - (light - span)) * 255 // span
    return numpy.clip(stretched, 0, 255).astype(numpy.uint8)


def columns_needed(text):
    """Of the network's output, of which one covers four pixels: one a letter, and one between two equal letters."""
    return len(text) + sum(one == other for one, other in zip(text, text[1:]))


def _rows(image, draw):
    """To 32 rows at the same proportions, by the mean over pixels when it gets smaller, which is what the reader does; now and then by another filter."""
    width = max(8, round(image.width * HEIGHT / image.height))
    shrinks = image.height > HEIGHT
    method = (Image.Resampling.BOX if shrinks else Image.Resampling.BILINEAR) if draw.random() < 0.7 else draw.choice([Image.Resampling.BICUBIC, Image.Resampling.BILINEAR, Image.Resampling.HAMMING])
    return image.resize((width, HEIGHT), method)


def _crop(draw, drawn, image, squeeze, tight):
    """What a detector cuts out: the box of the ink, or the line's band by its face's size; never exact."""
    em, baseline = drawn.em, drawn.baseline
    left = max(0, drawn.left * squeeze - em * draw.uniform(0.02, 0.4))
    right = min(image.width, drawn.right * squeeze + em * draw.uniform(0.02, 0.4))
    top, bottom = baseline - em * draw.uniform(0.79, 1.04), baseline + em * draw.uniform(0.2, 0.36)
    if tight is not None:
        top, bottom = tight[0] - em * draw.uniform(0.0, 0.14), tight[1] + em * draw.uniform(0.0, 0.14)
    top, bottom = max(0, round(top)), min(image.height, max(round(bottom), round(top) + 6))
    return image.crop((round(left), top, max(round(right), round(left) + 6), bottom))


def _strength(draw, stage):
    """Training: 0..2, most in the middle. The test's two halves: clean, or a scan's defects in full."""
    if stage == "clean":
        return 0.0
    if stage == "degraded":
        return draw.uniform(0.8, 2.0)
    if stage == "easy":
        return draw.choice([0.0, draw.uniform(0.1, 0.7)])
    return 0.0 if draw.random() < 0.2 else draw.uniform(0.2, 2.0)


def _size(draw, stage):
    """Pixels an em. The clean test is 8 to 12 points at 200 dpi."""
    if stage == "clean":
        return draw.randint(22, 33)
    if stage == "degraded":
        return draw.randint(18, 40)
    return max(13, min(56, round(27 * 2 ** draw.gauss(0, 0.5))))


def line(case, number, stage="train", longest=52):
    """Line `number` of a stage: (pixels of 32 rows, its text). `case` is faces.Case: of training, or of the test.

    Stages: `easy`, then `train`; `clean` and `degraded` are the test's. The same number always gives the same line."""
    draw = random.Random(f"{SEED} {stage} {number}")
    noise = numpy.random.Generator(numpy.random.SFC64(draw.getrandbits(64)))
    while True:
        text = texts.line(draw, longest)
        face = case.pick(draw, text)
        if face is None:
            continue
        strength, size = _strength(draw, stage), _size(draw, stage)
        if face.at(32).getlength(text) > WIDEST - 40:
            text = alphabet.written(text[:max(3, int(len(text) * (WIDEST - 60) / face.at(32).getlength(text)))])
            if not text:
                continue
        neighbour = texts.prose(draw, len(text)) if strength > 0 and draw.random() < 0.2 else None
        drawn, text = drawing.line(draw, face, text, size, neighbour)
        image, squeeze = drawn.image, 1.0
        tight = None
        if neighbour is None and draw.random() < 0.45:
            box = image.point(lambda value: 255 - value).getbbox()
            tight = None if box is None else (box[1], box[3])
        if strength > 0 and draw.random() < 0.5:
            image, squeeze = defects.lean(draw, image, drawn.baseline, drawn.em, strength)
        image = defects.apply(draw, noise, image, size, strength, unknown=stage == "degraded" and number % 10 == 0)
        if strength > 0 and draw.random() < 0.04:
            image = image.point(lambda value: 255 - value)
        pixels = normalise(numpy.asarray(_rows(_crop(draw, drawn, image, squeeze, tight), draw)))
        if pixels.shape[1] <= WIDEST and columns_needed(text) <= pixels.shape[1] // 4:
            return pixels, text
