"""The characters that the recogniser tells apart, and how text is written with them."""

import unicodedata

ASCII = "".join(chr(code) for code in range(32, 127))
# English, German, French, Spanish, Italian, Portuguese and the Nordic languages; then what Polish and Czech add.
WESTERN = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿŒœ"
CENTRAL = "ĄąĆćĘęŁłŃńŚśŹźŻżČčĎďĚěŇňŘřŠšŤťŮůŽž"
# Greek letters that no Latin letter resembles.
GREEK = "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθικλμνξπρςστυφχψω"
PUNCTUATION = "“”‘’„‚«»‹›–—…•·†‡§¶¡¿‰"
SYMBOLS = "©®™°±×÷¬¹²³½¼¾€£¥¢ªº←→↑↓"
MATHS = "−≤≥≠≈∞∂∑∏√∫∈∪∩∀∃∇≡"

# Class 0 of the network is "nothing" (the blank of CTC); class i is ALPHABET[i - 1].
ALPHABET = ASCII + WESTERN + CENTRAL + GREEK + PUNCTUATION + SYMBOLS + MATHS
INDEX = {character: index + 1 for index, character in enumerate(ALPHABET)}
CLASSES = len(ALPHABET) + 1

# Written differently, drawn alike.
SAME = {"µ": "μ", "\u00a0": " ", "\u2009": " ", "\u00ad": "-", "\u2010": "-", "\u2011": "-", "ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "ſ": "s"}


def written(text):
    """Composed (NFC), one space between words, and look-alikes as the one that the alphabet has."""
    text = unicodedata.normalize("NFC", text)
    return " ".join("".join(SAME.get(character, character) for character in text).split())


def encode(text):
    """Class numbers of a text; KeyError for a character that is not in the alphabet."""
    return [INDEX[character] for character in text]


def decode(classes):
    """Text of the likeliest classes, one a column: repeats count once, blanks separate."""
    out, last = [], 0
    for index in classes:
        if index not in (0, last):
            out.append(ALPHABET[index - 1])
        last = index
    return "".join(out)
