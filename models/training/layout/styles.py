"""Style sheets: the style of one document, drawn at random within its family. Two whole families are kept for the test."""

import string

import blocks

# How often training draws a family; the test's families are others.
FAMILIES = {"paper": 5, "report": 4, "book": 2, "news": 2, "form": 2, "slides": 2, "letter": 1.5, "plain": 1.5}
HELD_OUT = {"handbook": 3, "magazine": 2}

A4, LETTER, A5, LEGAL, TABLOID, CROWN, WIDE, SCREEN = (595, 842), (612, 792), (420, 595), (612, 1008), (842, 1191), (501, 709), (960, 540), (720, 540)
# Shares of what stands in the columns: paragraphs, headings, lists, tables, pictures, formulas.
MIXES = {
    "paper": {"paragraph": 10, "heading": 3, "list": 1.0, "table": 1.6, "picture": 1.8, "formula": 2.6, "references": 0.8},
    "report": {"paragraph": 9, "heading": 3.5, "list": 2.8, "table": 2, "picture": 1.8, "formula": 0.4},
    "book": {"paragraph": 12, "heading": 1.2, "list": 0.7, "table": 0.6, "picture": 1, "formula": 1.0, "quote": 0.8},
    "news": {"paragraph": 12, "heading": 2.5, "list": 0.3, "table": 0.4, "picture": 1.5, "formula": 0},
    "slides": {"paragraph": 2, "heading": 0.8, "list": 5, "table": 1.3, "picture": 3, "formula": 0.8},
    "plain": {"paragraph": 10, "heading": 2.5, "list": 2, "table": 1.2, "picture": 1, "formula": 0.8, "quote": 0.5},
    "handbook": {"paragraph": 8, "heading": 4, "list": 3.2, "table": 2, "picture": 2, "formula": 1.8, "note": 1.2},
    "magazine": {"paragraph": 11, "heading": 2.2, "list": 1, "table": 1, "picture": 1.6, "formula": 0.2, "note": 0.8},
}


def _paper(draw, family):
    if family == "slides":
        return draw.choice((WIDE, WIDE, SCREEN))
    if family == "book":
        return draw.choice((A5, A5, CROWN, LETTER, A4))
    if family == "news":
        return draw.choice((TABLOID, TABLOID, A4, LETTER))
    return draw.choice((A4, A4, A4, LETTER, LETTER, LEGAL if draw.random() < 0.2 else A4))


def _size(draw, family):
    """Of the running text, in points."""
    low, high = {"slides": (16, 26), "book": (8.5, 12), "news": (7.5, 10), "paper": (8.5, 11), "form": (7.5, 11), "letter": (9.5, 12), "magazine": (8.5, 10.5)}.get(family, (8.5, 12))
    return draw.uniform(low, high)


def _columns(draw, family):
    return draw.choice({"paper": (1, 2, 2, 2), "news": (2, 3, 3, 4), "report": (1, 1, 1, 2), "magazine": (2, 3), "slides": (1, 1, 2), "plain": (1, 1, 2, 3)}.get(family, (1,)))


def _heading(draw, family, level):
    """Of a heading: its size as a share of the text's, where it stands, what is around it."""
    ratio = {1: draw.uniform(1.2, 2.0), 2: draw.uniform(1.05, 1.45), 3: draw.uniform(0.95, 1.15)}[level]
    # A heading of the text's own size differs by its weight, its slant or its capitals.
    bold = draw.random() < 0.8 or ratio < 1.15
    return {
        "size": ratio, "bold": bold, "slanted": draw.random() < 0.12, "capitals": draw.random() < (0.25 if level < 3 else 0.05), "align": "centre" if draw.random() < (0.2 if family in ("paper", "book", "plain") else 0.05) else "left",
        "before": draw.uniform(0.5, 1.6), "after": draw.uniform(0.1, 0.8), "fill": draw.choice((0, 0, 0, 60, 110)), "rule": draw.choice(("below", "above")) if draw.random() < 0.12 else None,
        "bar": draw.choice((draw.randint(20, 110), draw.randint(190, 235))) if draw.random() < 0.07 else None,
    }


def style(draw, family):
    paper = _paper(draw, family)
    columns = _columns(draw, family)
    size = _size(draw, family)
    spaced = draw.random() < 0.45
    made = {
        "family": family, "paper": paper, "columns": columns, "size": size,
        "left": draw.uniform(0.06, 0.15), "right": draw.uniform(0.06, 0.15), "top": draw.uniform(0.06, 0.13), "bottom": draw.uniform(0.06, 0.13),
        "gutter": draw.uniform(1.2, 3.2), "column_rule": columns > 1 and draw.random() < (0.4 if family == "news" else 0.1),
        "leading": draw.uniform(1.08, 1.65) if columns == 1 else draw.uniform(1.05, 1.35), "align": draw.choices(("justify", "left"), (2, 1) if family in ("paper", "book", "news") else (1, 2))[0],
        # Paragraphs are separated by a gap, by an indent, or by both.
        "gap": draw.uniform(0.3, 1.1) if spaced or draw.random() < 0.3 else draw.uniform(0, 0.12), "indent": 0 if spaced else draw.uniform(0.9, 2.5),
        "sans_headings": draw.random() < 0.45, "headings": {level: _heading(draw, family, level) for level in (1, 2, 3)},
        "numbered": draw.random() < 0.5, "label": draw.choice(("bold", "plain", "slanted")), "caption": draw.uniform(0.78, 1.0), "caption_align": draw.choice(("left", "left", "centre", "justify")), "caption_slanted": draw.random() < 0.25,
        "caption_above_tables": draw.random() < 0.7, "captions": draw.random() < 0.93 and draw.choice((0.75, 0.95, 1.0)) or 0.2,
        "formula_align": draw.choice(("centre", "centre", "left")), "formula_number": draw.choice(("right", "right", "left", None)),
        "table": blocks.look(draw), "table_size": draw.uniform(0.75, 1.0), "other_tables": draw.random() < 0.3,
        "bullet": draw.choice("••••–-▪◦*·»"), "list_number": draw.choice(("{}.", "{}.", "({})", "{})", "[{}]")), "list_letters": draw.choice((None, None, None, string.ascii_lowercase)), "list_indent": draw.uniform(0, 2.2), "hang": draw.uniform(0.9, 1.9), "list_gap": draw.choice((0, 0.15, 0.5, 0.9)),
        "header": draw.random() < 0.68, "footer": draw.random() < 0.75, "furniture_size": draw.uniform(0.7, 0.95), "header_rule": draw.random() < 0.3, "footer_rule": draw.random() < 0.2,
        "header_bar": draw.randint(20, 120) if draw.random() < 0.06 else None,
        "footnotes": {"paper": 0.3, "book": 0.4, "report": 0.25, "plain": 0.3, "handbook": 0.35, "magazine": 0.15, "letter": 0.1, "form": 0.15, "slides": 0.2, "news": 0.02}[family], "footnote_size": draw.uniform(0.72, 0.88), "footnote_rule": draw.random() < 0.75,
        "title": {"paper": 0.45, "report": 0.3, "book": 0.25, "news": 0.65, "plain": 0.45, "handbook": 0.35, "magazine": 0.6}.get(family, 0.3), "title_size": draw.uniform(1.5, 2.7), "title_align": draw.choice(("centre", "left")),
        "hanging": 0.0, "drop_cap": False, "mix": MIXES.get(family, MIXES["plain"]), "dark": family == "slides" and draw.random() < 0.15,
    }
    if family == "handbook":
        # Headings hang in the margin beside the text, a rule as wide as the page above the first level.
        made.update(hanging=draw.choice((0.0, draw.uniform(0.15, 0.28))), numbered=draw.random() < 0.8, align="left", gap=draw.uniform(0.5, 1.1), indent=0)
        made["headings"][1]["rule"] = draw.choice(("above", "below", None))
        made["header_bar"] = draw.randint(20, 120) if draw.random() < 0.25 else None
    if family == "magazine":
        made.update(drop_cap=draw.random() < 0.6, sans_headings=True, title_size=draw.uniform(2.6, 4.5), column_rule=draw.random() < 0.2)
        made["headings"][2]["bar"] = draw.choice((None, draw.randint(20, 110)))
    return made
