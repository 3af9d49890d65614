"""Letters, account statements, memos, minutes, contracts, certificates and curricula vitae."""

from ..markup import Cell, block, grid, heading, heads, items, lines, pair, paragraph, row, table, tag, text
from ..pictures import logo
from ..registry import family


def _letterhead(draw, language, sender):
    """The sender as letters have it: lines, one line with dots, or with a logo."""
    parts = [language.phone(draw), language.email(draw), language.site(draw)]
    return draw.choice([
        lambda: block("address", tag("strong", text(sender)), "<br>", lines(language.address(draw) + parts[:2])),
        lambda: block("address", text(" · ".join([sender, *language.address(draw), *parts])), data_size="xs", data_align="center"),
        lambda: grid("1 4", block(None, logo(draw)), block("address", tag("strong", text(sender)), "<br>", lines(language.address(draw)), data_align="right")),
        lambda: block("page-header", text(f"{sender} – {', '.join(language.address(draw))}"), data_size="xs"),
    ])()


@family("letter")
def letter(draw, habit, language):
    sender, references, signed = language.company(draw) if habit.chance(0.7) else language.person(draw), habit.chance(0.5), habit.pick("below|two|typed")
    head = _letterhead(habit, language, sender)
    receiver = block("address", lines([language.company(draw) if draw.chance(0.6) else "", language.person(draw), *language.address(draw)]))
    day = language.date(language.day(draw), habit.chance(0.6))
    facts = [pair(language.label(key), value) for key, value in (("customer_no", draw.code("##-####-##")), ("order_no", draw.code("AA/####")), ("date", day), ("phone", language.phone(draw)))]
    facts = block(None, *draw.sample(facts, draw.randint(2, 4)))
    dated = paragraph(text(f"{language.city(draw)}, {day}"), data_align=habit.pick("right|left"))
    top = {0: head + receiver + dated, 1: head + grid("3 2", receiver, facts), 2: head + dated + receiver, 3: head + receiver + grid(3, *(pair(language.label(key), draw.code("##-##")) for key in ("order_no", "customer_no", "date")))}[habit.randrange(4)]
    subject = language.title(draw, 3, 9)
    labelled = f"{language.label('subject')}: {subject}" if references else subject
    body = [heading(1, labelled) if habit.chance(0.5) else paragraph(tag("strong", text(labelled))), paragraph(text(language.label("dear")))]
    for index in range(draw.randint(2, 7)):
        body.append(paragraph(language.paragraph(draw, 1, 5)))
        if index == 1 and draw.chance(0.35):
            body.append(items([text(language.sentence(draw, 4, 16)) for _ in range(draw.randint(2, 6))], ordered=draw.chance(0.4)))
        if index == 1 and draw.chance(0.3):
            rows = [row([text(language.phrase(draw, 1, 4)), Cell(text(language.money(draw.amount(10, 9000))), data_align="right")]) for _ in range(draw.randint(2, 7))]
            body.append(table([heads([language.label("description"), language.label("amount")])] if draw.chance(0.6) else [], rows))
        if index == 2 and habit.chance(0.2):
            body.append(heading(2, language.title(draw, 1, 4)))
    body.append(paragraph(text(language.label("regards"))))
    names = [block("signature", tag("em", text(language.person(draw))) if signed == "typed" else "", "<br>" if signed == "typed" else "", lines([language.person(draw), language.phrase(draw, 1, 3)])) for _ in range(2 if signed == "two" else 1)]
    body.append(grid(2, *names) if len(names) > 1 else names[0])
    if habit.chance(0.3):
        body.append(paragraph(text(f"{language.label('appendix')}: {language.phrase(draw, 2, 6)}"), data_size="s"))
    if habit.chance(0.3):
        columns = [block("page-footer", lines([sender, *language.address(draw)])), block("page-footer", lines([language.phone(draw), language.email(draw)])), block("page-footer", lines(["IBAN " + draw.code("AA## #### #### ####"), "BIC " + draw.code("AAAAAA##")]))]
        body.append(grid(3, *columns, data_size="xs"))
    return subject, top + "".join(body)


@family("bank-statement")
def bank_statement(draw, habit, language):
    bank, holder = language.company(draw), language.person(draw)
    number, day = draw.code(habit.pick("AA## #### #### #### #### ##|#########|####-####-##")), language.day(draw)
    title = f"{language.label('statement')} {habit.pick('Nr. |no. |')}{draw.randint(1, 240)}"
    receiver = block("address", lines([holder, *language.address(draw)]))
    facts = block(None, *(pair(language.label(key) + habit.pick(["", ":"]), value) for key, value in habit.sample([("iban", number), ("date", language.date(day)), ("customer_no", draw.digits(8)), ("page", "1 / 1"), ("bank", bank)], 3)))
    summary_kind, split, long = habit.pick("table|pairs|none"), habit.chance(0.5), draw.choice([6, 10, 18, 30, 55, 80])
    opening = balance = draw.amount(50, 20000)
    columns = ["date"] + (["due"] if habit.chance(0.3) else []) + ["description"] + (["order_no"] if habit.chance(0.25) else []) + (["debit", "credit"] if split else ["amount"]) + (["balance"] if habit.chance(0.7) else [])
    rows, sums, two_lines = [], [0.0, 0.0], habit.chance(0.5)
    carried = row([Cell(text(language.label("opening")), across=len(columns) - 1), Cell(text(language.money(opening, False)), data_align="right")]) if habit.chance(0.5) else ""
    for index in range(long):
        value = round(draw.amount(1, 3000) * draw.choice([-1, -1, -1, 1]), 2)
        balance = round(balance + value, 2)
        sums[value > 0] += abs(value)
        about = text(language.phrase(draw, 1, 4))
        if two_lines and draw.chance(0.7):
            about += "<br>" + text(f"{draw.code('AA####??')} {language.city(draw)} {draw.code('######')}")
        day_of = (day[0], day[1], min(28, 1 + index * 27 // max(1, long)))
        values = {"date": text(language.date(day_of)), "due": text(language.date(day_of)), "description": about, "order_no": draw.code("######"), "amount": text(language.money(value, False)),
                  "debit": text(language.money(-value, False)) if value < 0 else "", "credit": text(language.money(value, False)) if value > 0 else "", "balance": text(language.money(balance, False))}
        rows.append(row([Cell(values[column], data_align="right" if column in ("amount", "debit", "credit", "balance") else None) for column in columns]))
    foot = [row([Cell(text(language.label("closing")), across=len(columns) - 1), Cell(text(language.money(balance)), data_align="right")], data_rule="total")] if habit.chance(0.7) else []
    head = [row([Cell(text(language.label(column)), head=True, scope="col", data_align="right" if column in ("amount", "debit", "credit", "balance") else None) for column in columns])]
    pairs = [(language.label("opening"), opening), (language.label("debit"), -sums[0]), (language.label("credit"), sums[1]), (language.label("closing"), balance)]
    summary = {"table": lambda: table([], [row([Cell(text(key), head=True, scope="row"), Cell(text(language.money(value)), data_align="right")]) for key, value in pairs], data_place=habit.pick(["", "end"]) or None),
               "pairs": lambda: grid(4, *(pair(key, language.money(value)) for key, value in pairs), data_box=True), "none": lambda: ""}[summary_kind]()
    top = grid("1 1", receiver, facts) if habit.chance(0.6) else receiver + facts
    parts = [block("address", tag("strong", text(bank))), top, heading(1, title), summary] if habit.chance(0.6) else [heading(1, bank), top, heading(2, title), summary]
    parts.append(table(head, ([carried] if carried else []) + rows, foot))
    parts += [paragraph(text(language.sentence(draw)), data_size="s") for _ in range(draw.randint(0, 3))]
    return title, "".join(parts)


@family("memo")
def memo(draw, habit, language):
    name = "MEMORANDUM" if language.code == "en" else language.label("note").upper()
    fields = {"en": ["TO", "FROM", "DATE", "RE", "CC"]}.get(language.code, [language.label("name"), language.label("teacher"), language.label("date"), language.label("subject"), language.label("remarks")])
    values = [language.person(draw), language.person(draw), language.date(language.day(draw), True), language.title(draw, 3, 8), f"{language.person(draw)}; {language.person(draw)}"]
    count, bold = habit.choice([4, 4, 5]), habit.chance(0.5)
    facts = [pair(key + ":", value) for key, value in zip(fields[:count], values)]
    parts = [heading(1, name) if habit.chance(0.7) else block("title", text(name)), block(None, *facts), "<hr>" if habit.chance(0.6) else ""]
    numbered = habit.chance(0.4)
    for index in range(draw.randint(2, 6)):
        if bold or draw.chance(0.3):
            parts.append(heading(2 if parts[0].startswith("<h1") else 1, f"{index + 1}. {language.title(draw, 1, 5)}" if numbered else language.title(draw, 1, 5)))
        parts += [paragraph(language.paragraph(draw, 1, 5)) for _ in range(draw.randint(1, 3))]
        if draw.chance(0.35):
            parts.append(items([text(language.sentence(draw, 4, 14)) for _ in range(draw.randint(2, 6))], ordered=draw.chance(0.4)))
    return values[3], "".join(parts)


@family("minutes")
def minutes(draw, habit, language):
    title = f"{language.label('minutes')}: {language.title(draw, 2, 5)}"
    parts = [heading(1, title), block(None, *(pair(language.label(key) + ":", value) for key, value in (("date", language.date(language.day(draw), True)), ("time", f"{draw.randint(8, 19)}:{draw.choice(['00', '15', '30'])}"), ("place", f"{language.label('room')} {draw.randint(1, 400)}"))))]
    people = [f"{language.person(draw)}" + (f" ({language.phrase(draw, 1, 2)})" if habit.chance(0.5) else "") for _ in range(draw.randint(3, 12))]
    shown = habit.pick("list|line|table")
    parts.append(heading(2, language.label("present")))
    if shown == "list":
        parts.append(items([text(person) for person in people]))
    elif shown == "line":
        parts.append(paragraph(text(", ".join(people))))
    else:
        parts.append(table([heads([language.label("name"), language.label("signature")])], [row([text(person), Cell()]) for person in people]))
    topics = [language.title(draw, 2, 6) for _ in range(draw.randint(3, 8))]
    if habit.chance(0.6):
        parts += [heading(2, language.label("agenda")), items([text(topic) for topic in topics], ordered=True)]
    actions = habit.pick("table|inline|none")
    for index, topic in enumerate(topics):
        parts.append(heading(2, f"{index + 1}. {topic}"))
        parts += [paragraph(language.paragraph(draw, 1, 4)) for _ in range(draw.randint(1, 3))]
        if draw.chance(0.3):
            parts.append(items([text(language.sentence(draw, 5, 14)) for _ in range(draw.randint(2, 5))]))
        if actions == "inline" and draw.chance(0.6):
            parts.append(paragraph(tag("strong", text(f"{'Action' if language.code == 'en' else language.label('exercise')}: ")) + text(f"{language.person(draw)}, {language.date(language.day(draw))}")))
    if actions == "table":
        rows = [row([str(index + 1), text(language.sentence(draw, 4, 12)), text(language.person(draw)), text(language.date(language.day(draw)))]) for index in range(draw.randint(2, 9))]
        parts += [heading(2, language.label("results")), table([heads([language.label("item"), language.label("description"), language.label("name"), language.label("due")])], rows)]
    parts.append(grid(2, block("signature", text(language.person(draw))), block("signature", text(language.person(draw)))))
    return title, "".join(parts)


@family("contract")
def contract(draw, habit, language):
    title = f"{language.label('contract')} {habit.pick(['', 'No. ', 'Nr. '])}{draw.code('##/####')}"
    parts = [heading(1, title.upper() if habit.chance(0.4) else title)]
    for letter_of in "AB":
        parts.append(paragraph(f"({letter_of}) " + tag("strong", text(language.company(draw))) + ", " + text(", ".join(language.address(draw)))))
    numbering, defined = habit.pick("decimal|article|roman|section"), habit.chance(0.4)
    for index in range(1, draw.randint(5, 14)):
        name = language.title(draw, 1, 4)
        label = {"decimal": f"{index}. {name}", "article": f"{language.label('article')} {index} – {name}", "roman": f"{('I II III IV V VI VII VIII IX X XI XII XIII XIV').split()[index - 1]}. {name}", "section": f"§ {index} {name}"}[numbering]
        parts.append(heading(2, label))
        if defined and index == 1:
            parts.append(tag("dl", *(tag("dt", text(f"“{language.phrase(draw, 1, 2)}”")) + tag("dd", text(language.sentence(draw, 8, 24))) for _ in range(draw.randint(3, 7)))))
            continue
        for clause in range(1, draw.randint(2, 6)):
            content = text(language.text(draw, 1, 3))
            mark = f"{index}.{clause}" if numbering in ("decimal", "article") else f"({clause})"
            parts.append(paragraph(f"{mark} {content}"))
            if draw.chance(0.15):
                parts.append(tag("ol", *(tag("li", text(language.sentence(draw, 5, 16))) for _ in range(draw.randint(2, 5))), type="a"))
    if habit.chance(0.4):
        rows = [row([text(language.phrase(draw, 1, 4)), text(language.date(language.day(draw))), Cell(text(language.money(draw.amount(100, 90000))), data_align="right")]) for _ in range(draw.randint(2, 8))]
        parts += [heading(2, language.label("appendix")), table([heads([language.label("description"), language.label("due"), language.label("amount")])], rows)]
    places = [block("signature", tag("span", "", data_line=True), lines([f"{language.label('place')}, {language.label('date')}", language.person(draw)])) for _ in range(2)]
    return title, "".join(parts) + grid(2, *places)


@family("certificate")
def certificate(draw, habit, language):
    title = language.label("certificate")
    middle = habit.chance(0.7)
    centre = "center" if middle else None
    parts = [paragraph(text(language.company(draw)), data_align=centre), heading(1, title.upper() if habit.chance(0.5) else title, data_align=centre, data_size="xl"), paragraph(text(language.sentence(draw, 4, 10)), data_align=centre),
             block(None, tag("strong", text(language.person(draw))), data_align=centre, data_size="xl"), paragraph(text(language.text(draw, 1, 2)), data_align=centre)]
    if habit.chance(0.5):
        rows = [row([text(language.phrase(draw, 1, 4)), Cell(str(draw.randint(1, 12))), Cell(str(draw.choice(["A", "B", "C", "1,3", "2,0", "92", "87"])))]) for _ in range(draw.randint(3, 12))]
        parts.append(table([heads([language.label("class"), language.label("points"), language.label("grade")])], rows))
    if habit.chance(0.3):
        parts.append(block(None, *(pair(language.label(key) + ":", value) for key, value in (("birth", language.date(language.day(draw))), ("place", language.city(draw)), ("grade", str(draw.randint(1, 100)))))))
    if habit.chance(0.4):
        parts.append(block("stamp", text(language.company(draw).upper())))
    parts.append(grid(habit.choice([2, 3]), *(block("signature", tag("span", "", data_line=True), lines([language.person(draw), language.phrase(draw, 1, 2)])) for _ in range(habit.choice([2, 2, 3]))), paragraph(text(f"{language.city(draw)}, {language.date(language.day(draw), True)}"))))
    return title, "".join(parts)


@family("curriculum-vitae")
def curriculum_vitae(draw, habit, language):
    name, design = language.person(draw), habit.pick("sidebar|plain|table|two-column|dates-first")
    contact = [language.email(draw), language.phone(draw), *language.address(draw), language.site(draw)]
    person = (heading(1, name) if habit.chance(0.8) else block("title", text(name))) + (block("subtitle", text(language.phrase(draw, 1, 4))) if habit.chance(0.6) else "")

    def years():
        start = draw.randint(1985, 2022)
        return f"{start}{habit_dash}{draw.choice([start + 1, start + 3, start + 5])}"

    def jobs(level):
        made = []
        for _ in range(draw.randint(2, 5)):
            role, firm = language.phrase(draw, 1, 4), language.company(draw)
            points = items([text(language.sentence(draw, 5, 16)) for _ in range(draw.randint(1, 4))]) if draw.chance(0.8) else paragraph(text(language.sentence(draw)))
            if design == "dates-first":
                made.append(grid("1 4", block(None, text(years())), block(None, heading(level, role), paragraph(tag("em", text(firm))), points)))
            elif design == "table":
                made.append(row([Cell(text(years())), Cell(tag("strong", text(role)) + "<br>" + text(firm) + "<br>" + text(language.sentence(draw, 5, 14)))]))
            else:
                made.append(heading(level, role) + paragraph(text(f"{firm}, {language.city(draw)} ({years()})")) + points)
        return table([], made) if design == "table" else "".join(made)

    habit_dash = habit.pick("–| – |-")
    level = 2 if person.startswith("<h1") else 1
    skills = draw.choice([lambda: items([text(language.phrase(draw, 1, 3)) for _ in range(draw.randint(3, 9))]), lambda: paragraph(text(", ".join(language.phrase(draw, 1, 2) for _ in range(8)))), lambda: block(None, *(pair(language.phrase(draw, 1, 1), draw.choice(["A1", "B2", "C1", "★★★", "●●●○○"])) for _ in range(5)))])()
    main = heading(level, language.label("experience")) + jobs(level + 1) + heading(level, language.label("education")) + jobs(level + 1)
    side = heading(level, language.label("skills")) + skills + heading(level, language.label("languages")) + block(None, *(pair(language.phrase(draw, 1, 1), draw.pick("A2|B1|C1|C2")) for _ in range(3)))
    contact_block = block("address", lines(contact))
    if design == "sidebar":
        columns = ("1 2", block(None, contact_block, side), block(None, main)) if habit.chance(0.5) else ("2 1", block(None, main), block(None, contact_block, side))
        return name, person + grid(*columns)
    if design == "two-column":
        return name, grid("2 1", block(None, person), contact_block) + main + grid(2, block(None, heading(level, language.label("skills")), skills), block(None, heading(level, language.label("references")), paragraph(text(language.sentence(draw)))))
    return name, person + (paragraph(text(" | ".join(contact)), data_align="center") if habit.chance(0.5) else contact_block) + (paragraph(language.paragraph(draw, 1, 3)) if draw.chance(0.5) else "") + main + side
