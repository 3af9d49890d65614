"""The three programs of documents: each lists its origins and makes the document of an origin and a seed."""

import functools
import json
import os

from . import cache, datasets, debian, language, registry


# Weights of own generators: single pages from the middle of a document, which most pages of real files are, and whole documents.
EXCERPT_WEIGHT, WHOLE_WEIGHT = 1, 0.15
# Weights of the programs against own generators: of the package with the most documents, and of a set of data.
DEBIAN_WEIGHT, DATA_WEIGHT = 0.8, 0.2
MOST_DOCUMENTS = 500


class Own:
    """Own generators: an origin is a seed family, `own/FAMILY/NN`."""

    def list(self):
        return [{"origin": f"own/{name}/{number:02}", "family": name, "licence": "own", "weight": EXCERPT_WEIGHT if name.endswith("-page") else WHOLE_WEIGHT, "documents": None, "languages": list(family.only or [code for code in language.languages() if code not in family.without])}
                for name, family in sorted(registry.load().items()) for number in range(registry.SEED_FAMILIES)]

    def document(self, origin, seed):
        _, family, number = origin.split("/")
        return registry.document(family, seed, 0, int(number))


@functools.lru_cache(None)
def _index(package):
    with open(cache.place("documents", package + ".index"), encoding="utf-8") as opened:
        return json.load(opened)


class Debian:
    """Normalised documentation: an origin is a package, `debian/PACKAGE`; the seed chooses one of its documents."""

    def packages(self):
        return [(package, listed) for package, listed, kind in debian.listed() if kind == "docs" and os.path.exists(cache.place("documents", package + ".index")) and _index(package)["offsets"]]

    def list(self):
        """Larger packages weigh more, by the root of the number of their documents."""
        return [{"origin": f"debian/{package}", "family": "debian", "licence": _index(package)["licence"], "weight": round(DEBIAN_WEIGHT * (len(_index(package)["offsets"]) / MOST_DOCUMENTS) ** 0.5, 3), "documents": len(_index(package)["offsets"]), "languages": [] if listed == "mixed" else [listed]}
                for package, listed in self.packages()]

    def document(self, origin, seed):
        package = origin.split("/")[1]
        offsets = _index(package)["offsets"]
        with open(cache.place("documents", package + ".jsonl"), "rb") as opened:
            opened.seek(offsets[seed % len(offsets)])
            return json.loads(opened.readline())


class Data:
    """Tables of public data: an origin is a set, `data/NAME`; the seed chooses rows, columns and the text around them."""

    def list(self):
        return [{"origin": f"data/{name}", "family": "data", "licence": debian.licence_of(package), "weight": DATA_WEIGHT, "documents": None, "languages": [code]} for name, (package, code) in sorted(datasets.available().items())]

    def document(self, origin, seed):
        return datasets.document(origin.split("/", 1)[1], seed)


PROGRAMS = {"own": Own, "debian": Debian, "data": Data}
