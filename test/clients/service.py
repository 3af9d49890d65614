"""Starts this checkout's service for the length of a `with` block."""
import hashlib
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAIN = ROOT / "dist" / "src" / "main.js"
WEIGHTS = ROOT / ".weights"
KEY = "lk-bench"
START_SECONDS = 60
END_SECONDS = 60

# A script that is ended takes its service with it: the exit leaves the `with` blocks.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Service:
    """The one at an address, or one of this checkout. `arguments` are further ones of `lectern serve`."""

    def __init__(self, url=None, arguments=()):
        self.url = url
        self.arguments = arguments
        self.process = None

    def __enter__(self):
        if self.url is None:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            self.state = tempfile.TemporaryDirectory(prefix="lectern-clients-")
            self.url = f"http://127.0.0.1:{port}"
            command = ["node", str(MAIN), "serve", "--listen", f"127.0.0.1:{port}", "--state", self.state.name, "--log-level", "error", *self.arguments]
            self.process = subprocess.Popen(command, cwd=ROOT)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                    return self.url
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError(f"no service answers at {self.url}")

    def __exit__(self, *_):
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(timeout=END_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.state.cleanup()


class Bench:
    """A service with the made models, the real ones of `real` (names of files of .weights, without their ending), and an access list: programs without the key KEY are refused."""

    def __init__(self, real=()):
        self.real = real

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory(prefix="lectern-clients-")
        models = pathlib.Path(self.place.name) / "models"
        models.mkdir()
        subprocess.run(["node", "--import", "tsx", "test/clients/models.ts", str(models)], cwd=ROOT, check=True)
        for name in self.real:
            (models / f"{name}.gguf").symlink_to(WEIGHTS / f"{name}.gguf")
        # Loopback is an administrator without a line of its own. A student may not enter, except with a key.
        access = pathlib.Path(self.place.name) / "access"
        access.write_text(f"127.0.0.1 student\nkey bench administrator sha256:{hashlib.sha256(KEY.encode()).hexdigest()}\n")
        self.service = Service(None, ["--models", str(models), "--access-list", str(access)])
        return self.service.__enter__()

    def __exit__(self, *_):
        self.service.__exit__()
        shutil.rmtree(self.place.name, ignore_errors=True)
