"""Installs the font packages of `fonts.txt` (as root), and lists faces of `typography.FACES` that are missing: `python3 -m styles.fonts [--install]`, run one directory above."""

import os
import subprocess
import sys

from . import typography

HERE = os.path.dirname(os.path.abspath(__file__))


def packages():
    return [line.strip() for line in open(os.path.join(HERE, "fonts.txt"), encoding="utf-8") if line.strip() and not line.startswith("#")]


def missing():
    """Faces that fontconfig does not know, by class."""
    known = {name.strip() for line in subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True).stdout.splitlines() for name in line.replace("\\-", "-").split(",")}
    return {kind: absent for kind, faces in typography.FACES.items() if (absent := [face for face in faces if face not in known])}


def main():
    if "--install" in sys.argv:
        subprocess.run(["apt-get", "-o", "DPkg::Lock::Timeout=600", "install", "-y", "--no-install-recommends", *packages()], check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    for kind, faces in missing().items():
        print(f"missing, {kind}: {', '.join(faces)}")


if __name__ == "__main__":
    main()
