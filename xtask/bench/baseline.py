"""What a person writes to check a server's stdout in Python: asyncio, json, and shape checks."""

import asyncio
import json
import sys

LIMIT = 64 * 1024 * 1024


def fault(line):
    """Why a line is no JSON-RPC message, or None."""
    try:
        message = json.loads(line)
    except ValueError as error:
        return f"not JSON: {error}"
    if not isinstance(message, dict):
        return "not an object"
    if message.get("jsonrpc") != "2.0":
        return "jsonrpc is not 2.0"
    identifier = message.get("id")
    if "id" in message:
        if isinstance(identifier, bool) or not isinstance(identifier, (str, int)):
            if not (identifier is None and "error" in message):
                return "id is neither a string nor an integer"
    if "method" in message:
        if not isinstance(message["method"], str):
            return "method is not a string"
        if "result" in message or "error" in message:
            return "both a request and a response"
        if not isinstance(message.get("params", {}), dict):
            return "params is not an object"
        return None
    if "id" not in message:
        return "neither a method nor an id"
    if ("result" in message) == ("error" in message):
        return "not exactly one of result and error"
    if "error" in message:
        error = message["error"]
        if not isinstance(error, dict):
            return "error is not an object"
        if not isinstance(error.get("code"), int) or not isinstance(error.get("message"), str):
            return "error lacks its code or message"
    elif not isinstance(message["result"], dict):
        return "result is not an object"
    return None


async def main():
    reader = asyncio.StreamReader(limit=LIMIT)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    frames = 0
    while line := await reader.readline():
        frames += 1
        why = fault(line)
        if why is not None:
            print(f"frame {frames}: {why}")
            return 1
    print(f"{frames} frames")
    return 0


sys.exit(asyncio.run(main()))
