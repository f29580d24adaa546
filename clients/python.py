"""The client of the Python SDK: connect, list the tools, call one, and close. The last line says
what became of it; `outcome:` is what `mcp-stdio-probe judge` reads."""

import asyncio
import logging
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TIMEOUT = 3
said = []


class Listener(logging.Handler):
    def emit(self, record):
        said.append(record.getMessage())


async def on_message(message):
    if isinstance(message, Exception):
        said.append(str(message))


async def session():
    command, *arguments = sys.argv[1:]
    server = StdioServerParameters(command=command, args=arguments)
    word = "silent"
    with open(os.devnull, "w") as nowhere:
        async with stdio_client(server, errlog=nowhere) as (read, write):
            async with ClientSession(read, write, message_handler=on_message) as client:
                steps = [client.initialize, client.list_tools, lambda: client.call_tool("echo", {})]
                for step in steps:
                    try:
                        await asyncio.wait_for(step(), TIMEOUT)
                    except TimeoutError:
                        word = "reply lost"
                    except Exception as error:  # Every kind of refusal is an outcome.
                        text = f"{type(error).__name__} {error}".lower()
                        code = getattr(getattr(error, "error", None), "code", None)
                        if "closed" in text:
                            word = "connection dies"
                        elif code is not None and -32699 < code <= -32600:
                            continue  # An error reply is a reply.
                        else:
                            word = "reply refused"
                    if word != "silent":
                        break
                tell(word)


def tell(word):
    if said and word == "silent":
        word = "logged"
    elif said and word == "reply lost":
        word = "reply lost, logged"
    print(f"outcome: {word}", flush=True)


logging.getLogger().addHandler(Listener())
logging.getLogger().setLevel(logging.WARNING)
try:
    asyncio.run(session())
except BaseException as error:  # The transport itself broke.
    print(f"outcome: connection dies", flush=True)
os._exit(0)
