"""The tables of docs/clients.md, made of the results of a run; and the same as plain text."""
import re
import datetime

from service import ROOT

PAGE = ROOT / "docs" / "clients.md"
BEGIN = "<!-- clients -->"
END = "<!-- /clients -->"
VERBS = ["chat", "stream", "tools", "tools_stream", "auto", "structure", "embed", "unknown_model", "bad_request", "wrong_key", "cancel"]
HEADS = ["chat", "stream", "tool, forced", "the same, streamed", "tool, chosen", "schema", "embeddings", "unknown model", "bad request", "wrong key", "cancel"]
MARKS = {"ok": "yes", "failed": "**no**", "lacks": "–", "skipped": "not run"}


def first_sentence(detail):
    """The first line of a failure, without the places in files of this machine that some packages add."""
    return re.split(r'\s+File "', str(detail).splitlines()[0])[0]


def outcomes(result):
    return {verb: (outcome, detail) for verb, outcome, detail in result["lines"]}


def versions(result):
    return ", ".join(f"`{name}` {version}" for name, version in result["versions"].items()) or "not installed"


def is_language(result):
    return result["client"]["group"] not in ("docling", "rerank")


def language_table(results):
    rows = [f"| client | {' | '.join(HEADS)} |", f"|---|{'---|' * len(HEADS)}"]
    for result in results:
        found = outcomes(result)
        rows.append(f"| {result['client']['name']} | {' | '.join(MARKS[found[verb][0]] if verb in found else 'not run' for verb in VERBS)} |")
    return rows


def settings_table(results):
    rows = ["| client | packages | settings | what is not there, and why |", "|---|---|---|---|"]
    for result in results:
        reasons = {}
        for verb, outcome, detail in result["lines"]:
            if outcome in ("lacks", "skipped", "failed"):
                reasons.setdefault(first_sentence(detail).replace("|", "\\|"), []).append(HEADS[VERBS.index(verb)] if verb in VERBS else verb)
        why = "; ".join(f"{', '.join(verbs)}: {reason}" for reason, verbs in reasons.items())
        rows.append(f"| {result['client']['name']} | {versions(result)} | {result['client']['settings']} | {why} |")
    return rows


def other_table(results):
    rows = ["| client | works | does not |", "|---|---|---|"]
    for result in results:
        good = [verb for verb, outcome, _ in result["lines"] if outcome == "ok"]
        bad = [f"{verb}: {first_sentence(detail)}" for verb, outcome, detail in result["lines"] if outcome != "ok"]
        rows.append(f"| {result['client']['name']} | {', '.join(good)} | {'; '.join(bad)} |")
    return rows


def markdown(results, real):
    language = [result for result in results if is_language(result)]
    others = [result for result in results if not is_language(result)]
    model = f"The tool is chosen by {real}; the remaining columns use a model of random weights." if real else "All columns use a model of random weights."
    return "\n".join([
        f"Run on {datetime.date.today().isoformat()}. {model} A refusal counts when the client's error carries the right status (404, 400, 401); a cancelled stream counts when its slot is free again.",
        "", *language_table(language), "", *other_table(others), "", *settings_table(results),
    ])


def write(results, real):
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if found == "":
        raise SystemExit(f"{PAGE} has no {BEGIN} ... {END}")
    PAGE.write_text(f"{before}{BEGIN}\n{markdown(results, real)}\n{END}{after}", encoding="utf-8")


def plain(results):
    width = max((len(result["client"]["name"]) for result in results), default=0)
    lines = []
    for result in results:
        parts = [f"{verb}={outcome}" for verb, outcome, _ in result["lines"]]
        lines.append(f"# {result['client']['name']:{width}}  {' '.join(parts)}")
    return "\n".join(lines)
