"""One drawn page from its number: pixels, and its regions. Papers, reports, books, news, forms, slides, letters and more, each by a style sheet of its own."""

import os
import random
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text"))

import numpy
from PIL import Image, ImageFilter

import defects
import texts

import blocks
import canvas
import pictures
import styles
from canvas import ABOVE, BELOW, HEIGHT, SCALE, WIDTH, Type
from flow import Flow

SEED = 20261123


def types_of(page, style):
    """The document's faces by their use: two families at most, and now and then a third for tables and figures."""
    draw, size = page.draw, style["size"] * page.point
    fill = draw.randint(225, 255) if page.dark else draw.choice((0, 0, 0, 0, 40, 80))
    body = page.face()
    while (body.slanted or any(word in body.style.lower() for word in canvas.BOLD)) and draw.random() < 0.9:
        body = page.face()
    other = page.face().family if style["sans_headings"] else body.family
    made = {"text": Type(body, size, fill), "plain": Type(page.face() if draw.random() < 0.3 else body, size, fill)}
    for level, look in style["headings"].items():
        made["heading", level] = Type(page.face(other, look["bold"], look["slanted"]), look["size"] * size, fill if page.dark else look["fill"])
    made["title"] = Type(page.face(other, draw.random() < 0.7), style["title_size"] * size, fill)
    made["caption"] = Type(page.face(body.family if draw.random() < 0.7 else other, False, style["caption_slanted"]), style["caption"] * size, fill)
    made["table_head"] = Type(page.face(made["plain"].face.family if draw.random() < 0.5 else body.family, True), style["table_size"] * size, fill)
    made["footnote"] = Type(body, style["footnote_size"] * size, fill)
    made["furniture"] = Type(page.face(body.family if draw.random() < 0.6 else other, draw.random() < 0.1, draw.random() < 0.2), style["furniture_size"] * size, fill if page.dark else draw.choice((0, 0, 90, 130)))
    maths = body
    for _ in range(20):
        if maths.has("αβγθλ=+") and (maths.has("∑∫") or draw.random() < 0.3):
            break
        maths = page.face()
    made["maths"] = Type(maths, size * draw.uniform(0.95, 1.25), fill)
    return made


def _running(page, kind):
    """Words of a running header or footer."""
    draw = page.draw
    if kind == "number":
        number = draw.randint(1, 400)
        return draw.choice((f"{number}", f"{number}", f"– {number} –", f"Page {number}", f"{number} / {number + draw.randint(0, 90)}", f"Seite {number}"))
    if kind == "date":
        return texts.date(draw)
    if kind == "address":
        return draw.choice((texts.address, texts.code, texts.citation))(draw)
    string = " ".join(page.words(draw.choice((2, 3, 5, 8))))
    return string.upper() if draw.random() < 0.2 else string


def furniture(page, style, type_, where, left, right, y):
    """A line of one to three pieces; each is a region. `y` is its baseline."""
    draw = page.draw
    label = "page_header" if where == "header" else "page_footer"
    fill, thin = None, max(1, round(page.point * 0.6))
    bar = style["header_bar"] if where == "header" else None
    if bar is not None:
        page.ink.rectangle((0, y - 1.6 * type_.size, page.width, y + 0.9 * type_.size), fill=bar)
        fill = 255
    kinds = draw.choice((("words", "", "number"), ("number", "", "words"), ("", "words", ""), ("words", "", ""), ("", "", "words"), ("address", "", "date"), ("words", "number", "date")) if where == "header"
                        else (("", "number", ""), ("", "number", ""), ("", "", "number"), ("number", "", ""), ("words", "", "number"), ("address", "", "number"), ("", "words", ""), ("address", "number", "date"), ("number", "", "words")))
    room = right - left if kinds.count("") == 2 else 0.42 * (right - left)
    for place, kind in enumerate(kinds):
        if not kind:
            continue
        string = type_.fitting(_running(page, kind))
        while string and type_.length(string) > room:
            string = string[:-4].strip()
        if not string:
            continue
        long = type_.length(string)
        x = (left, (left + right - long) / 2, right - long)[place]
        type_.draw(page, x, y, string, fill)
        page.region(label, x, y - ABOVE * type_.size, x + long, y + BELOW * type_.size)
    if style[where + "_rule"] and bar is None:
        rule = y + 0.5 * type_.size if where == "header" else y - 1.2 * type_.size
        page.ink.line((left, rule, right, rule), fill=type_.fill, width=thin)


def footnotes(page, style, types, left, right, bottom):
    """From the bottom upwards; returns where the column ends now."""
    draw, type_ = page.draw, types["footnote"]
    leading = 1.15 * type_.size
    count, start = draw.choice((1, 1, 2, 3, 4)), draw.randint(1, 20)
    made = []
    for number in range(start, start + count):
        mark = type_.fitting(str(number) if draw.random() < 0.8 else draw.choice("*†‡")) or "*"
        rows = type_.wrapped(page, [mark, *(draw.choice((page.words(draw.randint(4, 40)), texts.citation(draw).split())))], right - left)[:4]
        made.append(rows)
    gap = draw.choice((0, 0.1, 0.4)) * type_.size
    top = bottom - sum(len(rows) * leading + gap for rows in made)
    y = top
    for rows in made:
        blocks.lines(page, "footnote", type_, rows, left, right, y, leading, "justify" if style["align"] == "justify" else "left")
        y += len(rows) * leading + gap
    if style["footnote_rule"]:
        page.ink.line((left, top - 0.4 * type_.size, left + (right - left) * draw.choice((0.25, 0.35, 1)), top - 0.4 * type_.size), fill=type_.fill, width=max(1, round(page.point * 0.5)))
    return top - draw.uniform(0.9, 1.8) * type_.size


def opening(page, noise, style, types, left, right, top):
    """The title, and what comes under it: authors, a date, a summary. Returns where the text may begin."""
    draw, size = page.draw, types["text"].size
    align, type_ = style["title_align"], types["title"]
    y = top + draw.choice((0, 0, 1, 4)) * size
    if style["family"] == "magazine" and draw.random() < 0.4:
        high = (right - left) * draw.uniform(0.25, 0.5)
        pictures.figure(page, noise, (left, y, right, y + high), types["plain"].face, pictures.photograph)
        y += high + size
    words = page.words(draw.choice((2, 4, 6, 9, 13)))
    if draw.random() < 0.2:
        words = [word.upper() for word in words]
    rows = type_.wrapped(page, words, (right - left) * draw.choice((1, 1, 0.8)))[:5]
    y = blocks.lines(page, "title", type_, rows, left, right, y, draw.uniform(1.05, 1.3) * type_.size, align)[0] + draw.uniform(0.4, 1.4) * size
    text = types["text"]
    leading = style["leading"] * size
    if style["family"] in ("news", "magazine"):
        if draw.random() < 0.6:
            big = Type(text.face, draw.uniform(1.1, 1.5) * size, text.fill)
            y = blocks.text(page, "text", big, page.words(draw.randint(8, 30)), left, right, y, 1.25 * big.size) + 0.8 * size
        if draw.random() < 0.6:
            y = blocks.text(page, "text", text, ["By", *texts.name(draw).split()], left, right, y, leading) + size
        return y + 0.5 * size
    if draw.random() < 0.7:
        names = ", ".join(texts.name(draw) for _ in range(draw.choice((1, 2, 3, 5)))).split()
        y = blocks.text(page, "text", text, names, left, right, y, leading, align) + draw.choice((0.2, 0.8)) * size
        if draw.random() < 0.6:
            small = Type(text.face, 0.88 * size, text.fill)
            for _ in range(draw.choice((1, 1, 2))):
                y = blocks.text(page, "text", small, page.words(draw.randint(3, 12)), left, right, y, 1.2 * small.size, align) + 0.5 * size
    if draw.random() < 0.3:
        y = blocks.text(page, "text", text, texts.date(draw).split(), left, right, y, leading, align) + size
    if style["family"] == "paper" and draw.random() < 0.75:
        inset = draw.choice((0, 0, 2, 4)) * size
        if draw.random() < 0.7:
            head = types["heading", 3]
            word = {"de": "Zusammenfassung", "fr": "Résumé", "es": "Resumen", "it": "Sommario"}.get(page.language, "Abstract")
            y = blocks.text(page, "section_header", head, [word], left + inset, right - inset, y + 0.5 * size, head.size * 1.2, draw.choice(("left", "centre"))) + 0.5 * size
        small = Type(text.face, draw.uniform(0.85, 1) * size, text.fill)
        y = blocks.text(page, "text", small, page.words(draw.randint(40, 160)), left + inset, right - inset, y, 1.2 * small.size, "justify") + size
        if draw.random() < 0.4:
            y = blocks.text(page, "text", small, ["Keywords:", *page.words(6)], left + inset, right - inset, y, 1.2 * small.size) + 0.5 * size
    return y + draw.uniform(0.5, 2) * size


def frame(page, style, types):
    """Draws header and footer; returns the text's (left, right, top, bottom)."""
    left, right, top, bottom = style["left"] * page.width, (1 - style["right"]) * page.width, style["top"] * page.height, (1 - style["bottom"]) * page.height
    type_, draw = types["furniture"], page.draw
    if style["header"]:
        furniture(page, style, type_, "header", left, right, max(1.2 * type_.size, top - draw.uniform(0.9, 2.2) * type_.size))
    if style["footer"]:
        furniture(page, style, type_, "footer", left, right, min(page.height - 0.5 * type_.size, bottom + draw.uniform(1.9, 3) * type_.size))
    return left, right, top, bottom


def _columns(page, style, types, left, right, top, bottom):
    """[(left, right, top, bottom)], footnotes drawn at their ends."""
    count, size, made = style["columns"], types["text"].size, []
    gutter = style["gutter"] * size
    width = (right - left - gutter * (count - 1)) / count
    notes = page.draw.random() < style["footnotes"] and style["hanging"] == 0
    for number in range(count):
        begin = left + number * (width + gutter)
        end = footnotes(page, style, types, begin, begin + width, bottom) if notes and (count == 1 or page.draw.random() < 0.6) and bottom - top > 0.3 * page.height else bottom
        made.append((begin, begin + width, top, end))
        if style["column_rule"] and number:
            page.ink.line((begin - gutter / 2, top, begin - gutter / 2, bottom), fill=page.draw.choice((0, 120)), width=1)
    return made


def document(page, noise, style, types):
    draw = page.draw
    left, right, top, bottom = frame(page, style, types)
    size = types["text"].size
    if draw.random() < style["title"]:
        top = opening(page, noise, style, types, left, right, top)
    if style["columns"] > 1 and draw.random() < 0.22:
        # A table or a figure as wide as the page, above the columns.
        wide = Flow(page, noise, style, types, [(left, right, top, top + 0.45 * (bottom - top))])
        getattr(wide, draw.choice(("picture", "table")))()
        top = wide.y + 0.5 * size
    elif style["columns"] > 1 and draw.random() < 0.12:
        wide = Flow(page, noise, style, types, [(left, right, bottom - 0.33 * (bottom - top), bottom)])
        bottom -= 0.33 * (bottom - top) + size
        getattr(wide, draw.choice(("picture", "table")))()
    flow = Flow(page, noise, style, types, _columns(page, style, types, left, right, top, bottom))
    if draw.random() < 0.35:
        flow.paragraph(first=False)
    flow.fill()


def slide(page, noise, style, types):
    draw, size = page.draw, types["text"].size
    left, right, top, bottom = frame(page, style, types)
    if draw.random() < 0.18:
        y = top + draw.uniform(0.1, 0.4) * (bottom - top)
        y = blocks.text(page, "title", types["title"], page.words(draw.randint(2, 9)), left, right, y, 1.2 * types["title"].size, style["title_align"]) + size
        for _ in range(draw.randint(0, 3)):
            y = blocks.text(page, "text", types["text"], page.words(draw.randint(2, 7)), left, right, y, 1.3 * size, style["title_align"]) + 0.6 * size
        return
    head = Type(types["title"].face, draw.uniform(1.2, 1.8) * size, types["title"].fill)
    if draw.random() < 0.2:
        bar = draw.randint(20, 120)
        page.ink.rectangle((0, top - 0.5 * head.size, page.width, top + 1.4 * head.size), fill=bar)
        head.fill = 255
    rows = head.wrapped(page, page.words(draw.randint(2, 8)), right - left)[:1]
    y = blocks.lines(page, "section_header", head, rows, left, right, top, 1.2 * head.size, draw.choice(("left", "left", "centre")))[0] + draw.uniform(0.8, 2) * size
    flow = Flow(page, noise, style, types, _columns(page, style, types, left, right, y, bottom))
    for _ in range(draw.randint(1, 5)):
        if flow.full:
            break
        mix = style["mix"]
        getattr(flow, draw.choices(list(mix), weights=list(mix.values()))[0])()
        if style["columns"] == 2 and not flow.full and flow.number == 0 and draw.random() < 0.4:
            flow.next()


def letter(page, noise, style, types):
    draw, type_ = page.draw, types["text"]
    size, leading = type_.size, style["leading"] * type_.size
    left, right, top, bottom = frame(page, style, types)
    if draw.random() < 0.5:
        high = draw.uniform(2, 5) * size
        pictures.logo(page, noise, left if draw.random() < 0.5 else right - 3 * high, top, high)
        top += high + size
    for where in draw.sample((left, left, right - 14 * size), draw.choice((1, 2))):
        y = top
        made = [" ".join(page.words(2)) for _ in range(draw.randint(2, 5))]
        rows = [([type_.fitting(row) or "A"], type_.length(type_.fitting(row) or "A")) for row in made]
        y = blocks.lines(page, "text", type_, rows, where, where + 14 * size, y, leading)[0]
        top = y + size * draw.uniform(0.8, 3)
    date = texts.date(draw).split()
    top = blocks.text(page, "text", type_, date, left, right, top, leading, draw.choice(("left", "right"))) + draw.uniform(0.8, 2) * size
    if draw.random() < 0.7:
        head = types["heading", 3] if draw.random() < 0.6 else types["heading", 2]
        top = blocks.text(page, "section_header", head, page.words(draw.randint(3, 10)), left, right, top, 1.2 * head.size) + draw.uniform(0.6, 1.4) * size
    style = {**style, "indent": 0, "gap": draw.uniform(0.5, 1.1)}
    flow = Flow(page, noise, style, types, _columns(page, {**style, "columns": 1}, types, left, right, top, bottom))
    flow.paragraph(draw.randint(2, 4))
    for _ in range(draw.randint(1, 5)):
        if not flow.full:
            flow.list() if draw.random() < 0.12 else flow.table() if draw.random() < 0.06 else flow.paragraph()
    if not flow.full and flow.room > 7 * size:
        flow.paragraph(draw.randint(2, 4))
        y = flow.y + size
        if draw.random() < 0.5 and not flow.full and flow.room > 6 * size:
            pictures.figure(page, noise, (left, y, left + 9 * size, y + 3 * size), type_.face, signature)
            y += 3.4 * size
        if y < bottom - 3 * size:
            blocks.text(page, "text", type_, texts.name(draw).split(), left, right, y, leading)


def signature(page, noise, box, small):
    draw = page.draw
    left, top, right, bottom = box
    points = [(left, (top + bottom) / 2)]
    while points[-1][0] < right - 12:
        points.append((min(right, points[-1][0] + draw.uniform(-6, 22)), draw.uniform(top, bottom)))
    page.ink.line(points, fill=draw.randint(0, 90), width=3, joint="curve")


def form(page, noise, style, types):
    draw, type_ = page.draw, types["text"]
    size = type_.size
    left, right, top, bottom = frame(page, style, types)
    if draw.random() < 0.35:
        pictures.logo(page, noise, left, top, 3 * size)
        top += 4 * size
    if draw.random() < 0.85:
        title = Type(types["title"].face, draw.uniform(1.3, 2) * size, types["title"].fill)
        top = blocks.text(page, "title", title, page.words(draw.randint(2, 7)), left, right, top, 1.2 * title.size, style["title_align"]) + draw.uniform(0.8, 2) * size
    flow = Flow(page, noise, {**style, "captions": 0.05, "indent": 0}, types, _columns(page, {**style, "columns": 1}, types, left, right, top, bottom))
    boxed, lined = draw.random() < 0.4, draw.random() < 0.7
    while not flow.full and flow.room > 4 * size:
        kind = draw.random()
        if kind < 0.16:
            flow.heading()
        elif kind < 0.30:
            flow.paragraph(draw.randint(6, 50))
        elif kind < 0.45:
            flow.table()
        elif kind < 0.55:
            boxes = {**style, "bullet": draw.choice("□☐○•–"), "list_gap": 0.4}
            flow.style, kept = {**boxes, "captions": 0.05}, flow.style
            flow.list()
            flow.style = kept
        else:
            fields(page, flow, type_, boxed, lined)
        if flow.y < top + 1:
            flow.y += size


def fields(page, flow, type_, boxed, lined):
    """Labels with room to write, in one to three columns; each label is a text, what is written beside it belongs to it."""
    draw, size = page.draw, type_.size
    columns, high = draw.choice((1, 2, 2, 3)), draw.uniform(1.7, 2.8) * size
    wide = (flow.right - flow.left) / columns
    for _ in range(draw.randint(1, 6)):
        if flow.room < high + size:
            return
        for column in range(columns):
            left = flow.left + column * wide
            label = type_.fitting(" ".join(page.words(draw.choice((1, 1, 2, 3)))) + draw.choice((":", "", ":")))[:int(0.8 * wide / (0.6 * size))]
            base = flow.y + high - 0.6 * size
            if boxed:
                page.ink.rectangle((left, flow.y, left + wide, flow.y + high), outline=draw.choice((0, 110)))
                left += 0.3 * size
            end = type_.draw(page, left, base, label)
            room = left + wide - end - 1.5 * size
            if lined and not boxed and room > 2 * size:
                page.ink.line((end + 0.4 * size, base, left + wide - size, base), fill=0, width=1)
            if draw.random() < 0.4 and room > 4 * size:
                value = type_.fitting(draw.choice((texts.date, texts.number, texts.name, texts.code))(draw))[:int(room / (0.62 * size))]
                end = type_.draw(page, end + 0.6 * size, base, value)
            page.region("text", left, base - ABOVE * size, end, base + BELOW * size)
        flow.after(flow.y + high, 0)
    flow.y += 0.6 * size


def worn(draw, noise, image):
    """What a scan does to a page at the network's own resolution; `defects` says what each part is."""
    strength = draw.uniform(0.4, 1.5)
    chance = lambda probability: draw.random() < probability * strength
    if chance(0.6):
        image = image.rotate(draw.gauss(0, 0.5), Image.Resampling.BICUBIC, fillcolor=255)
    if chance(0.2):
        image = defects.strokes(draw, image)
    if chance(0.3):
        image = image.filter(ImageFilter.GaussianBlur(draw.uniform(0.3, 0.9)))
    if chance(0.6):
        image = defects.paper(draw, noise, image, 8)
    if chance(0.35):
        image = defects.grain(draw, noise, image)
    if chance(0.12):
        image = defects.threshold(draw, image)
    if chance(0.25):
        image = defects.specks(draw, noise, image, 8)
    if chance(0.3):
        image = defects.jpeg(draw, image)
    return image


COMPOSERS = {"slides": slide, "letter": letter, "form": form}


def piece(case, number, stage="train", families=styles.FAMILIES):
    """Page `number`: (pixels (HEIGHT, WIDTH) of bytes, regions (n, 5): class, left, top, right, bottom in pixels, its family, whether it is worn).

    The same number always gives the same page."""
    page, family, draw, noise = composed(case, number, stage, families, False)
    image = page.image.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    scanned = draw.random() < 0.35 and not page.dark
    if scanned:
        whole = (0, 0, round(page.width / SCALE), round(page.height / SCALE))
        image.paste(worn(draw, noise, image.crop(whole)), (0, 0))
    return numpy.asarray(image), numpy.array(page.regions, dtype=numpy.float32).reshape(-1, 5), family, scanned


def composed(case, number, stage, families, blind):
    """(the page, its style's family, its sources of chance)."""
    draw = random.Random(f"{SEED} layout {stage} {number}")
    noise = numpy.random.Generator(numpy.random.SFC64(draw.getrandbits(64)))
    family = draw.choices(list(families), weights=list(families.values()))[0]
    style = styles.style(draw, family)
    page = canvas.Canvas(draw, case, style["paper"], style["dark"], blind)
    COMPOSERS.get(family, document)(page, noise, style, types_of(page, style))
    return page, family, draw, noise
