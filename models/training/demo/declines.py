"""Questions about the rest of the world, which the model has to decline: sentences from a small grammar over word lists."""

ANSWER = "I am sorry, I do not know that. I am a small model that knows only Lectern: ask me about documents, models or embeddings, or add a larger model for everything else."

PLACES = """France Germany Japan Brazil Canada Spain Italy Poland Egypt India China Mexico Norway Sweden Peru Kenya Paris London Berlin Tokyo Rome Madrid
Vienna Prague Oslo Cairo Lima Boston Chicago Munich Hamburg Moscow Sydney Austria Portugal Greece Iceland Cuba Chile Africa Europe Asia America Texas""".split()
PEOPLE = """Einstein Newton Napoleon Mozart Shakespeare Caesar Cleopatra Darwin Goethe Beethoven Picasso Galileo Lincoln Gandhi Curie Plato Homer Bach
Columbus Kepler Euler Gauss Turing Socrates Anna Peter Maria Thomas""".split() + ["the president", "the king", "the pope", "my neighbour", "the mayor", "your mother"]
THINGS = """sun moon ocean river mountain tiger horse dog cat elephant whale tree flower apple bread cheese pizza soup cake coffee tea wine car train
plane ship bicycle bridge house castle computer phone radio television clock guitar piano violin football tennis chess money gold silver iron water
fire wind rain snow thunder earth star planet galaxy atom electron virus heart brain blood bone vitamin medicine doctor school university government
war peace history music painting film book poem novel law tax bank market war election language alphabet number triangle circle equation
dinosaur volcano desert jungle island lake butterfly spider ant bee snake shark penguin eagle potato tomato rice sugar salt chocolate""".split()
ADJECTIVES = "big old new fast slow heavy hot cold deep high long expensive famous dangerous rare strong healthy".split()
SUBJECTS = """physics chemistry biology mathematics history politics religion philosophy economics astronomy geography football cooking gardening
fashion psychology medicine law art music theology quantum mechanics relativity evolution photosynthesis gravity electricity democracy inflation
thermodynamics probability calculus algebra geometry statistics""".split()
PROGRAMS = ["Python", "JavaScript", "Java", "C", "Rust", "Go", "SQL", "Haskell", "HTML"]
TASKS = ["sorts a list", "reverses a string", "counts words", "reads a file", "adds two numbers", "finds primes", "draws a circle", "sends a mail", "plays chess", "parses a date"]
WRITINGS = ["an essay", "a poem", "a letter", "a song", "a report", "an article", "a speech", "a recipe", "a novel", "an email", "a summary", "a review", "a haiku", "a script", "a plan", "a list"]
ILLS = ["headache", "fever", "cold", "cough", "toothache", "broken leg"]

FORMS = [
    ("What is the capital of {place}?", 4), ("How many people live in {place}?", 2), ("Where is {place}?", 2), ("What is the weather in {place}?", 3),
    ("Tell me about {place}.", 3), ("How far is it from {place} to {place2}?", 1), ("How do I get to {place}?", 2), ("Who rules {place}?", 1),
    ("What language do they speak in {place}?", 2), ("What should I see in {place}?", 1), ("When was {place} founded?", 1), ("Describe {place}.", 1),
    ("Who is {person}?", 4), ("Who was {person}?", 4), ("When was {person} born?", 3), ("When did {person} die?", 2), ("What did {person} do?", 2),
    ("Tell me about {person}.", 3), ("How old is {person}?", 2), ("Do you know {person}?", 2), ("Where does {person} live?", 1),
    ("What is a {thing}?", 4), ("What is the {thing}?", 2), ("What is {thing}?", 3), ("How does a {thing} work?", 3), ("How do I make {thing}?", 2), ("How do I build a {thing}?", 2),
    ("How {adjective} is a {thing}?", 2), ("How {adjective} is the {thing}?", 2), ("Why is the {thing} {adjective}?", 2), ("Do you like {thing}?", 1), ("Explain the {thing} to me.", 2),
    ("Where can I buy a {thing}?", 2), ("Who invented the {thing}?", 2), ("How much does a {thing} cost?", 2), ("What colour is the {thing}?", 2), ("Is a {thing} {adjective}?", 1),
    ("What is the difference between a {thing} and a {thing2}?", 2), ("What is the best {thing}?", 2), ("Tell me about {thing}.", 2), ("Can you see a {thing}?", 1),
    ("Explain {subject}.", 3), ("What is {subject}?", 3), ("Teach me {subject}.", 2), ("Do you know {subject}?", 2), ("I need help with {subject}.", 2), ("How does {subject} work?", 2),
    ("What is {n} plus {n2}?", 2), ("What is {n} times {n2}?", 2), ("{n} + {n2}", 2), ("{n} * {n2} = ?", 1), ("How much is {n} minus {n2}?", 1), ("Calculate {n} / {n2}.", 1), ("What is the square root of {n}?", 1),
    ("Is {n} a prime number?", 1), ("Count to {n}.", 1),
    ("Write a program in {program} that {task}.", 2), ("Write a {program} function that {task}.", 2), ("How do I write {program}?", 1), ("Explain this {program} code.", 1), ("Can you write {program}?", 2),
    ("Write {writing} about {thing}.", 3), ("Write me {writing} about {place}.", 2), ("Can you write {writing}?", 2), ("Write {writing} for {person}.", 1), ("Write {writing} about a {thing} and a {thing2}.", 2),
    ("Translate {thing} into German.", 1), ("What does {thing} mean in French?", 1), ("How do I say {thing} in Spanish?", 1), ("Spell {thing}.", 1), ("What rhymes with {thing}?", 1),
    ("What time is it?", 2), ("What time is it in {place}?", 2), ("What day is today?", 2), ("What is the date?", 2), ("Which year is it?", 1), ("Will it rain tomorrow?", 1), ("What is the weather today?", 1),
    ("I have a {ill}.", 1), ("What helps against a {ill}?", 1), ("What should I eat today?", 1), ("What should I cook with {thing}?", 1), ("How do I cook {thing}?", 1), ("Who won the election in {place}?", 1),
    ("Who won the world cup?", 1), ("What is the meaning of life?", 2), ("Is there a god?", 1), ("What is love?", 1), ("Do you love me?", 1), ("What is the news today?", 1), ("Who will win?", 1),
    ("What is the price of {thing}?", 1), ("Should I buy {thing}?", 1), ("Give me advice about {thing}.", 1), ("Recommend a {thing}.", 1), ("Summarise this text: the {thing} was {adjective} and the {thing2} was not.", 1),
    ("Which {thing} is {adjective}?", 1), ("Why do {thing}s exist?", 1), ("Can a {thing} be {adjective}?", 1), ("Play {thing} with me.", 1), ("Sing a song.", 1), ("Where am I?", 1), ("What is my name?", 2),
    ("How old am I?", 1), ("What did I do yesterday?", 1), ("Are there {adjective} {thing}s in {place}?", 1), ("How many {thing}s are in {place}?", 1), ("Draw a {thing}.", 1),
]


def question(draw):
    """One question that is not about the service; `draw` is a random.Random."""
    form = draw.choices([text for text, _ in FORMS], [weight for _, weight in FORMS])[0]
    return form.format(
        place=draw.choice(PLACES), place2=draw.choice(PLACES), person=draw.choice(PEOPLE), thing=draw.choice(THINGS), thing2=draw.choice(THINGS),
        adjective=draw.choice(ADJECTIVES), subject=draw.choice(SUBJECTS), n=draw.randrange(1000), n2=draw.randrange(100), program=draw.choice(PROGRAMS),
        task=draw.choice(TASKS), writing=draw.choice(WRITINGS), ill=draw.choice(ILLS))


HELD_OUT = ["What is the capital of Finland?", "Who was Isaac Asimov?", "Write a poem about autumn.", "How tall is the Eiffel tower?", "What is 12 plus 30?",
            "Who painted the Mona Lisa?", "Write a Python script that renames files.", "What is the best restaurant in Lisbon?"]
