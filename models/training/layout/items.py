"""What the line network sees: lines of text and clusters of what is drawn, each with its features, its neighbours and the pairs that may be one region. `src/convert/layout-network/items.ts` is its twin."""

import re

import numpy

MATHS = set("=<>≤≥≠≈≡∈→+−±×÷∑∏∫√∂∇∞·∪∩αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΦΨΩ²³¹^_|")
BULLET = re.compile(r"^[•·‣◦▪▫■□●○◆►▸➢✓☐☑»–—*-](?:\s|$)")
NUMBERED = re.compile(r"^(?:\(?(?:[0-9]{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\[[0-9]{1,3}\])(?:\s|$)")
OUTLINE = re.compile(r"^[0-9]{1,2}(?:\.[0-9]{1,2})*\.? ")
CAPTION = re.compile(r"^(?:figure|fig\.?|abbildung|abb\.|figura|table|tab\.|tabelle|tableau|tabla|tabella|tabela|tabulka|rysunek|obrázek) *[0-9]", re.IGNORECASE)
NOTE = re.compile(r"^(?:[0-9]{1,2}|[*†‡]) [^0-9]")
NUMBER = re.compile(r"^[-–— ]*(?:[a-z]+ )?[0-9]{1,4}(?: */ *[0-9]{1,4})?[-–— ]*$", re.IGNORECASE)
ADDRESS = re.compile(r"@|www\.|https?:|doi:", re.IGNORECASE)
EQUATION = re.compile(r"\([0-9]{1,2}(?:\.[0-9]{1,2})?\)$")
ENDS = (".", ":", ",", "-")
# Boxes no further apart than this, in ems, are one drawing.
TOUCHING = 0.35
# Distances beyond are all the same, in ems.
FAR = 8.0
# Lines whose sizes differ by less, as a share, look the same.
ALIKE = 0.06
# Features beyond are the same: coordinates of damaged files reach 1e38.
LARGEST = 16.0
FEATURES = 62
PAIR_FEATURES = 8


def em_of(lines):
    """The size of most letters of the page."""
    if not lines:
        return 8.0
    order = sorted(lines, key=lambda line: line["size"])
    half, seen = sum(len(line["text"]) for line in lines) / 2, 0
    for line in order:
        seen += len(line["text"])
        if seen >= half:
            return max(1.0, line["size"])
    return max(1.0, order[-1]["size"])


def clusters_of(drawn, width, height, em):
    """Boxes that touch as one: (left, top, right, bottom, strokes, areas, images). What fills the page is its ground."""
    boxes = [box for box in drawn if not (box[2] - box[0] > 0.85 * width and box[3] - box[1] > 0.85 * height)]
    made = [[*box[:4], int(box[4] == 0), int(box[4] == 1), int(box[4] == 2)] for box in boxes]
    reach = TOUCHING * em
    changed = True
    while changed:
        changed = False
        rest = []
        for box in made:
            for other in rest:
                if box[0] <= other[2] + reach and other[0] <= box[2] + reach and box[1] <= other[3] + reach and other[1] <= box[3] + reach:
                    other[:] = [min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]), box[4] + other[4], box[5] + other[5], box[6] + other[6]]
                    changed = True
                    break
            else:
                rest.append(box)
        made = rest
    return made


def _share(text, test):
    return sum(1 for letter in text if test(letter)) / max(1, len(text))


def text_features(text):
    letters = [letter for letter in text if letter.isalpha()]
    upper = sum(1 for letter in letters if letter.isupper()) / max(1, len(letters))
    first = text[:1]
    matches = [bool(pattern.search(text)) for pattern in (BULLET, NUMBERED, OUTLINE, CAPTION, NOTE, NUMBER, ADDRESS, EQUATION)]
    return [
        numpy.log1p(len(text)) / 4, numpy.log1p(text.count(" ")) / 3, len(letters) / max(1, len(text)), _share(text, lambda letter: "0" <= letter <= "9"), upper, _share(text, lambda letter: letter in MATHS),
        first.isalpha() and first.isupper(), first.isalpha() and not first.isupper(), "0" <= first <= "9" if first else False, *matches, *(text.endswith(end) for end in ENDS), "=" in text,
    ]


def style_shares(lines):
    """Of each line, (share of the page's letters in lines of its style, share of those in larger ones)."""
    if not lines:
        return []
    sizes, letters = numpy.array([line["size"] for line in lines]), numpy.array([len(line["text"]) for line in lines])
    weights = numpy.array([2 * bool(line["bold"]) + bool(line["italic"]) for line in lines])
    made = []
    for size, weight in zip(sizes, weights):
        alike = (numpy.abs(sizes - size) <= ALIKE * size) & (weights == weight)
        made.append([letters[alike].sum() / max(1, letters.sum()), letters[sizes > (1 + ALIKE) * size].sum() / max(1, letters.sum())])
    return made


class Items:
    """`boxes` (n, 4), `features` (n, FEATURES), `neighbours` (n, 5) above, below, left, right, around (-1: none), `pairs` (m, 2), `pair_features` (m, PAIR_FEATURES)."""

    def __init__(self, page):
        width, height, lines = page["width"], page["height"], page["lines"]
        em = em_of(lines)
        clusters = clusters_of(page["drawn"], width, height, em)
        self.lines, count = len(lines), len(lines) + len(clusters)
        self.boxes = numpy.array([[line["left"], line["top"], line["right"], line["bottom"]] for line in lines] + [cluster[:4] for cluster in clusters], dtype=numpy.float64).reshape(-1, 4)
        sizes = numpy.array([line["size"] for line in lines] + [em] * len(clusters))
        bold = numpy.array([line["bold"] for line in lines] + [False] * len(clusters))
        self.neighbours = numpy.full((count, 5), -1, dtype=int)
        gaps = numpy.full((count, 4), FAR)
        inside = self._containers(count, em)
        for i in range(count):
            self._look(i, inside, em, gaps)
        self.neighbours[:, 4] = inside
        rows = [int(((numpy.minimum(self.boxes[i, 3], self.boxes[:self.lines, 3]) - numpy.maximum(self.boxes[i, 1], self.boxes[:self.lines, 1])) > 0.5 * (self.boxes[i, 3] - self.boxes[i, 1])).sum()) for i in range(count)]
        bold_share = bold[:self.lines].mean() if lines else 0.0
        whole = [numpy.log1p(len(lines)) / 5, numpy.log1p(len(clusters)) / 4, width / (width + height), em * 40 / height, bold_share]
        shares = style_shares(lines)
        self.features = numpy.zeros((count, FEATURES))
        for i in range(count):
            left, top, right, bottom = self.boxes[i]
            made = [i < self.lines, left / width, top / height, right / width, bottom / height, (right - left) / width, (bottom - top) / height, numpy.log(max(0.1, (right - left) / em)) / 4, numpy.log(max(0.1, (bottom - top) / em)) / 4]
            if i < self.lines:
                line = lines[i]
                made += [numpy.log(max(0.1, line["size"] / em)) * 2, line["bold"], line["italic"], *shares[i], *text_features(line["text"]), 0, 0, 0, 0, 0, 0]
            else:
                _, _, _, _, strokes, areas, images = clusters[i - self.lines]
                held = int((inside == i).sum())
                made += [0, 0, 0, 0, 0, *[0] * 22, numpy.log1p(strokes) / 4, numpy.log1p(areas) / 4, images > 0, numpy.log1p(held) / 4, bottom - top < 0.4 * em, right - left < 0.4 * em]
            made += [*(gaps[i] / FAR), *self._alignment(i, sizes, bold, em), numpy.log1p(rows[i]) / 3, *whole]
            self.features[i] = numpy.clip(numpy.nan_to_num(numpy.array(made, dtype=float), nan=0.0), -LARGEST, LARGEST)
        self._pair(sizes, bold, em)

    def _containers(self, count, em):
        """The smallest cluster around each item's middle, or -1."""
        middles = (self.boxes[:, :2] + self.boxes[:, 2:]) / 2
        found = numpy.full(count, -1, dtype=int)
        area = (self.boxes[:, 2] - self.boxes[:, 0]) * (self.boxes[:, 3] - self.boxes[:, 1])
        for i in range(count):
            for j in range(self.lines, count):
                if j != i and area[j] > area[i] and self.boxes[j, 0] <= middles[i, 0] <= self.boxes[j, 2] and self.boxes[j, 1] <= middles[i, 1] <= self.boxes[j, 3] and (found[i] < 0 or area[j] < area[found[i]]):
                    found[i] = j
        return found

    def _look(self, i, inside, em, gaps):
        """The nearest items above, below, left and right: those beside it share half of the lower one's height, those above and below any width."""
        left, top, right, bottom = self.boxes[i]
        boxes = self.boxes
        wide = numpy.minimum(right, boxes[:, 2]) - numpy.maximum(left, boxes[:, 0])
        high = numpy.minimum(bottom, boxes[:, 3]) - numpy.maximum(top, boxes[:, 1])
        beside = high > 0.5 * numpy.minimum(bottom - top, boxes[:, 3] - boxes[:, 1])
        stacked = (wide > 0) & ~beside
        others = numpy.arange(len(boxes)) != i
        others &= (inside != i) & (numpy.arange(len(boxes)) != inside[i])
        middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
        sides = [(stacked & ((boxes[:, 1] + boxes[:, 3]) / 2 < middle_y), top - boxes[:, 3]), (stacked & ((boxes[:, 1] + boxes[:, 3]) / 2 >= middle_y), boxes[:, 1] - bottom),
                 (beside & ((boxes[:, 0] + boxes[:, 2]) / 2 < middle_x), left - boxes[:, 2]), (beside & ((boxes[:, 0] + boxes[:, 2]) / 2 >= middle_x), boxes[:, 0] - right)]
        for side, (there, gap) in enumerate(sides):
            fit = numpy.flatnonzero(there & others)
            if len(fit):
                best = fit[gap[fit].argmin()]
                self.neighbours[i, side] = best
                gaps[i, side] = min(FAR, max(-1.0, gap[best] / em))

    def _alignment(self, i, sizes, bold, em):
        """Against the item above and the one below: left and right ends, size, weight."""
        made = []
        for side in (0, 1):
            j = self.neighbours[i, side]
            if j < 0:
                made += [0, 0, 0, 0, 0]
                continue
            ends = [max(-FAR, min(FAR, value / em)) / FAR for value in (self.boxes[i, 0] - self.boxes[j, 0], self.boxes[i, 2] - self.boxes[j, 2])]
            made += [1, *ends, numpy.log(max(0.1, sizes[i] / sizes[j])) * 2, float(bold[i]) - float(bold[j])]
        return made

    def _pair(self, sizes, bold, em):
        pairs = set()
        for i, row in enumerate(self.neighbours):
            for side in range(5):
                if row[side] >= 0:
                    pairs.add((min(i, row[side]), max(i, row[side])))
        self.pairs = numpy.array(sorted(pairs), dtype=int).reshape(-1, 2)
        self.pair_features = numpy.zeros((len(self.pairs), PAIR_FEATURES))
        for number, (i, j) in enumerate(self.pairs):
            one, other = self.boxes[i], self.boxes[j]
            if (one[1] + one[3], one[0]) > (other[1] + other[3], other[0]):
                one, other = other, one
            down, across = other[1] - one[3], max(one[0], other[0]) - min(one[2], other[2])
            near = lambda value: max(-FAR, min(FAR, value / em)) / FAR
            self.pair_features[number] = [near(down), near(across), near(other[0] - one[0]), near(other[2] - one[2]), numpy.log(max(0.1, sizes[i] / sizes[j])) * 2, float(bold[i] != bold[j]), down < 0, (i >= self.lines) or (j >= self.lines)]


def truth_of(items, regions, labels):
    """(class of each item, len(labels) for none; the number of its region, -1 for none). Of what is drawn only tables and pictures are known."""
    classes, owners = numpy.full(len(items.boxes), len(labels), dtype=int), numpy.full(len(items.boxes), -1, dtype=int)
    drawn = (labels.index("table"), labels.index("picture"))
    order = sorted(range(len(regions)), key=lambda number: -(regions[number][3] - regions[number][1]) * (regions[number][4] - regions[number][2]))
    for number in order:
        label, left, top, right, bottom = regions[number]
        x, y = (items.boxes[:, 0] + items.boxes[:, 2]) / 2, (items.boxes[:, 1] + items.boxes[:, 3]) / 2
        there = (x >= left - 1) & (x <= right + 1) & (y >= top - 1) & (y <= bottom + 1)
        if label not in drawn:
            there[items.lines:] = False
        classes[there], owners[there] = label, number
    return classes, owners
