"""A byte-level BPE vocabulary: learned from sample text, and encoding as the engine does with the pre-tokenizer "qwen2"."""

import collections
import re

# The published expression for ASCII and Latin text: contractions, words with one leading sign, single digits, other signs, line ends, blanks.
WORDS = re.compile(r"'(?:[sdmtSDMT]|ll|LL|ve|VE|re|RE)|[^\r\n\w]?[^\W\d_]+|\d| ?[^\s\w]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+|_")


def byte_stand_ins():
    """GPT-2's printable sign for every byte: printing ones stand for themselves, the rest follow from U+0100."""
    prints = list(range(0x21, 0x7F)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
    others = [byte for byte in range(256) if byte not in prints]
    table = {byte: chr(byte) for byte in prints}
    table.update({byte: chr(0x100 + place) for place, byte in enumerate(others)})
    return table


STAND_IN = byte_stand_ins()


def merged(word, pair):
    out, at = [], 0
    while at < len(word):
        if at + 1 < len(word) and (word[at], word[at + 1]) == pair:
            out.append(word[at] + word[at + 1])
            at += 2
        else:
            out.append(word[at])
            at += 1
    return tuple(out)


class Vocabulary:
    def __init__(self, merges, specials):
        self.merges = merges
        self.specials = specials
        self.tokens = [STAND_IN[byte] for byte in range(256)] + [left + right for left, right in merges] + specials
        self.ids = {token: place for place, token in enumerate(self.tokens)}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._cut = re.compile("(" + "|".join(re.escape(special) for special in specials) + ")")
        self._known = {}

    def __len__(self):
        return len(self.tokens)

    def encode(self, text):
        out = []
        for stretch in self._cut.split(text):
            if stretch in self.specials:
                out.append(self.ids[stretch])
                continue
            for word in WORDS.findall(stretch):
                if word not in self._known:
                    self._known[word] = self._encode_word(word)
                out.extend(self._known[word])
        return out

    def decode(self, ids):
        byte_of = {sign: byte for byte, sign in STAND_IN.items()}
        return bytes(byte_of[sign] for place in ids for sign in self.tokens[place]).decode("utf-8", "replace")

    def _encode_word(self, word):
        parts = tuple(STAND_IN[byte] for byte in word.encode())
        while len(parts) > 1:
            pair = min(zip(parts, parts[1:]), key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if pair not in self._ranks:
                break
            parts = merged(parts, pair)
        return [self.ids[part] for part in parts]


def learn(texts, size, specials):
    """The most frequent neighbours become one, again and again; ties go to the pair that sorts first."""
    counts = collections.Counter(word for text in texts for word in WORDS.findall(text))
    words = {tuple(STAND_IN[byte] for byte in word.encode()): count for word, count in counts.items()}
    merges = []
    while len(merges) < size - 256 - len(specials):
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {merged(word, best): count for word, count in words.items()}
    return Vocabulary(merges, specials)
