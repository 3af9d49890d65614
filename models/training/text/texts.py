"""What stands on a line: sentences, headings, numbers, dates, codes, citations, addresses, table cells, maths. Every line comes from one draw."""

import string

import alphabet
import words

MONTHS = ("January February March April May June July August September October November December Jan. Feb. Mar. Apr. Aug. Sept. Oct. Nov. Dec. Januar Februar März Mai Juni Juli Oktober Dezember "
          "janvier février mars avril juin juillet août septembre décembre enero marzo agosto").split()
INITIALS = "ABCDEFGHIJKLMNOPRSTVWZÖÉŠŁ"
QUOTES = [("“", "”"), ("‘", "’"), ("„", "“"), ("«", "»"), ('"', '"'), ("'", "'"), ("‚", "‘"), ("»", "«"), ("‹", "›")]
UNITS = "kg g mg km m cm mm ml l °C K Pa kPa Hz kHz MHz V A W kWh % ‰ $ € mol μm μg nm ms s h min. dB".split()
GREEK = "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΦΨΩ"
RELATIONS = "= = = < > ≤ ≥ ≠ ≈ ≡ ∈ →".split()
OPERATORS = "+ − · × / ± ÷ ∪ ∩".split()


def capital(word):
    return word[:1].upper() + word[1:] if word[:1] != "ß" else word


def digits(draw, count):
    return "".join(draw.choice(string.digits) for _ in range(count))


def number(draw):
    kind = draw.random()
    if kind < 0.3:
        return str(draw.randrange(10 ** draw.randint(1, 4)))
    if kind < 0.5:
        return f"{draw.random() * 10 ** draw.randint(0, 3):.{draw.randint(1, 3)}f}"
    if kind < 0.6:
        return f"{draw.random() * 10 ** draw.randint(0, 3):.{draw.randint(1, 2)}f}".replace(".", ",")
    if kind < 0.75:
        return format(draw.randrange(10 ** draw.randint(4, 8)), ",").replace(",", draw.choice(",,. "))
    if kind < 0.85:
        return draw.choice("-−–+±") + str(draw.randrange(1000))
    return f"{draw.randrange(1000)}{draw.choice('-–/:')}{draw.randrange(1000)}"


def quantity(draw):
    kind = draw.random()
    if kind < 0.3:
        return draw.choice("$€£¥") + number(draw)
    if kind < 0.5:
        return number(draw) + draw.choice(["%", " %", "°", "°C", "²", "³", "½", "¼", "¾", "‰", "¢", "th", "st", "nd", "×", "k", "M"])
    return number(draw) + " " + draw.choice(UNITS)


def date(draw):
    day, month, year = draw.randint(1, 31), draw.randint(1, 12), draw.randint(1650, 2035)
    forms = [f"{day} {draw.choice(MONTHS)} {year}", f"{draw.choice(MONTHS)} {day}, {year}", f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}", f"{month}/{day}/{year % 100:02}",
             f"{day}. {draw.choice(MONTHS)} {year}", f"{draw.randint(0, 23)}:{draw.randint(0, 59):02}", f"{draw.randint(1, 12)}:{draw.randint(0, 59):02} {draw.choice(['am', 'pm', 'a.m.', 'p.m.', 'Uhr'])}", f"{year}–{year % 100 + 1}"]
    return draw.choice(forms)


def code(draw):
    kind = draw.random()
    if kind < 0.35:
        return "".join(draw.choice(string.ascii_uppercase + string.digits) for _ in range(draw.randint(3, 10)))
    if kind < 0.6:
        return "-".join("".join(draw.choice(string.ascii_uppercase * 2 + string.digits * 3) for _ in range(draw.randint(2, 5))) for _ in range(draw.randint(2, 3)))
    if kind < 0.75:
        return "".join(draw.choice("0123456789abcdef") for _ in range(draw.randint(6, 12)))
    if kind < 0.9:
        return " ".join(digits(draw, draw.choice([2, 3, 4])) for _ in range(draw.randint(2, 5)))
    return draw.choice(["ISBN ", "No. ", "Nr. ", "§ ", "#", "Art. ", "p. ", "pp. ", "Fig. ", "Tab. ", "Eq. ", "+", "DIN "]) + number(draw)


def name(draw):
    language = words.language(draw)
    last = capital(draw.choice(words.dictionary(language)))
    return draw.choice([f"{draw.choice(INITIALS)}. {last}", f"{last}, {draw.choice(INITIALS)}.", f"{draw.choice(INITIALS)}.{draw.choice('- ')}{draw.choice(INITIALS)}. {last}", f"{capital(draw.choice(words.dictionary(language)))} {last}"])


def citation(draw):
    kind = draw.random()
    if kind < 0.25:
        return f"[{draw.randint(1, 99)}]" if draw.random() < 0.5 else f"[{draw.randint(1, 40)}, {draw.randint(41, 99)}]"
    if kind < 0.5:
        return f"({capital(draw.choice(words.dictionary('en')))} {draw.choice(['et al., ', 'and ' + capital(draw.choice(words.dictionary('en'))) + ', ', '', '& ' + capital(draw.choice(words.dictionary('de'))) + ', '])}{draw.randint(1890, 2026)}{draw.choice(['', '', 'a', 'b'])})"
    if kind < 0.8:
        return f"{name(draw)}, {capital(draw.choice(words.dictionary('en')))}. {draw.randint(1, 90)}({draw.randint(1, 12)}), {draw.randint(1, 400)}{draw.choice('-–')}{draw.randint(401, 900)}."
    return f"{draw.choice(['pp.', 'S.', 'Vol.', 'Bd.', 'no.', 'vgl.', 'cf.', 'ibid.', 'op. cit.'])} {draw.randint(1, 500)}{draw.choice(['', 'f.', 'ff.', '–' + str(draw.randint(501, 999))])}"


def address(draw):
    plain = [word for word in (draw.choice(words.dictionary("en")).lower() for _ in range(3)) if word.isascii() and word.isalpha()] or ["example"]
    end = draw.choice(["com", "org", "net", "de", "fr", "edu", "eu", "it", "es", "gov", "pl", "cz", "io"])
    kind = draw.random()
    if kind < 0.4:
        return f"{plain[0]}{draw.choice(['.', '_', '-', ''])}{plain[-1]}@{plain[0]}.{end}"
    if kind < 0.8:
        return draw.choice(["https://", "http://", "www.", "https://www."]) + f"{plain[0]}.{end}" + draw.choice(["", "/", f"/{plain[-1]}", f"/{plain[-1]}/{digits(draw, 3)}.html", f"/?q={plain[-1]}&id={digits(draw, 2)}", f"/~{plain[-1]}"])
    return draw.choice([f"doi:10.{digits(draw, 4)}/{plain[0]}.{digits(draw, 5)}", f"/{plain[0]}/{plain[-1]}.txt", f"C:\\{plain[0]}\\{plain[-1]}", f"{plain[0]}_{plain[-1]}()", f"{plain[0]}.{plain[-1]} = {{{digits(draw, 1)}}};", f"<{plain[0]}>", f"{plain[0]}[{digits(draw, 1)}] += {digits(draw, 2)}", f"--{plain[0]}=|{plain[-1]}|"])


def term(draw):
    letter = draw.choice(GREEK) if draw.random() < 0.5 else draw.choice("abcdfghijkmnpqrstuvwxyzABCDEFGHKLMNPQRSTXYZ")
    kind = draw.random()
    if kind < 0.45:
        return letter
    if kind < 0.6:
        return letter + draw.choice("²³¹")
    if kind < 0.7:
        return f"{draw.choice('fghFGpPVφψ')}({letter})"
    if kind < 0.8:
        return draw.choice("∂∑∏√∫∀∃∇∞") + letter
    if kind < 0.9:
        return str(draw.randint(0, 99))
    return f"({letter} {draw.choice(OPERATORS)} {draw.randint(1, 9)})"


def maths(draw):
    side = lambda: f" {draw.choice(OPERATORS)} ".join(term(draw) for _ in range(draw.randint(1, 3)))
    return f"{side()} {draw.choice(RELATIONS)} {side()}" + draw.choice(["", "", ",", ".", f" ({draw.randint(1, 30)})"])


def odd_word(draw):
    """Letters in any order, so that rare ones are seen and words are not guessed."""
    letters = draw.choice([alphabet.WESTERN, alphabet.CENTRAL, alphabet.ASCII[1:], alphabet.PUNCTUATION + alphabet.SYMBOLS + alphabet.MATHS, string.ascii_letters, alphabet.GREEK])
    return "".join(draw.choice(letters) for _ in range(draw.randint(1, 7)))


def special(draw):
    return draw.choice([number, number, quantity, date, code, name, citation, address, maths, odd_word])(draw)


def dressed(draw, word, language):
    """A word as it stands in a text: with a capital, a comma, quotes, brackets, a hyphen."""
    kind = draw.random()
    if language in words.CAPITALISED_NOUNS and draw.random() < 0.25 or draw.random() < 0.08:
        word = capital(word)
    if draw.random() < 0.012:
        word = word.upper()
    if kind < 0.72:
        return word
    if kind < 0.80:
        return word + ","
    if kind < 0.85:
        return word + draw.choice([".", ".", ".", ";", ":", "?", "!", "…", "...", "’s", "'s"])
    if kind < 0.88:
        open_quote, close_quote = draw.choice(QUOTES)
        return open_quote + word + close_quote
    if kind < 0.91:
        return draw.choice(["({})", "({},", "({}", "{})", "{}),", "[{}]", "{})."]).format(word)
    if kind < 0.94:
        return word + draw.choice("--–/") + draw.choice(words.dictionary(language))
    if kind < 0.955:
        return word + draw.choice(["*", "†", "‡", "¹", "²", "³", "®", "™", "§", "&"])
    if kind < 0.985:
        return special(draw)
    return draw.choice(["–", "—", "&", "•", "·", "-", "/", "|", "+", "=", "...", "→", "¿" + word, "¡" + word + "!", "©", "«" + word, word + "»", "<", ">", "@", "~", "^", "_"])


def prose(draw, length):
    """`length` characters of running text, cut at words; at the end of a line words may break."""
    language = words.language(draw)
    parts, count = [], -1
    while count < length:
        part = dressed(draw, words.word(draw, language), language)
        parts.append(part)
        count += len(part) + 1
    while len(parts) > 1 and count > length + 4:
        count -= len(parts.pop()) + 1
    if draw.random() < 0.45:
        parts[0] = capital(parts[0])
    last = parts[-1]
    if draw.random() < 0.15 and last.isalpha() and len(last) > 5:
        parts[-1] = last[:draw.randint(2, len(last) - 2)] + "-"
    return " ".join(parts)


def cell(draw, _):
    if draw.random() < 0.5:
        return draw.choice([number, number, number, quantity, date, code])(draw)
    count = draw.randint(1, 3)
    language = words.language(draw)
    return capital(" ".join(words.word(draw, language) for _ in range(count)))


def heading(draw, length):
    language = words.language(draw)
    text = " ".join(words.word(draw, language) for _ in range(max(1, length // 8)))
    text = draw.choice([capital(text), text.title(), text.upper(), text.upper()])
    numbered = draw.choice(["", "", f"{draw.randint(1, 12)} ", f"{draw.randint(1, 9)}.{draw.randint(1, 9)} ", f"{draw.randint(1, 20)}. ", draw.choice(["I. ", "II. ", "III. ", "IV. ", "VI. ", "A. ", "B) "]), f"({draw.choice('abcdeivx')}) "])
    return numbered + text


def list_item(draw, length):
    mark = draw.choice(["• ", "– ", "- ", "* ", "· ", f"{draw.randint(1, 30)}. ", f"{draw.randint(1, 30)}) ", f"({draw.randint(1, 30)}) ", f"{draw.choice(string.ascii_lowercase)}) ", f"[{draw.randint(1, 99)}] "])
    return mark + prose(draw, length)


def contents(draw, length):
    return heading(draw, length) + draw.choice([" ", " " + "." * draw.randint(3, 12) + " ", " . . . . ", "…… "]) + str(draw.randint(1, 500))


def mixed(draw, length):
    parts = []
    while sum(map(len, parts)) + len(parts) < length:
        parts.append(special(draw))
    return " ".join(parts)


KINDS = [(prose, 56), (cell, 11), (heading, 10), (list_item, 5), (contents, 2), (mixed, 11), (lambda draw, _: maths(draw), 3), (lambda draw, _: odd_word(draw), 2)]


def line(draw, longest):
    """A line of 1..`longest` characters of the alphabet."""
    while True:
        length = draw.randint(4, longest) if draw.random() < 0.8 else draw.randint(1, 12)
        kind = draw.choices([kind for kind, _ in KINDS], weights=[weight for _, weight in KINDS])[0]
        text = alphabet.written(kind(draw, length))
        if len(text) > longest:
            start = draw.randrange(len(text) - longest + 1)
            text = alphabet.written(text[start:start + longest])
        if text and all(character in alphabet.INDEX for character in text):
            return text
