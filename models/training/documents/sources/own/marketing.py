"""Brochures, cards in a grid, catalogues, slides, manuals with warnings, reports of organisations, indexes and directories."""

from .. import code
from ..markup import Cell, block, grid, heading, heads, items, lines, note, pair, paragraph, row, table, tag, text
from ..pictures import figure, logo, picture
from ..registry import family
from .scholarly import contents, data_table


def card(draw, habit_shape, language, level):
    """A box with a heading and some text; what is in it is the author's habit."""
    parts = [tag("figure", picture(draw, kinds=["photograph", "boxes", "pie"]))] if habit_shape["picture"] else []
    title = text(language.phrase(draw, 1, 4))
    parts.append(heading(level, title) if habit_shape["heading"] else paragraph(tag("strong", title)))
    if habit_shape["number"]:
        parts.insert(0, paragraph(tag("strong", text(draw.choice([f"{draw.randint(1, 99)} %", language.number(draw.randint(100, 90000)), f"{draw.randint(2, 40)}×"]))), data_size="xl"))
    if habit_shape["text"]:
        parts.append(paragraph(text(language.sentence(draw, 4, 18))))
    if habit_shape["list"]:
        parts.append(items([text(language.phrase(draw, 1, 5)) for _ in range(draw.randint(2, 5))]))
    if habit_shape["pairs"]:
        parts += [pair(language.label(key) + ":", value) for key, value in (("price", language.money(draw.amount(2, 900))), ("order_no", draw.code("##-###")))]
    return block("card", *parts)


def _card_shape(habit):
    return {"picture": habit.chance(0.35), "heading": habit.chance(0.75), "number": habit.chance(0.2), "text": habit.chance(0.8), "list": habit.chance(0.3), "pairs": habit.chance(0.25)}


@family("cards")
def cards(draw, habit, language):
    shape, title, columns = _card_shape(habit), language.title(draw, 1, 5), habit.choice([2, 2, 3, 3, 4])
    parts = [heading(1, title), paragraph(text(language.text(draw, 1, 2))) if draw.chance(0.6) else ""]
    for _ in range(draw.randint(1, 3)):
        if habit.chance(0.5):
            parts.append(heading(2, language.title(draw, 1, 4)))
        parts.append(grid(columns, *(card(draw, shape, language, 3 if habit.chance(0.5) and "<h2" in "".join(parts) else 2) for _ in range(columns * draw.randint(1, 3)))))
        if draw.chance(0.4):
            parts.append(paragraph(language.paragraph(draw, 1, 4)))
    return title, "".join(parts)


@family("brochure")
def brochure(draw, habit, language):
    shape, title = _card_shape(habit), language.title(draw, 1, 4)
    parts = [grid("1 3", logo(draw), block(None, block("title", text(title)), block("subtitle", text(language.phrase(draw, 3, 8))))) if habit.chance(0.5) else block("title", text(title)) + block("subtitle", text(language.phrase(draw, 3, 8)))]
    if habit.chance(0.5):
        parts.append(tag("figure", picture(draw, 420, 160, kinds=["photograph"])))
    for _ in range(draw.randint(2, 5)):
        kind = draw.pick("sides|text|cards|quote|table|columns|box")
        if kind == "sides":
            words = block(None, heading(1, language.title(draw, 1, 4)), paragraph(language.paragraph(draw, 1, 3)), items([text(language.phrase(draw, 2, 7)) for _ in range(draw.randint(2, 5))]))
            shown = tag("figure", picture(draw, kinds=["photograph"]))
            parts.append(grid("1 1", shown, words) if draw.chance(0.5) else grid("3 2", words, shown))
        elif kind == "text":
            parts.append(heading(1, language.title(draw, 1, 5)) + "".join(paragraph(language.paragraph(draw, 1, 4)) for _ in range(draw.randint(1, 3))))
        elif kind == "cards":
            parts.append(heading(1, language.title(draw, 1, 4)) + grid(draw.choice([2, 3]), *(card(draw, shape, language, 2) for _ in range(draw.choice([2, 3, 4, 6])))))
        elif kind == "quote":
            parts.append(block("pull-quote", text(f"“{language.sentence(draw)}”")) + block("author", text(f"— {language.person(draw)}")))
        elif kind == "table":
            rows = [row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="row")] + [Cell(draw.pick("✓|✓|–||" + language.money(draw.randint(5, 900)))) for _ in range(3)]) for _ in range(draw.randint(3, 9))]
            parts.append(heading(1, language.title(draw, 1, 3)) + table([heads([None, *(language.phrase(draw, 1, 1) for _ in range(3))])], rows))
        elif kind == "columns":
            parts.append(grid(3, *(block(None, heading(2 if "<h1" in "".join(parts) else 1, language.phrase(draw, 1, 3)), paragraph(language.paragraph(draw, 1, 2))) for _ in range(3))))
        else:
            parts.append(block("sidebar", paragraph(tag("strong", text(language.title(draw, 1, 3)))), paragraph(text(language.text(draw, 1, 2))), data_box=True))
    parts.append(block("address", lines([language.company(draw), *language.address(draw), language.phone(draw), language.site(draw)])))
    return title, "".join(parts)


@family("catalogue")
def catalogue(draw, habit, language):
    """Products with pictures, descriptions and small tables of variants; or a dense list of items."""
    title, shape, columns = language.title(draw, 1, 4), habit.pick("grid|rows|tables|list"), habit.choice([2, 3])
    parts = [heading(1, title)]
    for _ in range(draw.randint(1, 3)):
        parts.append(heading(2, language.title(draw, 1, 3)))
        made = []
        for _ in range(draw.randint(3, 9)):
            name, about, price = text(language.phrase(draw, 1, 4)), text(language.sentence(draw, 4, 16)), text(language.money(draw.amount(1, 3000)))
            variants = table([row([Cell(text(language.label(key)), head=True, scope="col") for key in ("order_no", "description", "price")])], [row([draw.code("##-####"), f"{draw.choice([10, 20, 50, 100])} {draw.pick('mm|cm|l|kg')}", Cell(text(language.money(draw.amount(1, 500))), data_align="right")]) for _ in range(draw.randint(2, 5))])
            if shape == "grid":
                made.append(block("card", tag("figure", picture(draw, 160, 110, kinds=["photograph", "boxes"])), heading(3, name), paragraph(about), pair(language.label("price") + ":", language.money(draw.amount(1, 900)))))
            elif shape == "rows":
                made.append(grid("1 3 1", tag("figure", picture(draw, 110, 90, kinds=["photograph"])), block(None, heading(3, name), paragraph(about)), paragraph(tag("strong", price), data_align="right")))
            elif shape == "tables":
                made.append(heading(3, name) + grid("1 2", tag("figure", picture(draw, 130, 110, kinds=["photograph", "boxes"])), block(None, paragraph(about), variants)))
            else:
                made.append(paragraph(tag("strong", text(draw.code("####")) + " " + name) + " " + about + " " + tag("em", price)))
        parts.append(grid(columns, *made) if shape == "grid" else "".join(made))
    return title, "".join(parts)


def _points(draw, language):
    """A list of a slide, some of its items with a list in them."""
    inner = lambda: items([text(language.phrase(draw, 1, 6)) for _ in range(draw.randint(1, 3))])
    return items([text(language.phrase(draw, 2, 8)) + (inner() if draw.chance(0.25) else "") for _ in range(draw.randint(2, 6))])


@family("slides")
def slides(draw, habit, language):
    title, numbered = language.title(draw, 2, 6), habit.chance(0.3)
    parts = [tag("section", block("title", text(title)), block("subtitle", text(language.phrase(draw, 2, 6))), block("author", text(f"{language.person(draw)}, {language.date(language.day(draw), True)}")))]
    for index in range(draw.randint(4, 12)):
        name = language.title(draw, 1, 5)
        inside = [heading(1, f"{index + 1}. {name}" if numbered else name)]
        kind = draw.pick("bullets|bullets|bullets|sides|figure|table|quote|cards|code|numbers")
        if kind == "bullets":
            inside.append(_points(draw, language))
        elif kind == "sides":
            inside.append(grid("1 1", block(None, _points(draw, language)), figure(draw, text(language.phrase(draw, 2, 5)))) if draw.chance(0.6) else grid(2, *(block(None, heading(2, language.phrase(draw, 1, 2)), _points(draw, language)) for _ in range(2))))
        elif kind == "figure":
            inside += [figure(draw, text(language.phrase(draw, 2, 8)))]
        elif kind == "table":
            inside.append(data_table(draw, language, language.phrase(draw, 2, 6), f"{language.label('table')} {index}."))
        elif kind == "quote":
            inside += [tag("blockquote", paragraph(text(language.text(draw, 1, 2)))), block("author", text(f"— {language.person(draw)}"))]
        elif kind == "cards":
            inside.append(grid(3, *(card(draw, {"picture": False, "heading": True, "number": draw.chance(0.4), "text": True, "list": False, "pairs": False}, language, 2) for _ in range(3))))
        elif kind == "code":
            inside.append(code.listing(draw))
        else:
            inside.append(items([text(language.sentence(draw, 4, 12)) for _ in range(draw.randint(3, 5))], ordered=True))
        if draw.chance(0.15):
            inside.append(note("*", text(language.phrase(draw, 3, 9))))
        parts.append(tag("section", *inside, data_break=True))
    return title, "".join(parts)


@family("manual")
def manual(draw, habit, language):
    """An operating manual: contents, warnings in boxes, numbered steps, tables of parts and of faults."""
    title, numbered, boxed, level = f"{draw.code('AA-###')} {language.title(draw, 1, 4)}", habit.chance(0.6), habit.pick("box|bold|table"), 1
    parts, entries, page = [block("title", text(title))], [], 3
    body = []
    for chapter in range(1, draw.randint(4, 8)):
        name = (f"{chapter} " if numbered else "") + language.title(draw, 1, 4)
        entries.append((0, name, str(page)))
        body.append(heading(level, name))
        for section in range(1, draw.randint(2, 4)):
            label = (f"{chapter}.{section} " if numbered else "") + language.title(draw, 1, 5)
            entries.append((1, label, str(page)))
            page += draw.randint(0, 3)
            body += [heading(level + 1, label), paragraph(language.paragraph(draw, 1, 3))]
            kind = draw.pick("steps|warning|parts|faults|listing|figure|terms")
            if kind == "steps":
                body.append(items([text(language.sentence(draw, 4, 14)) for _ in range(draw.randint(3, 8))], ordered=True))
            elif kind == "warning":
                word, content = language.label(draw.pick("warning|note")), text(language.text(draw, 1, 2))
                body.append({"box": tag("div", paragraph(tag("strong", text(word.upper()))), paragraph(content), data_box=True), "bold": paragraph(tag("strong", text(word + ": ")) + content), "table": grid("1 5", paragraph(tag("strong", "⚠")), paragraph(content), data_box=True)}[boxed])
            elif kind == "parts":
                body.append(table([heads([language.label("item"), language.label("description"), language.label("quantity"), language.label("order_no")])], [row([str(at + 1), text(language.phrase(draw, 1, 4)), str(draw.randint(1, 9)), draw.code("###.###")]) for at in range(draw.randint(3, 14))]))
            elif kind == "faults":
                rows = []
                for _ in range(draw.randint(2, 6)):
                    causes = draw.choice([1, 1, 2, 3])
                    for at in range(causes):
                        rows.append(row(([Cell(text(language.sentence(draw, 3, 7)), down=causes)] if at == 0 else []) + [Cell(text(language.phrase(draw, 2, 6))), Cell(text(language.sentence(draw, 4, 12)))]))
                body.append(table([heads([language.phrase(draw, 1, 1), language.phrase(draw, 1, 2), language.phrase(draw, 1, 1)])], rows))
            elif kind == "listing":
                body.append(code.listing(draw))
            elif kind == "figure":
                body.append(figure(draw, text(language.phrase(draw, 2, 7)), label=f"{habit.pick('Fig.|Abb.|')} {draw.randint(1, 40)}".strip(), kinds=["boxes", "photograph"]))
            else:
                body.append(tag("dl", *(tag("dt", text(language.phrase(draw, 1, 2))) + tag("dd", text(language.sentence(draw, 4, 14))) for _ in range(draw.randint(3, 8)))))
    if habit.chance(0.6):
        parts.append(contents(draw, entries, language, habit.pick("dots|spaced|none"), language.label("contents")))
    return title, "".join(parts + body)


@family("organisation-report")
def organisation_report(draw, habit, language):
    """A report with numbered chapters, figures, tables, boxes and side matter."""
    title, numbered, side = language.title(draw, 3, 8), habit.chance(0.5), habit.chance(0.4)
    parts, count = [heading(1, title), block("subtitle", text(f"{language.company(draw)}, {draw.randint(1990, 2030)}"))], {"figure": 0, "table": 0}
    if habit.chance(0.4):
        parts.append(block("abstract", heading(2, language.label("abstract")), paragraph(text(language.text(draw, 2, 5)))))
    for chapter in range(1, draw.randint(3, 6)):
        parts.append(heading(2, (f"{chapter}. " if numbered else "") + language.title(draw, 1, 6)))
        level = 2
        for section in range(draw.randint(1, 3)):
            if section or draw.chance(0.4):
                level = 3
                parts.append(heading(3, (f"{chapter}.{section + 1} " if numbered else "") + language.title(draw, 1, 6)))
            parts += [paragraph(language.paragraph(draw, 2, 6)) for _ in range(draw.randint(1, 4))]
            kind = draw.random()
            if kind < 0.25:
                count["figure"] += 1
                parts.append(figure(draw, text(language.sentence(draw, 4, 12)), label=f"{language.label('figure')} {count['figure']}:", kinds=["bars", "curve", "pie"], above=habit.chance(0.4)))
            elif kind < 0.5:
                count["table"] += 1
                parts.append(data_table(draw, language, language.sentence(draw, 4, 10), f"{language.label('table')} {count['table']}:"))
            elif kind < 0.65:
                parts.append(block("sidebar", heading(level + 1, language.title(draw, 1, 4)), paragraph(language.paragraph(draw, 1, 3)), data_box=True, data_place="right" if side else None))
            elif kind < 0.8:
                parts.append(items([text(language.sentence(draw, 5, 16)) for _ in range(draw.randint(2, 6))]))
    return title, "".join(parts) + "".join(note(str(index), text(language.sentence(draw))) for index in range(1, draw.randint(1, 5)))


@family("directory")
def directory(draw, habit, language):
    """An index, a glossary or a list of addresses: many short entries, often in columns."""
    kind, columns, title = habit.pick("index|glossary|addresses|bibliography"), habit.choice([1, 2, 2, 3]), language.title(draw, 1, 3)
    made = []
    for _ in range(draw.randint(3, 9)):
        if habit.chance(0.7):
            made.append(heading(2, draw.choice("ABCDEFGHIKLMNOPRSTUVWZ") if language.code not in ("ar", "zh", "ja") else language.word(draw)[:1]))
        for _ in range(draw.randint(3, 12)):
            if kind == "index":
                made.append(paragraph(text(f"{language.phrase(draw, 1, 3)}, {', '.join(str(page) for page in sorted(draw.sample(range(1, 400), draw.randint(1, 4))))}")))
            elif kind == "glossary":
                made.append(tag("dl", tag("dt", text(language.phrase(draw, 1, 2))), tag("dd", text(language.sentence(draw, 5, 24)))))
            elif kind == "addresses":
                made.append(block("address", tag("strong", text(language.person(draw))), "<br>", lines([*language.address(draw), language.phone(draw), language.email(draw) if draw.chance(0.6) else ""])))
            else:
                made.append(block("reference", text(f"{language.family(draw)}, {draw.choice('ABCDEFGHJKLM')}. ({draw.randint(1900, 2030)}): {language.title(draw, 3, 9)}. {language.city(draw)}.")))
    return title, heading(1, title) + (tag("section", *made, data_flow=columns) if columns > 1 else "".join(made))
