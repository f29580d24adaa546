// Thin helpers for tests of MCP servers: they call `mcp-stdio-probe` and read its JSON report.
//
//   test("my server", () => assertValid(["node", "dist/index.js"]));

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

const program = process.env.MCP_STDIO_PROBE || "mcp-stdio-probe";

/** The JSON report on a server. `options` are those of `mcp-stdio-probe run`. */
export function probe(command, ...options) {
  const line = ["run", "--format", "json", ...options, "--", ...command];
  const done = spawnSync(program, line, { stdio: ["ignore", "pipe", "inherit"] });
  if (done.error) throw done.error;
  assert.ok(done.status !== 2 && done.stdout.length > 0, `mcp-stdio-probe: status ${done.status}`);
  return JSON.parse(done.stdout);
}

/** The same as a report for people. */
export function human(command, ...options) {
  const line = ["run", "--color", "never", ...options, "--", ...command];
  return spawnSync(program, line, { stdio: ["ignore", "pipe", "inherit"] }).stdout.toString();
}

/** Fails with the report unless stdout carried nothing but valid messages. */
export function assertValid(command, ...options) {
  const report = probe(command, ...options);
  if (report.verdict !== "valid-stdout") assert.fail(human(command, ...options));
}

/** Fails unless the first violation is of this rule, and at this frame if one is given. */
export function assertViolates(command, rule, { frame, options = [] } = {}) {
  const report = probe(command, ...options);
  assert.equal(report.classification, rule, JSON.stringify(report, null, 2));
  if (frame !== undefined) assert.equal(report.first_violation?.frame, frame);
}
