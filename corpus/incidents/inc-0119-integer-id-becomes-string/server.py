"""Tells the time in other places."""
import json
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "clock-wall", "version": "0.1.3"},
}
TOOL = {"name": "time_in", "description": "Time in a place", "inputSchema": {"type": "object"}}
REPLY = '{"jsonrpc":"2.0","id":"%s","%s":%s}'


def send(request, member, value):
    print(REPLY % (request["id"], member, json.dumps(value)), flush=True)


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send(request, "result", HELLO)
    elif request["method"] == "tools/list":
        send(request, "result", {"tools": [TOOL]})
    else:
        send(request, "error", {"code": -32601, "message": "Method not found"})
