#!/usr/bin/env python3
"""Writes unicode_tables.cpp from Python's own character database: run it again when a newer Unicode is wanted."""
import os
import unicodedata


def category_runs():
    """(first code point, major category) wherever it changes; C is controls, formats and private ones, U what is not assigned."""
    runs, last = [], None
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        major = 'U' if category in ('Cn', 'Cs') else category[0]
        if major != last:
            runs.append((code, major))
            last = major
    return runs


def case_runs():
    """(first code point, case) wherever it changes: U upper or title case, L lower case, - neither."""
    runs, last = [], None
    for code in range(0x110000):
        case = {'Lu': 'U', 'Lt': 'U', 'Ll': 'L'}.get(unicodedata.category(chr(code)), '-')
        if case != last:
            runs.append((code, case))
            last = case
    return runs


def lower_pairs():
    """Simple lower case only: one code point to one."""
    pairs = []
    for code in range(0x110000):
        lower = chr(code).lower()
        if len(lower) == 1 and ord(lower) != code:
            pairs.append((code, ord(lower)))
    return pairs


def base_pairs():
    """First code point of the canonical decomposition, where it differs; Hangul syllables are arithmetic, done in unicode.cpp."""
    pairs = []
    for code in range(0x110000):
        base = ord(unicodedata.normalize('NFD', chr(code))[0])
        if base != code and not 0xAC00 <= code <= 0xD7A3:
            pairs.append((code, base))
    return pairs


def wrapped(items, width=330):
    lines, line = [], '   '
    for item in items:
        if len(line) + len(item) + 1 > width:
            lines.append(line)
            line = '   '
        line += ' ' + item
    return '\n'.join(lines + [line])


def main():
    runs, cases, lower, base = category_runs(), case_runs(), lower_pairs(), base_pairs()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, 'unicode_tables.cpp'), 'w') as out:
        out.write('// Made by make_unicode_tables.py from Unicode %s; not to be edited.\n' % unicodedata.unidata_version)
        out.write('#include "llm/tokenizer/unicode_tables.h"\n\nnamespace lectern::llm {\n\n')
        out.write('const CategoryRun category_runs[] = {\n%s\n};\n' % wrapped("{0x%X,'%s'}," % run for run in runs))
        out.write('const std::size_t category_run_count = %d;\n\n' % len(runs))
        out.write('const CategoryRun case_runs[] = {\n%s\n};\n' % wrapped("{0x%X,'%s'}," % run for run in cases))
        out.write('const std::size_t case_run_count = %d;\n\n' % len(cases))
        out.write('const CodePair lower_pairs[] = {\n%s\n};\n' % wrapped('{0x%X,0x%X},' % pair for pair in lower))
        out.write('const std::size_t lower_pair_count = %d;\n\n' % len(lower))
        out.write('const CodePair base_pairs[] = {\n%s\n};\n' % wrapped('{0x%X,0x%X},' % pair for pair in base))
        out.write('const std::size_t base_pair_count = %d;\n\n}  // namespace lectern::llm\n' % len(base))



main()
