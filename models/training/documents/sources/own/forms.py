"""Forms with fields, boxes and lines; questionnaires with scales; exam sheets; class lists."""

from ..markup import Cell, block, grid, heading, heads, items, lines, note, pair, paragraph, row, table, tag, text
from ..pictures import picture
from ..registry import family

FIELDS = ["name", "address", "birth", "phone", "email", "place", "date", "customer_no", "sex", "iban", "bank", "class", "order_no", "signature", "age"]


def box(checked=False):
    return tag("span", "✕" if checked else "", data_part="box")


def checkbox(label, checked=False):
    return block("checkbox", box(checked), tag("span", text(label)))


def _field(draw, language, label, shape, filled):
    value = {"birth": language.date(language.day(draw)), "date": language.date(language.day(draw)), "phone": language.phone(draw), "email": language.email(draw), "address": ", ".join(language.address(draw)), "place": language.city(draw)}.get(label, language.person(draw))
    name = text(language.label(label))
    if shape == "boxes":
        digits = draw.digits(8) if filled else " " * draw.choice([8, 10, 12])
        return block("form-field", tag("span", name, data_part="key"), tag("span", *(tag("span", digit.strip()) for digit in digits), data_boxes=True))
    if shape == "dots":
        return block("form-field", tag("span", name + " " + ("." * draw.randint(20, 70) if not filled else text(value)), data_part="key"))
    if shape == "underscores":
        return block("form-field", tag("span", name + ": " + ("_" * draw.randint(14, 40) if not filled else text(value)), data_part="key"))
    if shape == "under":
        return block("form-field", tag("span", text(value) if filled else "", data_line=True), tag("small", name, data_part="key"))
    return block("form-field", tag("span", name + draw.pick(["", ":"]), data_part="key"), tag("span", text(value) if filled else "", data_line=True))


def _boxed(draw, language, labels, columns, filled, numbered):
    """Fields as boxes of a drawn table, each with a small label above its value."""
    rows, index = [], 0
    while index < len(labels):
        cells, left = [], columns
        while left and index < len(labels):
            across = left if index == len(labels) - 1 else min(left, draw.choice([1, 1, 2]))
            value = text(language.person(draw)) if filled and draw.chance(0.7) else ""
            cells.append(Cell(tag("small", text((f"{index + 1} " if numbered else "") + language.label(labels[index]))) + "<br>" + value, across=across))
            left, index = left - across, index + 1
        if left:
            cells.append(Cell(across=left))
        rows.append(row(cells))
    return table([], rows)


@family("form")
def form(draw, habit, language):
    shape, filled, title = habit.pick("line|boxes|dots|underscores|under|table|mixed"), draw.chance(0.3), language.title(draw, 2, 6)
    numbered, parts_named, columns = habit.chance(0.5), habit.pick("letters|numbers|plain"), habit.choice([1, 1, 2, 3])
    parts = [grid("1 3 1", block(None, text(draw.code("Form ####-A")), data_size="s"), heading(1, title), block(None, text(f"{draw.randint(2001, 2030)}"), data_size="l")) if habit.chance(0.4) else heading(1, title)]
    if habit.chance(0.6):
        parts.append(paragraph(text(language.text(draw, 1, 3)), data_size="s"))
    for section in range(draw.randint(2, 6)):
        label = {"letters": f"{'ABCDEFG'[section]}. ", "numbers": f"{section + 1} ", "plain": ""}[parts_named]
        parts.append(heading(2, label + language.title(draw, 1, 4)))
        if draw.chance(0.3):
            parts.append(paragraph(text(language.sentence(draw)), data_size="s"))
        own, labels = habit.pick("line|boxes|dots|under") if shape == "mixed" else shape, draw.sample(FIELDS, draw.randint(3, 9))
        if own == "table":
            parts.append(_boxed(draw, language, labels, draw.choice([2, 3, 4]), filled, numbered))
        else:
            fields = [_field(draw, language, label, own, filled and draw.chance(0.8)) for label in labels]
            parts.append(grid(columns, *fields) if columns > 1 else "".join(fields))
        if draw.chance(0.5):
            choices = [checkbox(language.phrase(draw, 1, 4), draw.chance(0.2)) for _ in range(draw.randint(2, 6))]
            parts.append(paragraph(text(language.sentence(draw, 4, 10))) + (grid(draw.choice([2, 3, 4]), *choices) if draw.chance(0.5) else "".join(choices)))
        if draw.chance(0.25):
            rows = [row([Cell(str(index + 1)), Cell(text(language.phrase(draw, 1, 5))), Cell(), Cell()]) for index in range(draw.randint(3, 9))]
            parts.append(table([heads([language.label("item"), language.label("description"), language.label("quantity"), language.label("amount")])], rows))
        if draw.chance(0.15):
            parts += [tag("div", "", data_line=True) for _ in range(draw.randint(2, 6))]
    if habit.chance(0.3):
        official = [heading(2, language.title(draw, 2, 4)), *(_field(draw, language, label, "line", False) for label in ("date", "signature"))]
        parts.append(tag("section", *official, data_box=True))
    parts.append(grid(2, *(block("signature", tag("span", "", data_line=True), text(language.label(label))) for label in ("date", "signature"))))
    return title, "".join(parts)


def _tax_line(draw, language, number):
    """A line of a tax form: number, text with dots, number again, amount box."""
    return block("form-field", tag("strong", number), tag("span", text(language.sentence(draw, 4, 14)) + " " + " . " * draw.randint(0, 12), data_part="key"), tag("strong", number), tag("span", text(language.number(draw.randint(10, 90000))) if draw.chance(0.3) else "", data_line=True))


@family("tax-form", without=("ar", "zh", "ja"))
def tax_form(draw, habit, language):
    code, title = draw.code("####"), language.title(draw, 3, 7)
    parts = [grid("1 4 1", block(None, tag("strong", text(f"{language.label('note')[:4]} {code}"))), heading(1, title), block(None, tag("strong", str(draw.randint(2010, 2030))), data_size="xl")), _boxed(draw, language, draw.sample(FIELDS, 6), 4, draw.chance(0.3), False)]
    number = 1
    for part in range(draw.randint(2, 4)):
        parts.append(heading(2, f"{habit.pick('Part|Teil|')} {('I', 'II', 'III', 'IV')[part]} {language.title(draw, 1, 4)}".strip()))
        for _ in range(draw.randint(4, 12)):
            parts.append(_tax_line(draw, language, f"{number}" + (draw.choice(["a", "b", ""]) if habit.chance(0.5) else "")))
            number += 1
        if draw.chance(0.5):
            parts.append(grid(draw.choice([2, 3]), *(checkbox(language.phrase(draw, 1, 3)) for _ in range(4))))
    return title, "".join(parts) + block("page-footer", text(f"{language.phrase(draw, 3, 8)} · {code} ({draw.randint(2010, 2030)})"))


@family("questionnaire")
def questionnaire(draw, habit, language):
    title, numbered, kinds = language.title(draw, 2, 7), habit.pick("number|Q|letter"), habit.sample(["choice", "scale", "matrix", "open", "yes-no", "rank"], habit.randint(3, 6))
    parts, number = [heading(1, title), paragraph(text(language.text(draw, 1, 3)))], 1
    for _ in range(draw.randint(2, 5)):
        if habit.chance(0.7):
            parts.append(heading(2, language.title(draw, 1, 4)))
        for _ in range(draw.randint(2, 5)):
            mark = {"number": f"{number}.", "Q": f"Q{number}", "letter": f"{number})"}[numbered]
            number += 1
            parts.append(paragraph(tag("strong", text(f"{mark} {language.sentence(draw, 5, 14).rstrip('.')}?"))))
            kind = draw.choice(kinds)
            if kind == "choice":
                boxes = [checkbox(language.phrase(draw, 1, 4)) for _ in range(draw.randint(3, 7))]
                parts.append(grid(draw.choice([2, 3]), *boxes) if draw.chance(0.4) else "".join(boxes))
            elif kind == "yes-no":
                parts.append(grid(4, checkbox(language.label("yes")), checkbox(language.label("no"))))
            elif kind == "scale":
                count = draw.choice([5, 7, 10])
                parts.append(table([], [row([Cell(text(language.phrase(draw, 1, 2)))] + [Cell(str(value + 1), data_align="center") for value in range(count)] + [Cell(text(language.phrase(draw, 1, 2)))])]))
            elif kind == "matrix":
                labels = [language.phrase(draw, 1, 2) for _ in range(draw.choice([3, 4, 5]))]
                mark_of = draw.pick("☐|○|")
                rows = [row([Cell(text(language.phrase(draw, 2, 7)), head=True, scope="row")] + [Cell(mark_of, data_align="center") for _ in labels]) for _ in range(draw.randint(3, 9))]
                parts.append(table([row([Cell()] + [Cell(text(label), head=True, scope="col", data_align="center", data_turn="up" if habit.chance(0.1) else None) for label in labels])], rows))
            elif kind == "rank":
                parts.append("".join(block("form-field", tag("span", "", data_line=True, style="flex:0 0 2em"), tag("span", text(language.phrase(draw, 1, 5)), data_part="key")) for _ in range(draw.randint(3, 6))))
            else:
                parts += [tag("div", "", data_line=True) for _ in range(draw.randint(1, 5))]
    return title, "".join(parts)


@family("exam")
def exam(draw, habit, language):
    title = f"{language.title(draw, 1, 3)} – {language.label('test')} {draw.randint(1, 9)}"
    parts = [heading(1, title), grid(3, *(block("form-field", tag("span", text(language.label(key)) + ":", data_part="key"), tag("span", "", data_line=True)) for key in ("name", "class", "date")))]
    if habit.chance(0.5):
        count = draw.randint(4, 9)
        parts.append(table([row([Cell(text(language.label("exercise")), head=True, scope="row")] + [Cell(str(index + 1), head=True, scope="col") for index in range(count)] + [Cell("Σ", head=True, scope="col")])],
                           [row([Cell(text(language.label(key)), head=True, scope="row")] + [Cell(str(draw.randint(2, 20)) if key == "points" else "") for _ in range(count + 1)]) for key in ("points", "result")]))
    numbering, pointed = habit.pick("heading|bold|list"), habit.pick("({n} {p})|[{n}]|/{n} {p}")
    for index in range(1, draw.randint(4, 10)):
        points = pointed.format(n=draw.randint(2, 20), p=language.label("points"))
        label = f"{language.label('exercise')} {index} {points}"
        parts.append(heading(2, label) if numbering == "heading" else paragraph(tag("strong", text(label if numbering == "bold" else f"{index}. {points}"))))
        parts.append(paragraph(text(language.text(draw, 1, 3))))
        kind = draw.pick("choice|parts|lines|table|picture|gap|formula")
        if kind == "choice":
            parts.append("".join(checkbox(f"{'abcdef'[at]}) {language.phrase(draw, 1, 6)}") for at in range(draw.randint(3, 5))))
        elif kind == "parts":
            parts.append(tag("ol", *(tag("li", text(language.sentence(draw, 4, 14))) for _ in range(draw.randint(2, 5))), type="a"))
        elif kind == "table":
            rows = [row([Cell(text(language.word(draw)), head=True, scope="row")] + [Cell(str(draw.randint(1, 99)) if draw.chance(0.5) else "") for _ in range(5)]) for _ in range(draw.randint(2, 4))]
            parts.append(table([], rows))
        elif kind == "picture":
            parts.append(tag("figure", picture(draw, kinds=["curve", "scatter", "boxes"])))
        elif kind == "gap":
            parts.append(paragraph(text(" ".join("_______" if draw.chance(0.15) else word for word in language.text(draw, 2, 4).split(" ")))))
        elif kind == "formula":
            parts.append(block("formula", tag("span", tag("em", f"f(x) = {draw.randint(2, 9)}x"), tag("sup", str(draw.randint(2, 4))), f" + {draw.randint(1, 9)}x − {draw.randint(1, 30)}")))
        if kind in ("lines", "picture", "formula") or draw.chance(0.3):
            parts += [tag("div", "", data_line=True) for _ in range(draw.randint(2, 6))]
    if habit.chance(0.4):
        parts.append(note("*", text(language.sentence(draw))))
    return title, "".join(parts)


@family("class-list")
def class_list(draw, habit, language):
    title = f"{language.label('class')} {draw.randint(1, 13)}{draw.pick('abc')} – {draw.randint(1999, 2030)}"
    extra, kind, turned = habit.randint(2, 14), habit.pick("marks|empty|points|ticks"), habit.chance(0.4)
    dates = [f"{draw.randint(1, 28)}.{draw.randint(1, 12)}." if not turned else language.phrase(draw, 1, 2) for _ in range(extra)]
    fill = {"marks": lambda: draw.pick("1|2|3|4|2+|1-|"), "empty": lambda: "", "points": lambda: str(draw.randint(0, 100)), "ticks": lambda: draw.pick("✓|✓|✓||x|–")}[kind]
    rows = [row([str(index + 1), Cell(text(f"{language.family(draw)}, {language.given(draw)}"), head=True, scope="row")] + [Cell(text(fill()), data_align="center") for _ in dates]) for index in range(draw.randint(10, 34))]
    head = row([Cell(text(habit.pick(["#", "Nr", ""])), head=False), Cell(text(language.label("name")), head=True, scope="col")] + [Cell(text(day), head=True, scope="col", data_turn="up" if turned else None) for day in dates])
    top = block(None, pair(language.label("teacher") + ":", language.person(draw)), pair(language.label("room") + ":", str(draw.randint(1, 300)))) if habit.chance(0.6) else ""
    return title, heading(1, title) + top + table([head], rows) + (paragraph(lines([language.sentence(draw)])) if habit.chance(0.3) else "") + (items([text(language.sentence(draw, 4, 9)) for _ in range(3)]) if habit.chance(0.2) else "")
