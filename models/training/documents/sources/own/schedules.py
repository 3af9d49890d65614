"""Timetables of trains and classes, calendars, price lists, menus, recipes, sports results."""

from ..markup import Cell, block, grid, heading, heads, items, note, pair, paragraph, row, table, tag, text
from ..registry import family


def _clock(minutes, mark):
    return f"{minutes // 60 % 24:02}{mark}{minutes % 60:02}"


@family("train-timetable")
def train_timetable(draw, habit, language):
    """Stops in rows, trains in columns, with signs, bars and empty cells."""
    trains, stops, mark = draw.randint(4, 14), draw.randint(8, 28), habit.pick(":|.|")
    title, days, directed, halves = f"{language.city(draw)} – {language.city(draw)}", habit.chance(0.5), habit.chance(0.2), habit.chance(0.4)
    start, rows = draw.randint(280, 420), []
    step = [draw.randint(2, 11) for _ in range(stops)]
    for index in range(stops):
        name = language.city(draw) + draw.pick(["", "", " " + language.word(draw).capitalize(), " Hbf" if language.code == "de" else ""])
        cells = [Cell(text(name), head=True, scope="row")] + ([Cell(draw.pick("dep|arr|"))] if directed else [])
        for train in range(trains):
            skipped = draw.chance(0.12)
            cells.append(Cell(draw.pick("|||–|…") if skipped else _clock(start + sum(step[:index]) + train * 30, mark), data_align="center"))
        rows.append(row(cells))
    lead = 2 if directed else 1
    numbers = row([Cell(text(habit.pick(["", "Zug Nr.", "Train"])))] + [Cell() for _ in range(lead - 1)] + [Cell(draw.code("###"), head=True, scope="col") for _ in range(trains)])
    signs = row([Cell() for _ in range(lead)] + [Cell(draw.pick("①|②|Ⓐ|✕|†||"), head=True, scope="col") for _ in range(trains)])
    head = [numbers] + ([signs] if days else [])
    if halves:
        half = trains // 2
        head.insert(0, row([Cell() for _ in range(lead)] + [Cell(text(language.weekday(0) + " – " + language.weekday(4)), head=True, scope="colgroup", across=half), Cell(text(language.weekday(5)), head=True, scope="colgroup", across=trains - half)]))
    parts = [heading(1, f"{draw.randint(1, 990)} {title}" if habit.chance(0.6) else title), table(head, rows)]
    return title, "".join(parts) + "".join(note(sign, text(language.sentence(draw, 3, 8))) for sign in ("①", "†", "✕")[:draw.randint(0, 3)])


@family("bus-timetable")
def bus_timetable(draw, habit, language):
    """Hours in the first column, minutes in the cells, as they hang at a stop."""
    title = f"{language.label('stop')} {language.city(draw)} {language.word(draw)}"
    groups = [language.weekday(0) + "–" + language.weekday(4), language.weekday(5), language.weekday(6)][:habit.choice([1, 2, 3, 3])]
    rows = [row([Cell(str(hour), head=True, scope="row")] + [Cell(" ".join(f"{minute:02}{draw.pick(['', '', '', 'a'])}" for minute in sorted(draw.sample(range(60), draw.randint(0, 6))))) for _ in groups]) for hour in range(draw.randint(4, 6), draw.randint(21, 24))]
    head = row([Cell(text(habit.pick(["", "h", language.label("time")])), head=True, scope="col")] + [Cell(text(group), head=True, scope="col") for group in groups])
    stops = items([text(f"{language.city(draw)} {language.word(draw)}") for _ in range(draw.randint(6, 18))])
    body = table([head], rows)
    return title, heading(1, f"{draw.randint(1, 99)} {title}") + (grid("3 1", body, block("sidebar", heading(2, language.label("stop")), stops)) if habit.chance(0.5) else body) + paragraph(text(language.sentence(draw)), data_size="s")


@family("lesson-timetable")
def lesson_timetable(draw, habit, language):
    title = f"{language.label('class')} {draw.randint(5, 13)}{draw.pick('abcd')}"
    days, doubles = habit.choice([5, 5, 6]), habit.chance(0.5)
    subjects = [language.phrase(draw, 1, 2) for _ in range(9)]
    open_until, rows = [0] * days, []
    lessons = draw.randint(6, 10)
    for lesson in range(lessons):
        begin = 480 + lesson * 50
        cells = [Cell(str(lesson + 1) if habit.chance(0.5) else f"{_clock(begin, ':')}–{_clock(begin + 45, ':')}", head=True, scope="row")]
        for day in range(days):
            if open_until[day] > lesson:
                continue
            down = 2 if doubles and lesson + 1 < lessons and draw.chance(0.35) else 1
            open_until[day] = lesson + down
            content = "" if draw.chance(0.12) else text(draw.choice(subjects)) + draw.choice(["", f"<br>{tag('small', text(language.family(draw)))}", f"<br>{language.label('room')[:1]}{draw.randint(1, 300)}"])
            cells.append(Cell(content, down=down))
        rows.append(row(cells))
        if habit.chance(0.1) and all(end == lesson + 1 for end in open_until):
            rows.append(row([Cell(text(language.phrase(draw, 1, 2)), across=days + 1, data_align="center")]))
    head = row([Cell()] + [Cell(text(language.weekday(day)), head=True, scope="col") for day in range(days)])
    return title, heading(1, title) + table([head], rows) + (block(None, pair(language.label("teacher") + ":", language.person(draw))) if habit.chance(0.5) else "")


@family("calendar")
def calendar(draw, habit, language):
    year, month = draw.randint(2000, 2032), draw.randrange(12)
    parts = [heading(1, str(year))]
    months = [month] if habit.chance(0.5) else list(range(draw.choice([3, 6, 12])))
    blocks = []
    for at in months:
        first, count = draw.randrange(7), draw.choice([28, 30, 31])
        cells = [Cell() for _ in range(first)] + [Cell(str(day + 1) + ("<br>" + text(language.phrase(draw, 1, 3)) if len(months) == 1 and draw.chance(0.25) else "")) for day in range(count)]
        cells += [Cell() for _ in range(-len(cells) % 7)]
        rows = [row(cells[start:start + 7]) for start in range(0, len(cells), 7)]
        blocks.append(block(None, heading(2, language.month(at)), table([heads([language.weekday(day)[:2 if len(months) > 1 else 20] for day in range(7)])], rows)))
    return f"{year}", "".join(parts) + (grid(habit.choice([2, 3]), *blocks) if len(blocks) > 1 else blocks[0]) + (items([text(f"{language.date(language.day(draw))} {language.phrase(draw, 2, 5)}") for _ in range(draw.randint(2, 9))]) if draw.chance(0.4) else "")


@family("price-list")
def price_list(draw, habit, language):
    title = f"{language.label('price')} {draw.randint(2001, 2031)}: {language.title(draw, 1, 3)}"
    shape, prices, coded = habit.pick("one-table|tables|dotted|two-columns"), habit.randint(1, 3), habit.chance(0.5)
    sections = []
    for _ in range(draw.randint(2, 6)):
        rows = []
        for _ in range(draw.randint(3, 12)):
            cells = ([Cell(draw.code("##.###"))] if coded else []) + [Cell(text(language.phrase(draw, 1, 5)), head=not coded, scope=None if coded else "row")] + [Cell(text(language.money(draw.amount(0.5, 800), prices > 1)), data_align="right") for _ in range(prices)]
            rows.append(row(cells))
        sections.append((language.title(draw, 1, 3), rows))
    width = prices + 1 + coded
    head = [row(([Cell(text(language.label("item")), head=True, scope="col")] if coded else []) + [Cell(text(language.label("description")), head=True, scope="col")] + [Cell(text(language.label("price") if index == 0 else language.phrase(draw, 1, 1)), head=True, scope="col", data_align="right") for index in range(prices)])] if habit.chance(0.6) else []
    parts = [heading(1, title)]
    if shape == "one-table":
        parts.append(table(head, [], bodies=[[row([Cell(text(name), head=True, scope="rowgroup", across=width)])] + rows for name, rows in sections]))
    else:
        made = [heading(2, name) + table(head if shape == "tables" else [], rows) for name, rows in sections]
        parts.append(tag("section", *made, data_flow=2) if shape == "two-columns" else "".join(made))
    return title, "".join(parts) + paragraph(text(language.sentence(draw)), data_size="s")


@family("menu")
def menu(draw, habit, language):
    """Dishes with prices: as lines, as a table, centred, or in columns."""
    name, shape = language.title(draw, 1, 3), habit.pick("lines|table|centred|leader")
    parts, made = [heading(1, name, data_align="center" if habit.chance(0.6) else None)], []
    for key in draw.some(["starters", "mains", "desserts", "drinks"], 2, 4):
        dishes = []
        for _ in range(draw.randint(3, 9)):
            dish, price = language.phrase(draw, 1, 4), language.money(draw.amount(2, 45), habit.chance(0.5))
            about = text(language.phrase(draw, 3, 9)) if draw.chance(0.5) else ""
            if shape == "table":
                dishes.append(row([Cell(tag("strong", text(dish)) + (f"<br>{about}" if about else "")), Cell(text(price), data_align="right")]))
            elif shape == "centred":
                dishes.append(paragraph(tag("strong", text(dish)) + (f"<br>{about}" if about else "") + f"<br>{text(price)}", data_align="center"))
            elif shape == "leader":
                dishes.append(block("key-value", tag("span", text(dish), data_part="key"), " ", tag("span", "." * draw.randint(8, 40)), " ", tag("span", text(price), data_part="value")) + (paragraph(about, data_size="s") if about else ""))
            else:
                dishes.append(pair(dish, price, between=" ") + (paragraph(tag("em", about)) if about else ""))
        made.append(block(None, heading(2, language.label(key), data_align="center" if shape == "centred" else None), table([], dishes) if shape == "table" else "".join(dishes)))
    return name, "".join(parts) + (grid(2, *made) if habit.chance(0.35) else "".join(made)) + (note("*", text(language.sentence(draw, 4, 12))) if draw.chance(0.5) else "")


@family("recipe")
def recipe(draw, habit, language):
    parts, level, book = [], 1, draw.chance(0.4)
    title = language.title(draw, 1, 4)
    if book:
        parts.append(heading(1, title))
        level = 2
    for _ in range(draw.randint(2, 4) if book else 1):
        amounts = [f"{draw.choice([1, 2, 3, 50, 100, 125, 200, 250, 500, '½', '¼', '1 ½'])} {draw.pick('g|ml|EL|TL|cup|tbsp|kg||')}".strip() for _ in range(draw.randint(4, 13))]
        names = [language.phrase(draw, 1, 3) for _ in amounts]
        listed = habit.pick("list|table|line")
        goods = {"list": lambda: items([text(f"{amount} {name}") for amount, name in zip(amounts, names)]), "table": lambda: table([], [row([Cell(text(amount), data_align="right"), text(name)]) for amount, name in zip(amounts, names)]), "line": lambda: paragraph(text(", ".join(f"{amount} {name}" for amount, name in zip(amounts, names))))}[listed]()
        steps = [text(language.text(draw, 1, 3)) for _ in range(draw.randint(3, 8))]
        left = heading(level + 1, language.label("ingredients")) + goods
        right = heading(level + 1, language.label("preparation")) + (items(steps, ordered=True) if habit.chance(0.6) else "".join(paragraph(step) for step in steps))
        facts = grid(3, *(pair(key, value) for key, value in ((language.label("time"), f"{draw.choice([20, 35, 45, 90])} min"), (language.label("quantity"), str(draw.choice([2, 4, 6, 12]))), ("kcal", str(draw.randint(90, 900)))))) if habit.chance(0.6) else ""
        parts += [heading(level, language.title(draw, 1, 5)), facts, grid("1 2", block(None, left), block(None, right)) if habit.chance(0.5) else left + right]
    return title, "".join(parts)
