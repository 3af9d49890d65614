"""Styles for the documents of `sources`: own families and style sheets of the npm registry, each with random typography.

`make(seed)` gives {origin, family, css, page, running}. `css` is complete: `base.css`, the style, `@page`. `page`: {size: [width, height] in mm, margins: [top, right, bottom, left] in mm, columns}.
`running`: {header, footer}, each None or {left, center, right, size, rule, italic, capitals}: what the margin boxes of `css` were made of.
"""

import os

from sources.draw import Draw
from sources.language import Language, languages

from . import npm, own

BASE = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "base.css"), encoding="utf-8").read()
# Share of styles that come from the npm registry, where its sheets were fetched.
NPM_SHARE = 0.3


def names():
    """All origins: `own/FAMILY/NN` and `npm/PACKAGE` (those that were fetched)."""
    return [f"own/{family}/{kind:02}" for family in own.FAMILIES for kind in range(own.KINDS)] + npm.origins()


def margin_boxes(draw, head, foot, language, title):
    """CSS of the page's margin boxes. Fields of the running heads are filled; the texts are not in the document."""
    fields = {"title": title, "date": language.date(language.day(draw)), "section": language.title(draw, 1, 5), "origin": language.company(draw)}
    boxes = []
    for edge, line in (("top", head), ("bottom", foot)):
        for place in ("left", "center", "right") if line else ():
            if not line[place]:
                continue
            pieces = line[place].replace("{pages}", "\0counter(pages)\0").replace("{page}", "\0counter(page)\0").format(**fields).split("\0")
            content = " ".join(piece if piece.startswith("counter(") else '"' + piece.replace("\\", "").replace('"', "'") + '"' for piece in pieces if piece)
            rule = f"border-{'bottom' if edge == 'top' else 'top'}:0.5pt solid #444;" if line["rule"] else ""
            boxes.append(f"@{edge}-{place}{{content:{content};font-size:{line['size']}pt;{rule}{'font-style:italic;' if line['italic'] else ''}{'text-transform:uppercase;' if line['capitals'] else ''}}}")
    return "@page{" + "".join(boxes) + "}" if boxes else ""


def make(seed, origin=None, origins=None, language="en", title=None):
    """The style of a seed. `origin`: this one of `names()`; `origins(origin) -> bool` keeps the styles of one split. `language` and `title` are those of running heads."""
    draw = Draw(f"style/{seed}")
    if origin is None:
        known = [name for name in names() if origins is None or origins(name)]
        fetched = [name for name in known if name.startswith("npm/")]
        rest = [name for name in known if not name.startswith("npm/")]
        origin = draw.choice(fetched if fetched and (not rest or draw.chance(NPM_SHARE)) else rest)
    if origin.startswith("npm/"):
        css, page, family = npm.make(draw, origin)
    else:
        _, family, kind = origin.split("/")
        css, page = own.make(draw, family, Draw(f"habit/style/{family}/{kind}"))
    size, margins = page["size"], page["margins"]
    sheet = f"@page{{size:{size[0]}mm {size[1]}mm;margin:{' '.join(f'{margin}mm' for margin in margins)}}}"
    head, foot = own.running(draw), own.running(draw)
    written = Language(language if language in languages() else "en")
    boxes = margin_boxes(draw, head, foot, written, title or written.title(draw, 2, 6))
    return {"origin": origin, "family": family, "css": "\n".join([BASE, css, sheet, boxes]), "page": page, "running": {"header": head, "footer": foot}}


def licence_of(origin):
    """The licence of a style: of a fetched sheet what its package declares."""
    return npm.licence_of(origin) if origin.startswith("npm/") else "own"
