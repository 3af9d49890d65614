"""Columns that fill from the top: paragraphs break at their ends, what cannot be broken goes on to the next one."""

import texts

import blocks
import pictures
from blocks import Formula, Table
from canvas import ABOVE, BELOW, Type

CAPTION_WORDS = {"en": ("Figure", "Table"), "de": ("Abbildung", "Tabelle"), "fr": ("Figure", "Tableau"), "es": ("Figura", "Tabla"), "it": ("Figura", "Tabella"), "pt": ("Figura", "Tabela"), "pl": ("Rysunek", "Tabela"), "cs": ("Obrázek", "Tabulka")}


class Flow:
    """`types`: the faces of the document by their use. `columns`: [(left, right, top, bottom)] in the order in which they are read."""

    def __init__(self, page, noise, style, types, columns):
        self.page, self.noise, self.style, self.types = page, noise, style, types
        self.columns, self.number = columns, 0
        self.y, self.full = columns[0][2] if columns else 0, not columns
        self.size = types["text"].size
        self.fresh = True
        self.counters = [page.draw.randint(1, 6), page.draw.randint(0, 4), 0]

    @property
    def left(self):
        return self.columns[self.number][0] + self.style["hanging"] * self.page.width

    @property
    def edge(self):
        return self.columns[self.number][0]

    @property
    def right(self):
        return self.columns[self.number][1]

    @property
    def room(self):
        return self.columns[self.number][3] - self.y

    def next(self):
        """Goes to the next column; with none left the page is full."""
        if self.number + 1 >= len(self.columns):
            self.full = True
        else:
            self.number += 1
            self.y, self.fresh = self.columns[self.number][2], True
        return not self.full

    def after(self, bottom, gap):
        self.y, self.fresh = bottom + gap, False

    def broken(self, label, type_, made, left, right, leading, align, first=0, gap=0.0, hang=0.0, mark=None):
        """Words in lines, over as many columns as they take, each part a region. `hang` indents all lines for a `mark` before the first."""
        inset = left - self.left, self.right - right
        rows = type_.wrapped(self.page, made, right - left - hang, first)
        while rows and not self.full:
            fit = int((self.room - (ABOVE + BELOW) * type_.size) / leading) + 1 if self.room > (ABOVE + BELOW) * type_.size else 0
            if fit < min(2, len(rows)):
                if not self.next():
                    return
                continue
            begin, end = self.left + inset[0], self.right - inset[1]
            part, rows = rows[:fit], rows[fit:]
            bottom, least, most = blocks.lines(self.page, label, type_, part, begin + hang, end, self.y, leading, align, first, not rows, mark=False)
            if mark is not None:
                type_.draw(self.page, begin, self.y + ABOVE * type_.size, mark)
                least = begin
            self.page.region(label, least, self.y, most, bottom)
            mark, first = None, 0
            self.after(bottom, gap if not rows else 0)
            if rows:
                self.next()

    def paragraph(self, count=None, first=True):
        style, draw, type_ = self.style, self.page.draw, self.types["text"]
        leading = style["leading"] * self.size
        count = count or int(draw.choice((8, 20, 40, 60, 90, 130)) * draw.uniform(0.6, 1.4))
        words = self.page.words(count)
        if style["drop_cap"] and draw.random() < 0.25 and self.room > 6 * leading and count > 40:
            return self.drop_cap(words, leading)
        indent = style["indent"] * self.size if first and draw.random() < 0.92 else 0
        gap = leading - (ABOVE + BELOW) * self.size + style["gap"] * self.size
        self.broken("text", type_, words, self.left, self.right, leading, style["align"], indent, gap)

    def drop_cap(self, words, leading):
        """A capital of three lines' height before the paragraph."""
        big = Type(self.types["text"].face, 3 * leading / 0.8, self.types["text"].fill)
        type_, top = self.types["text"], self.y
        letter = big.fitting(words[0][:1]) or "A"
        wide = big.length(letter) + 0.3 * self.size
        rows = type_.wrapped(self.page, words, self.right - self.left - wide)[:3]
        rest = words[sum(len(row) for row, _ in rows):]
        big.draw(self.page, self.left, top + 2 * leading + ABOVE * self.size, letter)
        blocks.lines(self.page, "text", type_, rows, self.left + wide, self.right, top, leading, self.style["align"], 0, False, mark=False)
        more = type_.wrapped(self.page, rest, self.right - self.left)
        more = more[:max(0, int((self.room - 4 * leading) / leading))]
        bottom = blocks.lines(self.page, "text", type_, more, self.left, self.right, top + 3 * leading, leading, self.style["align"], mark=False)[0] if more else top + 3 * leading
        self.page.region("text", self.left, top, self.right, bottom)
        self.after(bottom, leading - self.size + self.style["gap"] * self.size)

    def heading(self, level=None):
        page, draw, style = self.page, self.page.draw, self.style
        level = level or draw.choice((1, 2, 2, 3))
        look, type_ = style["headings"][level], self.types["heading", level]
        string = texts.capital(" ".join(page.words(draw.choice((1, 2, 3, 4, 6, 9)))))
        if style["numbered"] and draw.random() < 0.9:
            self.counters[level - 1] += 1
            string = ".".join(str(max(1, number)) for number in self.counters[:level]) + draw.choice((" ", ". ", "  ")) + string
        if look["capitals"]:
            string = string.upper()
        before = 0 if self.fresh else look["before"] * type_.size
        left = self.edge if style["hanging"] else self.left
        pad = 0.4 * type_.size if look["bar"] is not None else 0
        rows = type_.wrapped(page, string.split(), self.right - left - 2 * pad)
        leading = 1.15 * type_.size
        high = blocks.height(type_, rows, leading) + 2 * pad
        if self.room < before + high + 2.5 * style["leading"] * self.size:
            if not self.next():
                return
            before, left = 0, self.edge if style["hanging"] else self.left
        top = self.y + before + pad
        thin = max(1, round(page.point * 0.7))
        keep = type_.fill
        if look["bar"] is not None:
            page.ink.rectangle((left, top - pad, self.right, top - pad + high), fill=look["bar"])
            type_.fill = 255 if look["bar"] < 130 else 0
        bottom = blocks.lines(page, "section_header", type_, rows, left + pad, self.right - pad, top, leading, look["align"])[0]
        type_.fill = keep
        if look["rule"] is not None:
            y = bottom + 0.15 * type_.size if look["rule"] == "below" else top - 0.3 * type_.size
            page.ink.line((left, y, self.right, y), fill=keep, width=thin)
        self.after(bottom + pad, max(look["after"], 0.35 if look["rule"] == "below" else 0.1) * type_.size)
        if not self.full and draw.random() < 0.92:
            self.paragraph(first=draw.random() < 0.4)

    def list(self, label="list_item"):
        page, draw, style = self.page, self.page.draw, self.style
        numbers = draw.random() < 0.4
        count, start = draw.choice((2, 3, 4, 5, 6, 8)), draw.choice((1, 1, 1, draw.randint(2, 20)))
        long = draw.choice((4, 8, 16, 30))
        type_, leading = self.types["text"], style["leading"] * self.size
        inset = style["list_indent"] * self.size
        for number in range(start, start + count):
            if self.full:
                return
            mark = style["list_number"].format(number if style["list_letters"] is None else style["list_letters"][number % 26]) if numbers else style["bullet"]
            mark = type_.fitting(mark) or "-"
            left = self.left + inset
            hang = max(style["hang"] * self.size, type_.length(mark) + 0.35 * self.size)
            gap = leading - (ABOVE + BELOW) * self.size + style["list_gap"] * self.size
            self.broken(label, type_, page.words(max(1, int(long * draw.uniform(0.4, 1.6)))), left, self.right, leading, style["align"] if long > 15 else "left", 0, gap, hang, mark)
        self.y += style["gap"] * self.size

    def references(self):
        draw, small = self.page.draw, Type(self.types["text"].face, 0.9 * self.size, self.types["text"].fill)
        leading, hang, numbers = 1.2 * small.size, draw.uniform(0.8, 2) * small.size, draw.random() < 0.6
        for number in range(draw.randint(3, 14)):
            if self.full:
                return
            mark = f"[{number + 1}]" if numbers else None
            words = f"{texts.name(draw)}, {texts.name(draw)}. {' '.join(self.page.words(draw.randint(4, 14)))}. {texts.citation(draw)}".split()
            inset = max(hang, small.length(mark) + 0.4 * small.size) if mark else 0
            self.broken("list_item", small, words, self.left, self.right, leading, "left", 0, leading - small.size + draw.choice((0.0, 0.4)) * small.size, inset, mark)

    def quote(self):
        """A paragraph set in from both sides."""
        inset = self.page.draw.uniform(1.5, 4) * self.size
        if self.right - self.left > 12 * inset / 2:
            self.y += 0.5 * self.size
            leading = self.style["leading"] * self.size
            self.broken("text", self.types["text"], self.page.words(self.page.draw.randint(15, 60)), self.left + inset, self.right - inset, leading, self.style["align"], 0, leading)

    def note(self):
        """A paragraph in a tinted box or beside a bar, with a heading or without."""
        page, draw, size = self.page, self.page.draw, self.size
        pad = draw.uniform(0.6, 1.2) * size
        type_, leading = self.types["text"], self.style["leading"] * size
        rows = type_.wrapped(page, page.words(draw.randint(12, 60)), self.right - self.left - 2 * pad)
        head = self.types["heading", 3].wrapped(page, page.words(2), self.right - self.left - 2 * pad)[:1] if draw.random() < 0.5 else []
        high = blocks.height(type_, rows, leading) + (1.4 * self.types["heading", 3].size if head else 0) + 2 * pad
        if self.room < high + size and (not self.next() or self.room < high + size):
            return
        top = self.y + 0.4 * size
        box = (self.left, top, self.right, top + high)
        kind = draw.random()
        if kind < 0.6:
            page.ink.rectangle(box, fill=draw.randint(210, 243), outline=draw.choice((None, 0, 120)))
        elif kind < 0.8:
            page.ink.rectangle(box, outline=0)
        else:
            page.ink.rectangle((box[0], top, box[0] + 0.25 * size, box[3]), fill=draw.randint(0, 140))
        y = top + pad
        if head:
            y = blocks.lines(page, "section_header", self.types["heading", 3], head, self.left + pad, self.right - pad, y, leading)[0] + 0.35 * size
        blocks.lines(page, "text", type_, rows, self.left + pad, self.right - pad, y, leading, "left")
        self.after(box[3], 0.8 * size)

    def formula(self):
        page, draw, style = self.page, self.page.draw, self.style
        for number in range(draw.choice((1, 1, 1, 2))):
            made = Formula(page, self.types["maths"])
            if made.width > 0.88 * (self.right - self.left):
                continue
            gap = draw.uniform(0.3, 0.9) * self.size
            if self.room < made.height() + 2 * gap and (not self.next() or self.room < made.height() + 2 * gap):
                return
            left = (self.left + self.right - made.width) / 2 if style["formula_align"] == "centre" else self.left + 2 * self.size
            box = made.draw(left, self.y + gap)
            where = style["formula_number"]
            if where is not None and draw.random() < 0.75:
                type_ = self.types["text"]
                mark = f"({draw.randint(1, 40)})" if draw.random() < 0.7 else f"({draw.randint(1, 9)}.{draw.randint(1, 30)})"
                base = box[1] + made.above
                if where == "right" and box[2] + 0.5 * self.size < self.right - type_.length(mark):
                    type_.draw(page, self.right - type_.length(mark), base, mark)
                    box = (box[0], box[1], self.right, box[3])
                elif where == "left" and box[0] - 0.5 * self.size > self.left + type_.length(mark):
                    type_.draw(page, self.left, base, mark)
                    box = (self.left, *box[1:])
            page.region("formula", *box)
            self.after(box[3], gap)
        if not self.full and draw.random() < 0.7:
            self.paragraph(first=False)

    def caption_rows(self, kind, width):
        draw, style = self.page.draw, self.style
        mark = f"{CAPTION_WORDS.get(self.page.language, CAPTION_WORDS['en'])[kind]} {draw.randint(1, 30)}{draw.choice(('.', ':', '', ' –'))}".split() if draw.random() < 0.85 else []
        if kind == 0 and draw.random() < 0.3 and mark:
            mark = ["Fig.", *mark[1:]]
        return mark, self.types["caption"].wrapped(self.page, mark + self.page.words(draw.choice((3, 6, 10, 18, 35))), width)

    def caption(self, mark, rows, left, right, top):
        """Draws it; the label's words again in bold where the style has them so. Returns the bottom."""
        type_, align = self.types["caption"], self.style["caption_align"]
        if align == "centre" and len(rows) > 2:
            align = "justify"
        bottom = blocks.lines(self.page, "caption", type_, rows, left, right, top, 1.18 * type_.size, align)[0]
        if self.style["label"] == "bold" and mark and align != "centre":
            for shift in (0.6, -0.4):
                type_.draw(self.page, left + shift, top + ABOVE * type_.size, mark[0])
        return bottom

    def picture(self):
        page, draw, style = self.page, self.page.draw, self.style
        share = 1 if draw.random() < 0.55 else draw.uniform(0.4, 0.95)
        wide = (self.right - self.left) * share
        shift = (self.right - self.left - wide) * draw.choice((0.5, 0.5, 0.5, 0))
        high = wide * draw.uniform(0.3, 0.95)
        mark, rows = self.caption_rows(0, self.right - self.left) if draw.random() < style["captions"] else ([], [])
        extra = blocks.height(self.types["caption"], rows, 1.18 * self.types["caption"].size) + 1.6 * self.size
        if high > self.room - extra:
            high = self.room - extra
            if high < 0.25 * wide:
                if not self.next():
                    return
                high = min(wide * 0.6, self.room - extra)
        if high < 40 or wide < 60:
            return
        top, begin = self.y + 0.4 * self.size, self.left + shift
        pictures.figure(page, self.noise, (begin, top, begin + wide, top + high), self.types["plain"].face)
        bottom = top + high
        if rows:
            bottom = self.caption(mark, rows, self.left, self.right, bottom + draw.uniform(0.3, 0.8) * self.size)
        self.after(bottom, draw.uniform(0.6, 1.6) * self.size)

    def table(self):
        page, draw, style = self.page, self.page.draw, self.style
        look = blocks.look(draw) if style["other_tables"] else style["table"]
        made = Table(page, look, Type(self.types["text"].face if draw.random() < 0.7 else self.types["plain"].face, style["table_size"] * self.size, self.types["text"].fill), self.types["table_head"], self.right - self.left)
        mark, rows = self.caption_rows(1, self.right - self.left) if draw.random() < style["captions"] else ([], [])
        extra = blocks.height(self.types["caption"], rows, 1.18 * self.types["caption"].size) + 1.8 * self.size
        if not made.fit(self.room - extra) and (not self.next() or not made.fit(self.room - extra)):
            return
        left, right = self.left, self.right
        y, above = self.y + 0.4 * self.size, style["caption_above_tables"]
        if rows and above:
            y = self.caption(mark, rows, left, right, y) + draw.uniform(0.25, 0.6) * self.size
        begin = left + (right - left - sum(made.widths)) * (0.5 if style["caption_align"] == "centre" else 0)
        bottom = made.draw(begin, y)
        if rows and not above:
            bottom = self.caption(mark, rows, left, right, bottom + draw.uniform(0.3, 0.7) * self.size)
        self.after(bottom, draw.uniform(0.7, 1.6) * self.size)

    def fill(self):
        """Until the page is full, or the text ends before it."""
        mix = self.style["mix"]
        stop = self.page.draw.random() < 0.12
        while not self.full:
            if stop and self.page.draw.random() < 0.12:
                return
            kind = self.page.draw.choices(list(mix), weights=list(mix.values()))[0]
            before = self.number, self.y
            getattr(self, kind)()
            if (self.number, self.y) == before and self.room < 3 * self.size:
                self.next()
