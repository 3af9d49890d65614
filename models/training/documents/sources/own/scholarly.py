"""Papers in one to three columns, theses, textbooks: contents, chapters, floats, equations, footnotes, references."""

from .. import code, maths
from ..markup import Cell, block, grid, heading, heads, items, note, paragraph, row, table, tag, text
from ..pictures import figure
from ..registry import family

ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
JOURNALS = "J. Appl. Phys.|Nature Methods|Proc. R. Soc. B|IEEE Trans. Inf. Theory|Ann. Stat.|Lancet|Phys. Rev. Lett.|Linguistic Inquiry|Ecology Letters|ACM Comput. Surv."


def reference(draw, language, index, style):
    people = [f"{draw.choice('ABCDEFGHJKLMNPRST')}. {language.family(draw)}" for _ in range(draw.randint(1, 4))]
    title, year = language.title(draw, 3, 9), draw.randint(1961, 2030)
    where = f"{tag('em', text(draw.pick(JOURNALS)))} {draw.randint(1, 120)}({draw.randint(1, 12)}), {draw.randint(1, 400)}–{draw.randint(401, 900)}"
    if style == "author":
        return block("reference", text(f"{', '.join(people)} ({year}). {title}. ") + where + "." + (text(f" doi:10.{draw.digits(4)}/{draw.digits(6)}") if draw.chance(0.3) else ""))
    mark = {"bracket": f"[{index}] ", "dot": f"{index}. ", "plain": ""}[style]
    return block("reference", text(f"{mark}{', '.join(people)}, “{title},” ") + where + text(f", {year}."))


def equation(draw, number=None):
    return block("formula", maths.display(draw), block("formula-number", f"({number})") if number else "")


def data_table(draw, language, caption, label, above=True):
    """A small table of results as papers have them."""
    columns, grouped = draw.randint(2, 7), draw.chance(0.35)
    names = [draw.choice([language.phrase(draw, 1, 2), draw.pick("N|p|SD|M|F1|Acc.|R²|Δ|n (%)|95% CI")]) for _ in range(columns)]
    heading_rows = []
    if grouped and columns >= 4:
        half = columns // 2
        heading_rows.append(row([Cell(text(language.phrase(draw, 1, 1)), head=True, scope="col", down=2), Cell(text(language.phrase(draw, 1, 2)), head=True, scope="colgroup", across=half), Cell(text(language.phrase(draw, 1, 2)), head=True, scope="colgroup", across=columns - half)]))
        heading_rows.append(row([Cell(text(name), head=True, scope="col") for name in names]))
    else:
        heading_rows.append(row([Cell(text(language.phrase(draw, 1, 1)) if draw.chance(0.6) else "", head=draw.chance(0.7))] + [Cell(text(name), head=True, scope="col") for name in names]))
    kinds = [draw.pick("decimal|integer|uncertain|percent|text|mark") for _ in range(columns)]
    make = {"decimal": lambda: f"{draw.uniform(0, 10):.2f}", "integer": lambda: language.number(draw.randint(1, 20000)), "uncertain": lambda: f"{draw.uniform(0, 90):.1f} ± {draw.random():.1f}", "percent": lambda: f"{draw.uniform(0, 100):.1f}%", "text": lambda: language.phrase(draw, 1, 3), "mark": lambda: draw.pick("✓|–|✗|**|n.s.|")}
    rows = []
    for index in range(draw.randint(3, 12)):
        if draw.chance(0.08) and index:
            rows.append(row([Cell(tag("em", text(language.phrase(draw, 1, 3))), head=True, scope="rowgroup", across=columns + 1)]))
        rows.append(row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="row")] + [Cell(text(make[kind]()) if draw.chance(0.95) else "", data_align=draw.choice(["center", None]) if kind != "text" else None) for kind in kinds]))
    return table(heading_rows, rows, caption=(tag("strong", text(label)) + " " if draw.chance(0.5) else text(label) + " ") + text(caption))


def _number(style, chapter, section=None):
    if style == "none":
        return ""
    if style == "roman":
        return f"{ROMAN[chapter - 1]}. " if section is None else f"{'ABCDEFGH'[section - 1]}. "
    return f"{chapter}{'.' if style == 'dotted' else ''} " if section is None else f"{chapter}.{section} "


def _body(draw, habit_shape, language, level, counters, chapter):
    """Paragraphs with floats, lists, formulas and footnotes between them."""
    made = []
    for _ in range(draw.randint(2, 6)):
        content = language.paragraph(draw, 2, 7)
        if habit_shape["cites"] and draw.chance(0.5):
            content += " " + (tag("sup", str(draw.randint(1, 40))) if habit_shape["cites"] == "sup" else text(f"[{draw.randint(1, 40)}]" if habit_shape["cites"] == "bracket" else f"({language.family(draw)} {draw.randint(1980, 2030)})"))
        if habit_shape["maths"] and draw.chance(0.2):
            content += " " + maths.inline(draw)
        made.append(paragraph(content))
        kind = draw.random()
        if kind < 0.14:
            counters["figure"] += 1
            label = f"{habit_shape['figure'] or language.label('figure')} {counters['figure']}{habit_shape['after']}"
            made.append(figure(draw, text(language.sentence(draw, 5, 20)), label=label, kinds=["bars", "curve", "scatter", "pie", "boxes", "photograph"], place=draw.choice([None, None, None, "right"])))
        elif kind < 0.26:
            counters["table"] += 1
            made.append(data_table(draw, language, language.sentence(draw, 4, 14), f"{language.label('table')} {counters['table']}{habit_shape['after']}"))
        elif kind < 0.42 and habit_shape["maths"]:
            counters["equation"] += 1
            made.append(equation(draw, (f"{chapter}.{counters['equation']}" if habit_shape["by_chapter"] else counters["equation"]) if draw.chance(0.7) else None))
        elif kind < 0.5:
            made.append(items([text(language.sentence(draw, 4, 18)) for _ in range(draw.randint(2, 6))], ordered=draw.chance(0.4)))
        elif kind < 0.54 and habit_shape["code"]:
            made.append(code.listing(draw))
        elif kind < 0.58:
            made.append(tag("blockquote", paragraph(text(language.text(draw, 1, 3)))))
        if habit_shape["notes"] and draw.chance(0.12):
            counters["note"] += 1
            made.append(note(str(counters["note"]), text(language.sentence(draw))))
    return made


def _shape(habit):
    return {"cites": habit.pick("bracket|sup|author|"), "maths": habit.chance(0.5), "figure": habit.pick(["", "", "Fig."]), "after": habit.pick([".", ":", ""]), "by_chapter": habit.chance(0.4), "code": habit.chance(0.25), "notes": habit.chance(0.35)}


@family("paper", without=("ar",))
def paper(draw, habit, language):
    shape, numbering, title = _shape(habit), habit.pick("dotted|plain|roman|none|dotted"), language.title(draw, 4, 12)
    references, counters = habit.pick("bracket|dot|author|plain"), {"figure": 0, "table": 0, "equation": 0, "note": 0}
    people = [language.person(draw) for _ in range(draw.randint(1, 7))]
    parts = [heading(1, title)]
    if habit.chance(0.4) and len(people) > 1:
        parts.append(grid(min(3, len(people)), *(block("author", text(person), "<br>", tag("em", text(language.company(draw))), "<br>", text(language.email(draw))) for person in people[:6]), data_span=True))
    else:
        parts.append(block("author", *(text(person) + tag("sup", str(index % 3 + 1)) + (", " if index < len(people) - 1 else "") for index, person in enumerate(people))))
        parts += [block("author", tag("sup", str(index + 1)) + tag("em", text(f"{language.company(draw)}, {language.city(draw)}")), data_size="s") for index in range(min(3, len(people)))]
    abstract = text(language.text(draw, 3, 8))
    named = habit.pick("heading|run-in|none")
    parts.append(block("abstract", heading(2, language.label("abstract")) if named == "heading" else "", paragraph((tag("strong", text(language.label("abstract") + habit.pick(["—", ".", ":"]))) + " " if named == "run-in" else "") + abstract)))
    if habit.chance(0.5):
        parts.append(paragraph(tag("em", text(language.label("keywords") + ": ")) + text(", ".join(language.phrase(draw, 1, 2) for _ in range(draw.randint(3, 6))))))
    for index, key in enumerate(["introduction", *draw.some(["methods", "results", "discussion"], 2, 3), "conclusion"], 1):
        name = language.label(key)
        parts.append(heading(2, _number(numbering, index) + (name.upper() if numbering == "roman" else name)))
        subsections = draw.choice([0, 0, 2, 3]) if key != "conclusion" else 0
        parts += _body(draw, shape, language, 2, counters, index)
        for section in range(1, subsections + 1):
            parts.append(heading(3, _number(numbering, index, section) + language.title(draw, 1, 5)))
            parts += _body(draw, shape, language, 3, counters, index)[:6]
            if draw.chance(0.15):
                parts.append(heading(4, language.title(draw, 1, 4)) + paragraph(language.paragraph(draw, 2, 4)))
    parts.append(heading(2, language.label("references")))
    parts += [reference(draw, language, index + 1, references) for index in range(draw.randint(5, 30))]
    return title, "".join(parts)


def contents(draw, entries, language, leader, name=None, level=1):
    """A table of contents. `entries`: (depth, label, page). `leader`: dots, spaced, none."""
    made = []
    for depth, label, page in entries:
        dots = {"dots": "." * 400, "spaced": " ." * 300, "none": ""}[leader]
        made.append(block("toc-entry", tag("span", text(label)), tag("span", dots, data_part="leader") if dots else " ", tag("span", text(page)), data_indent=depth if depth else None))
    return (heading(level, name) if name else "") + block("toc", *made)


@family("thesis")
def thesis(draw, habit, language):
    shape, numbering, title = {**_shape(habit), "by_chapter": True}, habit.pick("dotted|plain|roman|none"), language.title(draw, 5, 12)
    front = [block("title", text(title), data_align="center"), block("subtitle", text(language.phrase(draw, 2, 5)), data_align="center"), block("author", text(language.person(draw)), data_align="center"),
             paragraph(text(language.company(draw)), data_align="center"), paragraph(text(f"{language.label('supervisor')}: {language.person(draw)}"), data_align="center"), paragraph(text(f"{language.city(draw)}, {draw.randint(1980, 2030)}"), data_align="center")]
    parts = front if draw.chance(0.6) else []
    counters, page, entries, body, figures = {"figure": 0, "table": 0, "equation": 0, "note": 0}, draw.randint(5, 12), [], [], []
    worded = habit.chance(0.4)
    for chapter in range(1, draw.randint(3, 6)):
        name = (f"{language.label('chapter')} {chapter}: " if worded else _number(numbering, chapter)) + language.title(draw, 1, 5)
        entries.append((0, name, str(page)))
        body.append(heading(1, name))
        counters.update(figure=0, table=0, equation=0)
        body += _body(draw, shape, language, 1, counters, chapter)[:5]
        for section in range(1, draw.randint(2, 4)):
            label = _number("dotted" if numbering in ("dotted", "plain") else numbering, chapter, section) + language.title(draw, 1, 6)
            page += draw.randint(1, 9)
            entries.append((1, label, str(page)))
            body.append(heading(2, label))
            body += _body(draw, shape, language, 2, counters, chapter)[:8]
            if draw.chance(0.4):
                deeper = (f"{chapter}.{section}.1 " if numbering in ("dotted", "plain") else "") + language.title(draw, 1, 5)
                entries.append((2, deeper, str(page)))
                body.append(heading(3, deeper) + paragraph(language.paragraph(draw, 2, 5)))
        page += draw.randint(2, 15)
    leader = habit.pick("dots|spaced|none")
    if draw.chance(0.7):
        parts.append(contents(draw, entries, language, leader, language.label("contents")))
    if draw.chance(0.4):
        figures = [(0, f"{habit.pick('Fig.|Abb.|')} {draw.randint(1, 6)}.{index} {language.sentence(draw, 4, 10)}".strip(), str(draw.randint(5, 190))) for index in range(1, draw.randint(4, 14))]
        parts.append(contents(draw, figures, language, leader, language.label("figures")))
    parts.append(heading(1, language.label("abstract")) + paragraph(language.paragraph(draw, 4, 8)))
    parts += body + [heading(1, language.label("references"))] + [reference(draw, language, index + 1, "bracket") for index in range(draw.randint(6, 25))]
    return title, "".join(parts)


@family("textbook")
def textbook(draw, habit, language):
    """A chapter with definitions, theorems, examples in boxes, exercises and margin matter."""
    shape, title = {**_shape(habit), "maths": habit.chance(0.6)}, language.title(draw, 1, 5)
    counters = {"figure": 0, "table": 0, "equation": 0, "note": 0}
    chapter, boxed = draw.randint(1, 15), habit.chance(0.5)
    parts = [paragraph(text(f"{language.label('chapter')} {chapter}"), data_size="s") if habit.chance(0.4) else "", heading(1, title if habit.chance(0.5) else f"{chapter} {title}")]
    for section in range(1, draw.randint(3, 6)):
        parts.append(heading(2, f"{chapter}.{section} {language.title(draw, 1, 5)}"))
        parts += _body(draw, shape, language, 2, counters, chapter)
        if draw.chance(0.5):
            name = draw.pick("Definition|Theorem|Example|Remark|Proof") if language.code == "en" else language.label("note")
            inside = paragraph(tag("strong", text(f"{name} {chapter}.{draw.randint(1, 20)}.")) + " " + language.paragraph(draw, 1, 3)) + (equation(draw) if shape["maths"] else "")
            parts.append(block("sidebar", heading(3, language.title(draw, 1, 3)), inside, data_box=True) if boxed and draw.chance(0.5) else tag("div", inside, data_box=True if boxed else None))
    parts.append(heading(2, language.label("exercise")))
    parts.append(items([text(language.text(draw, 1, 2)) for _ in range(draw.randint(4, 14))], ordered=True))
    if draw.chance(0.3):
        parts.append(table([heads([language.label("item"), language.label("result")])], [row([str(index), text(language.phrase(draw, 1, 4))]) for index in range(1, 7)]))
    return title, "".join(parts)
