"""Fetches the packages of `sheets.txt` from the npm registry into the cache: `python3 -m styles.fetch`, run one directory above."""

from . import npm

if __name__ == "__main__":
    npm.fetch()
