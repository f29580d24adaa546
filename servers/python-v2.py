"""A server of the Python SDK, version 2."""

import asyncio

from mcp.server.mcpserver import MCPServer

server = MCPServer("python-v2")


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


server.run()
