"""The verbs that every client of language models performs, and their judges. Runs inside a venv: one line of JSON per verb on standard output, as `[verb, outcome, detail]`.

A client is a class with a method per verb; a verb that its package does not have is named in `lacks`, with the reason. Outcomes: ok, failed, lacks, skipped.
"""
import asyncio
import inspect
import json
import math
import os
import re
import signal
import time
import traceback
import urllib.request
from importlib import metadata

URL = os.environ["BENCH_URL"]
KEY = os.environ["BENCH_KEY"]
MODEL = "chat"
ENDING = "ending"
EMBEDDER = "embedder"
# A real model that takes tools, or empty: a model of random weights does not choose a tool.
REAL = os.environ.get("BENCH_REAL", "")
WRONG_KEY = "lk-wrong"
UNKNOWN = "no-such-model"
QUESTION = "the world"
TOKENS = 40
# An object of the schemas below is not longer than this, whatever the weights are.
OBJECT_TOKENS = 200
TEXTS = ["hello world", "the"]

ROOMS = ["kitchen", "hall"]
TOOL = "set_lamp"
TOOL_TEXT = "Switches the lamp of a room on or off."
TOOL_QUESTION = "Switch on the lamp in the kitchen."
PARAMETERS = {
    "type": "object",
    "properties": {"room": {"type": "string", "enum": ROOMS, "description": "The room of the lamp."}, "on": {"type": "boolean", "description": "Whether the lamp is to be on."}},
    "required": ["room", "on"],
    "additionalProperties": False,
}
FUNCTION = {"type": "function", "function": {"name": TOOL, "description": TOOL_TEXT, "parameters": PARAMETERS}}
COLOURS = ["red", "green", "blue"]
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": COLOURS}, "bright": {"type": "boolean"}},
    "required": ["colour", "bright"],
    "additionalProperties": False,
}

VERBS = ["chat", "stream", "tools", "tools_stream", "auto", "structure", "embed", "unknown_model", "bad_request", "wrong_key", "cancel"]
STATUS = {"unknown_model": 404, "bad_request": 400, "wrong_key": 401}
# The service notices a closed connection at its next write; a busy machine takes its time.
FREE_SECONDS = 10
# The longest that one verb may take: some thousand tokens of the real model on two busy cores.
VERB_SECONDS = 120


def give_up(*_):
    raise TimeoutError(f"no end after {VERB_SECONDS} s")


signal.signal(signal.SIGALRM, give_up)


def metric(sample):
    request = urllib.request.Request(f"{URL}/metrics", headers={"authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith(sample + " "):
                return float(line.rpartition(" ")[2])
    return 0.0


def statuses(error):
    """All HTTP statuses that an exception or one of its causes names."""
    found = set()
    while error is not None:
        for name in ("status_code", "status", "code"):
            if isinstance(value := getattr(error, name, None), int):
                found.add(value)
        if isinstance(value := getattr(getattr(error, "response", None), "status_code", None), int):
            found.add(value)
        found |= {int(number) for number in re.findall(r"\b[45]\d\d\b", str(error))}
        error = error.__cause__ or error.__context__
    return found


def as_arguments(value):
    return json.loads(value) if isinstance(value, str) else dict(value)


def judge_call(call):
    name, arguments = call[0], as_arguments(call[1])
    if name != TOOL:
        return f"{name!r} is not the tool"
    if set(arguments) != {"room", "on"} or arguments["room"] not in ROOMS or not isinstance(arguments["on"], bool):
        return f"arguments {arguments}"
    return ""


def judge_pieces(pieces, whole):
    if len(pieces) < 2:
        return f"{len(pieces)} pieces"
    if "".join(pieces) != whole:
        return f"the stream says {''.join(pieces)!r}, the whole answer {whole!r}"
    return ""


def judge_vectors(vectors):
    if len(vectors) != len(TEXTS) or {len(vector) for vector in vectors} != {64}:
        return f"vectors of {[len(vector) for vector in vectors]} values"
    if any(abs(math.sqrt(sum(value * value for value in vector)) - 1) > 1e-3 for vector in vectors):
        return "not of length 1"
    return "" if vectors[0] != vectors[1] else "the same vector twice"


def judge_structure(value):
    value = as_arguments(value)
    return "" if set(value) == {"colour", "bright"} and value["colour"] in COLOURS and isinstance(value["bright"], bool) else f"not as the schema says: {value}"


async def value_of(act, *arguments):
    value = act(*arguments)
    return await value if inspect.isawaitable(value) else value


async def judge_refusal(verb, act):
    wanted = STATUS[verb]
    try:
        value = await value_of(act)
    except Exception as error:
        return "" if wanted in statuses(error) else f"{type(error).__name__}, not {wanted}: {error}"
    return f"nothing was refused: {value!r}"


async def judge_cancel(act):
    cancelled = 'lectern_slot_requests_total{lane="chat",outcome="cancelled"}'
    before = metric(cancelled)
    await value_of(act)
    for _ in range(FREE_SECONDS * 20):
        if metric('lectern_slot_requests{lane="chat",state="working"}') == 0:
            return "" if metric(cancelled) == before + 1 else "the request was not cancelled but served to its end"
        await asyncio.sleep(0.05)
    return f"the slot was not free {FREE_SECONDS} s later"


async def judge_auto(act):
    calls = await value_of(act, REAL)
    return "no call" if not calls else judge_call(calls[0])


async def outcome_of(client, verb):
    act = getattr(client, verb)
    if verb in STATUS:
        return await judge_refusal(verb, act)
    if verb == "cancel":
        return await judge_cancel(act)
    if verb == "auto":
        return await judge_auto(act)
    value = await value_of(act)
    if verb == "chat":
        return "" if isinstance(value, str) and value != "" else f"no text: {value!r}"
    if verb == "stream":
        return judge_pieces(value, await value_of(client.chat))
    if verb in ("tools", "tools_stream"):
        return judge_call(value)
    return judge_vectors(value) if verb == "embed" else judge_structure(value)


def report(*line):
    print(json.dumps(line), flush=True)


async def perform(client):
    for verb in VERBS:
        if verb in client.lacks:
            report(verb, "lacks", client.lacks[verb])
            continue
        if verb == "auto" and REAL == "":
            report(verb, "skipped", "needs the real model")
            continue
        began = time.monotonic()
        signal.alarm(VERB_SECONDS)
        try:
            problem = await outcome_of(client, verb)
        except Exception as error:
            problem = f"{type(error).__name__}: {error} {''.join(traceback.format_tb(error.__traceback__)[-1:])}"
        signal.alarm(0)
        took = f"{time.monotonic() - began:.1f} s"
        report(verb, "failed" if problem else "ok", problem or took)


async def perform_cases(cases):
    for name, act in cases:
        signal.alarm(VERB_SECONDS)
        try:
            problem = await value_of(act) or ""
        except Exception as error:
            problem = f"{type(error).__name__}: {error} {''.join(traceback.format_tb(error.__traceback__)[-1:])}"
        signal.alarm(0)
        report(name, "failed" if problem else "ok", problem)


def run_cases(packages, cases):
    """Performs cases of a client that has verbs of its own: pairs of a name and an act, which returns what is wrong, or nothing."""
    report("versions", {name: metadata.version(name) for name in packages})
    asyncio.run(perform_cases(cases))


def run(client):
    """Performs all verbs of a client. `packages` are the distributions whose versions are reported."""
    report("versions", {name: metadata.version(name) for name in client.packages})
    asyncio.run(perform(client))
