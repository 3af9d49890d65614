"""Own families of styles. A family says which faces, sizes, columns, headings and tables its kind of paper has; its kinds (seed families) fix the macro choices; a seed draws the typography."""

from . import tables, typography

PAPERS = {"A4": (210, 297), "Letter": (215.9, 279.4), "A5": (148, 210), "Legal": (215.9, 355.6), "B5": (176, 250), "A3": (297, 420), "Tabloid": (279.4, 431.8), "Slide": (254, 142.9), "Slide43": (254, 190.5), "Executive": (184, 267)}

# Of each family: faces of the text, sizes in points, papers, columns, kinds of headings, kinds of tables (None: any), margins in millimetres.
FAMILIES = {
    "report": {"face": "sans|serif|sans", "size": (9, 12), "paper": "A4|Letter|A4", "columns": [1, 1, 1, 2], "headings": "scaled|coloured|ruled|inverted|left-bar|mixed|light", "tables": None, "margin": (15, 30)},
    "finance": {"face": "serif|serif|sans", "size": (7.5, 10.5), "paper": "Letter|Letter|A4", "columns": [1], "headings": "bold-body|capitals|centred|small-caps|underlined|italic", "tables": "rule-less|rule-less|booktabs|dense|zebra|head-rule|dotted", "margin": (12, 25)},
    "newspaper": {"face": "serif|serif|serif|narrow", "size": (7, 9.5), "paper": "A3|Tabloid|A4|Letter", "columns": [3, 4, 5], "headings": "scaled|mixed|centred|capitals|light", "tables": "rule-less|dense|row-rules|dotted", "margin": (8, 16)},
    "paper": {"face": "serif|serif|serif|sans", "size": (8.5, 11), "paper": "A4|Letter", "columns": [1, 2, 2, 2, 3], "headings": "scaled|bold-body|small-caps|italic|run-in|centred|capitals|mixed", "tables": "booktabs|booktabs|booktabs|head-rule|ruled|double-rules|rule-less", "margin": (14, 26)},
    "memo": {"face": "sans|serif|mono", "size": (10, 12), "paper": "Letter|A4", "columns": [1], "headings": "bold-body|underlined|capitals", "tables": None, "margin": (20, 35)},
    "brochure": {"face": "sans|narrow|serif", "size": (8.5, 12), "paper": "A4|Letter|A5|Legal", "columns": [1, 2, 3, 3], "headings": "coloured|inverted|light|boxed|mixed|left-bar", "tables": "colour-heads|zebra|row-rules|cards|first-column", "margin": (8, 18)},
    "government": {"face": "sans|serif|narrow", "size": (8, 11), "paper": "A4|Letter|Legal", "columns": [1], "headings": "boxed|grey|inverted|bold-body|over-ruled|capitals", "tables": "ruled|ruled|outer-frame|boxed-heads|column-rules", "margin": (10, 20)},
    "textbook": {"face": "serif|sans|slab", "size": (9.5, 12), "paper": "B5|A4|Executive", "columns": [1, 1, 2], "headings": "coloured|inverted|left-bar|ruled|mixed|scaled", "tables": "colour-heads|booktabs|boxed-heads|zebra|first-column", "margin": (16, 28)},
    "thesis": {"face": "serif|serif|sans", "size": (10.5, 12.5), "paper": "A4|Letter", "columns": [1], "headings": "scaled|small-caps|centred|capitals|light", "tables": "booktabs|ruled|head-rule|double-rules", "margin": (25, 38)},
    "legal": {"face": "serif|serif|mono", "size": (10, 12), "paper": "Legal|Letter|A4", "columns": [1, 1, 2], "headings": "centred|capitals|underlined|bold-body|run-in|small-caps", "tables": "ruled|outer-frame|rule-less", "margin": (20, 35)},
    "magazine": {"face": "serif|sans|slab|narrow", "size": (8, 10.5), "paper": "A4|Letter|B5", "columns": [2, 3, 3], "headings": "mixed|light|letter-spaced|coloured|over-ruled", "tables": "row-rules|colour-heads|zebra|wide-gaps", "margin": (10, 20)},
    "terminal": {"face": "mono", "size": (8, 11), "paper": "A4|Letter", "columns": [1], "headings": "capitals|underlined|bold-body", "tables": "rule-less|dotted|ruled|dense", "margin": (12, 28)},
    "spreadsheet": {"face": "sans|narrow", "size": (7, 10), "paper": "A4|Letter|A3", "columns": [1], "headings": "bold-body|grey|scaled", "tables": "spreadsheet|spreadsheet|ruled|dense|column-rules|rule-less", "margin": (6, 16), "landscape": 0.5},
    "wiki": {"face": "sans|serif", "size": (9, 11.5), "paper": "A4|Letter", "columns": [1], "headings": "ruled|scaled|mixed", "tables": "ruled|spreadsheet|boxed-heads|zebra", "margin": (12, 25)},
    "slides": {"face": "sans|sans|narrow|serif", "size": (13, 19), "paper": "Slide|Slide43", "columns": [1, 1, 2], "headings": "coloured|inverted|light|ruled|centred", "tables": "colour-heads|row-rules|zebra|booktabs", "margin": (8, 18)},
    "manual": {"face": "sans|narrow|serif", "size": (8, 11), "paper": "A5|A4|Letter|B5", "columns": [1, 1, 2], "headings": "inverted|left-bar|hanging|over-ruled|coloured|grey", "tables": "ruled|boxed-heads|colour-heads|row-rules", "margin": (10, 24)},
    "typewriter": {"face": "mono|slab", "size": (10, 12), "paper": "Letter|A4", "columns": [1], "headings": "capitals|underlined|letter-spaced|bold-body", "tables": "rule-less|dotted|outer-frame", "margin": (22, 36)},
    "catalogue": {"face": "narrow|sans", "size": (7, 9.5), "paper": "A4|Letter", "columns": [1, 2, 3], "headings": "inverted|boxed|coloured|grey", "tables": "dense|colour-heads|zebra|column-rules|row-rules", "margin": (8, 16)},
    "book": {"face": "serif", "size": (9, 11.5), "paper": "A5|B5|Executive", "columns": [1], "headings": "small-caps|letter-spaced|centred|italic|light", "tables": "booktabs|rule-less|head-rule", "margin": (14, 26)},
    "office": {"face": "sans|serif|sans", "size": (10, 12), "paper": "A4|Letter", "columns": [1], "headings": "coloured|scaled|light|ruled", "tables": "ruled|colour-heads|zebra|boxed-heads|spreadsheet", "margin": (18, 28)},
    "minimal": {"face": "sans|serif", "size": (8, 11), "paper": "A4|Letter", "columns": [1, 1, 2], "headings": "bold-body|letter-spaced|light|italic|small-caps", "tables": "rule-less|wide-gaps|tall-rows|head-rule", "margin": (18, 40)},
    "dense": {"face": "narrow|serif|sans", "size": (6, 8), "paper": "A4|Letter|A3", "columns": [1, 2, 3], "headings": "bold-body|run-in|capitals|boxed", "tables": "dense|ruled|column-rules|rule-less", "margin": (6, 12)},
}
KINDS = 16
# Kinds of styles that are only for some families of sources, beside those that are for all.
AFFINITY = {"slides": (range(16), ["slides"]), "newspaper": (range(8, 16), ["newspaper", "newsletter"]), "finance": (range(8, 16), ["annual-report", "financial-table", "bank-statement"]), "paper": (range(8, 16), ["paper"]), "thesis": (range(8, 16), ["thesis", "textbook"]),
            "brochure": (range(8, 16), ["brochure", "cards", "catalogue"]), "government": (range(8, 16), ["form", "tax-form", "questionnaire", "exam"]), "spreadsheet": (range(8, 16), ["class-list", "price-list", "long-table", "train-timetable"])}
# Such a style is chosen so many times as often as one that is for all.
AFFINE_WEIGHT = 12


def families_for(family, kind):
    """Families of sources that a style is only for; empty for all."""
    kinds, sources = AFFINITY.get(family, ((), []))
    return sources if kind in kinds else []


MARKS = ["{title}", "{page}", "{page} / {pages}", "{date}", "{section}", "{origin}", "— {page} —", "Page {page} of {pages}", "", ""]


def running(draw):
    """A running header or footer: text of its three places, size in points, whether a rule parts it from the page. None: there is none."""
    if draw.chance(0.35):
        return None
    parts = {"left": "", "center": "", "right": ""}
    for place in draw.sample(list(parts), draw.choice([1, 1, 2, 2, 3])):
        parts[place] = draw.choice(MARKS)
    return {**parts, "size": draw.choice([6.5, 7, 8, 9]), "rule": draw.chance(0.35), "italic": draw.chance(0.2), "capitals": draw.chance(0.1)} if any(parts.values()) else None


def page_of(draw, family, habit):
    rules = FAMILIES[family]
    wide, tall = PAPERS[habit.pick(rules["paper"])]
    if habit.chance(rules.get("landscape", 0.03)) and wide < tall:
        wide, tall = tall, wide
    low, high = rules["margin"]
    side = draw.uniform(low, high)
    margins = [round(side + draw.uniform(-2, 6), 1), round(side, 1), round(side + draw.uniform(-2, 6), 1), round(side + (draw.uniform(0, 15) if draw.chance(0.1) else 0), 1)]
    return {"size": [wide, tall], "margins": [max(5, margin) for margin in margins], "columns": habit.choice(rules["columns"])}


def columns_css(draw, page):
    """Columns of the body, unless the document sets its own."""
    gap, rule = round(draw.uniform(4, 9), 1), draw.choice(["none", "none", "0.4pt solid #888", "0.6pt solid #000"])
    css = f":root{{--flow-gap:{gap}mm;--flow-rule:{rule}}}"
    if page["columns"] > 1:
        css += f"\nbody:not(:has([data-flow],[data-grid])){{column-count:{page['columns']};column-gap:{gap}mm;column-rule:{rule};column-fill:{draw.choice(['balance', 'auto'])}}}"
        spanning = draw.choice(["h1,[data-kind=title],[data-kind=subtitle],[data-kind=author],[data-kind=abstract]", "h1,[data-kind=title]", "h1,[data-kind=title],[data-kind=author]", ""])
        css += f"\n{spanning}{{column-span:all}}" if spanning else ""
    # Tables that are too wide for a column span all columns, as in print.
    widest = 5 if page["columns"] < 3 else 3
    return css + f"\ntable:has(tr>:nth-child({widest + 1})),[data-flow] table:has(tr>:nth-child(5)){{column-span:all}}"


def make(draw, family, habit):
    """(CSS, page) of one style."""
    rules, ink, accent = FAMILIES[family], draw.choice(typography.INKS), draw.choice(typography.ACCENTS)
    face, kind_of_headings = habit.pick(rules["face"]), habit.pick(rules["headings"])
    kind_of_tables = habit.pick(rules["tables"]) if rules["tables"] else habit.choice(tables.KINDS)
    page = page_of(draw, family, habit)
    low, high = rules["size"]
    size = round(draw.uniform(low, high) * 2) / 2
    leading = draw.choice([1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5] + ([1.8, 2.0] if family in ("thesis", "legal", "typewriter") else []))
    _, headings = typography.headings(draw, kind_of_headings, accent)
    _, table = tables.make(draw, kind_of_tables)
    css = [f"body{{font-family:{typography.face(draw, face)};font-size:{size}pt;line-height:{leading};color:{ink}}}", headings, typography.paragraphs(draw), typography.lists(draw), typography.details(draw, accent), table, columns_css(draw, page)]
    if habit.chance(0.12):
        css.append("h2{break-before:page}h2:first-of-type{break-before:auto}" if family in ("thesis", "slides", "textbook") else "h2{clear:both}")
    if family == "slides":
        css.append("[data-break]{break-before:page}[data-break]:first-child{break-before:auto}")
        if habit.chance(0.3):
            # The fill reaches the edges of the page; the text keeps its distance on each page.
            css.append(f"html{{background:{draw.choice(['#0b1f33', '#222', '#10302a'])}}}body{{color:#fff;padding:{page['margins'][0]}mm {page['margins'][1]}mm;box-decoration-break:clone}}h1,h2,h3{{color:#ffd479}}td,th{{color:#fff}}")
            page = {**page, "margins": [0, 0, 0, 0]}
    if family == "wiki":
        css.append("a{color:#0645ad}")
    return "\n".join(css), page
