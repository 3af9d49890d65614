"""Normalises the downloaded packages into documents of 1 to some 12 pages: `python3 -m sources.prepare [PACKAGE ... | texts]`, run one directory above. It needs `lxml`. `texts` collects sentences alone.

A package becomes `documents/PACKAGE.jsonl` below the cache, one document a line, with `PACKAGE.index`, the byte offset of each line. Sentences of prose are collected by language for the own generators.
"""

import collections
import glob
import json
import os
import re
import sys

from . import cache, check, debian, language_data, language as languages
from .draw import Draw

# Of a package so many files are read, evenly in the order of their names, and so many documents are kept.
MOST_FILES, MOST_DOCUMENTS = 300, 500
# A document has between so many words; a page has some 450.
FEWEST_WORDS, MOST_WORDS = 60, 4200
SKIPPED = re.compile(r"(genindex|search|modindex|hierarchy|/_static/|/_sources/|functions_|globals_|namespacemembers|doxygen_crawl|licen[cs]e|changelog|/blacklist)", re.I)
KNOWN = set(language_data.SHARES) | {"ko", "tr", "uk", "fi", "hu", "ro", "da", "id", "vi", "ca", "nb", "no", "bg", "sk"}
# Sentences that are kept of a language.
MOST_SENTENCES = 6000


def files_of(package):
    """HTML files of a package, at most MOST_FILES."""
    found = []
    for folder, _, names in os.walk(cache.unpacked(package)):
        found += [os.path.join(folder, name) for name in names if re.search(r"\.x?html?(\.\w\w(\.\S+)?)?$", name)]
    found = sorted(path for path in found if not SKIPPED.search(path) and not os.path.islink(path) and 700 < os.path.getsize(path) < 3000000)
    return found[::max(1, -(-len(found) // MOST_FILES))]


def language_of(path, declared, listed):
    """The language by the package, else by the file: its declaration, its name or its directory."""
    if listed != "mixed":
        return listed
    if declared in KNOWN:
        return declared
    parts = re.split(r"[/.]", path)
    return next((part[:2].lower() for part in reversed(parts) if re.fullmatch(r"[a-z]{2}([_-][A-Za-z]{2})?", part) and part[:2] in KNOWN), "en")


def _words(block):
    plain = re.sub(r"<[^>]*>", " ", block)
    return len(plain.split()) + len(re.findall(r"[\u3040-\u9fff]", plain)) // 2


def levelled(blocks):
    """Blocks whose headings begin at level 1 and skip no level."""
    stack, made = [], []
    for block in blocks:
        match = re.match(r"<h([1-6])", block)
        if match:
            level = int(match.group(1))
            while stack and stack[-1] >= level:
                stack.pop()
            stack.append(level)
            block = re.sub(r"^<h[1-6]", f"<h{len(stack)}", re.sub(r"</h[1-6]>$", f"</h{len(stack)}>", block))
        made.append(block)
    return made


def cut(blocks, draw):
    """Lists of blocks of a document's size, cut at headings where there are some."""
    made, current, count = [], [], 0
    target = draw.amount(250, 3200)
    for block in blocks:
        is_heading = re.match("<h[1-4]", block) is not None
        if current and (is_heading and count > target or count > 1.5 * target and not re.match("<h", current[-1])):
            made.append(current)
            current, count, target = [], 0, draw.amount(250, 3200)
        current.append(block)
        count += _words(block)
    return made + ([current] if current else [])


def documents_of(package, listed):
    """Documents of a package by file; short files of one directory are joined."""
    from . import normalise
    draw, pending = Draw(f"prepare/{package}"), collections.defaultdict(list)
    for path in files_of(package):
        try:
            title, declared, blocks = normalise.page(path)
        except Exception as error:  # a broken file of another project must not end the preparation of a package
            print(f"{path}: {error}", file=sys.stderr)
            continue
        language = language_of(path, declared, listed)
        key = (os.path.dirname(path), language)
        pending[key].append((title, blocks))
        if sum(_words(block) for _, kept in pending[key] for block in kept) > 350:
            yield from _made(package, language, pending.pop(key), draw)
    for (_, language), kept in pending.items():
        yield from _made(package, language, kept, draw)


def _made(package, language, kept, draw):
    for title, blocks in [(kept[0][0], [block for _, blocks in kept for block in blocks])]:
        for part in cut(blocks, draw):
            while part and re.match("<h[1-6]", part[-1]):
                part = part[:-1]
            count = sum(_words(block) for block in part)
            if not FEWEST_WORDS <= count <= MOST_WORDS:
                continue
            body = "".join(levelled(part))
            heading = re.search(r"<h[1-6][^>]*>(.*?)</h", body)
            name = re.sub(r"<[^>]*>", "", heading.group(1)) if heading else title
            if not check.faults_of(body, least=20):
                yield {"origin": f"debian/{package}", "family": "debian", "lang": language, "dir": "rtl" if language in languages.RIGHT_TO_LEFT else "ltr", "title": name or title or package, "html": body, "words": count}


def prose(body):
    """Sentences of the paragraphs of a document that are plain prose."""
    for paragraph in re.findall(r"<p>(.*?)</p>", body, re.S):
        if re.search("<(code|a|br)", paragraph):
            paragraph = re.sub("<br>", " ", paragraph)
        plain = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", paragraph)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        for sentence in re.findall(r"[^.!?。]{20,220}[.!?。](?=\s|$|[\u3040-\u9fff])", plain):
            sentence = sentence.strip()
            letters = sum(character.isalpha() or character in " ,-'’" for character in sentence)
            if letters > 0.93 * len(sentence) and sentence[:1].isalpha() and sentence[:1].upper() == sentence[:1]:
                yield sentence


def fortunes(package):
    """Sentences of a package of fortune files."""
    for path in sorted(glob.glob(cache.unpacked(package, "usr", "share", "games", "fortunes", "**", "*"), recursive=True)):
        if os.path.isfile(path) and not path.endswith((".dat", ".u8")) and not os.path.islink(path):
            content = open(path, "rb").read().decode("utf-8", "replace")
            if "\ufffd" not in content[:5000]:
                yield from prose("".join(f"<p>{saying}</p>" for saying in content.split("\n%\n")))


def titles(body):
    """Headings of a document that are words alone, without their numbers."""
    for heading in re.findall(r"<h[1-6][^>]*>(.*?)</h", body, re.S):
        plain = re.sub(r"^[\dA-Z]{0,2}[\d.]*\.?\s+", "", re.sub(r"<[^>]*>", "", heading)).strip()
        if 5 < len(plain) < 70 and sum(character.isalpha() or character in " -'’" for character in plain) == len(plain):
            yield plain


def _write(name, lines):
    chosen = sorted(lines)
    chosen = chosen[::max(1, len(chosen) // MOST_SENTENCES)]
    with open(cache.place("texts", name), "w", encoding="utf-8") as out:
        out.write("\n".join(chosen) + "\n")


def write_texts():
    """Collects sentences and titles from the prepared documents, and sentences from the fortunes."""
    kept, named = collections.defaultdict(set), collections.defaultdict(set)
    for package, language, kind in debian.listed():
        path = cache.place("documents", package + ".jsonl")
        if kind == "texts" and debian.present(package):
            kept[language].update(list(fortunes(package))[:MOST_SENTENCES])
        elif os.path.exists(path):
            own = collections.Counter()
            for line in open(path, encoding="utf-8"):
                document = json.loads(line)
                named[document["lang"]].update(titles(document["html"]))
                for sentence in prose(document["html"]):
                    own[document["lang"]] += 1
                    if own[document["lang"]] < 400:
                        kept[document["lang"]].add(sentence)
    os.makedirs(cache.place("texts"), exist_ok=True)
    for language, sentences in kept.items():
        _write(language + ".txt", sentences)
        _write(language + ".titles.txt", named[language])
        print(f"texts {language}: {len(sentences)} sentences, {len(named[language])} titles")


def prepare(package, listed):
    """Writes the documents of a package; (documents, words)."""
    os.makedirs(cache.place("documents"), exist_ok=True)
    path, offsets, words = cache.place("documents", package + ".jsonl"), [], 0
    with open(path + ".part", "wb") as out:
        for document in documents_of(package, listed):
            offsets.append(out.tell())
            words += document["words"]
            out.write(json.dumps(document, ensure_ascii=False).encode("utf-8") + b"\n")
            if len(offsets) >= MOST_DOCUMENTS:
                break
    os.rename(path + ".part", path)
    with open(cache.place("documents", package + ".index"), "w", encoding="utf-8") as out:
        json.dump({"offsets": offsets, "words": words, "licence": debian.licence_of(package)}, out)
    return len(offsets), words


def main():
    wanted = sys.argv[1:]
    for package, listed, kind in debian.listed():
        done = os.path.exists(cache.place("documents", package + ".index"))
        if kind == "docs" and debian.present(package) and (package in wanted or not wanted and not done) and wanted != ["texts"]:
            count, words = prepare(package, listed)
            print(f"{package}: {count} documents, some {words // 450} pages", flush=True)
    write_texts()


if __name__ == "__main__":
    main()
