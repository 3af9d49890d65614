#!/usr/bin/env python3
"""Runs docling's own clients at pinned versions against a service, one TAP line per option: `docling convert-remote` and docling's service client, synchronous and asynchronous.

usage: python3 test/clients/docling-clients.py [http://HOST:PORT]     (from the root of the checkout)

Without an address it starts dist/src/main.js on a free port. The clients are installed into build/clients/docling. Where they cannot be installed, the plan is `1..0 # SKIP`.
"""
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import installed
from service import ROOT, Service

PDF = ROOT / "test" / "fixtures" / "pdf" / "book-chapter.pdf"
HEADING = "The Clerk Who Could Not Lose"
COMMAND_SECONDS = 180


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def line(self, name, problem=""):
        self.count += 1
        self.failed += problem != ""
        print(f"{'not ok' if problem else 'ok'} {self.count} - {name}", flush=True)
        for part in problem.splitlines()[-12:]:
            print(f"  # {part}", flush=True)


# Arguments of `docling convert-remote`, the exit code, and what the written files must hold (by the end of their names).
COMMANDS = [
    ("the defaults", [], 0, {".md": HEADING}),
    ("--from pdf", ["--from", "pdf"], 0, {".md": HEADING}),
    ("--to md, json, html, text", ["--to", "md", "--to", "json", "--to", "html", "--to", "text"], 0, {".md": HEADING, ".json": '"DoclingDocument"', ".html": HEADING, ".txt": HEADING}),
    ("--to doctags", ["--to", "doctags"], 0, {".doctags": "<doctag>"}),
    ("--to yaml", ["--to", "yaml"], 0, {".yaml": "DoclingDocument"}),
    ("--to latex", ["--to", "latex"], 0, {".tex": HEADING}),
    ("--to html_split_page", ["--to", "html_split_page"], 0, {".html": HEADING}),
    ("--to vtt", ["--to", "vtt"], 0, {".vtt": "WEBVTT"}),
    ("--to doclang", ["--to", "doclang"], 0, {}),
    ("--no-ocr", ["--no-ocr"], 0, {".md": HEADING}),
    ("--force-ocr", ["--force-ocr", "--page-range", "1-1"], 0, {".md": "Clerk"}),
    ("--no-tables", ["--no-tables"], 0, {".md": HEADING}),
    ("--pipeline native", ["--pipeline", "native"], 0, {".md": HEADING}),
    ("--pipeline legacy", ["--pipeline", "legacy"], 0, {".md": HEADING}),
    ("--ocr-lang iso:de", ["--ocr-lang", "iso:de"], 0, {".md": HEADING}),
    ("--ocr-lang deu,eng", ["--ocr-lang", "deu,eng"], 0, {".md": HEADING}),
    ("--ocr-lang english,ch_sim,latin", ["--ocr-lang", "english,ch_sim,latin"], 0, {".md": HEADING}),
    ("--ocr-lang klingon is refused with names that are like it", ["--ocr-lang", "klingon"], 1, {}),
    ("--enrich-code", ["--enrich-code"], 0, {".md": HEADING}),
    ("--enrich-formula", ["--enrich-formula"], 0, {".md": HEADING}),
    ("--enrich-picture-classes", ["--enrich-picture-classes"], 0, {".md": HEADING}),
    ("--enrich-picture-description", ["--enrich-picture-description"], 0, {".md": HEADING}),
    ("--enrich-chart-extraction", ["--enrich-chart-extraction"], 0, {".md": HEADING}),
    ("--image-export-mode placeholder", ["--image-export-mode", "placeholder"], 0, {".md": HEADING}),
    ("--image-export-mode embedded", ["--image-export-mode", "embedded", "--to", "json"], 0, {".json": HEADING}),
    ("--image-export-mode referenced", ["--image-export-mode", "referenced"], 0, {".md": HEADING}),
    ("--page-range 1-1", ["--page-range", "1-1", "--to", "json"], 0, {".json": HEADING}),
    ("--document-timeout", ["--document-timeout", "90"], 0, {".md": HEADING}),
    ("--abort-on-error", ["--abort-on-error"], 0, {".md": HEADING}),
    ("--fail-on, --max-concurrency, --timeout", ["--fail-on", "partial", "--max-concurrency", "1", "--timeout", "120"], 0, {".md": HEADING}),
    ("--watcher polling", ["--watcher", "polling"], 0, {".md": HEADING}),
    ("--api-key that no list asks for", ["--api-key", "anything"], 0, {".md": HEADING}),
]


def run_command(python, url, arguments, expected, contents):
    """Empty, or what is wrong."""
    with tempfile.TemporaryDirectory(prefix="lectern-docling-") as output:
        command = [str(pathlib.Path(python).parent / "docling"), "convert-remote", "--service-url", url, "--output", output, *arguments, str(PDF)]
        environment = {**os.environ, "COLUMNS": "200", "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_SECONDS, env=environment)
        said = done.stdout + done.stderr
        if done.returncode != expected:
            return f"exit code {done.returncode}, not {expected}\n{said}"
        for ending, words in contents.items():
            files = [file for file in pathlib.Path(output).rglob(f"*{ending}")]
            if not files:
                return f"no file *{ending}: {sorted(str(file) for file in pathlib.Path(output).rglob('*'))}\n{said}"
            if not any(words in file.read_text(encoding="utf-8", errors="replace") for file in files):
                return f"no {words!r} in *{ending}"
    return ""


def clients(url):
    """Inside the venv: one line of JSON per case, [name, problem]. Results are typed documents."""
    from docling.datamodel.service.options import ConvertDocumentsOptions
    from docling.service_client import ChunkerKind, DoclingServiceClient, StatusWatcherKind
    from docling_core.types.doc import DoclingDocument

    def report(name, act):
        try:
            problem = act() or ""
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps([name, problem]), flush=True)

    def judge(result):
        document = result.document
        if not isinstance(document, DoclingDocument):
            return f"a {type(document).__name__} is no DoclingDocument"
        if HEADING not in document.export_to_markdown():
            return "the heading is missing"
        if result.confidence is not None and not isinstance(result.confidence.mean_grade.value, str):
            return "no confidence"
        return ""

    def judge_one(results):
        results = list(results)
        return f"{len(results)} results" if len(results) != 1 else judge(results[0])

    options = {
        "defaults": {}, "image_export_mode embedded": {"image_export_mode": "embedded"}, "md_compact_tables": {"md_compact_tables": True}, "pdf_backend": {"pdf_backend": "docling_parse"},
        "ocr_engine": {"ocr_engine": "rapidocr"}, "ocr_lang": {"ocr_lang": ["iso:de-Latn", "english"]}, "chart_extraction_preset": {"chart_extraction_preset": "granite_vision_v4"},
        "page_range": {"page_range": (1, 1)}, "table_mode fast": {"table_mode": "fast"}, "include_page_images": {"include_page_images": True, "image_export_mode": "embedded"},
        "heading hierarchy": {"do_pdf_heading_hierarchy": True},
    }
    for watcher in StatusWatcherKind:
        with DoclingServiceClient(url=url, status_watcher=watcher) as client:
            report(f"client, {watcher.value}: health and version", lambda: "" if client.health().status == "ok" and client.version()["docling-serve"] else "not ok")
            for name, values in options.items():
                report(f"client, {watcher.value}: {name}", lambda values=values: judge(client.convert(PDF, options=ConvertDocumentsOptions(**values))))
            report(f"client, {watcher.value}: convert_all", lambda: judge_one(client.convert_all([PDF])))

    def chunks():
        with DoclingServiceClient(url=url) as client:
            response = client.chunk(PDF, chunker=ChunkerKind.HYBRID)
            return "" if response.chunks and all(chunk.text for chunk in response.chunks) else "no chunks"

    report("client: chunk", chunks)

    def refused():
        with DoclingServiceClient(url=url) as client:
            try:
                client.convert(PDF, options=ConvertDocumentsOptions(ocr_lang=["klingon"]))
            except Exception as error:
                return "" if "Near values" in str(error) else f"{type(error).__name__}: {error}"
        return "nothing was refused"

    report("client: a refusal carries its sentence", refused)

    async def asynchronous():
        from docling.service_client import AsyncDoclingServiceClient
        async with AsyncDoclingServiceClient(url=url) as client:
            job = await client.submit(PDF)
            return judge(await job.result())

    report("asynchronous client: submit and result", lambda: asyncio.run(asynchronous()))


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--inside":
        return clients(sys.argv[2])
    python, problem = installed.venv("docling")
    if problem:
        print(f"1..0 # SKIP {problem}")
        return 0
    tap = Tap()
    with Service(sys.argv[1] if len(sys.argv) > 1 else None) as url:
        for name, arguments, expected, contents in COMMANDS:
            try:
                tap.line(f"convert-remote: {name}", run_command(python, url, arguments, expected, contents))
            except subprocess.TimeoutExpired:
                tap.line(f"convert-remote: {name}", f"no end after {COMMAND_SECONDS} s")
        inside = subprocess.Popen([str(python), __file__, "--inside", url], stdout=subprocess.PIPE, text=True)
        for line in inside.stdout:
            tap.line(*json.loads(line))
        if inside.wait() != 0:
            tap.line("the client's program ends well", f"exit code {inside.returncode}")
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
