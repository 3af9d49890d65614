#!/usr/bin/env python3
"""Checks the service's own description (OpenAPI 3.1) as generators and testers use it, one TAP line each: a typed client of openapi-typescript that compiles, a client of openapi-python-client
that is whole and works, and schemathesis on all routes (no 5xx, no answer that is not described).

usage: python3 test/clients/openapi.py [http://HOST:PORT]     (from the root of the checkout, after npm run compile)

Without an address it starts dist/src/main.js on a free port with two made models. Schemathesis has 60 seconds with a fixed seed; CI_FULL=1 gives it ten minutes and all its phases. The programs are installed into
build/clients/openapi. Where a package registry cannot be reached, the plan is `1..0 # SKIP`.
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "build" / "clients" / "openapi"
BIN = HERE / "venv" / "bin"
PACKAGES = ["schemathesis==4.32.5", "openapi-python-client==0.29.1", "ruff==0.17.6"]
NPM_PACKAGE = "openapi-typescript@7.13.0"
IS_FULL = os.environ.get("CI_FULL") == "1"
TESTING_SECONDS = 600 if IS_FULL else 60
PHASES = "coverage,fuzzing,stateful" if IS_FULL else "coverage,fuzzing"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"
# By Ollama's contract it answers 503 where there is no account, and a WebSocket is no request and answer.
EXCLUDED = "^(/api/me|/v1/status/ws/.*)$"
STARTING_SECONDS = 120

USE = """
import type { components, paths } from './client.js';
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
const asked: Json<NonNullable<paths['/v1/chat/completions']['post']['requestBody']>> = { model: 'chat', messages: [{ role: 'user', content: 'hi' }] };
export const textOf = (answer: Json<paths['/v1/chat/completions']['post']['responses'][200]>): string | null | undefined => answer.choices[0]?.message.content;
export const whyNot = (answer: Json<paths['/v1/chat/completions']['post']['responses'][404]>): string => answer.error.message;
export const titles = (document: components['schemas']['DoclingDocument']): string[] => (document.texts ?? []).filter(({ label }) => label === 'title').map(({ text }) => text);
export const status = (task: Json<paths['/v1/status/poll/{task_id}']['get']['responses'][200]>): components['schemas']['ConversionStatus'] => task.task_status;
// @ts-expect-error: a number is no name of a model.
export const wrong: typeof asked = { model: 5, messages: [] };
"""

CALLS = """
import sys
sys.path.insert(0, sys.argv[1])
from pyclient import Client
from pyclient.api.health import health_health_get
from pyclient.api.language_models_open_ai import post_v1_chat_completions, post_v1_embeddings, get_v1_models_model
from pyclient.api.convert import process_file_v1_convert_file_post
from pyclient.models import *
from pyclient.types import File
from io import BytesIO

client = Client(base_url=sys.argv[2], timeout=60)
assert health_health_get.sync(client=client).status == 'ok'
chat = post_v1_chat_completions.sync(client=client, body=ChatCompletionRequest.from_dict({'model': 'chat', 'messages': [{'role': 'user', 'content': 'hi'}], 'max_tokens': 4}))
assert isinstance(chat, ChatCompletion) and chat.choices[0].message.role == 'assistant', chat
vectors = post_v1_embeddings.sync(client=client, body=EmbeddingRequest.from_dict({'model': 'embedder', 'input': ['a', 'b']}))
assert isinstance(vectors, EmbeddingList) and len(vectors.data) == 2, vectors
missing = get_v1_models_model.sync(client=client, model='nothing')
assert isinstance(missing, OpenAiError), missing
form = BodyProcessFileV1ConvertFilePost(files=[File(payload=BytesIO(b'# Title\\n\\ntext\\n'), file_name='a.md', mime_type='text/markdown')])
made = process_file_v1_convert_file_post.sync(client=client, body=form)
assert isinstance(made, ConvertDocumentResponse) and made.document.md_content.startswith('# Title'), made
"""


def run(command, seconds=300, **more):
    """Its whole output and its exit status; 124 where it takes longer."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds, **more)
        return done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        return str(late), 124


def install() -> bool:
    """Whether the programs are there. A folder that was made for other versions is completed."""
    stamp = HERE / "packages.json"
    wanted = [*PACKAGES, NPM_PACKAGE]
    if stamp.exists() and json.loads(stamp.read_text()) == wanted:
        return True
    HERE.mkdir(parents=True, exist_ok=True)
    for command in (
        [sys.executable, "-m", "venv", HERE / "venv"],
        [BIN / "python", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", *PACKAGES],
        ["npm", "install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefix", HERE, NPM_PACKAGE],
    ):
        output, code = run(command)
        if code != 0:
            print("".join(f"# {line}\n" for line in output.splitlines()[-5:]), end="")
            return False
    stamp.write_text(json.dumps(wanted))
    return True


class Service:
    """The one at an address, or one of this checkout for as long as the block lasts."""

    def __init__(self, url):
        self.url = url
        self.process = None

    def __enter__(self):
        if self.url is None:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            self.folder = tempfile.TemporaryDirectory(prefix="lectern-openapi-")
            models = pathlib.Path(self.folder.name, "models")
            models.mkdir()
            make = f"import {{ toolTemplate, writeMadeEmbedder, writeMadeModel }} from {json.dumps(str(ROOT / 'dist' / 'test' / 'support' / 'made-model.js'))}; writeMadeModel({json.dumps(str(models / 'chat.gguf'))}, {{ context: 512, template: toolTemplate }}); writeMadeEmbedder({json.dumps(str(models / 'embedder.gguf'))}, {{ context: 512 }});"
            subprocess.run(["node", "--input-type=module", "-e", make], cwd=ROOT, check=True)
            self.url = f"http://127.0.0.1:{port}"
            command = ["node", str(ROOT / "dist" / "src" / "main.js"), "serve", "--listen", f"127.0.0.1:{port}", "--models", str(models), "--state", str(pathlib.Path(self.folder.name, "state")), "--log-level", "error"]
            self.process = subprocess.Popen(command, cwd=ROOT)
        end = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.url}/ready", timeout=5):
                    return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        self.__exit__()
        raise SystemExit(f"Bail out! {self.url} does not become ready")

    def __exit__(self, *_):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.folder.cleanup()


def typed_client(document: pathlib.Path):
    """Generated by openapi-typescript, used as a program would, compiled strictly."""
    output, code = run([HERE / "node_modules" / ".bin" / "openapi-typescript", document, "-o", HERE / "client.ts"], cwd=HERE)
    if code != 0:
        return False, output
    (HERE / "use.ts").write_text(USE)
    options = {"noEmit": True, "strict": True, "skipLibCheck": True, "module": "nodenext", "moduleResolution": "nodenext", "types": []}
    (HERE / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["use.ts"]}))
    output, code = run(["node", ROOT / "node_modules" / "typescript" / "bin" / "tsc", "-p", HERE / "tsconfig.json"], cwd=HERE)
    return code == 0, output


def python_client(document: pathlib.Path, url: str):
    """Generated without a warning, and used against the service."""
    environment = dict(os.environ, PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    output, code = run([BIN / "openapi-python-client", "generate", "--path", document, "--output-path", HERE / "pyclient", "--overwrite", "--meta", "none"], env=environment, cwd=HERE)
    # The generator knows no images as answers; the description is right about them.
    is_known = output.count("WARNING") == 1 and "Unsupported content_type image/webp" in output
    if code != 0 or (not is_known and re.search("warning|unable|skip", output, re.I)):
        return False, output
    output, code = run([BIN / "python", "-c", CALLS, HERE, url])
    return code == 0, output


def tested(url: str):
    """By schemathesis, on all routes."""
    environment = dict(os.environ, SCHEMATHESIS_HOOKS="openapi_hooks", PYTHONPATH=str(ROOT / "test" / "clients"))
    command = [
        BIN / "schemathesis", "run", f"{url}/openapi.json", "--phases", PHASES, "--max-examples", "200" if IS_FULL else "10", "--seed", "1", "--continue-on-failure", "--checks", CHECKS, "--exclude-path-regex", EXCLUDED,
        "--request-timeout", "60", "--max-time", str(TESTING_SECONDS), "--workers", "2", "--warnings", "off",
    ]
    output, code = run(command, TESTING_SECONDS + 240, env=environment, cwd=HERE)
    return code == 0 and re.search(r"^\s*[\d,]+ generated", output, re.M) is not None, output


def main() -> int:
    if not install():
        print("1..0 # SKIP the package registries cannot be reached")
        return 0
    with Service(sys.argv[1] if len(sys.argv) > 1 else None) as service:
        document = HERE / "openapi.json"
        with urllib.request.urlopen(f"{service.url}/openapi.json", timeout=60) as answer:
            document.write_bytes(answer.read())
        results = []
        for name, check in (("openapi-typescript: a typed client compiles", lambda: typed_client(document)), ("openapi-python-client: a whole client works", lambda: python_client(document, service.url)), ("schemathesis: no 5xx, and every answer is described", lambda: tested(service.url))):
            is_right, output = check()
            results.append(is_right)
            print(f"{'ok' if is_right else 'not ok'} {len(results)} - {name}", flush=True)
            shown = re.findall(r"^.*generated.*$", output, re.M) if is_right else output.splitlines()[-200:]
            print("".join(f"# {line}\n" for line in shown), end="", flush=True)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
