"""Indexes documents of a repository."""
import json
import subprocess
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "doc-index", "version": "1.9.0"},
}
TOOL = {"name": "index", "description": "Index a repository", "inputSchema": {"type": "object"}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def index():
    # The child gets our stdin, which is the client's pipe.
    child = subprocess.run([sys.executable, "fetch.py"], stdout=subprocess.PIPE, text=True)
    return {"content": [{"type": "text", "text": child.stdout}], "isError": child.returncode != 0}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    elif request["method"] == "tools/call":
        send({"id": request["id"], "result": index()})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
