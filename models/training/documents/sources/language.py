"""Words, names, numbers and dates of a language. Word lists and sentences come from downloaded packages where they are present, else from `language_data`."""

import functools
import os

from . import cache
from . import language_data as data
from . import markup

# Of a word list so many words are kept, evenly from the file in its order.
MOST_WORDS = 40000
# Languages that write no spaces between words.
UNSPACED = {"zh", "ja"}
RIGHT_TO_LEFT = {"ar"}
# Share of sentences that come from real texts, where there are some.
REAL_SHARE = 0.75
# Share of titles that are headings of real documents, and of words that come from the dictionary.
REAL_TITLES, DICTIONARY_SHARE = 0.35, 0.55


@functools.lru_cache(None)
def _labels():
    rows = [line.rstrip("\n").split("|") for line in open(os.path.join(cache.HERE, "labels.txt"), encoding="utf-8")]
    return {language: {row[0]: row[column] for row in rows[1:]} for column, language in enumerate(rows[0]) if column}


@functools.lru_cache(None)
def _words(code):
    package, path, encoding = data.DICTIONARIES.get(code, ("", "", "utf-8"))
    path = cache.unpacked(package, path)
    if not package or not os.path.exists(path):
        return data.CONTENT[code].split()
    rows = open(path, "rb").read().decode(encoding, "replace").splitlines()
    if code == "ja":
        rows = [part.split(";")[0] for row in rows if "/" in row and not row.startswith(";") for part in row.split("/")[1:2]]
    words = [row.split("/")[0].strip() for row in rows[::max(1, len(rows) // MOST_WORDS)]]
    return [word for word in words if (1 if code == "ja" else 2) <= len(word) <= 14 and word.replace("-", "").isalpha()] or data.CONTENT[code].split()


@functools.lru_cache(None)
def _sentences(code):
    path = cache.place("texts", code + ".txt")
    return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []


@functools.lru_cache(None)
def _titles(code):
    path = cache.place("texts", code + ".titles.txt")
    return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []


def languages():
    return list(data.SHARES)


def choose(draw, without=()):
    return Language(draw.weighted({code: share for code, share in data.SHARES.items() if code not in without}))


class Language:
    """`code` is the BCP 47 language. Every method takes the random generator as its first argument and returns text, not HTML."""

    def __init__(self, code):
        self.code = code
        self.thousands, self.decimal, self.currency, self.before, self.short_date = data.FORMATS[code]
        self.gap = "" if code in UNSPACED else " "

    def label(self, key):
        return _labels()[self.code][key]

    def html(self, key):
        return markup.text(self.label(key))

    def word(self, draw):
        return draw.choice(_words(self.code)) if draw.chance(DICTIONARY_SHARE) else draw.choice(data.CONTENT[self.code].split())

    def small(self, draw):
        options = data.SMALL[self.code].split()
        return options[int(len(options) * draw.random() ** 1.6)]

    def phrase(self, draw, least=1, most=3):
        """Some words, the first with a capital."""
        words = []
        for index in range(draw.randint(least, most)):
            if index and words and draw.chance(0.3):
                words.append(self.small(draw))
            words.append(self.word(draw))
        made = self.gap.join(words)
        return made[:1].upper() + made[1:]

    def sentence(self, draw, least=5, most=22):
        """A real sentence where texts were collected, else words by a plain grammar."""
        real = _sentences(self.code)
        if real and draw.chance(REAL_SHARE):
            return draw.choice(real)
        words, count = [], draw.randint(least, most)
        for index in range(count):
            words.append(self.small(draw) if draw.chance(0.45) else self.word(draw))
            if 2 < index < count - 2 and draw.chance(0.08) and self.gap:
                words[-1] += ","
            if draw.chance(0.03):
                words.append(self.number(draw.randint(2, 4000)))
        made = self.gap.join(words)
        return made[:1].upper() + made[1:] + ("。" if self.code in UNSPACED else ".")

    def text(self, draw, least=2, most=6):
        """A paragraph of so many sentences."""
        return self.gap.join(self.sentence(draw) for _ in range(draw.randint(least, most)))

    def paragraph(self, draw, least=2, most=6):
        """A paragraph as HTML, with some bold, italic or linked words."""
        words = markup.text(self.text(draw, least, most)).split(" ")
        for _ in range(draw.choice([0, 0, 0, 1, 1, 2])):
            at = draw.randrange(len(words))
            if words[at] and words[at].isalpha():
                words[at] = markup.tag(draw.choice(["em", "em", "strong", "a", "code" if self.code == "en" else "em"]), words[at])
        return " ".join(words)

    def title(self, draw, least=2, most=7):
        """A heading of so many words; of a real document where some were collected."""
        real = _titles(self.code)
        if real and draw.chance(REAL_TITLES):
            found = draw.choice(real)
            if least <= len(found.split(" ")) <= most + 2:
                return found
        made = self.phrase(draw, least, most)
        return " ".join(word[:1].upper() + word[1:] for word in made.split(" ")) if self.code == "en" and draw.chance(0.4) else made

    def given(self, draw):
        return draw.choice(data.GIVEN[self.code].split())

    def family(self, draw):
        return draw.choice(data.FAMILY[self.code].split())

    def person(self, draw):
        if self.code in UNSPACED:
            return self.family(draw) + self.given(draw)
        middle = draw.choice("ABCDEFGHJKLMPRST") + ". " if self.code == "en" and draw.chance(0.25) else ""
        return f"{self.given(draw)} {middle}{self.family(draw)}"

    def city(self, draw):
        return draw.choice(data.CITIES[self.code].split())

    def street(self, draw):
        return draw.pick(data.STREETS[self.code]).format(n=draw.randint(1, 240), s=draw.randint(1, 40))

    def postcode(self, draw):
        return draw.code({"en": draw.pick("AA# #AA|#####|#####-####"), "pt": "####-###", "nl": "#### AA", "pl": "##-###", "cs": "### ##", "sv": "### ##", "ja": "〒###-####", "ru": "######", "zh": "######"}.get(self.code, "#####"))

    def address(self, draw):
        """Lines of a postal address without a name."""
        if self.code in UNSPACED:
            return [self.postcode(draw), self.city(draw) + self.street(draw)]
        place = f"{self.city(draw)} {self.postcode(draw)}" if self.code in ("en", "ar") else f"{self.postcode(draw)} {self.city(draw)}"
        return [self.street(draw), place]

    def company(self, draw):
        ends = {"en": "Ltd.|Inc.|LLC|& Sons|Corporation|Group plc", "de": "GmbH|AG|e. K.|GmbH & Co. KG", "fr": "SARL|S.A.|SAS", "es": "S.L.|S.A.", "it": "S.r.l.|S.p.A.", "pt": "Lda.|S.A.", "nl": "B.V.|N.V.", "pl": "sp. z o.o.|S.A.", "cs": "s.r.o.|a.s.", "sv": "AB", "ru": "ООО|АО", "el": "Α.Ε.|Ε.Π.Ε.", "ar": "ش.م.م", "zh": "有限公司", "ja": "株式会社"}
        core = draw.pick([self.family(draw), self.phrase(draw, 1, 2), self.city(draw) + self.gap + self.phrase(draw, 1, 1)])
        return core + self.gap + draw.pick(ends[self.code])

    def number(self, value, places=0):
        """`value` with the language's marks; a real minus sign for negative values."""
        whole = f"{abs(value):,.{places}f}"
        made = whole.translate(str.maketrans({",": self.thousands, ".": self.decimal or "."}))
        return ("−" if value < 0 else "") + made

    def money(self, value, sign=True):
        places = 0 if self.code == "ja" else 2
        made = self.number(value, places)
        if not sign:
            return made
        return (self.currency + ("" if self.code in ("en", "zh", "ja") else " ") + made) if self.before else f"{made} {self.currency}"

    def day(self, draw):
        return draw.randint(1995, 2031), draw.randint(1, 12), draw.randint(1, 28)

    def date(self, day, long=False):
        """`day` is (year, month, day)."""
        year, month, number = day
        if not long:
            return self.short_date.format(y=year, m=month, d=number)
        name = data.MONTHS[self.code].split()[month - 1]
        if self.code == "en":
            return f"{name} {number}, {year}"
        if self.code in UNSPACED:
            return f"{year}年{month}月{number}日"
        return f"{number}{'.' if self.code in ('de', 'cs') else ' de' if self.code in ('es', 'pt') else ''} {name}{' de' if self.code in ('es', 'pt') else ''} {year}"

    def month(self, index):
        return data.MONTHS[self.code].split()[index % 12]

    def weekday(self, index):
        return data.DAYS[self.code].split()[index % 7]

    def phone(self, draw):
        return draw.pick(["+## ## ### ## ##", "(###) ###-####", "0## #######", "+## (0)## ####-##", "### ### ###"]).replace("+##", f"+{draw.choice([1, 44, 49, 33, 34, 39, 351, 31, 48, 420, 46, 7, 30, 20, 86, 81])}").replace("#", "{}").format(*draw.digits(20))

    def site(self, draw):
        return draw.pick("www.|https://www.|") + "".join(draw.choice("abcdefgiklmnoprstuvw") for _ in range(draw.randint(4, 11))) + "." + ("com" if self.code == "en" else self.code if self.code != "el" else "gr")

    def email(self, draw):
        return draw.pick("info|office|contact|sales|j.smith|billing|admin") + "@" + self.site(draw).replace("https://", "").replace("www.", "")
