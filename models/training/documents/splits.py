"""Writes `splits.json`: which origins of sources and styles are for development and for test; all others are for training. `python3 splits.py`, run in this directory.

Whole families and packages that training never has are named here; of the other own families some seed families are held back by number. Nothing is decided by page.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from sources import registry
from styles import own

# Own generators that only one split has.
SOURCE_FAMILIES = {"test": ["clinical-report", "annual-report", "questionnaire", "newspaper"], "dev": ["certificate", "newsletter", "price-list"]}
# Seed families of all other own generators.
SEED_FAMILIES = {"test": [17, 18, 19], "dev": [14, 15, 16]}
STYLE_FAMILIES = {"test": ["newspaper", "finance", "dense"], "dev": ["magazine", "typewriter"]}
STYLE_KINDS = {"test": [14, 15], "dev": [12, 13]}
# Packages of the npm registry and of Debian.
SHEETS = {"test": ["bamboo.css", "tufte-css", "@picocss/pico", "bulma", "uikit", "latex.css", "awsm.css", "terminal.css", "jsonresume-theme-kendall", "@vivliostyle/theme-techbook"],
          "dev": ["mvp.css", "gutenberg-css", "spectre.css", "holiday.css", "nes.css", "jsonresume-theme-flat", "cirrus-ui"]}
PACKAGES = {"test": ["postgresql-doc-15", "python-biopython-doc", "apache2-doc", "shorewall-doc", "swi-prolog-doc", "debian-faq-fr", "debian-edu-doc-es", "lilypond-doc-html-ja", "lilypond-doc-html-de", "aptitude-doc-ru", "kicad-doc-pl", "libreoffice-help-el", "debian-reference-it", "maint-guide-de",
                     "developers-reference-fr", "graphviz-doc", "nut-doc", "debian-history"],
            "dev": ["krb5-doc", "python-jinja2-doc", "bind9-doc", "fp-docs-3.2.2", "debian-faq-de", "debian-edu-doc-nl", "lilypond-doc-html-es", "aptitude-doc-ja", "kicad-doc-zh", "debian-reference-pt", "maint-guide-ru", "developers-reference-it", "libreoffice-help-pl", "groff",
                    "live-manual-html", "imagemagick-6-doc"]}
TABLES = {"test": ["iso-codes-iso_3166-1", "unicode-data-Blocks"], "dev": ["iso-codes-iso_4217", "tzdata-zone"]}


def names(split):
    other = "dev" if split == "test" else "test"
    sources = [f"own/{family}/{number:02}" for family in sorted(registry.load()) for number in range(registry.SEED_FAMILIES)
               if family in SOURCE_FAMILIES[split] or family not in SOURCE_FAMILIES[other] and number in SEED_FAMILIES[split]]
    styles = [f"own/{family}/{kind:02}" for family in own.FAMILIES for kind in range(own.KINDS) if family in STYLE_FAMILIES[split] or family not in STYLE_FAMILIES[other] and kind in STYLE_KINDS[split]]
    return {"sources": sources + [f"debian/{name}" for name in PACKAGES[split]] + [f"data/{name}" for name in TABLES[split]], "styles": styles + [f"npm/{name}" for name in SHEETS[split]]}


if __name__ == "__main__":
    with open(os.path.join(HERE, "splits.json"), "w", encoding="utf-8") as out:
        json.dump({"train": {}, "dev": names("dev"), "test": names("test")}, out, indent=1)
        out.write("\n")
