#!/usr/bin/env python3
"""Twenty questions that need a tool, to the real Qwen2.5-Coder-0.5B on each route that offers tools. The model chooses by itself; an answer counts when it comes out as a call of the expected tool, with arguments that are an object.

usage: nice python3 test/clients/tool-questions.py [http://HOST:PORT [MODEL]]     (from the root of the checkout; weights by test/weights/fetch.py qwen2.5-coder)

Prints a table of question and route, and exits with 1 when a route has fewer than 18 calls. Some five minutes on two idle cores.
"""
import json
import sys
import urllib.error
import urllib.request

from service import KEY, WEIGHTS, Bench

MODEL = "Qwen2.5-Coder-0.5B-Instruct-Q4_K_M"
WANTED = 18
TOKENS = 120
ANSWER_SECONDS = 300


def string(text):
    return {"type": "string", "description": text}


def function(name, description, properties, required):
    return {"name": name, "description": description, "parameters": {"type": "object", "properties": properties, "required": required}}


FUNCTIONS = {one["name"]: one for one in [
    function("get_weather", "Gets the current weather of a city.", {"city": string("Name of the city."), "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}, ["city"]),
    function("read_file", "Reads a text file.", {"path": string("Path of the file.")}, ["path"]),
    function("run_command", "Runs a shell command and returns its output.", {"command": string("The command line.")}, ["command"]),
    function("search_web", "Searches the web.", {"query": string("What to search for.")}, ["query"]),
    function("send_mail", "Sends an e-mail.", {"to": string("Address of the recipient."), "subject": string("The subject."), "body": string("The text.")}, ["to", "subject", "body"]),
    function("add_event", "Adds an event to the calendar.", {"title": string("Title of the event."), "date": string("Date, as 2026-11-28."), "time": string("Time, as 14:30.")}, ["title", "date"]),
    function("convert_currency", "Converts an amount of money.", {"amount": {"type": "number"}, "from": string("Currency code."), "to": string("Currency code.")}, ["amount", "from", "to"]),
    function("set_lamp", "Switches the lamp of a room.", {"room": string("The room."), "on": {"type": "boolean"}}, ["room", "on"]),
]}

# The question, the tools that are offered, and the one that is right.
QUESTIONS = [
    ("What is the weather in Paris? Use the tool.", ["get_weather"]),
    ("How warm is it in Oslo now, in celsius?", ["get_weather"]),
    ("Tell me the current weather in Tokyo.", ["get_weather", "search_web"]),
    ("Is it raining in Lisbon?", ["get_weather", "read_file"]),
    ("Read the file /etc/hosts.", ["read_file"]),
    ("Show me the contents of README.md.", ["read_file", "run_command"]),
    ("Open the file notes/todo.txt and tell me what is in it.", ["read_file"]),
    ("Run the command `ls -la`.", ["run_command"]),
    ("List the files of the current directory with a shell command.", ["run_command"]),
    ("Run `git status` for me.", ["run_command", "read_file"]),
    ("Search the web for the latest Python release.", ["search_web"]),
    ("Search the web for papers about table recognition.", ["search_web", "get_weather"]),
    ("Find out on the web who won the last football world cup.", ["search_web"]),
    ("Send an e-mail to anna@example.org with the subject Lunch and the text: At noon?", ["send_mail"]),
    ("Write a mail to bob@example.org, subject Report, saying that the report is ready.", ["send_mail", "search_web"]),
    ("Add a meeting called Review to my calendar on 2026-12-03 at 10:00.", ["add_event"]),
    ("Put the dentist into my calendar for 2026-12-10.", ["add_event", "send_mail"]),
    ("Convert 100 US dollars to euros.", ["convert_currency"]),
    ("How many yen are 250 euros? Use the tool.", ["convert_currency", "search_web"]),
    ("Switch on the lamp in the kitchen.", ["set_lamp"]),
]


def nested(names):
    return [{"type": "function", "function": FUNCTIONS[name]} for name in names]


def messages(question):
    return [{"role": "user", "content": question}]


def chat_body(question, names):
    return {"messages": messages(question), "tools": nested(names), "temperature": 0, "max_tokens": TOKENS}


def chat_calls(answer):
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in answer["choices"][0]["message"].get("tool_calls") or []]


def responses_body(question, names):
    return {"input": question, "tools": [{"type": "function", **FUNCTIONS[name]} for name in names], "temperature": 0, "max_output_tokens": TOKENS}


def responses_calls(answer):
    return [(item["name"], json.loads(item["arguments"])) for item in answer["output"] if item["type"] == "function_call"]


def messages_body(question, names):
    tools = [{"name": name, "description": FUNCTIONS[name]["description"], "input_schema": FUNCTIONS[name]["parameters"]} for name in names]
    return {"messages": messages(question), "tools": tools, "temperature": 0, "max_tokens": TOKENS}


def messages_calls(answer):
    return [(block["name"], block["input"]) for block in answer["content"] if block["type"] == "tool_use"]


def ollama_body(question, names):
    return {"messages": messages(question), "tools": nested(names), "stream": False, "options": {"temperature": 0, "num_predict": TOKENS}}


def ollama_calls(answer):
    return [(call["function"]["name"], call["function"]["arguments"]) for call in answer["message"].get("tool_calls") or []]


ROUTES = {
    "/v1/chat/completions": (chat_body, chat_calls), "/v1/responses": (responses_body, responses_calls),
    "/v1/messages": (messages_body, messages_calls), "/api/chat": (ollama_body, ollama_calls),
}


def ask(url, route, model, question, names):
    """What came out: `call`, or what stands in its place."""
    body_of, calls_of = ROUTES[route]
    body = json.dumps({"model": model, **body_of(question, names)}).encode()
    request = urllib.request.Request(url + route, data=body, headers={"content-type": "application/json", "authorization": f"Bearer {KEY}"})
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as reply:
            answer = json.load(reply)
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()[:200]}"
    calls = calls_of(answer)
    if not calls:
        return f"text: {json.dumps(answer)[:400]}"
    name, arguments = calls[0]
    return "call" if name == names[0] and isinstance(arguments, dict) else f"call of {name}"


def table(url, model):
    counts = dict.fromkeys(ROUTES, 0)
    others = []
    print(f"| question | {' | '.join(ROUTES)} |\n|---|{'---|' * len(ROUTES)}")
    for question, names in QUESTIONS:
        cells = []
        for route in ROUTES:
            outcome = ask(url, route, model, question, names)
            counts[route] += outcome == "call"
            cells.append("call" if outcome == "call" else outcome.split(":")[0])
            if outcome != "call":
                others.append(f"{route}, {question!r}: {outcome}")
        print(f"| {question} | {' | '.join(cells)} |", flush=True)
    print(f"| **calls of {len(QUESTIONS)}** | {' | '.join(str(count) for count in counts.values())} |")
    for other in others:
        print(f"# {other}")
    return min(counts.values())


def main():
    if len(sys.argv) > 1:
        fewest = table(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else MODEL)
    elif not (WEIGHTS / f"{MODEL}.gguf").exists():
        print("the weights are missing: python3 test/weights/fetch.py qwen2.5-coder")
        return 0
    else:
        with Bench([MODEL]) as url:
            fewest = table(url, MODEL)
    return 0 if fewest >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
