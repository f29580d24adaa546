"""A server of FastMCP, version 4, which stands on the Python SDK."""

import asyncio

from fastmcp import FastMCP

server = FastMCP("fastmcp-v4")


@server.tool(annotations={"readOnlyHint": True})
async def echo(text: str) -> str:
    """Gives the text back, after a while: what an SDK may lose when stdin ends."""
    await asyncio.sleep(0.1)
    return text


@server.resource("note://one")
def note() -> str:
    """A note."""
    return "one"


@server.prompt()
def greet() -> str:
    """A greeting."""
    return "hello"


server.run(show_banner=False)
