"""Thin helpers for tests of MCP servers: they call `mcp-stdio-probe` and read its JSON report.

    def test_my_server():
        assert_valid(["node", "dist/index.js"])
"""

import json
import os
import subprocess


def probe(command, *options):
    """The JSON report on a server. `options` are those of `mcp-stdio-probe run`."""
    program = os.environ.get("MCP_STDIO_PROBE", "mcp-stdio-probe")
    line = [program, "run", "--format", "json", *options, "--", *command]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=False)
    if done.returncode == 2 or not done.stdout:
        raise RuntimeError(f"mcp-stdio-probe ended with {done.returncode}")
    return json.loads(done.stdout)


def human(command, *options):
    """The same as a report for people."""
    program = os.environ.get("MCP_STDIO_PROBE", "mcp-stdio-probe")
    line = [program, "run", "--color", "never", *options, "--", *command]
    return subprocess.run(line, stdout=subprocess.PIPE, check=False).stdout.decode()


def assert_valid(command, *options):
    """Fails with the report unless stdout carried nothing but valid messages."""
    report = probe(command, *options)
    assert report["verdict"] == "valid-stdout", human(command, *options)


def assert_violates(command, rule, *options, frame=None):
    """Fails unless the first violation is of this rule, and at this frame if one is given."""
    report = probe(command, *options)
    found = report["first_violation"] or {}
    where = frame is None or found.get("frame") == frame
    assert report["classification"] == rule and where, json.dumps(report, indent=2)
