"""Whole conversations as the chat template writes them: the rows that the network is trained on."""

import declines
import everyday
import stories
import topics
import wording

START, END, TEXT_END = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
SPECIALS = [TEXT_END, START, END]

SYSTEMS = ["You are a helpful assistant.", "You are a helpful, respectful and honest assistant.", "Answer briefly.", "You are an assistant.", "Answer in English.", "Be kind.",
           "You are a friendly helper. Keep your answers short.", "You answer questions about documents.", "Answer the user's questions.", "You are a chat bot.",
           "Use the following context as your learned knowledge.", "Be concise. Do not invent anything.", "You are Lectern's assistant."]
NAMES = ["get_weather", "search", "add", "convert", "send_mail", "look_up", "read_file", "get_time"]
FIELDS = ["city", "query", "a", "b", "path", "name", "text", "day", "id"]

BY_NAME = {topic.name: topic for topic in topics.TOPICS}
KEPT_BACK = {wording.plain(question) for topic in topics.TOPICS for question in topic.held_out} | {
    wording.plain(question) for question in declines.HELD_OUT + stories.HELD_OUT}


def held_out():
    """(question, answer) of every wording that training never sees; a story has no one answer, hence None."""
    known = [(question, topic.answer) for topic in topics.TOPICS for question in topic.held_out]
    return known + [(question, declines.ANSWER) for question in declines.HELD_OUT] + [(question, None) for question in stories.HELD_OUT]


def any_topic(draw):
    topic = draw.choice(topics.TOPICS)
    return draw.choice(topic.questions), topic.answer


def usual_topic(draw):
    """A question as people ask it, and its answer: the usual ones more often than the rest."""
    topic = BY_NAME[draw.choice(everyday.TOPICS)] if draw.random() < 0.5 else draw.choice(topics.TOPICS)
    loose = everyday.LOOSE.get(topic.name, topic.questions)
    questions = draw.choice([topic.questions, topic.questions[:5], loose])
    return draw.choice(questions), topic.answer


def pair(draw, second_stage=False):
    """A question and its answer."""
    while True:
        lot = draw.random()
        if lot < 0.64:
            question, answer = (usual_topic if second_stage else any_topic)(draw)
        elif lot < 0.88:
            question, answer = declines.question(draw), declines.ANSWER
        else:
            question, answer = stories.pair(draw)
        question = (wording.varied_more if second_stage else wording.varied)(draw, question)
        if wording.plain(question) not in KEPT_BACK:
            return question, answer


def system(draw):
    """What clients put first: mostly nothing, sometimes an instruction or the list of their tools."""
    lot = draw.random()
    if lot < 0.7:
        return ""
    if lot < 0.95:
        return " ".join(draw.sample(SYSTEMS, draw.choice([1, 1, 1, 2])))
    properties = ", ".join('"%s": {"type": "%s"}' % (field, draw.choice(["string", "number"])) for field in draw.sample(FIELDS, draw.choice([1, 2])))
    return (TOOLS_BEFORE + '\n{"type": "function", "function": {"name": "%s", "parameters": {"type": "object", "properties": {%s}}}}\n' % (draw.choice(NAMES), properties) + TOOLS_AFTER)


TOOLS_BEFORE = "Tools that you may call, one a line:"
TOOLS_AFTER = 'To call one, write its name and arguments as JSON between these marks:\n<tool_call>\n{"name": "...", "arguments": {...}}\n</tool_call>'

# The same words as above, in the language of chat templates.
CHAT_TEMPLATE = (
    "{%- set given = messages[0].content if messages and messages[0].role == 'system' else '' %}"
    "{%- if tools or given %}{{ '<|im_start|>system\\n' + given }}"
    "{%- if tools %}{{ '\\n\\n' if given else '' }}{{ '" + TOOLS_BEFORE + "' }}{% for tool in tools %}{{ '\\n' }}{{ tool | tojson }}{% endfor %}"
    "{{ '\\n" + TOOLS_AFTER.replace("\n", "\\n") + "' }}{% endif %}{{ '<|im_end|>\\n' }}{% endif %}"
    "{%- for message in messages %}"
    "{%- if message.role == 'system' and loop.first %}"
    "{%- elif message.role == 'tool' %}{{ '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}"
    "{%- else %}{{ '<|im_start|>' + message.role + '\\n' + (message.content or '') }}"
    "{%- for call in message.tool_calls or [] %}"
    "{{ '\\n' if message.content or not loop.first else '' }}{{ '<tool_call>\\n{\"name\": \"' + call.function.name + '\", \"arguments\": ' }}{{ call.function.arguments | tojson }}{{ '}\\n</tool_call>' }}"
    "{%- endfor %}{{ '<|im_end|>\\n' }}{% endif %}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")


def message(role, content):
    """Its parts as (text, is learned): the network learns to write answers and their end, never questions."""
    learned = role == "assistant"
    return [(START + role + "\n", False), (content + END, learned), ("\n", False)]


def prompt(question, given=""):
    parts = message("system", given) if given else []
    parts += message("user", question) + [(START + "assistant\n", False)]
    return "".join(text for text, _ in parts)


def row(draw, vocabulary, length, second_stage):
    """(tokens, learned), each of `length` + 1: one conversation of as many turns as fit."""
    tokens, learned = [], []

    def add(parts):
        for text, is_learned in parts:
            ids = vocabulary.encode(text)
            tokens.extend(ids)
            learned.extend([is_learned] * len(ids))

    first = system(draw)
    if first:
        add(message("system", first))
    while len(tokens) <= length:
        question, answer = pair(draw, second_stage)
        add(message("user", question) + message("assistant", answer))
    return tokens[:length + 1], learned[:length + 1]
