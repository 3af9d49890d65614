"""The faces that text is drawn with: Debian's fonts that cover the alphabet's letters, and which families training never sees."""

import collections
import functools
import glob
import hashlib
import json
import os

from fontTools.ttLib import TTCollection, TTFont
from PIL import ImageFont

import alphabet

FOLDERS = ["/usr/share/fonts/truetype", "/usr/share/fonts/opentype", "/usr/share/texmf/fonts/opentype"]
# What a face must have to be taken: it reads common Western text. The other characters are drawn where it has them.
NEEDED = "".join(chr(code) for code in range(33, 127)) + "äöüßéèàçñ"
# Symbols, other scripts' companions, and letters that are not used for running text.
UNWANTED = set("symbol symbols dingbats emoji braille barcode music math icons ornaments initials initialen smallcaps sc caps outline shadow inline swash script blackletter fraktur bullets tengwar runic keyboard "
               "unicode handwriting cursive titling unslanted dunhill funny fibonacci lined kaffeesatz upright oblique-upright demi-outline museum schoolbook-hand unicase ui rashi hairline thin ultralight extralight".split())
# Of Noto's hundreds of families most hold another script beside plain Latin letters that are always the same.
NOTO = {"Noto Sans", "Noto Serif", "Noto Mono", "Noto Sans Mono", "Noto Sans Display", "Noto Serif Display"}
# Their letters are other signs, or drawings.
STRANGE = {"API  PHON…TIQUE", "IPA  PHONETICS", "D050000L", "EMERITA Latina", "Ellhnikh", "Caliban", "El Abogado Loco", "Domestic Manners", "Monoisome", "Cupola"}
# Seen only in the test: a book face, its sans, a newspaper's, an office's, a typewriter's and more. Families of the same design are out together.
HELD_OUT = {"Charis SIL", "Carlito", "Vollkorn", "Cabin", "Tuffy", "P052", "TeX Gyre Pagella", "Linux Biolinum O", "Open Sans", "Open Sans Condensed", "PT Mono", "Old Standard TT", "Quattrocento", "GFS Didot",
            "Latin Modern Sans", "Latin Modern Sans Demi Cond", "Latin Modern Sans Quotation", "CMU Sans Serif", "CMU Sans Serif Demi Condensed"}
# Designs that most printed pages are set in count three times.
COMMON = ("Liberation", "DejaVu", "Nimbus", "TeX Gyre Termes", "TeX Gyre Heros", "TeX Gyre Bonum", "TeX Gyre Schola", "Latin Modern Roman", "CMU Serif", "C059", "FreeS", "STIX", "Linux Libertine", "EB Garamond", "Noto S", "Roboto", "Lato", "Caladea",
          "Gentium", "Arimo", "Tinos", "URW Bookman", "URW Gothic", "Bitstream Vera", "PT S", "Courier", "Cousine")


class Face:
    """One font file's face: its path, its family, and the alphabet's characters that it has."""

    def __init__(self, path, number, family, style, characters):
        self.path, self.number, self.family, self.style = path, number, family, style
        self.characters = set(characters) | {" "}
        self.slanted = any(word in style.lower() for word in ("italic", "oblique", "slanted"))

    def at(self, size):
        return _font(self.path, self.number, size)

    def has(self, text):
        return self.characters.issuperset(text)


@functools.lru_cache(4000)
def _font(path, number, size):
    return ImageFont.truetype(path, size, index=number, layout_engine=ImageFont.Layout.BASIC if hash_of(path) % 2 else ImageFont.Layout.RAQM)


def hash_of(text):
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:4], "big")


def _names(font):
    table = font["name"]
    family = table.getDebugName(16) or table.getDebugName(1) or ""
    return family, table.getDebugName(17) or table.getDebugName(2) or ""


def _fonts_of(path):
    if path.lower().endswith((".ttc", ".otc")):
        return list(TTCollection(path, lazy=True).fonts)
    return [TTFont(path, lazy=True)]


def _rows_of(path):
    rows = []
    for number, font in enumerate(_fonts_of(path)):
        if "fvar" in font or "name" not in font:
            continue
        family, style = _names(font)
        cmap = font.getBestCmap() or {}
        have = "".join(character for character in alphabet.ALPHABET if ord(character) in cmap)
        unwanted = UNWANTED & set(f"{family} {style}".lower().split()) or family in STRANGE or family.startswith("Noto") and family not in NOTO
        if set(have).issuperset(NEEDED) and not unwanted and draws(path, number):
            rows.append([path, number, family, style, have])
    return rows


def draws(path, number):
    """Whether small letters differ from capitals and letters from one another: no caps face, no boxes in place of letters."""
    font = ImageFont.truetype(path, 32, index=number)
    masks = [bytes(font.getmask(letter)) + bytes(font.getmask(letter).size) for letter in "aAbBgGéôß1l"]
    return len(set(masks)) == len(masks)


def catalogue(cache):
    """All faces, sorted by path. `cache` is a JSON file that is made when it is not there: looking takes half a minute."""
    if not os.path.exists(cache):
        rows, seen = [], set()
        for path in sorted(path for folder in FOLDERS for path in glob.glob(folder + "/**/*", recursive=True) if path.lower().endswith((".ttf", ".otf", ".ttc"))):
            try:
                found = _rows_of(path)
            except Exception as error:  # a font file that its reader does not understand is left out
                print(f"left out {path}: {error!r}")
                continue
            for row in found:
                if (row[2], row[3]) not in seen:
                    seen.add((row[2], row[3]))
                    rows.append(row)
        with open(cache + ".new", "w") as file:
            json.dump(rows, file)
        os.replace(cache + ".new", cache)
    return [Face(*row) for row in json.load(open(cache))]


def is_held_out(face):
    return face.family in HELD_OUT


class Case:
    """The faces of training or of the test, drawn family by family so that a family of forty faces counts as one."""

    def __init__(self, faces, held_out):
        families = collections.defaultdict(list)
        for face in faces:
            if is_held_out(face) == held_out:
                families[face.family].append(face)
        self.families = [families[name] for name in sorted(families)]
        self.weights = [3.0 if faces_of[0].family.startswith(COMMON) else 1.0 for faces_of in self.families]

    def __len__(self):
        return sum(map(len, self.families))

    def pick(self, draw, text):
        """A face that has every character of the text; None where none of thirty draws has. Slanted faces, half of all, are drawn half as often."""
        for _ in range(30):
            face = draw.choice(draw.choices(self.families, weights=self.weights)[0])
            if face.slanted and draw.random() < 0.5:
                continue
            if face.has(text):
                return face
        return None
