#!/usr/bin/env python3
"""Writes published_words.cpp: where the published expressions of each pre-tokenizer cut hard texts, by the PyPI package `tokenizers` (Hugging Face), as one digest a text.

  python3 native/test/make_published_words.py             writes the file
  python3 native/test/make_published_words.py show NAME   shows the words
"""
import pathlib
import sys

from tokenizers import Regex, pre_tokenizers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
QWEN2 = SHORT + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = QWEN2.replace(r'|\p{N}|', r'|\p{N}{1,3}|')
UPPER = r'[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]'
LOWER = r'[\p{Ll}\p{Lm}\p{Lo}\p{M}]'


def cased(numbers, contractions='', behind=r'[\r\n/]*', upper=UPPER, lower=LOWER):
    return (rf'[^\r\n\p{{L}}\p{{N}}]?{upper}*{lower}+{contractions}|[^\r\n\p{{L}}\p{{N}}]?{upper}+{lower}*{contractions}|{numbers}'
            rf'| ?[^\s\p{{L}}\p{{N}}]+{behind}|\s*[\r\n]+|\s+(?!\S)|\s+')


GPT4O = cased(r'\p{N}{1,3}', SHORT + '?')
KANA = '[一-龥぀-ゟ゠-ヿ]+'
DEEPSEEK3 = r'[!"#$%&' + "'" + r'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+'
# The cased letters of DeepSeek LLM's tokenizer.json, in hexadecimal.
DEEPSEEK_RANGES = '''
41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 388-38A 38C 38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556
10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D
1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126
2128 212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 A640-A66D A680-A69B A722-A76F A771-A787
A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943'''
DEEPSEEK_LETTERS = ''.join('-'.join(rf'\x{{{code}}}' for code in part.split('-')) for part in DEEPSEEK_RANGES.split())
PUNCTUATION = r'[\p{P}\$\+<=>\^~\|]+'
HAN_UPPER = r'[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]'
HAN_LOWER = r'[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]'

# One name of each form -> its expressions, applied one after the other, each to the pieces of the one before.
FORMS = {
    'llama-bpe': [LLAMA3], 'qwen2': [QWEN2], 'gpt-2': [GPT2], 'smollm': [r'\p{N}', GPT2], 'default': [PUNCTUATION, GPT2, r'\p{N}+', '[0-9][0-9][0-9]'],
    'falcon': [r'[\p{P}\$\+<=>\^~\|`]+', GPT2, '[0-9][0-9][0-9]'],
    'qwen35': [SHORT + r'|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+'],
    'seed-coder': [SHORT + r'|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+'],
    'minicpm5': [r'\p{N}{1,3}', QWEN2.replace(r'|\p{N}|', r'|\p{N}+|')],
    'deepseek-coder': ['[\r\n]', r'\s?\p{L}+', r'\s?\p{P}+', '[一-龥ࠀ-一가-퟿]+', r'\p{N}'],
    'deepseek-llm': ['[\r\n]', rf'\s?[{DEEPSEEK_LETTERS}]+', r'\s?[!-/:-~！-／：-～‘-‟　-。]+', r'\s+$', '[一-龥ࠀ-一가-퟿]+', r'\p{N}+'],
    'deepseek-v3': [r'\p{N}{1,3}', KANA, DEEPSEEK3],
    'spark2_5': [r'\p{N}{1,3}', KANA, DEEPSEEK3.replace(r'+[\r\n]*|\s*[\r\n]+|', r'+|[\r\n]|'), r'\p{N}'],
    'tekken': [cased(r'\p{N}')], 'gpt-4o': [GPT4O], 'bloom': [' ?[^(\\s|.,!?…。，、।۔،)]+'], 'viking': [' ?[^(\\s|.,!?…。，、।۔،)]+', r'\p{N}'],
    'youtu': ['[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|' + KANA, cased(r'\p{N}', SHORT + '?')],
    'ufakzeka': [QWEN2.replace(SHORT + '|', '')], 'laguna': [r'[^\n]+|[\n]+', QWEN2],
    'bailingmoe': [r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"],
    'jais-2': [LLAMA3.replace(r'|\s+(?!\S)|\s+', ''.join(rf'|\s{{{n}}}(?!\S)' for n in (512, 256, 128, 64, 32, 16, 8, 4)) + r'|\s{1,2}(?!\S)|\s{1}')],
    'exaone-moe': [SHORT + r'|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+'],
    'tiny_aya': [r'\p{N}{1,3}(?=(?:\p{N}{3})*(?![\p{L}\p{M}\p{N}_]))', GPT4O],
    'kimi-k2': [r'\p{Han}+|' + cased(r'\p{N}{1,3}', SHORT + '?', r'[\r\n]*', HAN_UPPER, HAN_LOWER)],
    'afmoe': [r'\p{N}{1,2}(?=(?:\p{N}{3})+(?!\p{N}))|\p{N}{1,3}', '[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+', DEEPSEEK3],
    'superbpe': [r'\p{N}+', r'\p{N}{1,2}(?=(?:\p{N}{3})+(?!\p{N}))|\p{N}{1,3}'],
    'chameleon': ['<sentinel:[0-9]+>|(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z', '([\\t\\n]|    |  )', r'\p{N}', r'[\p{P}!-/:-@\[-`{-~]', GPT2],
    'gemma4': [r'[^\n]+|[\n]+'], 'whitespace': [r'\S+'],
}

TEXTS = [
    'Hello, world!', ' leading and trailing ', 'two  spaces   three    four', 'tab\there\n\nand\r\nlines\n', '\n', '   ', "I'm sure they've said it's John's; WE'LL see, you'd know.", "it'S don'T 'tis '90s O'Neill'll",
    '0 12 345 6789 1234567890 3.14159 1,000,000 0x1F', '12ab 1234x 123456 1234567_ 99', 'camelCase snake_case kebab-case SCREAMING_CASE XMLHttpRequest ABCdef', 'def f(x):\n    return x**2  # square\n', 'for (let i=0;i<10;i++){a[i]+=i;}\n\t}',
    '<div class="a">&amp;</div>', 'naïve café Ærøskøbing Straße ﬁne ½ ²', 'e\u0301 and \u00e9, n\u0303 and ñ \u0301x', 'Ελληνικά ΑΒΓ', 'Привет, мир! ЁЖ', 'مرحبا بالعالم ١٢٣٤', 'שלום עולם', 'नमस्ते दुनिया १२३', 'สวัสดีชาวโลก ๑๒', '你好，世界。今天天气很好 abc中文def',
    'こんにちは世界カタカナ', '안녕하세요 세계', 'ㄅㄆㄇ ㄱㄴ', '🙂🙃👩‍👩‍👧‍👦🇩🇪👍🏽', 'a\u200bb\u00a0c\u2028d\u3000e', 'http://example.com/path?q=1&r=%20#frag user@example.com', '!!!???...---___***', '"quotes" \u201ccurly\u201d \u2018single\u2019 \u00abfr\u00bb',
    '\u2581under\u2581score', '<s></s><unk>[CLS]<|im_start|>', '<sentinel:12> IMGIMGABZ <sentinel:> IMGIMGZ', 'a  \n  b \n\n c\r\n\r\n d', 'x;\n\n/y;/\n', 'end of line   ', ' ' * 21 + 'x', '\t\t  \t', 'ﷺ ㍿ 𝕳𝖊𝖑𝖑𝖔 𐍈 ǅ ʰa', 'ქართული ᲥᲐᲠ', '€£¥₹ ±×÷≠≤≥∞',
    'a b c de f', '々〇〡 漢字', 'Ⅷ ⅷ ① 1½', '\\n is not; C:\\temp\\x', '`code` $x^2$ a|b ~c',
]


def words(forms, text):
    pieces = [text]
    for form in forms:
        split = pre_tokenizers.Split(Regex(form), 'isolated')
        pieces = [word for piece in pieces for word, _ in split.pre_tokenize_str(piece)]
    return pieces


def digest(pieces):
    """FNV-1a of the ends of the words, in bytes."""
    value, end = 0x811C9DC5, 0
    for piece in pieces:
        end += len(piece.encode())
        for byte in end.to_bytes(4, 'little'):
            value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def literal(text):
    return '"' + ''.join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f'\\{b:03o}' for b in text.encode()) + '"'


def main():
    if sys.argv[1:2] == ['show']:
        for text in TEXTS:
            print(words(FORMS[sys.argv[2]], text))
        return
    lines = ['// Made by make_published_words.py; not edited by hand.', '#include "published_words.h"', '', 'namespace lectern::test {', '', 'const std::vector<std::string>& hard_texts() {', '  static const std::vector<std::string> texts = {']
    lines += [f'      {literal(text)},' for text in TEXTS]
    lines += ['  };', '  return texts;', '}', '', 'const std::vector<PublishedWords>& published_words() {', '  static const std::vector<PublishedWords> all = {']
    for name, forms in FORMS.items():
        lines.append(f'      {{"{name}", {{' + ', '.join(f'0x{digest(words(forms, text)):08X}' for text in TEXTS) + '}},')
    lines += ['  };', '  return all;', '}', '', '}  // namespace lectern::test', '']
    (pathlib.Path(__file__).parent / 'published_words.cpp').write_text('\n'.join(lines))


if __name__ == '__main__':
    main()
