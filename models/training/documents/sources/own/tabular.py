"""Tables of many kinds, alone or with little text around them. A table is drawn from independent choices: heads, row headers, spans, sections, what its columns hold, empty cells, notes."""

from .. import maths
from ..markup import Cell, block, heading, note, paragraph, row, table, tag, text
from ..registry import family


def _column(draw, language):
    """(makes a value, alignment) of a column."""
    places, mark = draw.randint(0, 3), draw.choice(["", "", " %", " kg", " €"])
    scale = draw.randint(1, 7)
    kinds = {
        "integer": (lambda: language.number(draw.randint(0, 10 ** scale)), "right"), "decimal": (lambda: language.number(draw.amount(0.01, 10 ** min(4, scale), places), places) + mark, "right"),
        "signed": (lambda: draw.choice(["+", "−", "±"]) + language.number(draw.amount(0.01, 99, 2), 2), draw.choice(["right", "center", None])), "money": (lambda: language.money(draw.amount(1, 10 ** scale)), "right"),
        "date": (lambda: language.date(language.day(draw)), None), "year": (lambda: str(draw.randint(1850, 2030)), "center"), "code": (lambda: draw.code(draw.pick("AA-##|####|A##|##.##.##|AAA")), None), "person": (lambda: language.person(draw), None),
        "city": (lambda: language.city(draw), None), "word": (lambda: language.phrase(draw, 1, 2), None), "phrase": (lambda: language.phrase(draw, 2, 7), None), "text": (lambda: language.sentence(draw, 6, 22), None), "mark": (lambda: draw.pick("✓|✗|–|●|○|x||"), "center"),
        "yes": (lambda: language.label(draw.pick("yes|no")), "center"), "range": (lambda: f"{draw.randint(1, 50)}–{draw.randint(51, 900)}", "center"), "uncertain": (lambda: f"{draw.uniform(0, 99):.2f} ± {draw.random():.2f}", draw.choice(["right", "center"])), "time": (lambda: f"{draw.randint(0, 23)}:{draw.randint(0, 59):02}", "right"),
        "letter": (lambda: draw.choice("ABCDEFGHJKLMNPQR"), "center"), "stars": (lambda: f"{draw.uniform(-3, 3):.3f}" + draw.pick("***|**|*||"), "right"), "email": (lambda: language.email(draw), None), "phone": (lambda: language.phone(draw), None),
    }
    return draw.choice(list(kinds.values()))


def _name(draw, language, numbered):
    if numbered and draw.chance(0.5):
        return str(draw.choice([draw.randint(1990, 2030), draw.randint(1, 12), f"Q{draw.randint(1, 4)}", f"({draw.randint(1, 9)})"]))
    return language.phrase(draw, 1, draw.choice([1, 1, 2, 3]))


def _heads(draw, language, shape, stub, columns):
    """Rows of column headers. `nested`: two or three levels of spans over `columns` value columns, with the stub's cells as high as the head."""
    levels, turn = shape["levels"], "up" if shape["turned"] else None
    if not levels:
        return []
    stub_names = [None if shape["empty_corner"] else language.phrase(draw, 1, 2) for _ in range(stub)]

    def stubs(down):
        return [Cell(text(name or ""), head=name is not None, scope="col" if name else None, down=down) for name in stub_names]

    names = [Cell(text(_name(draw, language, shape["numbered"])), head=True, scope="col", data_turn=turn, data_align=shape["head_align"]) for _ in range(columns)]
    if levels == 1 or columns < 4:
        return [row(stubs(1) + names)]
    widths, left = [], columns
    while left:
        width = min(left, draw.choice([2, 2, 3, 4]))
        widths.append(width + (left - width == 1))
        left -= widths[-1]
    groups = [Cell(text(language.phrase(draw, 1, 3)), head=True, scope="colgroup", across=width, data_align="center") for width in widths]
    if levels == 2:
        return [row(stubs(2) + groups), row(names)] if shape["tall_stub"] else [row([Cell() for _ in range(stub)] + groups), row(stubs(1) + names)]
    over = Cell(text(language.phrase(draw, 2, 5)), head=True, scope="colgroup", across=columns, data_align="center")
    return [row(stubs(3) + [over]), row(groups), row(names)]


def _section(draw, language, shape, width):
    """A row that titles a section: one spanning cell, or a label and empty cells."""
    if shape["section"] == "label":
        return row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="row")] + [Cell() for _ in range(width - 1)])
    return row([Cell(text(language.phrase(draw, 1, 5)), head=True, scope="rowgroup", across=width, data_align=shape["section_align"])])


def _shape(draw):
    return {"levels": draw.choice([0, 1, 1, 1, 1, 2, 2, 3]), "turned": draw.chance(0.1), "empty_corner": draw.chance(0.4), "numbered": draw.chance(0.3), "head_align": draw.choice([None, None, "center", "right"]), "tall_stub": draw.chance(0.6), "stub": draw.choice([0, 1, 1, 1, 1, 2, 3]),
            "section": draw.pick("none|none|none|span|label"), "section_align": draw.choice([None, None, "center"]), "indented": draw.chance(0.35), "empty": draw.choice([0, 0, 0.05, 0.2, 0.5]), "merged": draw.chance(0.2), "empty_first": draw.chance(0.15), "foot": draw.pick("none|none|total|mean"), "title_row": draw.chance(0.08),
            "wrapped": draw.chance(0.12), "maths": draw.chance(0.06), "lists": draw.chance(0.06), "valueless": draw.choice([0, 0, 0, 0.1])}


def _stub_cells(draw, language, shape, at, in_section, groups):
    """Row headers of a row. With two or more, the outer ones span the rows of a group, or stand once above empty cells."""
    cells = []
    for depth in range(shape["stub"]):
        last = depth == shape["stub"] - 1
        if not last:
            begins, down = groups[at]
            if begins and shape["merged"]:
                cells.append(Cell(text(language.phrase(draw, 1, 2)), head=True, scope="rowgroup" if down > 1 else "row", down=down))
            elif not shape["merged"]:
                cells.append(Cell(text(language.phrase(draw, 1, 2)) if begins else "", head=begins, scope="row" if begins else None))
            continue
        empty = shape["empty_first"] and draw.chance(0.3)
        cells.append(Cell("" if empty else text(language.phrase(draw, 1, 7 if shape["wrapped"] else 3)), head=not empty, scope=None if empty else "row", data_indent=1 if shape["indented"] and in_section and not empty else None))
    return cells


def _groups(draw, count):
    """For each row whether it begins a group, and of how many rows."""
    made = []
    while len(made) < count:
        down = min(count - len(made), draw.choice([1, 2, 2, 3, 4]))
        made += [(index == 0, down) for index in range(down)]
    return made


def any_table(draw, language, shape, rows=None, columns=None, caption=None):
    """A table of `columns` value columns and `rows` rows."""
    columns, count = columns or draw.choice([1, 2, 2, 3, 3, 4, 5, 6, 8, 10]), rows or draw.choice([2, 3, 4, 5, 6, 8, 10, 14, 20, 30])
    makers, width = [_column(draw, language) for _ in range(columns)], shape["stub"] + columns
    body, in_section, groups = [], False, _groups(draw, count)
    if shape["title_row"]:
        body.append(row([Cell(text(language.title(draw, 2, 6)), head=True, scope="rowgroup", across=width, data_align="center")]))
    for index in range(count):
        inside = shape["stub"] > 1 and not groups[index][0] and shape["merged"]
        if shape["section"] != "none" and not inside and (index == 0 or draw.chance(0.2)) and width > 1:
            body.append(_section(draw, language, shape, width))
            in_section = True
        cells = _stub_cells(draw, language, shape, index, in_section, groups)
        valueless = draw.random() < shape["valueless"]
        at = 0
        while at < columns:
            make, align = makers[at]
            across = 2 if shape["merged"] and shape["stub"] < 2 and at + 1 < columns and draw.chance(0.06) else 1
            content = "" if valueless or draw.random() < shape["empty"] else text(make())
            if shape["maths"] and content and draw.chance(0.3):
                content = maths.inline(draw)
            if shape["lists"] and content and draw.chance(0.3):
                content = tag("ul", *(tag("li", text(language.phrase(draw, 1, 4))) for _ in range(draw.randint(2, 3))))
            cells.append(Cell(content, across=across, data_align="center" if across > 1 else align))
            at += across
        body.append(row(cells))
    foot = []
    if shape["foot"] != "none" and columns > 1:
        label = [Cell(text(language.label("total")), head=True, scope="row", across=shape["stub"])] if shape["stub"] else []
        foot.append(row(label + [Cell(text(make()), data_align=align) for make, align in makers], data_rule="total"))
    return table(_heads(draw, language, shape, shape["stub"], columns), body, foot, caption=caption)


def _around(draw, language, made, title):
    """A heading, some text, notes below a table: what pages with one table have."""
    parts = [heading(1, title)] if draw.chance(0.7) else []
    parts += [paragraph(language.paragraph(draw, 1, 4)) for _ in range(draw.choice([0, 0, 1, 2]))]
    parts.append(made)
    parts += [note(marker, text(language.sentence(draw, 4, 16))) for marker in draw.choice([[], [], ["*"], ["a", "b"], ["1", "2", "3"], ["†", "‡"]])]
    parts += [paragraph(language.paragraph(draw, 1, 4)) for _ in range(draw.choice([0, 0, 1, 2]))]
    return "".join(parts)


@family("table")
def one_table(draw, habit, language):
    title = language.title(draw, 2, 6)
    caption = text(f"{language.label('table')} {draw.randint(1, 20)}{habit.pick('.|:|')} {language.sentence(draw, 3, 12)}") if habit.chance(0.4) else None
    return title, _around(draw, language, any_table(draw, language, _shape(draw), caption=caption), title)


@family("tables")
def some_tables(draw, habit, language):
    """Several tables after one another, with headings or a line of text between them, or nothing."""
    title, between, shape = language.title(draw, 2, 5), habit.pick("heading|text|bold|nothing|caption"), _shape(habit)
    parts = [heading(1, title)]
    for index in range(draw.randint(2, 6)):
        if between == "heading":
            parts.append(heading(2, language.title(draw, 1, 5)))
        elif between == "text":
            parts.append(paragraph(text(language.text(draw, 1, 2))))
        elif between == "bold":
            parts.append(paragraph(tag("strong", text(language.phrase(draw, 1, 5)))))
        caption = text(f"{language.label('table')} {index + 1}: {language.phrase(draw, 2, 8)}") if between == "caption" else None
        parts.append(any_table(draw, language, shape if habit.chance(0.5) else _shape(draw), rows=draw.choice([2, 3, 5, 8]), caption=caption))
    return title, "".join(parts)


@family("long-table")
def long_table(draw, habit, language):
    """A table that flows over pages or columns."""
    title, shape = language.title(draw, 1, 5), {**_shape(draw), "levels": draw.choice([1, 1, 2])}
    made = any_table(draw, language, shape, rows=draw.choice([45, 70, 100, 160, 240]), columns=draw.choice([1, 2, 3, 4, 6]))
    return title, heading(1, title) + (paragraph(language.paragraph(draw, 1, 3)) if draw.chance(0.5) else "") + (tag("section", made, data_flow=habit.choice([2, 3])) if habit.chance(0.3) else made)


@family("one-column-table")
def one_column_table(draw, habit, language):
    title = language.title(draw, 1, 4)
    cells = [draw.choice([text(language.phrase(draw, 1, 5)), text(language.sentence(draw, 4, 18)), tag("strong", text(language.phrase(draw, 1, 3))) + "<br>" + text(language.sentence(draw, 4, 12))]) for _ in range(draw.randint(2, 14))]
    head = [row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="col")])] if habit.chance(0.6) else []
    return title, _around(draw, language, table(head, [row([Cell(cell)]) for cell in cells]), title)


@family("text-table")
def text_table(draw, habit, language):
    """Tables whose cells hold sentences, lists and several paragraphs: comparison of terms, tall rows."""
    title, columns, headed = language.title(draw, 1, 5), draw.choice([2, 2, 3, 4]), habit.chance(0.5)
    rows = []
    for _ in range(draw.randint(3, 9)):
        cells = [Cell(text(language.phrase(draw, 1, 4)), head=headed, scope="row" if headed else None)]
        for _ in range(columns - 1):
            kind = draw.pick("text|text|list|paragraphs|short|empty")
            cells.append(Cell({"text": lambda: text(language.text(draw, 1, 3)), "list": lambda: tag("ul", *(tag("li", text(language.phrase(draw, 2, 8))) for _ in range(draw.randint(2, 4)))), "paragraphs": lambda: "".join(paragraph(text(language.text(draw, 1, 2))) for _ in range(2)), "short": lambda: text(language.phrase(draw, 1, 3)), "empty": lambda: ""}[kind]()))
        rows.append(row(cells))
    head = [row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="col") for _ in range(columns)])] if habit.chance(0.75) else []
    return title, _around(draw, language, table(head, rows), title)


@family("matrix")
def matrix(draw, habit, language):
    """Square tables: distances, correlations, fixtures; half empty, with the same names in rows and columns."""
    count, kind, turned = draw.randint(4, 12), habit.pick("distances|correlations|results|marks"), habit.chance(0.4)
    names = [language.city(draw) if kind == "distances" else language.phrase(draw, 1, 1) for _ in range(count)]
    half = habit.chance(0.6)
    fill = {"distances": lambda: str(draw.randint(20, 900)), "correlations": lambda: f"{draw.uniform(-1, 1):.2f}", "results": lambda: f"{draw.randint(0, 5)}:{draw.randint(0, 5)}", "marks": lambda: draw.pick("x||●|")}[kind]
    rows = [row([Cell(text(names[at]), head=True, scope="row")] + [Cell("" if half and other > at else "–" if other == at else fill(), data_align="center") for other in range(count)]) for at in range(count)]
    title = language.title(draw, 1, 5)
    return title, _around(draw, language, table([row([Cell()] + [Cell(text(name), head=True, scope="col", data_turn="up" if turned else None) for name in names])], rows), title)


@family("key-value-table")
def key_value_table(draw, habit, language):
    """Two columns of labels and values, or four: facts about one thing."""
    title, pairs, colon = language.title(draw, 1, 4), habit.choice([1, 1, 2, 3]), habit.pick(["", ":"])
    rows = []
    for _ in range(draw.randint(3, 16)):
        cells = []
        for _ in range(pairs):
            make, _ = _column(draw, language)
            cells += [Cell(text(language.phrase(draw, 1, 3) + colon), head=True, scope="row"), Cell(text(make()) if draw.chance(0.9) else "")]
        rows.append(row(cells))
    if habit.chance(0.3):
        rows.insert(0, row([Cell(text(language.title(draw, 1, 3)), head=True, scope="colgroup", across=2 * pairs)]))
    return title, _around(draw, language, table([], rows), title) + (block("stamp", text(language.phrase(draw, 1, 2).upper())) if habit.chance(0.1) else "")
