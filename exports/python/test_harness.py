"""The corpus judges the harness. Run `pytest` in this directory.

With the command `mcp-stdio-probe` (or MCP_STDIO_PROBE) servers are launched too.
"""

import base64
import json
import os
import pathlib
import shutil
import sys

import pytest

import harness
from mcp_stdio_probe import assert_valid, assert_violates

CORPUS = json.loads((pathlib.Path(__file__).parent.parent / "corpus.json").read_text("utf-8"))
PROBE = os.environ.get("MCP_STDIO_PROBE") or shutil.which("mcp-stdio-probe")

# What this harness says it can. Every case of these rules must be caught, at its line.
PROMISED = {
    "empty-frame", "decode-error", "byte-order-mark", "split-message", "joined-messages",
    "content-length-header", "unterminated-frame", "invalid-json", "duplicate-member",
    "not-an-object", "jsonrpc-version", "unknown-kind", "method-and-result", "result-and-error",
}

# Where it is known to fall short of that. A limit that is mended fails its test until it goes.
LIMITS = {
    "syn-0107-error-code-twice": "it looks at the members of the envelope alone",
    "syn-0118-newline-100000-levels-deep": "its parser gives up on such nesting",
    "syn-0119-wrong-bracket-100000-levels-deep": "its parser gives up on such nesting",
}


def stdout(case):
    """The bytes of a case, with the long runs that the archive leaves out."""
    stored, whole, start = base64.b64decode(case["stdout"]), b"", 0
    for run in case["expand"]:
        whole += stored[start:run["at"]] + run["byte"].encode() * run["count"]
        start = run["at"]
    return whole + stored[start:]


def cases(wanted):
    found = [case for case in CORPUS["cases"] if wanted(case)]
    assert found, "no case was found"
    return pytest.mark.parametrize("case", found, ids=lambda case: case["id"])


def is_promised(case):
    return case["expected"].get("rule") in PROMISED and case["expected"]["frame"]


def is_valid(case):
    return case["expected"]["verdict"] == "valid-stdout" and not case["cut_by_client"]


@cases(is_promised)
def test_a_fault_is_caught_at_its_line(case, request):
    if reason := LIMITS.get(case["id"]):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    with pytest.raises(harness.Fault) as fault:
        harness.judge(stdout(case))
    assert fault.value.frame == case["expected"]["frame"]


@cases(is_valid)
def test_what_is_valid_raises_no_alarm(case):
    harness.judge(stdout(case))


@cases(lambda case: case["expected"].get("rule") == "empty-frame")
def test_a_harness_that_skips_blank_lines_would_be_noticed(case, monkeypatch):
    strict = harness.check_line
    skip = lambda line, batches: None if not line.strip() else strict(line, batches)
    monkeypatch.setattr(harness, "check_line", skip)
    try:
        harness.judge(stdout(case))
    except harness.Fault as fault:
        assert fault.frame != case["expected"]["frame"]


needs_the_command = pytest.mark.skipif(not PROBE, reason="mcp-stdio-probe is not installed")


@needs_the_command
@cases(lambda case: case["playable"] and case["id"] in {
    "startup-banner", "blank-line", "pretty-json", "ok-plain", "ok-stderr-log"})
def test_a_played_server_is_judged_alike(case):
    server = [PROBE, "play", case["id"]]
    if is_valid(case):
        harness.run(server)
        assert_valid(server)
    else:
        with pytest.raises((harness.Fault, TimeoutError)):
            harness.run(server)
        assert_violates(server, case["expected"]["rule"], frame=case["expected"]["frame"])


@needs_the_command
def test_a_helper_fails_with_the_report():
    with pytest.raises(AssertionError, match="reserved|stdout"):
        assert_valid([PROBE, "play", "startup-banner"])


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
