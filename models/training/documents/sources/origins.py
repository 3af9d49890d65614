"""The three programs of documents: each lists its origins and makes the document of an origin and a seed."""

from . import language, registry


class Own:
    """Own generators: an origin is a seed family, `own/FAMILY/NN`."""

    def list(self):
        return [{"origin": f"own/{name}/{number:02}", "family": name, "licence": "own", "weight": 1, "documents": None, "languages": list(family.only or [code for code in language.languages() if code not in family.without])}
                for name, family in sorted(registry.load().items()) for number in range(registry.SEED_FAMILIES)]

    def document(self, origin, seed):
        _, family, number = origin.split("/")
        return registry.document(family, seed, 0, int(number))


PROGRAMS = {"own": Own}
