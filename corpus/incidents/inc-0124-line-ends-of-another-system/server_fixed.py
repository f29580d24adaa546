"""Counts words."""
import json
import sys

# A text-mode stream does otherwise by itself on Windows.
sys.stdout.reconfigure(newline="\n")
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "word-count", "version": "1.2.2"},
}
TOOL = {"name": "count_words", "description": "Count words", "inputSchema": {"type": "object"}}


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
