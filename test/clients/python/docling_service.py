"""The package `docling-client`. All options of its command and its client are tried by ../docling-clients.py."""
import os
import pathlib
import verbs
from docling.datamodel.service.options import ConvertDocumentsOptions
from docling.service_client import AsyncDoclingServiceClient, ChunkerKind, DoclingServiceClient
from docling_core.types.doc import DoclingDocument

PDF = pathlib.Path(os.environ["BENCH_ROOT"]) / "test" / "fixtures" / "pdf" / "book-chapter.pdf"
HEADING = "The Clerk Who Could Not Lose"


def judge(result):
    if not isinstance(result.document, DoclingDocument):
        return f"a {type(result.document).__name__} is no DoclingDocument"
    return "" if HEADING in result.document.export_to_markdown() else "the heading is missing"


def convert():
    with DoclingServiceClient(url=verbs.URL, api_key=verbs.KEY) as client:
        return judge(client.convert(PDF))


def chunks():
    with DoclingServiceClient(url=verbs.URL, api_key=verbs.KEY) as client:
        return "" if client.chunk(PDF, chunker=ChunkerKind.HYBRID).chunks else "no chunks"


async def asynchronous():
    async with AsyncDoclingServiceClient(url=verbs.URL, api_key=verbs.KEY) as client:
        return judge(await (await client.submit(PDF)).result())


def refused(act, words):
    try:
        act()
    except Exception as error:
        return "" if any(word in str(error) for word in words) else f"{type(error).__name__}: {error}"
    return "nothing was refused"


def bad_option():
    with DoclingServiceClient(url=verbs.URL, api_key=verbs.KEY) as client:
        return refused(lambda: client.convert(PDF, options=ConvertDocumentsOptions(ocr_lang=["klingon"])), ["Near values"])


def wrong_key():
    with DoclingServiceClient(url=verbs.URL, api_key=verbs.WRONG_KEY) as client:
        return refused(lambda: client.convert(PDF), ["401", "key is not known"])


if __name__ == "__main__":
    verbs.run_cases(["docling-client"], [("convert", convert), ("chunk", chunks), ("submit and result, asynchronous", asynchronous), ("a bad option", bad_option), ("wrong key", wrong_key)])
