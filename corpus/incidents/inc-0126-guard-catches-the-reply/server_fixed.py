"""Draws floor plans with a library that prints."""
import contextlib
import json
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "plan-drawer", "version": "0.5.1"},
}
TOOL = {"name": "draw", "description": "Draw a plan", "inputSchema": {"type": "object"}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def draw():
    print("drawing 4 rooms")  # stands for the library
    return {"content": [{"type": "text", "text": "4 rooms"}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    elif request["method"] == "tools/call":
        with contextlib.redirect_stdout(sys.stderr):
            result = draw()
        send({"id": request["id"], "result": result})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
