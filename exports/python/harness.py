"""An ordinary test harness for MCP servers on stdio: it launches one, and judges its stdout.

    python3 harness.py COMMAND ARGUMENTS...

Exit status 0: every line was a message and every request had its reply; 1: not, and stderr says
why. It is an example of what the corpus is for, not a detector to rely on.
"""

import json
import subprocess
import sys
import threading

REPLY_SECONDS = 10
REQUESTS = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "harness", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


class Fault(Exception):
    """A line that is no message. `frame` counts from 1."""

    def __init__(self, frame, reason):
        super().__init__(f"line {frame}: {reason}")
        self.frame = frame


def unique(pairs):
    """Refuses an object that has one of the members of the envelope twice."""
    names = [name for name, _ in pairs]
    envelope = {"jsonrpc", "id", "method", "params", "result", "error"}
    if any(names.count(name) > 1 for name in envelope.intersection(names)):
        raise ValueError("a member stands there twice")
    return dict(pairs)


def constant(name):
    raise ValueError(f"{name} is no JSON number")


def check_message(message):
    if not isinstance(message, dict):
        raise ValueError("not an object")
    if message.get("jsonrpc") != "2.0":
        raise ValueError("jsonrpc is not 2.0")
    kinds = [name for name in ("method", "result", "error") if name in message]
    if len(kinds) != 1:
        raise ValueError(f"neither a request nor a reply, or both: {kinds}")
    if kinds == ["result"] and message.get("id") is None:
        raise ValueError("a result without an id")


def check_line(line, batches):
    """Raises ValueError unless the line, without its newline, is one message."""
    if not line.strip(b" \t\r"):
        raise ValueError("blank")
    if line.startswith(b"\xef\xbb\xbf"):
        raise ValueError("a byte order mark")
    text = line.decode("utf-8")
    # Members inside a result may be named as those of the envelope are: only the outermost count.
    message = json.loads(text, parse_constant=constant)
    if isinstance(message, dict):
        depth_one = json.loads(text, object_pairs_hook=lambda pairs: pairs)
        unique([(name, None) for name, _ in depth_one])
    if batches and isinstance(message, list) and message:
        for member in message:
            check_message(member)
    else:
        check_message(message)
    return message


def judge(stdout):
    """Raises Fault at the first line of the bytes that is no message."""
    batches = False
    *lines, tail = stdout.split(b"\n")
    for frame, line in enumerate(lines, 1):
        try:
            message = check_line(line, batches)
        except RecursionError:
            continue  # Nested too deeply for this parser: no fault of the server.
        except ValueError as error:
            raise Fault(frame, error) from None
        if isinstance(message, dict) and isinstance(message.get("result"), dict):
            batches |= message["result"].get("protocolVersion") == "2025-03-26"
    if tail:
        raise Fault(len(lines) + 1, "the last line has no newline")


def run(command):
    """Runs a session with a server; raises Fault or TimeoutError."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    watchdog = threading.Timer(REPLY_SECONDS, server.kill)
    watchdog.start()
    stdout = b""

    def send(message):
        server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()

    try:
        for request in REQUESTS:
            send(request)
            while "id" in request:
                line = server.stdout.readline()
                stdout += line
                if not line:
                    judge(stdout)
                    raise TimeoutError(f"no reply to {request['method']}")
                judge(stdout)
                message = json.loads(line)
                messages = message if isinstance(message, list) else [message]
                for asked in (m for m in messages if "method" in m and "id" in m):
                    send({"jsonrpc": "2.0", "id": asked["id"], "result": {}})
                if any(m.get("id") == request["id"] and "method" not in m for m in messages):
                    break
        server.stdin.close()
        judge(stdout + server.stdout.read())
    finally:
        watchdog.cancel()
        server.kill()
        server.wait()


if __name__ == "__main__":
    try:
        run(sys.argv[1:])
    except (Fault, TimeoutError, OSError) as error:
        sys.exit(f"harness: {error}")
