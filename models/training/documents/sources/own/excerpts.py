"""Single pages from the middle of books, reports, textbooks and papers: text that goes on from the page before, running heads, floats with sources, notes with addresses of web sites."""

from ..markup import Cell, block, heading, items, note, paragraph, row, table, tag, text
from ..pictures import figure, picture
from ..registry import family
from .scholarly import data_table, equation, reference


def _shape(habit):
    return {"head": habit.pick("number-title|title-number|title|author|number|none"), "foot": habit.pick("number|title-number|none|none"), "going_on": habit.choice([0.5, 0.8, 0.95]), "cites": habit.pick("sup|author|none"), "notes": habit.choice([0, 0.5, 0.9]),
            "caption": habit.pick("above|below"), "label": habit.pick([".", ":", "", "-"]), "by_chapter": habit.chance(0.6), "source": habit.choice([0, 0.6, 0.9]), "number": habit.pick("dotted|roman|none|none"), "verse": habit.chance(0.2)}


def _running(draw, language, how, kind):
    """A running line that stands in the flow, as in files without margin boxes."""
    number, title, author = str(draw.randint(2, 480)), language.title(draw, 2, 7), language.person(draw)
    parts = {"number-title": [number, title], "title-number": [title, number], "title": [title], "author": [author], "number": [number]}.get(how)
    if parts is None:
        return ""
    if len(parts) == 1:
        return block(kind, text(parts[0]), data_align=draw.pick(["left", "center", "right"]), data_size=draw.pick(["", "s"]) or None)
    between = draw.pick([" ", "  | ", " · "])
    return block(kind, text(parts[0] + between + parts[1]), data_align=draw.pick(["left", "center", "right"]), data_size=draw.pick(["", "s"]) or None)


def _going_on(draw, language):
    """A paragraph whose begin is on the page before."""
    words = language.paragraph(draw, 1, 4).split(" ")
    rest = " ".join(words[draw.randint(1, max(1, min(8, len(words) - 3))) :])
    return paragraph(rest)


def _cited(draw, language, shape):
    content = language.paragraph(draw, 2, 6)
    if shape["cites"] == "sup" and draw.chance(0.5):
        content += tag("sup", str(draw.randint(1, 60)))
    if shape["cites"] == "author" and draw.chance(0.5):
        content += " " + text(f"({language.family(draw)} et al., {draw.randint(1980, 2030)})") + " " + text(language.sentence(draw))
    return paragraph(content)


def _number(draw, shape, word):
    return f"{word} {draw.randint(1, 15)}.{draw.randint(1, 30)}{shape['label']}" if shape["by_chapter"] else f"{word} {draw.randint(1, 40)}{shape['label']}"


def _source(draw, language):
    word = {"de": "Quelle", "fr": "Source", "es": "Fuente", "it": "Fonte", "pt": "Fonte", "nl": "Bron"}.get(language.code, "Source")
    return paragraph(text(f"{word}: {draw.pick([language.company(draw), language.family(draw) + ' (' + str(draw.randint(1990, 2030)) + ')', language.company(draw) + ', ' + language.site(draw)])}."), data_size="s")


def _float(draw, language, shape):
    kind = draw.random()
    if kind < 0.5:
        made = figure(draw, text(language.title(draw, 3, 12)), label=_number(draw, shape, language.label("figure")), kinds=["bars", "curve", "scatter", "pie", "boxes", "photograph"], above=shape["caption"] == "above")
    elif kind < 0.6:
        made = picture(draw)
    else:
        made = data_table(draw, language, language.title(draw, 3, 12), _number(draw, shape, language.label("table")))
    return made + (_source(draw, language) if draw.chance(shape["source"]) else "")


def _notes(draw, language, shape):
    if not draw.chance(shape["notes"]):
        return []
    first = draw.randint(1, 90)
    made = []
    for index in range(draw.randint(1, 6)):
        site = f"https://{language.site(draw).removeprefix('https://').removeprefix('http://')}/{draw.pick('news|content|en|reports|wp-content')}/{draw.digits(4)}"
        made.append(note(str(first + index), text(draw.pick([site, language.sentence(draw, 4, 14), f"{language.family(draw)} ({draw.randint(1970, 2030)}), {language.title(draw, 3, 8)}, {site}", f"Ibid., p. {draw.randint(2, 400)}."]))))
    return made


def _framed(draw, language, shape, parts):
    """The page with its running lines. Without a foot the notes end it."""
    return "".join([_running(draw, language, shape["head"], "page-header"), *parts, *_notes(draw, language, shape), _running(draw, language, shape["foot"], "page-footer")])


def _heading(draw, language, shape, level):
    number = {"dotted": f"{draw.randint(1, 9)}.{draw.randint(1, 9)}{draw.pick(['.', ''])} ", "roman": f"{draw.pick('I|II|III|IV|V|VI')}. "}.get(shape["number"], "")
    return heading(level, number + language.title(draw, 1, 7))


@family("book-page")
def book_page(draw, habit, language):
    """Prose, seldom with a heading."""
    shape = {**_shape(habit), "source": 0}
    parts = [_going_on(draw, language)] if draw.chance(shape["going_on"]) else []
    for index in range(draw.randint(2, 7)):
        if index and draw.chance(0.12):
            parts.append(_heading(draw, language, shape, 2))
        if draw.chance(0.08):
            parts.append(tag("blockquote", paragraph(text(language.text(draw, 1, 4)))))
        parts.append(_cited(draw, language, shape))
    if draw.chance(0.15):
        parts.insert(draw.randint(0, len(parts)), _float(draw, language, shape))
    return language.title(draw, 2, 6), _framed(draw, language, shape, parts)


@family("report-page")
def report_page(draw, habit, language):
    """A page of a report: figures and tables with sources between paragraphs."""
    shape = _shape(habit)
    parts = [_going_on(draw, language)] if draw.chance(shape["going_on"]) else [_heading(draw, language, shape, 2)]
    for _ in range(draw.randint(1, 4)):
        parts.append(draw.pick([_cited, _cited, lambda *_: _heading(draw, language, shape, draw.choice([2, 3])) + _cited(draw, language, shape)])(draw, language, shape))
        if draw.chance(0.6):
            parts.append(_float(draw, language, shape))
        if draw.chance(0.15):
            parts.append(items([text(language.sentence(draw, 5, 25)) for _ in range(draw.randint(2, 6))], ordered=draw.chance(0.3)))
    return language.title(draw, 2, 6), _framed(draw, language, shape, parts)


@family("textbook-page")
def textbook_page(draw, habit, language):
    """A page of a textbook: worked tables, figures, questions, formulas."""
    shape, maths = _shape(habit), habit.chance(0.5)
    parts = [_going_on(draw, language)] if draw.chance(shape["going_on"]) else []
    for _ in range(draw.randint(2, 5)):
        kind = draw.random()
        if kind < 0.3:
            parts.append(_float(draw, language, shape))
        elif kind < 0.4 and maths:
            parts.append(equation(draw, draw.randint(1, 40) if draw.chance(0.5) else None))
        elif kind < 0.55:
            parts.append(items([text(language.sentence(draw, 5, 22)) for _ in range(draw.randint(2, 7))], ordered=draw.chance(0.6)))
        elif kind < 0.7:
            parts.append(_heading(draw, language, shape, draw.choice([2, 3, 3])))
        elif kind < 0.78:
            # Observations to be filled in: most cells of the body are empty.
            names = [language.phrase(draw, 1, 2) for _ in range(draw.randint(2, 6))]
            rows = [row([Cell(text(str(index)))] + [Cell(text(language.number(draw.amount(1, 900), 1)) if draw.chance(0.4) else "") for _ in names]) for index in range(1, draw.randint(4, 10))]
            parts.append(table([row([Cell(text(name), head=True, scope="col") for name in ["#", *names]])], rows, caption=text(f"{_number(draw, shape, language.label('table'))} {language.title(draw, 2, 8)}")))
        parts.append(_cited(draw, language, shape))
    return language.title(draw, 2, 6), _framed(draw, language, shape, parts)


@family("paper-page", without=("ar",))
def paper_page(draw, habit, language):
    """A page of a paper: columns, tables above the text, references that go on."""
    shape, columns, mark = _shape(habit), habit.choice([1, 2, 2, 2]), habit.pick("bracket|dot|author")
    top = [_float(draw, language, shape) for _ in range(draw.choice([0, 1, 1, 2]))]
    body = [_going_on(draw, language)] if draw.chance(shape["going_on"]) else []
    for _ in range(draw.randint(3, 8)):
        if draw.chance(0.25):
            body.append(_heading(draw, language, shape, draw.choice([2, 3])))
        body.append(_cited(draw, language, shape))
        if draw.chance(0.12):
            body.append(_float(draw, language, shape))
    if draw.chance(0.3):
        body.append(heading(2, language.label("references")))
        first = draw.randint(1, 30)
        body += [reference(draw, language, first + index, mark) for index in range(draw.randint(3, 14))]
    flow = tag("div", *body, data_flow=columns) if columns > 1 else "".join(body)
    return language.title(draw, 3, 9), _framed(draw, language, shape, [*top, flow])
