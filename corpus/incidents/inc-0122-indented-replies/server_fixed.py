"""Lists the boards of a test bench."""
import json
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "bench-link", "version": "0.7.0"},
}
TOOL = {"name": "boards", "description": "List boards", "inputSchema": {"type": "object"}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
