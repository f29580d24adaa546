// The corpus judges the harness. Run `node --test` in this directory.
//
// With MCP_STDIO_PROBE, the path of the command `mcp-stdio-probe`, servers are launched too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Fault, checkLine, judge, run } from "./harness.mjs";
import { assertValid, assertViolates } from "./mcp-stdio-probe.mjs";

const corpus = JSON.parse(readFileSync(new URL("../corpus.json", import.meta.url), "utf8"));
const probe = process.env.MCP_STDIO_PROBE;

// What this harness says it can. Every case of these rules must be caught, at its line.
const PROMISED = new Set([
  "empty-frame", "decode-error", "byte-order-mark", "split-message", "joined-messages",
  "content-length-header", "unterminated-frame", "invalid-json", "not-an-object",
  "jsonrpc-version", "unknown-kind", "method-and-result", "result-and-error",
]);

/** The bytes of a case, with the long runs that the archive leaves out. */
function stdout(entry) {
  const stored = Buffer.from(entry.stdout, "base64");
  const parts = [];
  let start = 0;
  for (const { at, byte, count } of entry.expand) {
    parts.push(stored.subarray(start, at), Buffer.alloc(count, byte));
    start = at;
  }
  return Buffer.concat([...parts, stored.subarray(start)]);
}

function cases(wanted) {
  const found = corpus.cases.filter(wanted);
  assert.ok(found.length > 0, "no case was found");
  return found;
}

const isPromised = ({ expected }) => PROMISED.has(expected.rule) && expected.frame;
const isValid = ({ expected, cut_by_client }) =>
  expected.verdict === "valid-stdout" && !cut_by_client;

for (const entry of cases(isPromised)) {
  test(`caught at its line: ${entry.id}`, () => {
    const frame = entry.expected.frame;
    assert.throws(() => judge(stdout(entry)), (fault) => fault.frame === frame);
  });
}

for (const entry of cases(isValid)) {
  test(`no alarm: ${entry.id}`, () => judge(stdout(entry)));
}

for (const entry of cases(({ expected }) => expected.rule === "empty-frame")) {
  test(`a harness that skips blank lines would be noticed: ${entry.id}`, () => {
    const skip = (line, batches) => (/^\s*$/.test(line.toString()) ? null : checkLine(line, batches));
    try {
      judge(stdout(entry), skip);
    } catch (fault) {
      assert.ok(fault instanceof Fault);
      assert.notEqual(fault.frame, entry.expected.frame);
    }
  });
}

for (const id of ["startup-banner", "blank-line", "pretty-json", "ok-plain", "ok-stderr-log"]) {
  test(`played: ${id}`, { skip: probe ? false : "MCP_STDIO_PROBE is not set" }, async () => {
    const [entry] = cases((other) => other.id === id && other.playable);
    const server = [probe, "play", id];
    if (isValid(entry)) {
      await run(server);
      assertValid(server);
    } else {
      await assert.rejects(run(server));
      assertViolates(server, entry.expected.rule, { frame: entry.expected.frame });
    }
  });
}
