"""How people vary a question: other openings, courtesies, carelessness with capitals and signs, slips of the finger."""

import re

# (opening, what may stand for it); {rest} is what followed, without its final sign.
OPENINGS = [
    (r"How do I (?P<rest>.*)\?", ["How can I {rest}?", "How would I {rest}?", "How could I {rest}?", "How to {rest}?", "How do you {rest}?", "How does one {rest}?", "I want to {rest}.",
                                  "Tell me how to {rest}.", "Explain how to {rest}.", "Show me how to {rest}.", "What must I do to {rest}?", "Is there a way to {rest}?",
                                  "I would like to {rest}.", "I need to {rest}.", "Do you know how to {rest}?", "How should I {rest}?", "How can we {rest}?", "Can you tell me how to {rest}?"]),
    (r"Can I (?P<rest>.*)\?", ["Could I {rest}?", "May I {rest}?", "Is it possible to {rest}?", "Am I able to {rest}?", "Can we {rest}?", "Can one {rest}?", "I want to {rest}."]),
    (r"Can you (?P<rest>.*)\?", ["Could you {rest}?", "Are you able to {rest}?", "Can Lectern {rest}?", "Can it {rest}?", "Can this service {rest}?", "Will you {rest}?"]),
    (r"What is (?P<rest>.*)\?", ["What's {rest}?", "Tell me, what is {rest}?", "What exactly is {rest}?", "Do you know what {rest} is?", "Tell me what {rest} is."]),
    (r"What are (?P<rest>.*)\?", ["Tell me what {rest} are.", "What exactly are {rest}?", "Do you know what {rest} are?"]),
    (r"Which (?P<rest>.*)\?", ["What {rest}?", "Tell me which {rest}.", "Do you know which {rest}?"]),
    (r"What (?P<rest>.* (?:are there|can I \w+|do you \w+).*)\?", ["Which {rest}?", "Tell me what {rest}."]),
    (r"How (?P<rest>(?:long|many|much|big|large) .*)\?", ["Tell me how {rest}.", "Do you know how {rest}?", "Exactly how {rest}?"]),
    (r"Tell me about (?P<rest>.*)\.", ["Say something about {rest}.", "What can you tell me about {rest}?", "What do you know about {rest}?", "I want to know about {rest}."]),
    (r"Does (?P<rest>.*)\?", ["Tell me, does {rest}?", "Do you know if {rest}?"]),
]
# Roundabout ones, for the second stage of the training.
ROUNDABOUT = [
    (r"What is (?P<rest>.*)\?", ["Can you explain what {rest} is?", "Could you tell me what {rest} is?", "Can you explain {rest}?", "I do not know what {rest} is.", "What is meant by {rest}?"]),
    (r"What are (?P<rest>.*)\?", ["Can you explain what {rest} are?", "Could you tell me what {rest} are?", "I do not know what {rest} are."]),
    (r"How do I (?P<rest>.*)\?", ["Could you explain how to {rest}?", "Please help me to {rest}.", "What do I need to do to {rest}?", "I do not know how to {rest}.", "What is the way to {rest}?",
                                  "Could you tell me how to {rest}?", "How might I {rest}?", "Can I {rest}?"]),
    (r"(?:Can|Could) you (?P<rest>.*)\?", ["Do you {rest}?", "Does it {rest}?", "Does Lectern {rest}?", "Is it able to {rest}?", "Can Lectern {rest} for me?", "I hope that you can {rest}."]),
    (r"Do you (?P<rest>.*)\?", ["Does it {rest}?", "Does Lectern {rest}?", "Can you {rest}?", "Will it {rest}?"]),
    (r"Does (?P<what>it|Lectern) (?P<rest>.*)\?", ["Can it {rest}?", "Can Lectern {rest}?", "Will it {rest}?", "Do you {rest}?"]),
    (r"(?P<rest>.*\?)", ["I want to know: {rest}", "My question is: {rest}", "Let me ask: {rest}", "{rest} I do not know.", "Here is what I ask: {rest}"]),
]
BEFORE = ["Please, ", "Hi, ", "Hello, ", "Hello! ", "Hey, ", "Ok, ", "Okay, ", "So, ", "And ", "Now, ", "Well, ", "Tell me: ", "A question: ", "One more question: ", "Quick question: ",
          "Excuse me, ", "Thanks. ", "I wonder, ", "Sorry, "]
AFTER = [" Please.", " Thanks!", " Thank you.", " I am new here.", " Please explain.", " please", " Tell me."]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def plain(question):
    """A question without capitals and signs: two that are equal so are one question."""
    return re.sub(r"[^a-z0-9 ]", "", question.lower()).strip()


def slip(draw, text):
    """One letter doubled, dropped, swapped or hit beside."""
    places = [i for i, sign in enumerate(text) if sign.isalpha()]
    if len(places) < 4:
        return text
    at = draw.choice(places)
    kind = draw.randrange(4)
    if kind == 0:
        return text[:at] + text[at] + text[at:]
    if kind == 1:
        return text[:at] + text[at + 1:]
    if kind == 2:
        return text[:at] + text[at + 1:at + 2] + text[at] + text[at + 2:]
    return text[:at] + draw.choice(LETTERS) + text[at + 1:]


def reopened(draw, question, openings=OPENINGS):
    forms = [(match.group("rest"), others) for pattern, others in openings if (match := re.fullmatch(pattern, question))]
    if not forms:
        return question
    rest, others = draw.choice(forms)
    return draw.choice(others).format(rest=rest)


def varied(draw, question):
    if draw.random() < 0.45:
        question = reopened(draw, question)
    if draw.random() < 0.15:
        before = draw.choice(BEFORE)
        question = before + (question if before.endswith((": ", "! ", ". ")) or question.startswith("I ") else question[0].lower() + question[1:])
    if draw.random() < 0.08:
        question += draw.choice(AFTER)
    if draw.random() < 0.25:
        question = question.lower()
    if draw.random() < 0.2:
        question = question.rstrip("?.!")
    elif draw.random() < 0.04:
        question = question.rstrip("?.!") + draw.choice(["??", "!", "...", " ?", "?!"])
    if draw.random() < 0.12:
        question = slip(draw, question)
    return question


def varied_more(draw, question):
    """As people type: more roundabout, more careless."""
    if draw.random() < 0.25:
        question = reopened(draw, question, ROUNDABOUT)
    question = varied(draw, question)
    if draw.random() < 0.25:
        question = question.lower()
    if draw.random() < 0.2:
        question = question.rstrip("?.!")
    return question
