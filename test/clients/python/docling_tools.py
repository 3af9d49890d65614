"""The server `docling-mcp`, which converts by this service, called by the Python SDK of the Model Context Protocol."""
import contextlib
import os
import pathlib
import re
import sys
import verbs
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

PDF = pathlib.Path(os.environ["BENCH_ROOT"]) / "test" / "fixtures" / "pdf" / "book-chapter.pdf"
HEADING = "The Clerk Who Could Not Lose"


@contextlib.asynccontextmanager
async def session(key=verbs.KEY):
    environment = {**os.environ, "DOCLING_MCP_SERVICE_URL": verbs.URL, "DOCLING_MCP_SERVICE_API_KEY": key, "DOCLING_MCP_CONVERSION_MODE": "remote"}
    server = StdioServerParameters(command=sys.executable, args=["-m", "docling_mcp.servers.mcp_server", "--transport", "stdio"], env=environment)
    async with stdio_client(server) as streams, ClientSession(*streams) as one:
        await one.initialize()
        yield one


async def call(one, name, **arguments):
    result = await one.call_tool(name, arguments)
    text = "\n".join(part.text for part in result.content if part.type == "text")
    if result.is_error:
        raise RuntimeError(text)
    return text


async def convert():
    async with session() as one:
        key = re.search(r'"document_key":\s*"([^"]+)"', await call(one, "convert_document_into_docling_document", source=str(PDF)))[1]
        markdown = await call(one, "export_docling_document_to_markdown", document_key=key)
    return "" if HEADING in markdown else f"the heading is missing: {markdown[:200]}"


async def wrong_key():
    # The same call that convert makes. The server keeps the reason to itself.
    async with session(verbs.WRONG_KEY) as one:
        result = await one.call_tool("convert_document_into_docling_document", {"source": str(PDF)})
    return "" if result.is_error else "nothing was refused"


if __name__ == "__main__":
    verbs.run_cases(["docling-mcp", "docling-client"], [("convert and export", convert), ("wrong key", wrong_key)])
