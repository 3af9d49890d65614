"""Contents of known structure for training pages: own generators and normalised documentation of Debian packages.

`documents(seed, count)` yields {origin, family, lang, dir, title, html}; `html` is a body fragment in the vocabulary of `markup`. The same seed gives the same documents.
"""

from .draw import Draw
from . import registry


def families():
    """Names of the own generators."""
    return sorted(registry.load())


def documents(seed, count, only=None, origins=None):
    """`count` documents, of all families evenly, or of the families `only`. `origins(origin) -> bool` keeps the origins of one split."""
    names = sorted(only or families())
    draw = Draw(f"documents/{seed}")
    made = index = 0
    while made < count:
        document = registry.document(draw.choice(names), seed, index)
        index += 1
        if origins is None or origins(document["origin"]):
            made += 1
            yield document
