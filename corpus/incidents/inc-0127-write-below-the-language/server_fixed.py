"""Remembers texts with a native library."""
import json
import os
import sys

# Whoever prints or writes to descriptor 1, writes to stderr; only send() has the client's pipe.
messages = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.stdout = sys.stderr
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "memory-box", "version": "3.0.11"},
}
TOOL = {"name": "remember", "description": "Remember a text", "inputSchema": {"type": "object"}}


def send(message):
    messages.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    messages.flush()


def remember():
    print("remembering")
    os.write(1, b"W0000 embed.cc:52] no GPU found\n")  # stands for the native library
    return {"content": [{"type": "text", "text": "remembered"}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    elif request["method"] == "tools/call":
        send({"id": request["id"], "result": remember()})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
