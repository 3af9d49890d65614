"""The families of own generators. A family has many seed families: a seed family fixes the habits of one author (which fields, which order, which captions), a document draws its contents."""

import importlib
import os
import pkgutil

from . import language as languages
from .draw import Draw

# Habits of so many authors a family. `splits.json` divides them by number.
SEED_FAMILIES = 20
FAMILIES = {}


class Family:
    def __init__(self, name, make, without, only):
        self.name, self.make, self.without, self.only = name, make, without, only


def family(name, without=(), only=None):
    """Registers `make(draw, habit, language) -> (title, html)` under `name`, for all languages but `without`, or for `only` those."""
    def register(make):
        FAMILIES[name] = Family(name, make, without, only)
        return make
    return register


def load():
    """Imports every module of `own`, so that they register."""
    from . import own
    for module in pkgutil.iter_modules([os.path.dirname(own.__file__)]):
        importlib.import_module(f"{own.__name__}.{module.name}")
    return FAMILIES


def document(name, seed, index, number=None):
    """Document `index` of a family: {origin, family, lang, dir, title, html}. `number` is the seed family, drawn when it is None."""
    made = load()[name]
    draw = Draw(f"{name}/{seed}/{index}")
    number = draw.randrange(SEED_FAMILIES) if number is None else number
    habit = Draw(f"habit/{name}/{number}")
    language = languages.Language(draw.pick(made.only)) if made.only else languages.choose(draw, made.without)
    title, html = made.make(draw, habit, language)
    return {"origin": f"own/{name}/{number:02}", "family": name, "lang": language.code, "dir": "rtl" if language.code in languages.RIGHT_TO_LEFT else "ltr", "title": title, "html": html}
