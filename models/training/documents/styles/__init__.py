"""Styles for the documents of `sources`: own families and style sheets of the npm registry, each with random typography.

`make(seed)` gives {origin, family, css, page, running}. `css` is complete: `base.css`, the style, `@page`. `page`: {size: [width, height] in mm, margins: [top, right, bottom, left] in mm, columns}.
`running`: {header, footer}, each None or {left, center, right, size, rule, italic, capitals}; the texts have the fields {title}, {page}, {pages}, {date}, {section}, {origin}.
"""

import os

from sources.draw import Draw

from . import npm, own

BASE = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "base.css"), encoding="utf-8").read()
# Share of styles that come from the npm registry, where its sheets were fetched.
NPM_SHARE = 0.3


def names():
    """All origins: `own/FAMILY/NN` and `npm/PACKAGE` (those that were fetched)."""
    return [f"own/{family}/{kind:02}" for family in own.FAMILIES for kind in range(own.KINDS)] + npm.origins()


def make(seed, origin=None, origins=None):
    """The style of a seed. `origin`: this one of `names()`; `origins(origin) -> bool` keeps the styles of one split."""
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
    return {"origin": origin, "family": family, "css": "\n".join([BASE, css, sheet]), "page": page, "running": {"header": own.running(draw), "footer": own.running(draw)}}


def licence_of(origin):
    """The licence of a style: of a fetched sheet what its package declares."""
    return npm.licence_of(origin) if origin.startswith("npm/") else "own"
