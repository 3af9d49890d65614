"""What stands on a page: text in lines, lists, tables, formulas, captions. Each is drawn from a top to where it ends, and marks its region."""

import texts

from canvas import ABOVE, BELOW, Type


def lines(page, label, type_, rows, left, right, top, leading, align="left", first=0, last=True, mark=True):
    """Draws wrapped rows from `top` on; returns (bottom, left and right end of the ink). `first` indents the first row; the last one of a paragraph is not justified."""
    y = top + ABOVE * type_.size
    least, most = right, left
    for number, (row, used) in enumerate(rows):
        before = len(page.pieces)
        begin = left + (first if number == 0 else 0)
        gaps = len(row) - 1
        natural = used + gaps * type_.space
        if align == "justify" and gaps > 0 and not (last and number == len(rows) - 1) and natural > 0.6 * (right - begin):
            gap, x = (right - begin - used) / gaps, begin
            for word in row:
                x = type_.draw(page, x, y, word) + gap
            end = right
        else:
            begin = (left + right - natural) / 2 if align == "centre" else right - natural if align == "right" else begin
            end = type_.draw(page, begin, y, " ".join(row))
        page.joined(before)
        least, most = min(least, begin), max(most, end)
        y += leading
    bottom = y - leading + BELOW * type_.size
    if mark and rows:
        page.region(label, least, top, most, bottom)
    return bottom, least, most


def text(page, label, type_, made, left, right, top, leading, align="left", first=0):
    """A block that is not broken: returns its bottom."""
    return lines(page, label, type_, type_.wrapped(page, made, right - left, first), left, right, top, leading, align, first)[0]


def height(type_, rows, leading):
    return (len(rows) - 1) * leading + (ABOVE + BELOW) * type_.size if rows else 0


class Table:
    """A grid of texts, measured before it is drawn. `look` has the rules, the shading and where cells stand."""

    def __init__(self, page, look, type_, bold, width):
        draw = page.draw
        self.page, self.look, self.type, self.bold = page, look, type_, bold
        columns = draw.choice((2, 3, 3, 4, 4, 5, 5, 6, 7, 8))
        columns = max(2, min(columns, int(width / (3.2 * type_.size))))
        rows = draw.choice((2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 26))
        self.pad = type_.size * draw.uniform(0.25, 0.7)
        self.leading = type_.size * draw.uniform(1.05, 1.3)
        numeric = [column > 0 and draw.random() < 0.65 for column in range(columns)]
        self.align = ["right" if number and draw.random() < 0.6 else draw.choice(("left", "left", "centre")) for number in numeric]
        wide = width if look["full"] else width * draw.uniform(0.45, 1)
        shares = [draw.uniform(0.6, 1) if number else draw.uniform(0.8, 2.2) for number in numeric]
        self.widths = [wide * share / sum(shares) for share in shares]
        self.cells = []
        for row in range(rows + 1):
            made = []
            for column, number in enumerate(numeric):
                room = self.widths[column] - 2 * self.pad
                if row == 0:
                    content = page.words(draw.choice((1, 1, 2, 3)))
                elif draw.random() < look["empty"]:
                    content = []
                elif number:
                    content = [draw.choice((texts.number, texts.number, texts.quantity, texts.date))(draw)]
                else:
                    content = page.words(draw.choice((1, 2, 2, 3) if look["short"] else (2, 4, 6, 10)))
                made.append((bold if row == 0 and look["bold"] else type_).wrapped(page, content, max(room, type_.size))[:4])
            self.cells.append(made)
        self.gap = type_.size * draw.uniform(*look["gap"])
        self.heights = [max(max(len(cell) for cell in row), 1) * self.leading + self.gap for row in self.cells]

    def fit(self, most):
        """Leaves out rows until it is no higher than `most`; False where fewer than two rows are left."""
        while len(self.heights) > 2 and sum(self.heights) > most:
            self.heights.pop()
            self.cells.pop()
        return len(self.heights) > 2 and sum(self.heights) <= most

    def draw(self, left, top, label="table"):
        page, look, ink = self.page, self.look, self.page.ink
        edges = [left]
        for width in self.widths:
            edges.append(edges[-1] + width)
        right, y = edges[-1], top
        thin = max(1, round(page.point * look["thin"]))
        least, most, bottom_ink = right, left, top
        first_ink = None
        for number, (row, high) in enumerate(zip(self.cells, self.heights)):
            type_ = self.bold if number == 0 and look["bold"] else self.type
            fill = type_.fill
            if number == 0 and look["head"] is not None:
                ink.rectangle((left, y, right, y + high), fill=look["head"])
                fill = 255 if look["head"] < 130 else fill
            elif number > 0 and number % 2 == look["zebra"]:
                ink.rectangle((left, y, right, y + high), fill=look["tint"])
            for column, cell in enumerate(row):
                from_, to = edges[column] + self.pad, edges[column + 1] - self.pad
                shift = (high - len(cell) * self.leading) / 2 if look["middle"] else self.gap / 2
                base = y + shift + ABOVE * type_.size + 0.1 * type_.size
                for words, used in cell:
                    natural = used + (len(words) - 1) * type_.space
                    x = {"left": from_, "right": to - natural, "centre": (from_ + to - natural) / 2}[self.align[column]]
                    end = type_.draw(page, x, base, " ".join(words), fill)
                    least, most = min(least, x), max(most, end)
                    first_ink = base - ABOVE * type_.size if first_ink is None else first_ink
                    bottom_ink = max(bottom_ink, base + BELOW * type_.size)
                    base += self.leading
            rules = look["rules"]
            y += high
            if rules in ("all", "rows") or number == 0 and rules in ("head", "book"):
                ink.line((left, y, right, y), fill=look["grey"], width=thin)
        if look["rules"] in ("all", "book", "outer", "rows"):
            thick = thin * (2 if look["rules"] == "book" else 1)
            ink.line((left, top, right, top), fill=look["grey"], width=thick)
            ink.line((left, y, right, y), fill=look["grey"], width=thick)
        if look["rules"] == "outer":
            ink.rectangle((left, top, right, y), outline=look["grey"], width=thin)
        if look["rules"] == "all" or look["rules"] == "columns":
            for edge in edges if look["rules"] == "all" else edges[1:-1]:
                ink.line((edge, top, edge, y), fill=look["grey"], width=thin)
        plain = look["rules"] in ("none", "columns") and look["head"] is None and look["zebra"] > 1
        if plain:
            page.region(label, least, first_ink if first_ink is not None else top, most, bottom_ink)
        elif look["rules"] == "head" and look["head"] is None and look["zebra"] > 1:
            page.region(label, left, first_ink if first_ink is not None else top, right, bottom_ink)
        else:
            page.region(label, left, top, right, y)
        return y


def look(draw):
    """How a document's tables look."""
    rules = draw.choice(("all", "all", "rows", "book", "book", "head", "none", "outer", "columns"))
    shaded = draw.random() < 0.35
    return {
        "rules": rules, "head": draw.choice((draw.randint(20, 120), draw.randint(170, 235))) if shaded else None, "zebra": draw.choice((0, 1)) if draw.random() < 0.25 else 9, "tint": draw.randint(205, 242),
        "grey": draw.choice((0, 0, 0, 90, 160)), "thin": draw.uniform(0.3, 1.2), "bold": draw.random() < 0.7, "full": draw.random() < 0.55, "empty": draw.choice((0, 0, 0.05, 0.25)), "short": draw.random() < 0.75,
        "gap": draw.choice(((0.1, 0.3), (0.2, 0.6), (0.6, 1.4))), "middle": draw.random() < 0.5,
    }


class Formula:
    """A displayed formula as a row of pieces: signs with their scripts, fractions, sums with limits, matrices. Built first, drawn when its place is known."""

    def __init__(self, page, type_):
        self.page, self.type, self.small = page, type_, Type(type_.face, 0.68 * type_.size, type_.fill)
        self.pieces, self.width, self.above, self.below = [], 0.0, ABOVE * type_.size, BELOW * type_.size
        draw = page.draw
        for number in range(draw.choice((2, 3, 4, 5, 7))):
            if number:
                self.sign(draw.choice(texts.OPERATORS if number > 1 else texts.RELATIONS))
            draw.choices((self.letter, self.fraction, self.sum, self.bracket, self.matrix), (5, 2.5, 1, 1.5, 0.3))[0]()

    def put(self, type_, x, rise, string):
        string = type_.fitting(string) or "x"
        self.pieces.append((type_, x, rise, string))
        self.above, self.below = max(self.above, rise + ABOVE * type_.size), max(self.below, BELOW * type_.size - rise)
        return x + type_.length(string)

    def sign(self, string):
        self.width = self.put(self.type, self.width + 0.3 * self.type.size, 0, string) + 0.3 * self.type.size

    def letter(self):
        draw, size = self.page.draw, self.type.size
        end = self.put(self.type, self.width, 0, texts.term(draw))
        after = end
        if draw.random() < 0.45:
            after = self.put(self.small, end, -0.2 * size, draw.choice("ijkn012t"))
        if draw.random() < 0.35:
            after = max(after, self.put(self.small, end, 0.42 * size, draw.choice("2n*Tk−")))
        self.width = after + 0.08 * size

    def fraction(self):
        draw, size = self.page.draw, self.type.size
        upper, lower = (self.type.fitting(" ".join(texts.term(draw) for _ in range(draw.choice((1, 1, 2, 3))))) or "x" for _ in range(2))
        wide = max(self.type.length(upper), self.type.length(lower)) + 0.3 * size
        for string, rise in ((upper, 0.72 * size), (lower, -0.72 * size)):
            self.put(self.type, self.width + (wide - self.type.length(string)) / 2, rise, string)
        self.pieces.append((None, self.width, 0.3 * size, wide))
        self.width += wide + 0.1 * size

    def sum(self):
        draw, size = self.page.draw, self.type.size
        big = Type(self.type.face, draw.uniform(1.3, 1.9) * size, self.type.fill)
        end = self.put(big, self.width, -0.2 * size, draw.choice("∑∏∫"))
        for string, rise in ((draw.choice(("n", "∞", "N", "b")), 1.25 * size), (draw.choice(("i=1", "k=0", "a", "j")), -0.95 * size)):
            end = max(end, self.put(self.small, self.width, rise, string))
        self.width = end + 0.1 * size
        self.letter()

    def bracket(self):
        self.width = self.put(self.type, self.width, 0, self.page.draw.choice("([{"))
        self.letter()
        self.sign(self.page.draw.choice(texts.OPERATORS))
        self.letter()
        self.width = self.put(self.type, self.width, 0, self.page.draw.choice(")]}"))

    def matrix(self):
        draw, size = self.page.draw, self.type.size
        rows, columns = draw.choice((2, 3)), draw.choice((2, 3))
        begin = self.width + 0.3 * size
        for row in range(rows):
            for column in range(columns):
                self.put(self.type, begin + column * 1.6 * size, ((rows - 1) / 2 - row) * 1.2 * size, draw.choice("abcx01"))
        self.pieces.append((None, self.width, None, (rows, begin + columns * 1.6 * size)))
        self.width = begin + columns * 1.6 * size + 0.3 * size

    def height(self):
        return self.above + self.below

    def draw(self, left, top):
        """Returns (left, top, right, bottom)."""
        base, thin, before = top + self.above, max(1, round(0.05 * self.type.size)), len(self.page.pieces)
        for type_, x, rise, what in self.pieces:
            if type_ is not None:
                type_.draw(self.page, left + x, base - rise, what)
            elif rise is not None:
                self.page.ink.line((left + x, base - rise, left + x + what, base - rise), fill=self.type.fill, width=thin)
            else:
                half = what[0] * 0.6 * self.type.size
                for edge in (x + 0.1 * self.type.size, what[1]):
                    self.page.ink.line((left + edge, base - half - 0.3 * self.type.size, left + edge, base + half - 0.3 * self.type.size), fill=self.type.fill, width=thin)
        box = left, top, left + self.width, top + self.height()
        self.page.joined(before, box)
        return box
