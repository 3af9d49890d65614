"""A table set in a face: where each word, rule and shade stands, and the lines of its grid. Points, y downwards."""

import dataclasses

import contents
import styles

# Faces are measured at this size and scaled.
MEASURED = 64


@dataclasses.dataclass
class Word:
    """`baseline`: y its letters stand on. `cell`: index of the cell it belongs to."""
    text: str
    left: float
    right: float
    baseline: float
    size: float
    bold: bool
    cell: int


@dataclasses.dataclass
class Rule:
    horizontal: bool
    position: float
    start: float
    end: float
    thickness: float


@dataclasses.dataclass
class Shade:
    left: float
    top: float
    right: float
    bottom: float


@dataclasses.dataclass
class Table:
    contents: contents.Contents
    words: list
    rules: list
    shades: list
    x: list  # columns + 1
    y: list  # rows + 1
    size: float


class Setter:
    def __init__(self, face, bold, size):
        self.fonts, self.size, self.cache = [face.at(MEASURED), bold.at(MEASURED)], size, {}

    def width(self, text, bold):
        key = text, bold
        if key not in self.cache:
            self.cache[key] = self.fonts[bold].getlength(text)
        return self.cache[key] * self.size / MEASURED

    def lines(self, text, bold, room):
        """The text's words line by line, none wider than `room` where a word fits at all: [[(word, left)]]; and their widths."""
        space = self.width(" ", bold) or 0.25 * self.size
        rows, row, at = [], [], 0.0
        for word in text.split():
            wide = self.width(word, bold)
            if row and at + wide > room:
                rows.append((row, at - space))
                row, at = [], 0.0
            row.append((word, at, at + wide))
            at += wide + space
        if row:
            rows.append((row, at - space))
        return rows


def _is_bold(cell, style):
    return cell.role in ("head", "group") and style.bold_heads or cell.role in ("section", "sum") or cell.role == "label" and style.bold_labels


def _columns(draw, made, style, setter):
    """Lines of the grid across: columns as wide as what stands in them, text wrapped at the widest."""
    widths = [0.0] * made.columns
    for cell in made.cells:
        if cell.columns > 1 or not cell.text:
            continue
        rows = setter.lines(cell.text, _is_bold(cell, style), style.widest)
        if cell.role == "head" and made.values[cell.column]:
            # The head of values is wrapped rather than making them wide.
            rows = setter.lines(cell.text, _is_bold(cell, style), max(3.2 * style.size, widths[cell.column]))
        widths[cell.column] = max(widths[cell.column], max(width for _, width in rows) + 0.01)
    indent = style.indent
    widths = [max(width, 0.8 * style.size) + 2 * style.pad_x + (indent if at == 0 else 0) for at, width in enumerate(widths)]
    for cell in made.cells:
        if cell.columns > 1 and cell.role == "group":
            have = sum(widths[cell.column:cell.column + cell.columns])
            longest = max((setter.width(word, _is_bold(cell, style)) for word in cell.text.split()), default=0)
            need = min(setter.width(cell.text, _is_bold(cell, style)) + 2 * style.pad_x, 1.6 * have)
            more = max(0, max(need, longest + 2 * style.pad_x) - have) / cell.columns
            for at in range(cell.column, cell.column + cell.columns):
                widths[at] += more
    shares = [draw.random() + 0.3 for _ in widths] if draw.random() < 0.4 else [1] * made.columns
    widths = [width + style.stretch * share / sum(shares) for width, share in zip(widths, shares)]
    x = [0.0]
    for width in widths:
        x.append(x[-1] + width)
    return x


def _alignment(cell, made, style):
    if cell.role == "group":
        return "centre"
    if cell.role == "section":
        return "left"
    column = style.values if made.values[cell.column] else "centre" if style.centred_text and cell.column > 0 else "left"
    if cell.role == "head":
        return column if style.heads == "column" else style.heads
    return column


def _stand(cell, style):
    return style.head_stand if cell.role in ("head", "group") else style.stand




def set_table(draw, made, style, face, bold):
    setter = Setter(face, bold, style.size)
    x = _columns(draw, made, style, setter)
    step = style.leading * style.size
    wrapped = []
    heights = [step + 2 * style.pad_y] * made.rows
    for cell in made.cells:
        inset = style.indent if cell.column == 0 and cell.role in ("label", "body") and cell.rows == 1 and draw.random() < 0.6 else 0
        rows = setter.lines(cell.text, _is_bold(cell, style), x[cell.column + cell.columns] - x[cell.column] - 2 * style.pad_x - inset + 0.01)
        wrapped.append((rows, inset))
        if cell.rows == 1:
            heights[cell.row] = max(heights[cell.row], len(rows) * step + 2 * style.pad_y)
    for cell, (rows, _) in zip(made.cells, wrapped):
        missing = len(rows) * step + 2 * style.pad_y - sum(heights[cell.row:cell.row + cell.rows])
        if missing > 0:
            for at in range(cell.row, cell.row + cell.rows):
                heights[at] += missing / cell.rows
    head_room = draw.choice([0, 0, draw.uniform(0, 0.6) * style.size])
    y = [0.0]
    for at, height in enumerate(heights):
        y.append(y[-1] + height + (head_room if at == made.heads - 1 else 0))
    words = []
    for index, (cell, (rows, inset)) in enumerate(zip(made.cells, wrapped)):
        left, right = x[cell.column] + style.pad_x + inset, x[cell.column + cell.columns] - style.pad_x
        top, bottom = y[cell.row] + style.pad_y, y[cell.row + cell.rows] - style.pad_y
        stand, spare = _stand(cell, style), bottom - top - len(rows) * step
        top += {"top": 0, "middle": 0.5, "bottom": 1}[stand] * spare
        side = {"left": 0, "centre": 0.5, "right": 1}[_alignment(cell, made, style)]
        for at, (row, width) in enumerate(rows):
            baseline = top + at * step + 0.5 * step + 0.3 * style.size
            start = left + side * (right - left - width)
            words += [Word(text, start + a, start + b, baseline, style.size, bool(_is_bold(cell, style)), index) for text, a, b in row]
    rules, shades = _marks(draw, made, style, x, y)
    return Table(made, words, rules, shades, x, y, style.size)


def _marks(draw, made, style, x, y):
    """Rules and shades of the style; uprights and lines stop at cells that run across them."""
    rules, shades = [], []
    thin, thick = draw.uniform(0.3, 0.8), draw.uniform(0.8, 1.6)
    across = lambda at, weight=thin, start=x[0], end=x[-1]: rules.append(Rule(True, at, start, end, weight))
    owner = {}
    for cell in made.cells:
        for row in range(cell.row, cell.row + cell.rows):
            for column in range(cell.column, cell.column + cell.columns):
                owner[row, column] = cell

    def around(at, of):
        """Pieces of the line number `at` between rows (or columns), where it crosses no cell."""
        count = made.columns if of == "rows" else made.rows
        lines, pieces, start = (x if of == "rows" else y), [], None
        for other in range(count + 1):
            free = other < count and (owner.get((at - 1, other)) is not owner.get((at, other)) if of == "rows" else owner.get((other, at - 1)) is not owner.get((other, at)))
            if free and start is None:
                start = lines[other]
            elif not free and start is not None:
                pieces.append((start, lines[other]))
                start = None
        return pieces
    head = y[made.heads]
    if style.rules in ("booktabs", "groups", "rows", "frame", "grid") or style.rules == "columns" and draw.random() < 0.5:
        across(y[0], thick)
        across(y[-1], thick)
    if style.rules in ("head", "booktabs", "groups", "rows", "columns") and made.heads > 0:
        across(head)
    if style.rules in ("booktabs", "groups", "rows", "head"):
        gap = draw.choice([0, 0, 0.4 * style.pad_x])
        for cell in made.cells:
            if cell.role == "group" and (style.rules != "head" or draw.random() < 0.5):
                across(y[cell.row + 1], thin, x[cell.column] + gap, x[cell.column + cell.columns] - gap)
    if style.rules == "groups":
        for cell in made.cells:
            if cell.role in ("section", "sum") or cell.role == "label" and cell.rows > 1:
                if cell.row > made.heads:
                    across(y[cell.row])
                if cell.role == "label" and cell.row + cell.rows < made.rows:
                    across(y[cell.row + cell.rows])
    if style.rules in ("rows", "grid"):
        for at in range(made.heads + 1 if style.rules == "rows" else 1, made.rows):
            for start, end in around(at, "rows"):
                across(y[at], thin, start, end)
    if style.rules in ("columns", "grid"):
        for at in range(1, made.columns):
            for start, end in around(at, "columns"):
                rules.append(Rule(False, x[at], start, end, thin))
    if style.rules in ("frame", "grid"):
        for at in (x[0], x[-1]):
            rules.append(Rule(False, at, y[0], y[-1], thin))
    if style.rules == "zebra":
        odd = draw.randrange(2)
        for row in range(made.heads, made.rows):
            if row % 2 == odd:
                shades.append(Shade(x[0], y[row], x[-1], y[row + 1]))
    if style.head_shade and made.heads > 0:
        shades.append(Shade(x[0], y[0], x[-1], head))
    return rules, shades


def shown(made, style):
    """What nothing shows is not the truth: a label over several rows that stands at the top beside rows without rules reads as a cell and empty ones under it."""
    if style.rules in ("rows", "grid", "groups") or style.stand != "top":
        return made
    cells = []
    for cell in made.cells:
        if cell.role == "label" and cell.rows > 1:
            cells += [contents.Cell(row, cell.column, cell.text if row == cell.row else "", 1, cell.columns, cell.role, cell.kind) for row in range(cell.row, cell.row + cell.rows)]
        else:
            cells.append(cell)
    made.cells = cells
    return made


__all__ = ["Table", "Word", "Rule", "Shade", "set_table", "shown", "styles"]
