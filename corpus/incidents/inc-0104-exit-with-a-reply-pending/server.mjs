// Keeps a trail; a request that it does not know is an intrusion, and the last of a session.
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "audit-trail", version: "3.1.2" },
};
const TOOL = { name: "trail", description: "Show the trail", inputSchema: { type: "object" } };
const KNOWN = ["initialize", "notifications/initialized", "tools/list"];

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

async function answer({ id, method }) {
  await setImmediate(); // stands for the entry in the trail
  if (method === "initialize") {
    send({ id, result: HELLO });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const request = JSON.parse(line);
  answer(request);
  if (!KNOWN.includes(request.method)) lines.close();
});
// The input ends when the client closes stdin, or by lines.close().
lines.on("close", () => process.exit(0));
