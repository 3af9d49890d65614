"""The Python SDK of the Model Context Protocol, `mcp`: `lectern mcp` over standard input and output, or `/mcp` over streamable HTTP (`mcp_client.py stdio` or `http`)."""
import base64
import contextlib
import json
import os
import pathlib
import sys
import verbs
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

WAY = sys.argv[1]
ROOT = pathlib.Path(os.environ["BENCH_ROOT"])
PDF = ROOT / "test" / "fixtures" / "pdf" / "book-chapter.pdf"
HEADING = "The Clerk Who Could Not Lose"


@contextlib.asynccontextmanager
async def session(key=verbs.KEY):
    async with contextlib.AsyncExitStack() as stack:
        if WAY == "http":
            client = await stack.enter_async_context(create_mcp_http_client(headers={"authorization": f"Bearer {key}"}))
            streams = await stack.enter_async_context(streamable_http_client(f"{verbs.URL}/mcp", http_client=client))
        else:
            server = StdioServerParameters(command="node", args=[str(ROOT / "dist" / "src" / "main.js"), "mcp"], env={"LECTERN_URL": verbs.URL.replace("://", f"://:{key}@")})
            streams = await stack.enter_async_context(stdio_client(server))
        one = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        await one.initialize()
        yield one


async def text_of(name, arguments, **more):
    async with session() as one:
        result = await one.call_tool(name, arguments, **more)
    if result.is_error:
        raise RuntimeError(result.content[0].text)
    return "\n".join(part.text for part in result.content if part.type == "text")


def document():
    return {"path": str(PDF)} if WAY == "stdio" else {"content_base64": base64.b64encode(PDF.read_bytes()).decode(), "filename": PDF.name}


async def tools():
    async with session() as one:
        names = {tool.name for tool in (await one.list_tools()).tools}
    return "" if {"convert_document", "list_models", "chat", "embed"} <= names else f"tools {names}"


async def convert():
    heard = []

    async def hear(progress, total, message):
        heard.append(progress)

    text = await text_of("convert_document", document(), progress_callback=hear)
    return "the heading is missing" if HEADING not in text else "" if heard == sorted(heard) else f"progress {heard}"


async def chunks():
    return "" if HEADING in await text_of("chunk_document", document()) else "the heading is missing"


async def models():
    return "" if "chat" in await text_of("list_models", {}) else "the model is missing"


async def chat():
    return "" if await text_of("chat", {"model": verbs.MODEL, "prompt": verbs.QUESTION, "max_tokens": verbs.TOKENS}) else "no text"


async def embed():
    return verbs.judge_vectors(json.loads(await text_of("embed", {"model": verbs.EMBEDDER, "input": verbs.TEXTS}))["embeddings"])


async def refusal():
    try:
        await text_of("chat", {"model": verbs.UNKNOWN, "prompt": verbs.QUESTION})
    except RuntimeError as error:
        return "" if verbs.UNKNOWN in str(error) else str(error)
    return "nothing was refused"


if __name__ == "__main__":
    verbs.run_cases(["mcp"], [
        ("tools", tools), ("convert, with progress", convert), ("chunk", chunks), ("models", models), ("chat", chat), ("embed", embed), ("unknown model", refusal),
    ])
