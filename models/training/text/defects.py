"""What printing, ageing and scanning do to a line of text. All of it works on a grey image at the scan's own resolution."""

import io

import numpy
from PIL import Image, ImageChops, ImageFilter


def lean(draw, image, baseline, em, strength):
    """A rest of the page's lean, a slant, and letters narrower or wider. The line's middle stays where it is."""
    width, height = image.size
    angle = draw.gauss(0, 0.006) * strength
    slant = draw.choice([0, 0, draw.uniform(-0.15, 0.25)])
    squeeze = draw.choice([1.0, draw.uniform(0.82, 1.22)])
    middle = width / 2
    new_width = int(width * squeeze) + 1
    # Output (x, y) is taken from input (a x + b y + c, d x + e y + f).
    a = 1 / squeeze
    rise = max(-0.35 * em, min(0.35 * em, angle * middle)) / middle
    return image.transform((new_width, height), Image.Transform.AFFINE, (a, slant, -slant * baseline, rise * a, 1, -rise * middle), Image.Resampling.BILINEAR, fillcolor=255), squeeze


def strokes(draw, image):
    """Bolder or thinner strokes, by up to a pixel."""
    grown = image.filter(ImageFilter.MinFilter(3) if draw.random() < 0.55 else ImageFilter.MaxFilter(3))
    return Image.blend(image, grown, draw.uniform(0.15, 0.75))


def _field(noise, shape, cell):
    """Smooth noise of about unit deviation: a coarse grid, drawn out."""
    rows, columns = max(2, int(shape[0] / cell) + 2), max(2, int(shape[1] / cell) + 2)
    grid = Image.fromarray(noise.standard_normal((rows, columns), dtype=numpy.float32))
    return numpy.asarray(grid.resize((shape[1], shape[0]), Image.Resampling.BICUBIC))


def broken(draw, noise, image, em):
    """Letters lose parts: ink that did not take, or a threshold that ate thin strokes."""
    pixels = numpy.asarray(image, dtype=numpy.float32)
    holes = _field(noise, pixels.shape, draw.uniform(0.08, 0.3) * em)
    lost = numpy.clip((holes - draw.uniform(1.3, 2.2)) * 3, 0, 1) * draw.uniform(0.5, 1)
    return Image.fromarray((pixels + (255 - pixels) * lost).astype(numpy.uint8))


def bled(draw, image):
    """Ink that ran into the paper."""
    return ImageChops.darker(image, image.filter(ImageFilter.GaussianBlur(draw.uniform(0.6, 1.6))))


def coarse(draw, image, em):
    """Scanned at a lower resolution, then enlarged by the program that made the file."""
    scale = max(0.3, min(1.0, draw.uniform(10, 18) / em))
    small = image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))), Image.Resampling.BOX)
    return small.resize(image.size, draw.choice([Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.NEAREST]))


def paper(draw, noise, image, em):
    """Grey or yellowed paper, shading, stains, faded ink, and the other side shining through."""
    pixels = numpy.asarray(image, dtype=numpy.float32) / 255
    height, width = pixels.shape
    light, dark = draw.uniform(150, 255), draw.uniform(0, 95)
    if draw.random() < 0.35:
        light = light + _field(noise, pixels.shape, draw.uniform(1, 8) * em) * draw.uniform(2, 14)
    if draw.random() < 0.3:
        dark = dark + _field(noise, pixels.shape, draw.uniform(0.3, 3) * em) * draw.uniform(4, 22)
    if draw.random() < 0.3:
        light = light + numpy.linspace(draw.uniform(-40, 0), draw.uniform(-40, 0), width, dtype=numpy.float32)
    if draw.random() < 0.25:
        other = numpy.asarray(image.filter(ImageFilter.GaussianBlur(draw.uniform(0.8, 2.5))), dtype=numpy.float32)[:, ::-1] / 255
        shift = int(draw.uniform(-0.6, 0.6) * em)
        light = light - (1 - numpy.roll(other, (shift, shift * 2), (0, 1))) * draw.uniform(10, 55)
    return Image.fromarray(numpy.clip(dark + (light - dark) * pixels, 0, 255).astype(numpy.uint8))


def grain(draw, noise, image):
    """The sensor's noise, fine or in blots."""
    shape = (image.height, image.width)
    fine = noise.standard_normal(shape, dtype=numpy.float32) if draw.random() < 0.6 else _field(noise, shape, 2)
    return Image.fromarray(numpy.clip(numpy.asarray(image, dtype=numpy.float32) + fine * draw.uniform(3, 26), 0, 255).astype(numpy.uint8))


def specks(draw, noise, image, em):
    """Dirt and dropouts."""
    pixels = numpy.array(image)
    count = int(draw.uniform(0, 0.012) * pixels.size / max(1, em / 16))
    rows, columns = noise.integers(0, pixels.shape[0], count), noise.integers(0, pixels.shape[1], count)
    value = noise.choice(numpy.array([0, 255], dtype=numpy.uint8), count)
    pixels[rows, columns] = value
    if em > 24:
        pixels[numpy.minimum(rows + 1, pixels.shape[0] - 1), columns] = value
    return Image.fromarray(pixels)


def threshold(draw, image):
    """Black and white as fax machines and old scanners make it."""
    low, high = image.getextrema()
    level = low + (high - low) * draw.uniform(0.32, 0.72)
    return image.point(lambda value: 255 if value > level else 0)


def jpeg(draw, image):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=draw.randint(12, 75))
    return Image.open(file).convert("L")


def halftone(draw, image):
    """Grey as a pattern of dots. Only the test's lines have it: a defect that training does not know."""
    return image.filter(ImageFilter.GaussianBlur(0.6)).point(lambda value: 40 + value * 0.8).convert("1").convert("L").filter(ImageFilter.GaussianBlur(draw.uniform(0.5, 0.9)))


def apply(draw, noise, image, em, strength, unknown=False):
    """`strength` 0 leaves the image, 1 is a good scan, 2 a bad one. Returns a grey image of the same size. `unknown` adds what only the test has."""
    if strength <= 0:
        return image
    often = 0.12 + 0.14 * strength
    chance = lambda probability: draw.random() < probability
    if chance(often):
        image = strokes(draw, image)
    if chance(often * 0.5):
        image = broken(draw, noise, image, em)
    if chance(often * 0.4):
        image = bled(draw, image)
    if chance(often):
        image = image.filter(ImageFilter.GaussianBlur(draw.uniform(0.3, 0.35 + 0.024 * em * strength)))
    if chance(often * 0.8):
        image = coarse(draw, image, em)
    if chance(often * 1.6):
        image = paper(draw, noise, image, em)
    if unknown:
        image = halftone(draw, image)
    if chance(often):
        image = grain(draw, noise, image)
    if chance(often * 0.45):
        image = threshold(draw, image)
    if chance(often * 0.5):
        image = specks(draw, noise, image, em)
    if chance(often):
        image = jpeg(draw, image)
    return image
