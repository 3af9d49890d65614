"""The program of styles for the page builder: `serve.py NAME list` prints the origins of NAME (`own` or `npm`) as a JSON array; `serve.py NAME serve` answers a line {"origin", "seed"} with a line
{"origin", "family", "css", "page", "running"} or {"error"}."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import styles
from sources.registry import SEED_FAMILIES


def _listed(name, origin):
    """Own styles are chosen twice as often as those of the npm registry; those for some families more often for these."""
    sources = styles.own.families_for(origin.split("/")[1], int(origin.split("/")[2])) if name == "own" else []
    weight = 1 if name == "npm" else 2 * styles.own.AFFINE_WEIGHT if sources else 2
    return {"origin": origin, "family": origin.split("/")[1] if name == "own" else "npm", "licence": styles.licence_of(origin), "weight": weight, "for": [f"own/{family}/{number:02}" for family in sources for number in range(SEED_FAMILIES)]}


def main():
    name, command = sys.argv[1:3]
    if command == "list":
        json.dump([_listed(name, origin) for origin in styles.names() if origin.startswith(name + "/")], sys.stdout)
        return
    for line in sys.stdin:
        try:
            request = json.loads(line)
            made = styles.make(request["seed"], origin=request["origin"], language=request.get("language", "en"), title=request.get("title"))
        except (KeyError, ValueError, IndexError, OSError) as error:
            made = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(made) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
