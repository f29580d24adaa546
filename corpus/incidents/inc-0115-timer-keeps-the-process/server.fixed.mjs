// Reads a mailbox; the token for it is good for an hour.
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "mail-reader", version: "0.8.0" },
};
const TOOL = { name: "unread", description: "Unread mails", inputSchema: { type: "object" } };

function renewToken() {
  console.error("mail-reader: token renewed");
}

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

setInterval(renewToken, 3_500_000).unref();
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
