"""How well regions were found: F1 class by class."""

import numpy

from canvas import LABELS

# A found region is right where it shares this much (intersection over union) with one of its class.
SHARED = 0.5


def overlaps(box, others):
    """Intersection over union of one box with each of (n, 4)."""
    wide = numpy.minimum(box[2], others[:, 2]) - numpy.maximum(box[0], others[:, 0])
    high = numpy.minimum(box[3], others[:, 3]) - numpy.maximum(box[1], others[:, 1])
    shared = numpy.maximum(wide, 0) * numpy.maximum(high, 0)
    area = lambda boxes: (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])
    return shared / numpy.maximum(area(box) + area(others) - shared, 1e-6)


def counts(found, truth):
    """(right, found, true) by class of one page; each true region is found once, by the surest that fits."""
    made = numpy.zeros((3, len(LABELS)), dtype=int)
    taken = numpy.zeros(len(truth), dtype=bool)
    for row in found:
        made[1, int(row[0])] += 1
        fits = overlaps(row[1:5], truth[:, 1:5]) * (truth[:, 0] == row[0]) * ~taken if len(truth) else numpy.zeros(1)
        if fits.max() >= SHARED:
            taken[fits.argmax()] = True
            made[0, int(row[0])] += 1
    for row in truth:
        made[2, int(row[0])] += 1
    return made


def f1_of(made):
    return 2 * made[0] / numpy.maximum(made[1] + made[2], 1)


def sentence(made):
    f1 = f1_of(made)
    return f"F1 {f1.mean():.3f}: " + ", ".join(f"{name} {value:.2f} ({true})" for name, value, true in zip(LABELS, f1, made[2]))
