// Keeps a to-do list; the token for it comes from the environment or a .env file.
import { createInterface } from "node:readline";
import { load } from "./envfile.mjs";

load({ quiet: true });

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "todo-keeper", version: "4.4.1" },
};
const TOOL = { name: "list_todos", description: "List to-dos", inputSchema: { type: "object" } };

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
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
