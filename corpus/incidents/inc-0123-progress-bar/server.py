"""Predicts from tables."""
import json
import sys

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "table-oracle", "version": "0.4.2"},
}
TOOL = {"name": "predict", "description": "Predict a column", "inputSchema": {"type": "object"}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def progress(out=sys.stdout):
    for quarter in range(5):
        out.write(f"\r{quarter * 25:3}% |{'#' * quarter:<4}|")
        out.flush()
        yield quarter
    out.write("\n")


def predict():
    rows = sum(progress())
    return {"content": [{"type": "text", "text": f"{rows} rows predicted"}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    elif request["method"] == "tools/call":
        send({"id": request["id"], "result": predict()})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
