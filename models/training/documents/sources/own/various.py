"""Receipts, tickets, package leaflets, league tables, dictionaries, plays, press releases, questions and answers, acts of law, patents, programmes of events, job advertisements."""

from ..markup import Cell, block, grid, heading, heads, items, lines, note, pair, paragraph, row, table, tag, text
from ..pictures import figure, logo
from ..registry import family


@family("receipt")
def receipt(draw, habit, language):
    """A till receipt: short lines, amounts at the right, totals, centred text."""
    shop, lined, upper = language.company(draw), habit.pick("table|pairs"), habit.chance(0.5)
    name = lambda: language.phrase(draw, 1, 3).upper() if upper else language.phrase(draw, 1, 3)
    goods = [(name(), draw.amount(0.5, 90)) for _ in range(draw.randint(2, 16))]
    total = sum(price for _, price in goods)
    top = block("address", tag("strong", text(shop)), "<br>", lines([*language.address(draw), language.phone(draw)]), data_align="center")
    rows = [row([text(label), Cell(text(language.money(price, False)), data_align="right")]) for label, price in goods]
    sums = [(language.label("total"), total), (language.label("tax") + f" {draw.choice([7, 19, 20, 21])} %", total * 0.19)]
    if lined == "table":
        body = table([], rows, [row([Cell(text(label), head=True, scope="row"), Cell(text(language.money(value)), data_align="right")], data_rule="total" if index == 0 else None) for index, (label, value) in enumerate(sums)])
    else:
        body = "".join(pair(label, language.money(value, False)) for label, value in goods) + "<hr>" + "".join(pair(label, language.money(value)) for label, value in sums)
    facts = [pair(language.label("date"), language.date(language.day(draw))), pair(language.label("order_no"), draw.digits(6)), pair(language.label("time"), f"{draw.randint(7, 21)}:{draw.randint(10, 59)}")]
    return shop, top + "".join(habit.sample(facts, 2)) + body + paragraph(text(language.sentence(draw, 3, 8)), data_align="center") + (paragraph(text(draw.digits(13)), data_align="center") if habit.chance(0.5) else "")


@family("ticket")
def ticket(draw, habit, language):
    """A ticket, voucher or label: a grid of small captions and large values."""
    title = language.title(draw, 1, 3)
    facts = [("date", language.date(language.day(draw))), ("time", f"{draw.randint(0, 23):02}:{draw.randint(0, 59):02}"), ("place", language.city(draw)), ("name", language.person(draw)), ("order_no", draw.code("AA####")), ("room", draw.code("##A")), ("price", language.money(draw.amount(3, 400))), ("class", str(draw.choice([1, 2])))]
    stacked = lambda key, value: block("key-value", tag("span", text(language.label(key)), data_part="key", data_size="xs"), "<br>", tag("span", text(value), data_part="value", data_size="l"))
    made = []
    for _ in range(draw.choice([1, 1, 2, 3])):
        fields = [stacked(key, value) for key, value in habit.sample(facts, habit.randint(4, 8))]
        inside = heading(1, title) + grid(habit.choice([2, 3, 4]), *fields)
        made.append(tag("section", grid("4 1", block(None, inside), block(None, logo(draw), paragraph(text(draw.digits(10)), data_size="xs"))), data_box=True) if habit.chance(0.5) else tag("section", inside, data_box=True))
    return title, "".join(made) + paragraph(text(language.text(draw, 1, 3)), data_size="xs")


@family("package-leaflet")
def package_leaflet(draw, habit, language):
    name = language.word(draw).capitalize() + draw.pick("ol|in|xan|ide|mab") + f" {draw.choice([5, 10, 20, 100, 400])} mg"
    numbered = habit.chance(0.8)
    parts = [heading(1, name, data_align="center"), paragraph(text(language.phrase(draw, 1, 3)), data_align="center"), tag("div", items([text(language.sentence(draw)) for _ in range(draw.randint(3, 5))]), data_box=True)]
    topics = [language.title(draw, 3, 8) for _ in range(6)]
    if habit.chance(0.6):
        parts.append(block("toc", *(block("toc-entry", tag("span", text(f"{index + 1}. {topic}"))) for index, topic in enumerate(topics))))
    for index, topic in enumerate(topics):
        parts.append(heading(2, f"{index + 1}. {topic}" if numbered else topic))
        for _ in range(draw.randint(1, 3)):
            if draw.chance(0.4):
                parts.append(heading(3, language.phrase(draw, 2, 5)))
            parts.append(paragraph(language.paragraph(draw, 1, 4)))
            if draw.chance(0.5):
                parts.append(items([text(language.phrase(draw, 2, 9)) for _ in range(draw.randint(2, 7))]))
    if draw.chance(0.4):
        parts.append(table([heads([language.label("age"), language.label("amount"), language.label("time")])], [row([f"{low}–{low + 5}", f"{draw.choice([1, 2, 5, 10])} ml", f"{draw.randint(1, 4)} ×"]) for low in range(1, draw.choice([12, 18]), 6)]))
    return name, tag("section", *parts, data_flow=habit.choice([2, 3, 4])) if habit.chance(0.4) else "".join(parts)


@family("league-table")
def league_table(draw, habit, language):
    """Standings, fixtures and results of a league."""
    title, clubs = f"{language.title(draw, 1, 3)} {draw.randint(1980, 2030)}", [f"{draw.choice(['FC', 'SV', 'AC', 'Racing', 'United', ''])} {language.city(draw)}".strip() for _ in range(draw.choice([8, 12, 16, 18, 20]))]
    columns = habit.choice([["P", "W", "D", "L", "GF", "GA", "Pts"], ["Sp.", "S", "U", "N", "Tore", "Diff.", "Pkt."], ["PJ", "G", "E", "P", "GF", "GC", "Pts"]])
    rows = [row([str(place + 1), Cell(text(club), head=True, scope="row")] + [Cell(f"{draw.randint(10, 90)}:{draw.randint(10, 90)}" if column == "Tore" else str(draw.randint(0, 40)), data_align="right") for column in columns]) for place, club in enumerate(clubs)]
    standings = table([heads([None, language.label("name") if habit.chance(0.5) else None, *columns])], rows)
    games = [row([text(language.date(language.day(draw))), text(draw.choice(clubs)), "–", text(draw.choice(clubs)), Cell(f"{draw.randint(0, 5)}:{draw.randint(0, 5)}", data_align="center")]) for _ in range(draw.randint(4, 12))]
    results = heading(2, language.label("results")) + table([], games)
    return title, heading(1, title) + (grid("3 2", block(None, standings), block(None, results)) if habit.chance(0.3) else standings + results) + (paragraph(language.paragraph(draw, 2, 4)) if habit.chance(0.4) else "")


@family("dictionary")
def dictionary(draw, habit, language):
    """Entries of a dictionary in columns: a bold head word, grammar in italics, numbered senses in one paragraph."""
    made, phonetic = [], habit.chance(0.6)
    for _ in range(draw.randint(20, 60)):
        senses = draw.choice([1, 1, 2, 3, 4])
        content = " ".join((tag("strong", str(index + 1)) + " " if senses > 1 else "") + text(language.sentence(draw, 3, 14)) for index in range(senses))
        made.append(paragraph(tag("strong", text(language.word(draw))) + (" " + text("[" + "".join(draw.choice("abdeɪəʊɔːʃθntrlks") for _ in range(draw.randint(3, 9))) + "]") if phonetic else "") + " " + tag("em", draw.pick("n.|v.|adj.|adv.|n. pl.|v. tr.")) + " " + content))
    title = language.title(draw, 1, 2)
    return title, heading(1, title if habit.chance(0.5) else language.word(draw)[:1].upper()) + tag("section", *made, data_flow=habit.choice([2, 2, 3]))


@family("play")
def play(draw, habit, language):
    """A play or an interview: speakers in capitals or bold, stage directions in italics."""
    title, shape, people = language.title(draw, 1, 4), habit.pick("bold|capitals|line|terms"), [language.given(draw) for _ in range(draw.randint(2, 5))]
    parts = [heading(1, title), block("author", text(language.person(draw)))]
    if habit.chance(0.5):
        parts += [heading(2, language.label("present")), items([text(f"{person}, {language.phrase(draw, 1, 3)}") for person in people])]
    for act in range(1, draw.randint(2, 4)):
        parts.append(heading(2, f"{language.label('chapter')} {act}"))
        parts.append(paragraph(tag("em", text(f"({language.sentence(draw)})"))))
        for _ in range(draw.randint(8, 24)):
            who, said = draw.choice(people), text(language.text(draw, 1, 3))
            aside = tag("em", text(f"({language.phrase(draw, 1, 3).lower()})")) + " " if draw.chance(0.2) else ""
            parts.append({"bold": paragraph(tag("strong", text(who + ":")) + " " + aside + said), "capitals": paragraph(text(who.upper() + ". ") + aside + said), "line": paragraph(text(who.upper()), data_align="center") + paragraph(aside + said), "terms": tag("dl", tag("dt", text(who)), tag("dd", aside + said))}[shape])
    return title, "".join(parts)


@family("press-release")
def press_release(draw, habit, language):
    title, firm = language.title(draw, 5, 12), language.company(draw)
    parts = [block("address", text(firm)), block("page-header", text(language.label("note").upper())), heading(1, title), block("subtitle", text(language.sentence(draw))) if habit.chance(0.6) else ""]
    opening = tag("strong", text(f"{language.city(draw)}, {language.date(language.day(draw), True)}")) + " – "
    for index in range(draw.randint(4, 9)):
        parts.append(paragraph((opening if index == 0 else "") + language.paragraph(draw, 1, 4)))
        if index == 2 and draw.chance(0.4):
            parts.append(items([text(language.sentence(draw)) for _ in range(draw.randint(2, 5))]))
        if index == 3 and draw.chance(0.3):
            parts.append(table([heads([None, *(str(year) for year in (2023, 2024))])], [row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="row")] + [Cell(text(language.number(draw.randint(10, 90000))), data_align="right") for _ in range(2)]) for _ in range(draw.randint(2, 6))]))
    parts += [heading(2, f"{firm}"), paragraph(text(language.text(draw, 1, 3)), data_size="s"), block("address", lines([language.person(draw), language.phone(draw), language.email(draw)]))]
    return title, "".join(parts) + (paragraph("# # #", data_align="center") if habit.chance(0.4) else "")


@family("questions-and-answers")
def questions_and_answers(draw, habit, language):
    title, shape = language.title(draw, 2, 5), habit.pick("heading|bold|terms|prefixed")
    parts = [heading(1, title)]
    for _ in range(draw.randint(1, 4)):
        parts.append(heading(2, language.title(draw, 1, 4)))
        for index in range(draw.randint(2, 6)):
            asked, replied = text(language.sentence(draw, 5, 14).rstrip(".") + "?"), text(language.text(draw, 1, 4))
            parts.append({"heading": heading(3, asked) + paragraph(replied), "bold": paragraph(tag("strong", asked)) + paragraph(replied), "terms": tag("dl", tag("dt", asked), tag("dd", replied)), "prefixed": paragraph(tag("strong", f"Q{index + 1}: ") + asked) + paragraph(tag("strong", "A: ") + replied)}[shape])
    return title, "".join(parts)


@family("act")
def act(draw, habit, language):
    """An act of law: titles, parts, articles with numbered paragraphs and lettered points, annex with a table."""
    title, deep, numbered = language.title(draw, 5, 12), habit.chance(0.5), habit.pick("§|{article}|Art.")
    parts, number = [heading(1, title.upper() if habit.chance(0.4) else title, data_align="center"), paragraph(tag("em", text(language.sentence(draw))), data_align="center")], 1
    mark = numbered.format(article=language.label("article"))
    for part in range(1, draw.randint(2, 5)):
        if deep:
            parts.append(heading(2, f"{language.label('chapter')} {('I', 'II', 'III', 'IV', 'V')[part - 1]} {language.title(draw, 1, 4)}", data_align="center"))
        for _ in range(draw.randint(2, 5)):
            parts.append(heading(3 if deep else 2, f"{mark} {number}" + (f" {language.title(draw, 1, 5)}" if habit.chance(0.6) else "")))
            number += 1
            for clause in range(1, draw.randint(2, 5)):
                parts.append(paragraph(f"({clause}) " + text(language.text(draw, 1, 2))))
                if draw.chance(0.3):
                    parts.append(tag("ol", *(tag("li", text(language.phrase(draw, 3, 12)) + ";") for _ in range(draw.randint(2, 6))), type="a"))
    if habit.chance(0.4):
        parts += [heading(2, language.label("appendix"), data_align="center"), table([heads([language.label("item"), language.label("description"), language.label("quantity")])], [row([str(index + 1), text(language.phrase(draw, 2, 8)), text(language.number(draw.randint(1, 9000)))]) for index in range(draw.randint(4, 20))])]
    return title, "".join(parts) + note("1", text(language.sentence(draw)))


@family("programme")
def programme(draw, habit, language):
    """The programme of a conference or a festival: days, times, talks, rooms; as tables, lists or a grid of rooms."""
    title, shape = f"{language.title(draw, 2, 5)} {draw.randint(1995, 2031)}", habit.pick("table|rooms|pairs|terms")
    parts = [heading(1, title), block("subtitle", text(f"{language.city(draw)}, {language.date(language.day(draw), True)}"))]
    for day in range(draw.randint(1, 3)):
        parts.append(heading(2, f"{language.weekday(day + 3)}, {language.date((draw.randint(2000, 2030), 5, day + 3), True)}"))
        times, made = [480 + index * draw.choice([30, 45, 60]) for index in range(draw.randint(5, 12))], []
        for at in sorted(set(times)):
            clock, talk, who = f"{at // 60:02}:{at % 60:02}", language.title(draw, 2, 8), language.person(draw)
            if shape == "table":
                made.append(row([Cell(clock, head=True, scope="row"), Cell(tag("strong", text(talk)) + "<br>" + text(who)), text(f"{language.label('room')} {draw.randint(1, 30)}")]))
            elif shape == "rooms":
                broad = draw.chance(0.25)
                made.append(row([Cell(clock, head=True, scope="row")] + ([Cell(text(talk), across=3, data_align="center")] if broad else [Cell(text(language.title(draw, 1, 5)) if draw.chance(0.85) else "") for _ in range(3)])))
            elif shape == "pairs":
                made.append(pair(clock, f"{talk} ({who})"))
            else:
                made.append(tag("dl", tag("dt", text(f"{clock} {talk}")), tag("dd", tag("em", text(who)) + " " + text(language.sentence(draw)))))
        parts.append(table([heads([None, *(f"{language.label('room')} {letter}" for letter in "ABC")])] if shape == "rooms" else [], made) if shape in ("table", "rooms") else "".join(made))
    return title, "".join(parts)


@family("poster")
def poster(draw, habit, language):
    """A scientific poster or a notice: a wide title and boxes in columns."""
    title, columns = language.title(draw, 4, 10), habit.choice([2, 3, 3, 4])
    parts = [heading(1, title, data_align="center"), block("author", text(", ".join(language.person(draw) for _ in range(draw.randint(1, 5)))), data_align="center")]
    boxes = []
    for key in ("introduction", "methods", "results", "discussion", "conclusion", "references"):
        inside = [heading(2, language.label(key)), paragraph(language.paragraph(draw, 1, 3))]
        if draw.chance(0.4):
            inside.append(figure(draw, text(language.phrase(draw, 2, 8)), kinds=["bars", "curve", "scatter", "boxes"]))
        if draw.chance(0.4):
            inside.append(items([text(language.sentence(draw, 3, 10)) for _ in range(draw.randint(2, 5))]))
        boxes.append(tag("section", *inside, data_box=True if habit.chance(0.5) else None))
    return title, "".join(parts) + grid(columns, *boxes)
