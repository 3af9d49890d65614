"""Faces, sizes and the looks of headings, lists and paragraphs that styles combine."""

# Families of faces that the packages of `fonts.txt` install; a face that is missing falls back to the next of its class.
FACES = {
    "serif": ["Liberation Serif", "DejaVu Serif", "Linux Libertine O", "EB Garamond", "Caladea", "Cardo", "Charis SIL", "Vollkorn", "TeX Gyre Pagella", "TeX Gyre Termes", "TeX Gyre Bonum", "TeX Gyre Schola", "STIX", "C059", "P052", "Nimbus Roman", "URW Bookman", "PT Serif", "Old Standard TT", "Noto Serif",
              "GFS Didot", "GFS Artemisia", "Averia Serif GWF", "Fanwood", "Linden Hill", "Goudy Bookletter 1911", "Prociono", "FreeSerif", "Latin Modern Roman", "Norasi"],
    "sans": ["Liberation Sans", "DejaVu Sans", "Carlito", "Cantarell", "Lato", "Open Sans", "Roboto", "Inter", "Andika", "TeX Gyre Heros", "TeX Gyre Adventor", "Nimbus Sans", "URW Gothic", "PT Sans", "Noto Sans", "GFS Neohellenic", "Oxygen-Sans", "Karla", "Cabin", "Tuffy", "B612", "Go", "Junction", "Quicksand", "Dosis", "FreeSans", "Linux Biolinum O", "Latin Modern Sans", "Averia Sans GWF", "Comic Neue"],
    "narrow": ["Liberation Sans Narrow", "Nimbus Sans Narrow", "PT Sans Narrow", "Roboto Condensed", "Open Sans Condensed", "Yanone Kaffeesatz", "TeX Gyre Heros Cn", "DejaVu Sans Condensed"],
    "slab": ["Roboto Slab", "Courier Prime", "URW Bookman", "TeX Gyre Bonum", "C059"],
    "mono": ["Liberation Mono", "DejaVu Sans Mono", "Fira Code", "Inconsolata", "Hack", "JetBrains Mono", "Courier Prime", "Nimbus Mono PS", "PT Mono", "Go Mono", "Noto Mono", "mononoki", "Anonymous Pro", "Latin Modern Mono", "Oxygen Mono", "TeX Gyre Cursor", "monofur"],
    "display": ["Bebas Neue", "League Spartan", "Lobster Two", "Yanone Kaffeesatz", "Linux Libertine Display O", "GFS BodoniClassic", "Old Standard TT", "TeX Gyre Chorus", "Cabin Sketch", "Z003"],
}
FALLBACK = {"serif": '"Noto Serif","Noto Naskh Arabic","Noto Serif CJK SC",serif', "sans": '"Noto Sans","Noto Sans Arabic","Noto Sans CJK SC",sans-serif', "narrow": '"Noto Sans",sans-serif', "slab": '"Noto Serif",serif', "mono": '"DejaVu Sans Mono","Noto Sans Mono CJK SC",monospace', "display": '"Noto Sans",sans-serif'}
INKS = ["#000", "#000", "#111", "#222", "#333"]
ACCENTS = ["#1f3a5f", "#7a1f1f", "#2d572c", "#005b96", "#b5651d", "#6b4c9a", "#444", "#c0392b", "#00695c", "#8d6e00"]
HEADING_KINDS = ["scaled", "scaled", "bold-body", "small-caps", "letter-spaced", "capitals", "italic", "run-in", "ruled", "over-ruled", "boxed", "inverted", "centred", "coloured", "light", "left-bar", "underlined", "mixed", "hanging", "grey"]


def face(draw, kind):
    """A `font-family` value."""
    return f'"{draw.choice(FACES[kind])}",{FALLBACK[kind]}'


def _sizes(draw, kind):
    """Sizes of h1 to h6 in ems."""
    if kind in ("bold-body", "run-in", "underlined"):
        top = draw.choice([1.0, 1.2, 1.5])
        return [top, draw.choice([1.0, 1.1]), 1.0, 1.0, 1.0, 0.95]
    ratio = draw.choice([1.08, 1.12, 1.15, 1.2, 1.25, 1.33])
    base = draw.choice([0.95, 1.0, 1.0, 1.05])
    return [round(base * ratio ** power, 2) for power in (5, 4, 3, 2, 1, 0)]


def _one(kind, draw, accent):
    return {
        "scaled": "font-weight:bold;", "bold-body": "font-weight:bold;", "small-caps": "font-variant:small-caps;font-weight:" + draw.choice(["normal;", "bold;"]), "letter-spaced": f"letter-spacing:{draw.choice([0.08, 0.15, 0.25])}em;text-transform:uppercase;font-weight:normal;",
        "capitals": "text-transform:uppercase;font-weight:bold;", "italic": "font-style:italic;font-weight:" + draw.choice(["normal;", "bold;"]), "run-in": "font-weight:bold;", "ruled": f"border-bottom:{draw.choice([0.5, 1, 2])}pt solid {accent};padding-bottom:0.15em;",
        "over-ruled": f"border-top:{draw.choice([0.5, 1, 2])}pt solid {accent};padding-top:0.25em;", "boxed": f"border:0.7pt solid {accent};padding:0.2em 0.5em;", "inverted": f"background:{accent};color:#fff;padding:0.2em 0.5em;", "centred": "text-align:center;",
        "coloured": f"color:{accent};", "light": "font-weight:300;", "left-bar": f"border-left:4pt solid {accent};padding-left:0.5em;", "underlined": "text-decoration:underline;font-weight:" + draw.choice(["normal;", "bold;"]), "mixed": "", "hanging": "font-weight:bold;",
        "grey": "background:#e4e4e4;padding:0.15em 0.4em;",
    }[kind]


def headings(draw, kind=None, accent=None):
    """(kind, CSS) of h1 to h6. A level may look like the text around it."""
    kind, accent = kind or draw.choice(HEADING_KINDS), accent or draw.choice(ACCENTS)
    sizes, css = _sizes(draw, kind), []
    family = f"font-family:{face(draw, draw.pick('sans|serif|narrow|display'))};" if draw.chance(0.4) else "font-family:inherit;"
    for level in range(1, 7):
        own = kind
        if kind == "mixed":
            own = draw.choice([name for name in HEADING_KINDS if name not in ("mixed", "run-in")])
        if kind == "run-in" and level < 3:
            own = "bold-body"
        rules = f"{family}font-size:{sizes[level - 1]}em;line-height:{draw.choice([1.1, 1.2, 1.3])};margin:{draw.choice([0.8, 1.0, 1.3, 1.6])}em 0 {draw.choice([0.1, 0.3, 0.5, 0.7])}em;" + _one(own, draw, accent)
        if own == "run-in":
            rules += "float:left;margin:0 0.6em 0 0;line-height:inherit;"
        css.append(f"h{level}{{{rules}}}")
    if kind == "hanging":
        css.append(f"body>:not(h1,h2,h3,h4,h5,h6){{margin-left:{draw.choice([1.5, 3, 6])}em}}")
    elif draw.chance(0.3):
        css.append("h1{text-align:center}")
    return kind, "\n".join(css)


def paragraphs(draw):
    """Indents or spaces between paragraphs, alignment, hyphens, a drop cap now and then."""
    css = [draw.choice(["p{margin:0 0 0.8em}", "p{margin:0 0 0.5em}", f"p{{margin:0;text-indent:{draw.choice([1, 1.5, 2])}em}}h1+p,h2+p,h3+p,h4+p{{text-indent:0}}", "p{margin:0 0 1.1em}"]),
           f"p,li,dd{{{draw.choice(['', 'text-align:justify'])}}}body{{hyphens:{draw.choice(['auto', 'manual'])}}}h1,h2,h3,h4,h5,h6,th,td{{hyphens:manual}}"]
    if draw.chance(0.08):
        css.append(f"h1+p::first-letter,[data-kind=abstract]+p::first-letter{{float:left;font-size:{draw.choice([2.6, 3.2])}em;line-height:0.85;padding-right:0.08em;font-weight:{draw.choice(['bold', 'normal'])}}}")
    return "\n".join(css)


def lists(draw):
    css = [f"ul,ol{{margin:{draw.choice([0.3, 0.6, 1])}em 0;padding-left:{draw.choice([1.2, 1.8, 2.4, 3])}em}}li{{margin:{draw.choice([0, 0.1, 0.3, 0.6])}em 0}}",
           f"ul{{list-style-type:{draw.choice(['disc', 'disc', 'square', 'circle', chr(34) + '– ' + chr(34), chr(34) + '• ' + chr(34), chr(34) + '▪ ' + chr(34), chr(34) + '➢ ' + chr(34), chr(34) + '* ' + chr(34)])}}}",
           f"ol{{list-style-type:{draw.choice(['decimal', 'decimal', 'decimal', 'lower-alpha', 'upper-alpha', 'lower-roman', 'decimal-leading-zero'])}}}ol ol{{list-style-type:{draw.choice(['lower-alpha', 'lower-roman', 'decimal'])}}}",
           f"dt{{font-weight:{draw.choice(['bold', 'bold', 'normal'])};{draw.choice(['', 'font-style:italic;'])}}}dd{{margin:0 0 0.4em {draw.choice([1, 2, 3])}em}}"]
    if draw.chance(0.1):
        css.append("dl{display:grid;grid-template-columns:max-content 1fr;gap:0.2em 1em}dd{margin:0}")
    return "\n".join(css)


def details(draw, accent):
    """Quotations, code, boxes, cards, fields and notes."""
    return "\n".join([
        f"blockquote{{margin:{draw.choice([0.6, 1])}em {draw.choice([1, 2, 3])}em;{draw.choice(['', 'font-style:italic;', f'border-left:2pt solid {accent};padding-left:1em;', 'font-size:0.92em;'])}}}",
        f"pre,code{{font-family:{face(draw, 'mono')};font-size:{draw.choice([0.8, 0.85, 0.9])}em}}pre{{{draw.choice(['', 'background:#f3f3f3;padding:0.6em;', 'border:0.5pt solid #999;padding:0.6em;', 'margin-left:2em;', f'border-left:3pt solid {accent};padding-left:0.8em;'])}line-height:1.25}}pre code{{font-size:1em;background:none}}",
        f"a{{color:{draw.choice(['inherit', 'inherit', '#00c', accent])};text-decoration:{draw.choice(['none', 'underline'])}}}",
        f"figure{{margin:{draw.choice(['1em 0', '1em auto'])};text-align:{draw.choice(['left', 'center'])}}}figcaption{{font-size:{draw.choice([0.8, 0.9, 1])}em;{draw.choice(['', 'font-style:italic;', 'color:#555;'])}}}",
        f":root{{--box-border:{draw.choice(['0.6pt solid #777', '1pt solid ' + accent, 'none', '0.5pt dashed #555'])};--box-fill:{draw.choice(['transparent', '#f2f2f2', '#eef3f8', '#fbf6e9'])};--card-border:{draw.choice(['0.5pt solid #999', 'none', '1pt solid ' + accent])};--card-fill:{draw.choice(['transparent', 'transparent', '#f5f5f5'])};--card-radius:{draw.choice(['0', '4pt', '8pt'])};"
        f"--key-weight:{draw.choice(['normal', 'bold'])};--key-width:{draw.choice(['0', '0', '8em', '11em'])};--field-line:{draw.choice(['0.5pt dotted #000', '0.5pt solid #000', '0.4pt solid #888'])};--grid-gap:{draw.choice(['0.6em', '1.2em', '2em'])};--note-size:{draw.choice(['0.75em', '0.85em'])}}}",
        f"hr{{border:0;border-top:{draw.choice(['0.5pt solid #000', '1pt solid ' + accent, '0.5pt dashed #888'])};margin:1em 0}}",
        f"[data-kind=abstract]{{{draw.choice(['font-size:0.9em;', 'margin:1em 2.5em;font-size:0.9em;', 'font-style:italic;', f'background:#f2f2f2;padding:0.6em;', ''])}}}",
        f"[data-kind=author]{{{draw.choice(['font-style:italic;', 'font-variant:small-caps;', 'font-size:0.9em;color:#444;', 'font-weight:bold;', ''])}margin:0.3em 0}}",
        f"[data-kind=reference]{{font-size:{draw.choice([0.85, 0.9, 1])}em;{draw.choice(['padding-left:2em;text-indent:-2em;', 'margin:0.3em 0;', 'padding-left:1.5em;text-indent:-1.5em;margin:0.2em 0;'])}}}",
    ])
