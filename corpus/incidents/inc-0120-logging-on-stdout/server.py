"""Answers questions to a column store."""
import json
import logging
import sys

logging.basicConfig(level=logging.INFO, stream=sys.stdout)
log = logging.getLogger("store")
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "store-desk", "version": "2.0.1"},
}
TOOL = {"name": "tables", "description": "List tables", "inputSchema": {"type": "object"}}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def call(params):
    log.info("call of %s", params["name"])
    return {"content": [{"type": "text", "text": "airports, flights"}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    elif request["method"] == "tools/call":
        send({"id": request["id"], "result": call(request["params"])})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
