"""What a table says: its grid with spans and head rows, and the text of every cell. Nothing of how it looks."""

import dataclasses
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "text"))

import texts
import words

MARKS = ["yes", "no", "Y", "N", "X", "O", "✓", "–", "n/a", "*", "•", "A", "B", "C"]


@dataclasses.dataclass
class Cell:
    """`row`, `column` from 0. `role`: head, group (a head over several columns), label, section, body, sum. `kind`: text or value."""
    row: int
    column: int
    text: str
    rows: int = 1
    columns: int = 1
    role: str = "body"
    kind: str = "text"


@dataclasses.dataclass
class Contents:
    rows: int
    columns: int
    heads: int
    cells: list
    values: list  # for each column: does it hold values


def phrase(draw, language, least, most):
    """Some words as a cell writes them: a capital first, or none; now and then a full stop at the end."""
    text = " ".join(words.word(draw, language) for _ in range(draw.randint(least, most)))
    return text if draw.random() < 0.1 else texts.capital(text)


def sentence(draw, language, length):
    parts = []
    while length > 0:
        count = max(3, min(length, draw.randint(5, 16)))
        parts.append(texts.capital(" ".join(texts.dressed(draw, words.word(draw, language), language) for _ in range(count))) + ("." if draw.random() < 0.8 else ";" if draw.random() < 0.3 else ""))
        length -= count
    return " ".join(parts)


def _value_maker(draw):
    """All values of a column are of one kind."""
    kind = draw.choice(["integer", "integer", "large", "decimal", "decimal", "percent", "money", "date", "year", "code", "mark", "range", "mixed", "uncertain", "exponent"])
    places, unit, small = draw.randint(1, 3), draw.choice(["$", "€", "£", "$ ", ""]), draw.randint(1, 4)
    date = draw.randrange(4)
    def make():
        if kind == "integer":
            return str(draw.randrange(10 ** small))
        if kind == "large":
            return format(draw.randrange(10 ** draw.randint(3, 8)), ",")
        if kind == "decimal":
            return draw.choice(["", "", "", "-", "−"]) + f"{draw.random() * 10 ** draw.randint(0, small):.{places}f}"
        if kind == "percent":
            return f"{draw.random() * 100:.{places - 1}f}" + draw.choice(["%", "%", " %"])
        if kind == "money":
            text = unit + format(draw.randrange(10 ** draw.randint(2, 7)), ",")
            return f"({text})" if draw.random() < 0.15 else text
        if kind == "date":
            day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.randint(1950, 2030)
            return [f"{year}-{month:02}-{day:02}", f"{day:02}.{month:02}.{year}", f"{draw.choice(texts.MONTHS)} {day}, {year}", f"{day} {draw.choice(texts.MONTHS)} {year}"][date]
        if kind == "year":
            return str(draw.randint(1900, 2030))
        if kind == "code":
            return texts.code(draw)
        if kind == "mark":
            return draw.choice(MARKS)
        if kind == "range":
            return f"{draw.randrange(100)}{draw.choice('–-')}{draw.randrange(100, 1000)}"
        if kind == "uncertain":
            return f"{draw.random() * 10:.{places}f} ± {draw.random():.{places}f}"
        if kind == "exponent":
            return f"{draw.random() * 9 + 1:.{places}f}E-{draw.randint(1, 9):02}"
        return texts.number(draw)
    return make


def _heads(draw, language, rows, columns, first):
    """Cells of `rows` rows of head: groups over their columns in all but the last; a column without a group has a cell as high as the head."""
    cells = []
    if rows == 0:
        return cells
    def name(kind="head"):
        if kind == "head" and draw.random() < 0.2:
            return str(draw.randint(1990, 2030)) if draw.random() < 0.6 else draw.choice(["N", "%", "p", "M", "SD", "F1", "Q1", "Q2", "Total", "n", "σ", "kg", "Unit", "No."])
        return phrase(draw, language, 1, draw.choice([1, 2, 2, 3, 5]))
    def fill(row, start, end):
        """Columns start..end-1 from head row `row` down."""
        if row == rows - 1:
            for column in range(start, end):
                empty = column == 0 and draw.random() < 0.25
                cells.append(Cell(row, column, "" if empty else name(), role="head"))
            return
        column = start
        while column < end:
            if column < first or draw.random() < 0.2 or end - column < 2:
                cells.append(Cell(row, column, "" if column == 0 and draw.random() < 0.25 else name(), rows=rows - row, role="head"))
                column += 1
                continue
            width = min(end - column, draw.choice([2, 2, 2, 3, 3, 4, 5, 6]))
            if end - column - width == 1:
                width += 1
            cells.append(Cell(row, column, name("group"), columns=width, role="group"))
            fill(row + 1, column, column + width)
            column += width
    fill(0, 0, columns)
    return cells


def make(draw, for_training):
    """A table's contents. For training more of what is hard: text of several lines, columns with nothing under their heads."""
    language = words.language(draw)
    columns = draw.choices(range(2, 13), weights=[14, 17, 17, 14, 12, 8, 6, 4, 3, 2, 2])[0]
    body = draw.choice([draw.randint(2, 7), draw.randint(2, 12), draw.randint(5, 30)])
    heads = draw.choices([0, 1, 2, 3], weights=[10, 62, 24, 4])[0]
    if columns < 3:
        heads = min(heads, 1)
    wordy = draw.random() < (0.5 if for_training else 0.35)  # cells of several lines
    if wordy:
        columns, body = min(columns, 6), min(body, 9)
    first = 1 if draw.random() < 0.8 else 2 if columns > 3 else 1
    makers, lengths = [], []
    for column in range(columns):
        is_value = draw.random() < (0.05 if column == 0 else 0.3 if wordy else 0.78)
        makers.append(_value_maker(draw) if is_value else None)
        lengths.append(draw.choice([12, 20, 35]) if wordy and draw.random() < 0.6 else draw.choice([2, 3, 6]))
    empty = draw.choice([0, 0, 0.03, 0.1, 0.3])
    # A column with a head and next to nothing under it.
    bare = draw.randrange(1, columns) if for_training and heads > 0 and columns > 2 and draw.random() < 0.1 else None
    cells = _heads(draw, language, heads, columns, first)
    sections = draw.random() < 0.15 and not wordy
    spans = first == 2 or draw.random() < 0.12
    row = heads
    end = heads + body
    held = 0  # rows that a label over several rows still covers
    while row < end:
        if sections and held == 0 and row + 1 < end and (row == heads or draw.random() < 0.25):
            cells.append(Cell(row, 0, phrase(draw, language, 1, 5), columns=columns, role="section"))
            row += 1
            continue
        column = 0
        if held > 0:
            held -= 1
            column = 1
        elif spans and draw.random() < 0.75:
            held = min(end - row, draw.choice([2, 2, 3, 3, 4, 5])) - 1
            cells.append(Cell(row, 0, phrase(draw, language, 1, draw.choice([2, 4, 6])), rows=held + 1, role="label"))
            column = 1
        last = row == end - 1 and draw.random() < 0.1
        while column < columns:
            value = makers[column] is not None
            role = "sum" if last else "label" if column == 0 else "body"
            if column == bare and draw.random() < 0.95:
                text = ""
            elif column > 0 and draw.random() < empty:
                text = draw.choice(["", "", "–", "-"])
            elif value:
                text = makers[column]()
            elif last and column == 0:
                text = draw.choice(["Total", "Sum", "Summe", "Mean", "All", "Average", "Overall", "Total général"])
            elif lengths[column] > 6:
                text = sentence(draw, language, draw.randint(3, lengths[column]))
            else:
                text = phrase(draw, language, 1, lengths[column])
            cells.append(Cell(row, column, text, role=role, kind="value" if value else "text"))
            column += 1
        row += 1
    return Contents(end, columns, heads, cells, [maker is not None for maker in makers])
