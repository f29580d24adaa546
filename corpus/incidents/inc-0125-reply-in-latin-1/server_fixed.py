"""Corrects spelling."""
import json
import sys

# A text-mode stream does otherwise by itself under an old locale.
sys.stdout.reconfigure(encoding="utf-8")
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "correcteur", "version": "3.0.0"},
}
TOOL = {"name": "correct", "description": "Vérifie un texte", "inputSchema": {"type": "object"}}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


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
