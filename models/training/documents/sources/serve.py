"""A program of documents for the page builder: `serve.py NAME list` prints the origins of NAME as a JSON array; `serve.py NAME serve` answers a line {"origin", "seed"} with a line
{"origin", "id", "title", "language", "direction", "body"} or {"error"}. NAME: `own` (generators), `debian` (normalised documentation), `data` (public tables)."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from sources import origins


def answer(program, request):
    document = program.document(request["origin"], request["seed"])
    return {"origin": document["origin"], "id": f"{document['origin']}/{request['seed']}", "title": document["title"], "language": document["lang"], "direction": document["dir"], "body": document["html"]}


def main():
    program = origins.PROGRAMS[sys.argv[1]]()
    if sys.argv[2] == "list":
        json.dump(program.list(), sys.stdout)
        return
    for line in sys.stdin:
        try:
            made = answer(program, json.loads(line))
        except (KeyError, ValueError, IndexError, OSError) as error:
            made = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(made) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
