"""Searches a collection of papers."""
import json
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "paper-shelf", "version": "0.2.6"},
}
TOOL = {"name": "search_papers", "description": "Search papers", "inputSchema": {"type": "object"}}

# Every message goes out at once; what print() writes waits in sys.stdout until the exit.
messages = open(1, "wb", buffering=0, closefd=False)


def send(message):
    messages.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def main():
    print("connected to the collection")
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


main()
