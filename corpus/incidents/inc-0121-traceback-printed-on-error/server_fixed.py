"""Calculates with formulas."""
import json
import sys
import traceback

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "formula-desk", "version": "1.0.2"},
}
TOOL = {"name": "calculate", "description": "Calculate", "inputSchema": {"type": "object"}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def calculate(formula):
    try:
        text = str(eval(compile(formula, "<formula>", "eval"), {"__builtins__": {}}))
        return {"content": [{"type": "text", "text": text}], "isError": False}
    except Exception as error:
        print(traceback.format_exc(limit=-1), file=sys.stderr)
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        send({"id": request["id"], "result": HELLO})
    elif request["method"] == "tools/list":
        send({"id": request["id"], "result": {"tools": [TOOL]}})
    elif request["method"] == "tools/call":
        send({"id": request["id"], "result": calculate(request["params"]["arguments"]["formula"])})
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
