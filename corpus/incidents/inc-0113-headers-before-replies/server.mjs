// Checks texts against a policy.
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "policy-check", version: "0.2.0" },
};
const TOOL = { name: "check_text", description: "Check a text", inputSchema: { type: "object" } };

function send(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") {
    send({ id, result: HELLO });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});
