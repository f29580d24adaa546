"""Drives a proof assistant."""
import json
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "proof-line", "version": "1.1.0"},
}
TOOL = {"name": "step", "description": "Run one step", "inputSchema": {"type": "object"}}


def reply(request, result):
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


def refuse(request, code, message):
    error = {"code": code, "message": message}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}), flush=True)


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        reply(request, HELLO)
    elif request["method"] == "tools/list":
        reply(request, {"tools": [TOOL]})
    else:
        refuse(request, -32601, "Method not found")
