"""Short stories from a small grammar: someone, somewhere, something lost and found; a wish for an animal is heeded."""

ANIMALS = ["fox", "cat", "dog", "owl", "bear", "mouse", "rabbit", "bird", "horse", "frog", "hedgehog", "duck"]
NAMES = ["Mila", "Tom", "Ada", "Finn", "Nora", "Oskar", "Ida", "Leo"]
KINDS = ["little", "old", "clever", "shy", "brave", "quiet"]
PLACES = ["in a green forest", "in a village by the sea", "in a library full of books", "at the foot of a high mountain", "on a small farm", "beside a calm lake"]
THINGS = ["a red ball", "a silver key", "a warm hat", "a small lamp", "a blue cup", "an old map"]
HIDING = ["under a stone", "behind the door", "in the long grass", "beside the well", "between two books", "under the bridge"]
FRIENDS = ["a kind neighbour", "a friendly beetle", "the wind", "an old tortoise", "a child", "a passing goose"]
MORALS = [
    "From that day on they were friends.",
    "That evening they sat together and laughed.",
    "And everyone slept well that night.",
    "And whoever lost something later knew whom to ask.",
]

ASKS = ["Tell me a story.", "Tell me a short story.", "Can you tell me a story?", "A story, please.", "Tell a story", "I want to hear a story.", "Do you know a story?",
        "Write a story.", "Write a short story.", "Make up a story.", "Read me a story.", "Once upon a time", "Tell me another story.", "Another story", "One more story, please.",
        "Can you write a story?", "Please tell me a story.", "Story time!", "I would like a story.", "Tell me a tale.", "Tell me a bedtime story."]
ASKS_ABOUT = ["Tell me a story about a {animal}.", "Can you tell me a story about a {animal}?", "A story about a {animal}, please.", "Write a story about a {animal}.",
              "Do you know a story about a {animal}?", "Tell me a short story about a {animal}.", "I want a story about a {animal}.", "Make up a story about a {animal}.",
              "Tell me a tale of a {animal}.", "Write me a short story about a {kind} {animal}."]
HELD_OUT = ["Could you tell me a little story?", "Tell me some story.", "Please write me a story about a fox."]


def article(word):
    return "an" if word[0] in "aeiou" else "a"


def story(draw, animal=None, kind=None):
    animal = animal or draw.choice(ANIMALS)
    kind = kind or draw.choice(KINDS)
    name = draw.choice(NAMES)
    thing = draw.choice(THINGS)
    lost = thing.split(" ", 1)[1]
    friend = draw.choice(FRIENDS)
    return (f"Once upon a time there was {article(kind)} {kind} {animal} called {name}, who lived {draw.choice(PLACES)}."
            f" One morning {name} could not find {thing} that had been a present. {name} looked everywhere, but the {lost} was gone."
            f" Then {friend} came by and said: \"Let us look together.\" They found the {lost} {draw.choice(HIDING)}. {draw.choice(MORALS)}")


def pair(draw):
    """A wish for a story, and the story."""
    if draw.random() < 0.5:
        return draw.choice(ASKS), story(draw)
    animal, kind = draw.choice(ANIMALS), draw.choice(KINDS)
    form = draw.choice(ASKS_ABOUT)
    return form.format(animal=animal, kind=kind), story(draw, animal, kind if "{kind}" in form else None)
