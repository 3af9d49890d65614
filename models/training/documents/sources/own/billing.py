"""Invoices, quotations, delivery notes and reminders: address blocks, key-value lines, a table of items with totals, payment notes."""

from ..markup import Cell, block, grid, heading, items, lines, note, pair, paragraph, paragraphs, row, table, tag, text
from ..registry import family

GOODS = ("Ball bearing 6204-2RS|Copper pipe 22 mm|Consulting, senior|Travel expenses|Web hosting (12 months)|Office chair, black|Paper A4 80 g|Toner cartridge HP 26X|LED panel 60x60|Licence renewal|Installation and test|"
         "Hydraulic hose 3/8\"|Translation EN–DE|Catering, 45 persons|Maintenance contract|Hex bolt M8 × 40 (100 pcs)|Safety gloves, size 9|USB-C cable 2 m|Cleaning service|Domain transfer")


def _columns(habit):
    order = ["item", "code", "description", "quantity", "unit", "price", "discount", "tax", "amount"]
    optional = {"item": 0.6, "code": 0.4, "unit": 0.4, "discount": 0.25, "tax": 0.4, "quantity": 0.9}
    chosen = [column for column in order if column not in optional or habit.chance(optional[column])]
    if habit.chance(0.2) and "quantity" in chosen:
        chosen.remove("quantity")
        chosen.insert(0, "quantity")
    return chosen


def _name(draw, language):
    return draw.pick(GOODS) if language.code == "en" and draw.chance(0.7) else language.phrase(draw, 1, 5)


def _rows(draw, habit, language, columns, sign):
    """Rows of items and their sum."""
    detail, groups, pattern = habit.chance(0.35), habit.chance(0.2), habit.pick("##-####|A####|AA-###-#|######|###.##.###|AAA?????")
    made, total, rate = [], 0.0, habit.choice([7, 10, 19, 20, 21, 22, 23, 25])
    count = draw.choice([1, 2, 3, 4, 5, 7, 9, 12, 18, 30, 45])
    for index in range(count):
        if groups and index % 5 == 0:
            made.append(row([Cell(text(language.phrase(draw, 1, 3)), head=True, scope="rowgroup", across=len(columns))]))
        amount, price = draw.choice([1, 1, 2, 3, 5, 10, 12, 0.5, 100]), draw.amount(0.4, 4000)
        sum_of = round(amount * price, 2)
        total += sum_of
        description = text(_name(draw, language))
        if detail and draw.chance(0.6):
            description += "<br>" + tag("small", text(language.sentence(draw, 4, 12)))
        values = {"item": str(index + 1), "code": draw.code(pattern), "description": description, "quantity": language.number(amount, 0 if amount >= 1 else 1),
                  "unit": draw.pick("pcs|h|kg|m|l|box|—"), "price": language.money(price, sign), "discount": f"{draw.choice([0, 0, 5, 10])} %", "tax": f"{rate} %", "amount": language.money(sum_of, sign)}
        made.append(row([Cell(values[column] if column == "description" else text(values[column]), data_align=None if column in ("item", "code", "description", "unit") else "right") for column in columns]))
    return made, total, rate


def _totals(draw, language, columns, total, rate, sign, with_labels):
    width = len(columns)
    tax = round(total * rate / 100, 2)
    entries = [("subtotal", total), ("tax", tax), ("total" if draw.chance(0.6) else "amount_due", total + tax)]
    if draw.chance(0.25):
        entries.insert(1, ("shipping", draw.amount(3, 90)))
    made = []
    for index, (key, value) in enumerate(entries):
        label = language.label(key) + (f" {rate} %" if key == "tax" else "") + with_labels
        last = index == len(entries) - 1
        made.append(row([Cell(text(label), across=width - 1, data_align="right"), Cell(text(language.money(value, sign or last)), data_align="right")], data_rule="total" if last else None))
    return made


def _totals_apart(language, draw, total, rate):
    """Totals as key-value lines below the table."""
    tax = round(total * rate / 100, 2)
    return block(None, *(pair(language.label(key), language.money(value)) for key, value in (("subtotal", total), ("tax", tax), ("amount_due", total + tax))), data_place="end")


@family("invoice")
def invoice(draw, habit, language):
    columns, apart, beside = _columns(habit), habit.chance(0.3), habit.choice(["beside", "stacked", "table", "right-first"])
    sign, heading_first, colon = habit.chance(0.5), habit.chance(0.5), habit.pick(["", ":", ":"])
    letterhead = block("address", tag("strong", text(language.company(draw))), "<br>", lines(language.address(draw) + [f"{language.label('phone')} {language.phone(draw)}", language.email(draw)]))
    buyer = [tag("strong", text(language.label("bill_to"))) + "<br>" if habit.chance(0.6) else "", lines([language.company(draw), language.person(draw), *language.address(draw)])]
    number = draw.code(habit.pick("####-####|INV-#####|AA######|20##/####|#######"))
    day = language.day(draw)
    keys = [("invoice_no", number), ("date", language.date(day)), ("due", language.date((day[0], day[1] % 12 + 1, day[2]))), ("customer_no", draw.code("K#####")), ("order_no", draw.code("##-#####"))]
    keys = keys[:2] + habit.sample(keys[2:], habit.randint(0, 3))
    details = [pair(language.label(key) + colon, value) for key, value in keys]
    title = f"{language.label('invoice')} {number}" if habit.chance(0.5) else language.label("invoice")
    if beside == "table":
        facts = table([], [row([Cell(text(language.label(key) + colon), head=True, scope="row"), value]) for key, value in keys], data_place="end")
    else:
        facts = block(None, *details)
    shipping = [block("address", tag("strong", text(language.label("ship_to"))), "<br>", lines([language.person(draw), *language.address(draw)]))] if habit.chance(0.3) else []
    buyer = block("address", *buyer)
    top = {"beside": grid("1 1", letterhead, facts) + grid(1 + len(shipping), buyer, *shipping), "right-first": grid("3 2", buyer, block(None, letterhead, facts)), "stacked": letterhead + buyer + "".join(shipping) + facts, "table": letterhead + grid("1 1", buyer, facts)}[beside]
    name = heading(1, title)
    rows, total, rate = _rows(draw, habit, language, columns, sign)
    labels = {"code": "item", **{column: column for column in columns if column != "code"}}
    head = [row([Cell(text(language.label(labels[column]) if column != "code" else "Art.-Nr." if language.code == "de" else "Code"), head=True, scope="col", data_align=None if column in ("item", "code", "description", "unit") else "right") for column in columns])]
    foot = [] if apart else _totals(draw, language, columns, total, rate, sign, colon)
    body = table(head, rows, foot) if habit.chance(0.5) or not foot else table(head, rows + foot)
    parts = [name, top] if heading_first else [top, name]
    if habit.chance(0.4):
        parts.append(paragraph(text(language.sentence(draw))))
    parts.append(body)
    if apart:
        parts.append(_totals_apart(language, draw, total, rate))
    parts.append(paragraph(text(f"{language.label('terms')}: {language.sentence(draw, 4, 14)}")))
    bank = [pair("IBAN" + colon, draw.code("AA## #### #### #### ####")), pair("BIC" + colon, draw.code("AAAAAA??")), pair(language.label("bank") + colon, language.company(draw))]
    parts.append(habit.choice([lambda: block(None, *bank), lambda: grid(3, *bank), lambda: heading(2, language.label("bank")) + block(None, *bank)])())
    if habit.chance(0.3):
        parts.append(note("*", text(language.sentence(draw))))
    return title, "".join(parts)


@family("quotation")
def quotation(draw, habit, language):
    """An offer with sections, each with its own small table and text before and after."""
    columns = _columns(habit)
    number = draw.code("Q-####/##")
    company = language.company(draw)
    parts = [block("address", lines([company, *language.address(draw)])), block("address", lines([language.company(draw), *language.address(draw)])), heading(1, f"{language.title(draw, 2, 5)} {number}"),
             paragraph(text(language.label("dear"))), *paragraphs([language.paragraph(draw, 1, 3) for _ in range(2)])]
    for _ in range(draw.randint(1, 4)):
        parts.append(heading(2, language.title(draw, 1, 4)))
        parts.append(paragraph(language.paragraph(draw, 1, 2)))
        rows, total, rate = _rows(draw, habit, language, columns, True)
        head = [row([Cell(text(language.label(column) if column != "code" else "Ref."), head=True, scope="col") for column in columns])]
        parts.append(table(head, rows, _totals(draw, language, columns, total, rate, True, "")))
    parts.append(heading(2, language.label("terms")))
    parts.append(items([text(language.sentence(draw)) for _ in range(draw.randint(2, 6))], ordered=habit.chance(0.5)))
    parts += [paragraph(text(language.label("regards"))), block("signature", text(language.person(draw)))]
    return f"{company} {number}", "".join(parts)
