"""Where downloads are kept: below `scratch/documents` of the repository, which git ignores, or below the directory that `LECTERN_DOCUMENTS` names."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("LECTERN_DOCUMENTS") or os.path.normpath(os.path.join(HERE, "..", "..", "..", "..", "scratch", "documents"))


def place(*parts):
    """A path in the cache. Its directory need not exist."""
    return os.path.join(ROOT, *parts)


def unpacked(package, *parts):
    """A path in an unpacked Debian package."""
    return place("packages", package, *parts)
