#!/usr/bin/env python3
"""Runs real clients, at pinned versions from the package registries, against this checkout's service: chat, stream, tools, structured output, embeddings, errors, cancelling.

usage: python3 test/clients/run.py [--light] [--only WORDS] [--no-real] [--limit SECONDS] [--page]     (from the root of the checkout, after npm run compile)

  --light      the clients that CI always runs
  --limit S    half of this time for each installation, and no client begins after it
  --only WORDS clients whose name contains one of the words, separated by commas
  --no-real    without the real model, which decides by itself to call a tool (test/weights/fetch.py qwen2.5-coder)
  --page       writes the table of docs/clients.md, after a whole run

One TAP line per client and verb that was performed. A client that cannot be installed is reported with the reason, never as passed. The exit code is 1 when a verb failed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import installed
import page
from service import KEY, MAIN, ROOT, WEIGHTS, Bench

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = json.loads((HERE / "clients.json").read_text())
REAL = "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M"
# A client that performs all its verbs with the real model takes less than a minute on two idle cores.
CLIENT_SECONDS = 600


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def line(self, name, outcome, detail):
        # No line of its own for what was not run: a counter of passed lines would take it for one.
        if outcome in ("lacks", "skipped"):
            print(f"# not run - {name}: {detail}", flush=True)
            return
        self.count += 1
        self.failed += outcome == "failed"
        print(f"{'not ok' if outcome == 'failed' else 'ok'} {self.count} - {name}", flush=True)
        if outcome == "failed":
            for part in str(detail).splitlines()[-12:]:
                print(f"  # {part}", flush=True)


def command_of(client, places):
    if client["group"] == "npm":
        return ["node", *client["run"]], places["npm"]
    return [str(places[client["group"]]), *client["run"]], HERE / "python"


def perform(client, places, url, real):
    """The versions of a client's packages, and [verb, outcome, detail] as its script reports them."""
    command, directory = command_of(client, places)
    environment = {**os.environ, "BENCH_URL": url, "BENCH_KEY": KEY, "BENCH_REAL": real, "BENCH_ROOT": str(ROOT), "PYTHONWARNINGS": "ignore"}
    versions, lines = {}, []
    try:
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=CLIENT_SECONDS)
        said, errors, code = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        said, errors, code = (late.stdout or b"").decode(), "", f"none after {CLIENT_SECONDS} s"
    for line in said.splitlines():
        if not line.startswith("["):
            continue
        verb, *rest = json.loads(line)
        if verb == "versions":
            versions = rest[0]
        else:
            lines.append((verb, *rest))
    if code != 0:
        lines.append(("its program", "failed", f"exit code {code}\n{errors[-2000:]}"))
    elif not lines:
        lines.append(("its program", "failed", "reported nothing"))
    return versions, lines


def install(groups, seconds):
    places, problems = {}, {}
    for group in sorted(groups):
        places[group], problems[group] = installed.npm(seconds) if group == "npm" else installed.venv(group, seconds)
        if problems[group]:
            print(f"# {group}: {problems[group]}", flush=True)
    return places, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-real", action="store_true")
    parser.add_argument("--limit", type=float, default=None)
    parser.add_argument("--page", action="store_true")
    asked = parser.parse_args()
    if not MAIN.exists():
        sys.exit(f"{MAIN} is missing: npm run compile")
    clients = [client for client in CLIENTS if any(word in client["name"] for word in asked.only.split(",")) and (client.get("light") or not asked.light)]
    if asked.page and clients != CLIENTS:
        sys.exit("--page needs a whole run")
    real = REAL if not asked.no_real and (WEIGHTS / f"{REAL}.gguf").exists() else ""
    end = time.monotonic() + (asked.limit or float("inf"))
    places, problems = install({client["group"] for client in clients}, asked.limit and asked.limit / 2)
    tap, results = Tap(), []
    with Bench([real] if real else []) as url:
        for client in clients:
            problem = problems[client["group"]] or ("" if time.monotonic() < end else "the time is over")
            versions, lines = ({}, [("all verbs", "skipped", problem.replace("\n", " "))]) if problem else perform(client, places, url, real)
            for verb, outcome, detail in lines:
                tap.line(f"{client['name']}: {verb}", outcome, detail)
            results.append({"client": client, "versions": versions, "lines": lines})
    print(f"1..{tap.count}")
    if asked.page:
        page.write(results, real)
    print(page.plain(results))
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
