"""Downloads the Debian packages of `packages.txt` and unpacks them below the cache, without installing them: `python3 -m sources.debian [KIND ...]`, run one directory above.

apt-get of the machine is used with its own list of servers; run `apt-get update` before. Packages that are there already are left alone. KIND: docs, words, texts, tables.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

from . import cache


def listed():
    """(package, language, kind) of every line of `packages.txt`."""
    rows = (line.split() for line in open(os.path.join(cache.HERE, "packages.txt"), encoding="utf-8") if line.strip() and not line.startswith("#"))
    return [tuple(row[:3]) for row in rows]


def present(package):
    return os.path.isdir(cache.unpacked(package))


def download(package):
    """Downloads and unpacks one package. False when it cannot be had."""
    work = cache.place("packages", f"{package}.{os.getpid()}.part")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    try:
        subprocess.run(["apt-get", "download", "-q", package], cwd=work, check=True, capture_output=True, timeout=900)
        archive = glob.glob(os.path.join(work, "*.deb"))[0]
        subprocess.run(["dpkg-deb", "-x", archive, os.path.join(work, "tree")], check=True, capture_output=True, timeout=900)
        os.rename(os.path.join(work, "tree"), cache.unpacked(package))
        return True
    except (subprocess.SubprocessError, IndexError, OSError) as error:
        print(f"{package}: {error}", file=sys.stderr)
        return False
    finally:
        shutil.rmtree(work, ignore_errors=True)


# Names of licences as copyright files write them, in the machine-readable form.
LICENCE = re.compile(r"^License:[ \t]*([^\n]+)", re.M)
PROSE = [("GFDL", r"GNU Free Documentation License"), ("LGPL", r"Lesser General Public"), ("GPL", r"GNU General Public License"), ("Apache-2.0", r"Apache License"), ("Artistic", r"Artistic License"), ("BSD", r"[Rr]edistribution and use in source"), ("MIT", r"Permission is hereby granted"), ("CC-BY", r"Creative Commons"), ("public domain", r"public domain")]


def licence_of(package):
    """Licences that the copyright file of the package names, joined with commas."""
    paths = glob.glob(cache.unpacked(package, "usr", "share", "doc", "*", "copyright"))
    if not paths:
        return "see its source package"
    text = open(paths[0], encoding="utf-8", errors="replace").read()
    names = [name.strip() for name in LICENCE.findall(text)] or [name for name, pattern in PROSE if re.search(pattern, text)]
    return ", ".join(sorted(set(names))[:6]) or "see its copyright file"


def write_licences():
    """Writes LICENCES.md: each downloaded package and its licences."""
    rows = [f"| {package} | {kind} | {licence_of(package).replace('|', '/')} |" for package, _, kind in listed() if present(package)]
    with open(os.path.join(cache.HERE, "LICENCES.md"), "w", encoding="utf-8") as out:
        out.write("# Licences of the sources\n\nDocuments for training come from these Debian packages. Nothing of them is in the repository; `python3 -m sources.debian` downloads them. The licences are those that `debian/copyright` names, at most six;\n"
                  "the file itself says which part has which.\n\n| package | gives | licences |\n|---|---|---|\n" + "\n".join(rows) + "\n")


def main():
    kinds = sys.argv[1:]
    for package, _, kind in listed():
        if (not kinds or kind in kinds) and not present(package):
            download(package)
    write_licences()


if __name__ == "__main__":
    main()
