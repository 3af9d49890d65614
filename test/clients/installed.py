"""Installs the clients at their pinned versions below build/clients: a venv for each file of requirements/, and one node_modules for package.json."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "clients"
LAST_LINES = 3


def digest(*files):
    return hashlib.sha256(b"".join(file.read_bytes() for file in files) + sys.version.encode()).hexdigest()


def stamped(stamp, wanted):
    return stamp.exists() and stamp.read_text() == wanted


def last_words(done):
    lines = [line for line in done.stderr.splitlines() if line.strip() and "WARNING" not in line]
    return " ".join(lines[-LAST_LINES:]) or f"exit code {done.returncode}"


def attempt(command, seconds, **more):
    """Why a command failed, or empty."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, **more)
    except subprocess.TimeoutExpired:
        return f"no end after {seconds} s"
    return last_words(done) if done.returncode != 0 else ""


def venv(group, seconds=None):
    """The interpreter of a group's venv, and why it could not be made (empty if it was). All versions are pinned, so that pip resolves nothing."""
    pins = HERE / "requirements" / f"{group}.txt"
    place = BUILD / group
    python = place / "bin" / "python"
    stamp = place / "pins"
    wanted = digest(pins)
    if stamped(stamp, wanted):
        return python, ""
    if problem := attempt([sys.executable, "-m", "venv", "--clear", str(place)], seconds):
        return python, f"the venv cannot be made: {problem}"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "-r", str(pins)]
    if problem := attempt(pip, seconds):
        return python, f"pip: {problem}"
    stamp.write_text(wanted)
    return python, ""


def npm(seconds=None):
    """The directory with the node_modules of the clients, and why it could not be made. The scripts are copied into it, because Node searches packages from the place of a script."""
    place = BUILD / "npm"
    manifests = [HERE / "node" / name for name in ("package.json", "package-lock.json")]
    place.mkdir(parents=True, exist_ok=True)
    for script in (HERE / "node").glob("*.mjs"):
        shutil.copy(script, place)
    stamp = place / "pins"
    wanted = digest(*manifests)
    if stamped(stamp, wanted):
        return place, ""
    for manifest in manifests:
        shutil.copy(manifest, place)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("npm_")}
    if problem := attempt(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"], seconds, cwd=place, env=environment):
        return place, f"npm: {problem}"
    stamp.write_text(wanted)
    return place, ""


if __name__ == "__main__":
    for group in sys.argv[1:] or [file.stem for file in sorted((HERE / "requirements").glob("*.txt"))] + ["npm"]:
        place, problem = npm() if group == "npm" else venv(group)
        print(f"{group}: {problem or place}")
