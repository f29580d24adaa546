// An ordinary test harness for MCP servers on stdio: it launches one, and judges its stdout.
//
//   node harness.mjs COMMAND ARGUMENTS...
//
// Exit status 0: every line was a message and every request had its reply; 1: not, and stderr
// says why. It is an example of what the corpus is for, not a detector to rely on.

import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

const REPLY_MS = 10_000;
const REQUESTS = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "harness", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
];

/** A line that is no message. `frame` counts from 1. */
export class Fault extends Error {
  constructor(frame, reason) {
    super(`line ${frame}: ${reason}`);
    this.frame = frame;
  }
}

function checkMessage(message) {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    throw new Error("not an object");
  }
  if (message.jsonrpc !== "2.0") throw new Error("jsonrpc is not 2.0");
  const kinds = ["method", "result", "error"].filter((name) => Object.hasOwn(message, name));
  if (kinds.length !== 1) throw new Error(`neither a request nor a reply, or both: ${kinds}`);
  if (kinds[0] === "result" && (message.id ?? null) === null) {
    throw new Error("a result without an id");
  }
}

/** Throws unless the line, without its newline, is one message. */
export function checkLine(line, batches) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  if (/^[ \t\r]*$/.test(text)) throw new Error("blank");
  const message = JSON.parse(text);
  if (batches && Array.isArray(message) && message.length > 0) message.forEach(checkMessage);
  else checkMessage(message);
  return message;
}

/** Throws a Fault at the first line of the bytes that is no message. */
export function judge(stdout, check = checkLine) {
  let batches = false;
  let start = 0;
  let frame = 1;
  for (let end; (end = stdout.indexOf(0x0a, start)) !== -1; start = end + 1, frame += 1) {
    try {
      const message = check(stdout.subarray(start, end), batches);
      batches ||= message?.result?.protocolVersion === "2025-03-26";
    } catch (error) {
      throw new Fault(frame, error.message);
    }
  }
  if (start < stdout.length) throw new Fault(frame, "the last line has no newline");
}

/** Runs a session with a server; rejects with a Fault or an Error. */
export async function run([program, ...args]) {
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const watchdog = setTimeout(() => server.kill("SIGKILL"), REPLY_MS);
  server.stdin.on("error", () => {}); // A server that has gone is noticed by its silence.
  try {
    let stdout = Buffer.alloc(0);
    const waiting = [...REQUESTS];
    let awaited;
    let read = 0;
    const send = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
    const next = () => {
      while (waiting.length > 0 && awaited === undefined) {
        const request = waiting.shift();
        send(request);
        awaited = request.id;
      }
      if (awaited === undefined) server.stdin.end();
    };
    next();
    for await (const bytes of server.stdout) {
      stdout = Buffer.concat([stdout, bytes]);
      const whole = stdout.subarray(0, stdout.lastIndexOf(0x0a) + 1);
      judge(whole);
      const lines = whole.subarray(read).toString().split("\n").filter((line) => line);
      read = whole.length;
      for (const { method, id } of lines.flatMap((line) => JSON.parse(line))) {
        if (method !== undefined && id !== undefined) send({ jsonrpc: "2.0", id, result: {} });
        else if (id === awaited) awaited = undefined;
      }
      if (awaited === undefined) next();
    }
    judge(stdout);
    if (awaited !== undefined) throw new Error(`no reply to request ${awaited}`);
  } finally {
    clearTimeout(watchdog);
    server.kill("SIGKILL");
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  run(process.argv.slice(2)).catch((error) => {
    console.error(`harness: ${error.message}`);
    process.exitCode = 1;
  });
}
