"""Newspaper pages: a masthead, headlines of several sizes, decks, bylines, datelines, text in columns, pictures, jumps, briefs and small tables."""

from ..markup import Cell, block, grid, heading, paragraph, row, table, tag, text
from ..pictures import figure, picture
from ..registry import family


def _story(draw, habit, language, level, length, columns, shape):
    """One story. `shape`: what the author adds to headline and text."""
    parts = []
    if shape["kicker"] and draw.chance(0.5):
        parts.append(paragraph(text(language.phrase(draw, 1, 2).upper()), data_size="s", data_strong=True))
    parts.append(heading(level, language.title(draw, 3, 9), data_span=True if columns > 1 else None, data_size=draw.pick(["xl", "l", ""]) or None))
    if shape["deck"] and draw.chance(0.6):
        parts.append(block("subtitle", text(language.sentence(draw, 6, 14)), data_span=True if columns > 1 and draw.chance(0.5) else None))
    if shape["byline"]:
        by = f"By {language.person(draw)}" if language.code == "en" else language.person(draw)
        parts.append(block("author", text(by.upper() if shape["capitals"] else by)))
        if draw.chance(0.3):
            parts.append(paragraph(tag("em", text(language.email(draw))), data_size="s"))
    if draw.chance(shape["pictures"]):
        parts.append(figure(draw, text(language.sentence(draw, 5, 14)), place=draw.pick(["", "", "right"])))
    for index in range(length):
        content = language.paragraph(draw, 1, 4)
        if index == 0 and shape["dateline"]:
            content = tag("strong", text(language.city(draw).upper() + (" (AP)" if draw.chance(0.3) else ""))) + " — " + content
        parts.append(paragraph(content))
        if index == length // 2 and length > 5 and draw.chance(0.4):
            parts.append(block("pull-quote", text(f"“{language.sentence(draw, 5, 12)}”")))
        if index and length > 6 and draw.chance(0.12):
            parts.append(heading(min(6, level + 1), language.title(draw, 1, 3)))
    if shape["jump"] and draw.chance(0.5):
        jump = f"See {language.phrase(draw, 1, 1).upper()}, Page A{draw.randint(2, 24)}" if language.code == "en" else f"{language.label('page')} {draw.randint(2, 30)}"
        parts.append(paragraph(tag("em", text(jump)), data_align="right", data_size="s"))
    return tag("article", *parts, data_flow=columns if columns > 1 else None)


def _brief(draw, language, level=3):
    """A small table or list as newspapers have it."""
    kind = draw.pick("weather|scores|stocks|index")
    if kind == "weather":
        rows = [row([Cell(text(language.city(draw)), head=True, scope="row"), Cell(f"{draw.randint(-8, 35)}"), Cell(f"{draw.randint(-12, 22)}"), Cell(text(draw.pick("sn|pc|r|s|c|t")))]) for _ in range(draw.randint(4, 10))]
        return heading(level, language.title(draw, 1, 2)) + table([row([Cell(), Cell("Hi", head=True, scope="col"), Cell("Lo", head=True, scope="col"), Cell("W", head=True, scope="col")])] if draw.chance(0.6) else [], rows)
    if kind == "scores":
        rows = [row([Cell(text(language.city(draw)), head=True, scope="row"), *(Cell(str(draw.randint(0, 40))) for _ in range(4))]) for _ in range(draw.randint(3, 8))]
        return heading(level, language.title(draw, 1, 2)) + table([row([Cell(), *(Cell(label, head=True, scope="col") for label in ("W", "L", "T", "Pct"))])], rows)
    if kind == "stocks":
        rows = [row([draw.code("AAA"), Cell(language.number(draw.amount(2, 900), 2), data_align="right"), Cell(draw.pick("+−") + language.number(draw.amount(0.01, 9), 2), data_align="right")]) for _ in range(draw.randint(5, 14))]
        return heading(level, language.title(draw, 1, 2)) + table([], rows)
    entries = [block("toc-entry", tag("span", text(language.phrase(draw, 1, 2))), " ", tag("span", f"{draw.pick('ABCD')}{draw.randint(1, 16)}")) for _ in range(draw.randint(4, 9))]
    return block("toc", *entries, data_box=True)


def _shape(habit):
    return {"kicker": habit.chance(0.4), "deck": habit.chance(0.6), "byline": habit.chance(0.8), "capitals": habit.chance(0.4), "dateline": habit.chance(0.6), "jump": habit.chance(0.5), "pictures": habit.choice([0.1, 0.3, 0.6])}


@family("newspaper", without=("ar",))
def newspaper(draw, habit, language):
    shape, columns, design = _shape(habit), habit.choice([3, 4, 4, 5, 6]), habit.pick("flow|blocks|lead|modular")
    name = draw.pick(["The {} Herald", "{} Tribune", "Daily {}", "{} Gazette", "The {} Courier"]).format(language.city(draw)) if language.code == "en" else f"{language.city(draw)} {language.phrase(draw, 1, 1)}"
    day = language.date(language.day(draw), True)
    mast = block("title", text(name), data_span=True) + block("page-header", text(f"{language.weekday(draw.randrange(7))} · {day} · No. {draw.randint(100, 30000)}{' · $2.50' if language.code == 'en' else ''}"), data_span=True)
    if habit.chance(0.3):
        mast = block("page-header", text(f"{name} · {day} · {draw.pick('ABC')}{draw.randint(1, 20)}"), data_span=True)
    if design == "flow":
        stories = [_story(draw, habit, language, draw.choice([1, 2, 2]) if index else 1, draw.randint(3, 14), 1, shape) for index in range(draw.randint(3, 7))]
        return name, mast + tag("section", *stories, _brief(draw, language, 2), data_flow=columns)
    if design == "lead":
        lead = _story(draw, habit, language, 1, draw.randint(8, 18), columns, shape)
        rest = grid(min(columns, 4), *(_story(draw, habit, language, 2, draw.randint(2, 6), 1, shape) for _ in range(min(columns, 4))))
        return name, mast + lead + rest
    if design == "blocks":
        wide = _story(draw, habit, language, 1, draw.randint(5, 10), max(2, columns - 2), shape)
        side = tag("section", *(_story(draw, habit, language, 2, draw.randint(1, 3), 1, {**shape, "pictures": 0.05}) for _ in range(draw.randint(2, 4))), _brief(draw, language, 2), data_rule="left")
        lower = grid(draw.choice([2, 3]), *(_story(draw, habit, language, 2, draw.randint(3, 7), 1, shape) for _ in range(3)))
        return name, mast + (grid("3 1", wide, side) if habit.chance(0.5) else grid("1 3", side, wide)) + lower
    bands = []
    for index in range(draw.randint(2, 4)):
        across = draw.choice([1, 2, 3])
        bands.append(grid(across, *(_story(draw, habit, language, 1 if index == 0 and number == 0 else 2, draw.randint(2, 8), max(1, columns // across), shape) for number in range(across)), data_rule="bottom"))
    return name, mast + "".join(bands) + (picture(draw) if draw.chance(0.2) else "")


@family("newsletter")
def newsletter(draw, habit, language):
    """A club's or a company's newsletter: two or three columns, boxes, dates, a contents box."""
    shape = {**_shape(habit), "jump": False, "pictures": 0.5}
    title, level = language.title(draw, 1, 3), habit.choice([2, 2, 1])
    parts = [block("title", text(title), data_span=True), block("subtitle", text(f"{language.month(draw.randrange(12))} {draw.randint(1998, 2030)}"), data_span=True)]
    if habit.chance(0.4):
        parts.append(block("toc", tag("h2", text(language.label("contents"))), *(block("toc-entry", tag("span", text(language.title(draw, 2, 5))), " ", tag("span", str(draw.randint(1, 12)))) for _ in range(draw.randint(3, 8))), data_box=True))
    for _ in range(draw.randint(3, 7)):
        parts.append(_story(draw, habit, language, level, draw.randint(2, 5), 1, shape))
        if draw.chance(0.25):
            parts.append(block("sidebar", heading(level + 1, language.title(draw, 1, 3)), paragraph(language.paragraph(draw, 1, 2)), data_box=True))
    return title, tag("section", *parts, data_flow=habit.choice([2, 2, 3]))
