"""The program of styles for the page builder: `serve.py NAME list` prints the origins of NAME (`own` or `npm`) as a JSON array; `serve.py NAME serve` answers a line {"origin", "seed"} with a line
{"origin", "family", "css", "page", "running"} or {"error"}."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import styles


def main():
    name, command = sys.argv[1:3]
    if command == "list":
        json.dump([{"origin": origin, "family": origin.split("/")[1] if name == "own" else "npm", "licence": styles.licence_of(origin), "weight": 1, "for": []} for origin in styles.names() if origin.startswith(name + "/")], sys.stdout)
        return
    for line in sys.stdin:
        try:
            request = json.loads(line)
            made = styles.make(request["seed"], origin=request["origin"])
        except (KeyError, ValueError, IndexError, OSError) as error:
            made = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(made) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
