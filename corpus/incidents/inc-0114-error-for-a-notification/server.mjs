// Queries a database.
import { createInterface } from "node:readline";

const TOOL = { name: "query", description: "Run a query", inputSchema: { type: "object" } };

const handlers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "column-store", version: "1.3.5" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
};

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const handler = handlers[method];
  if (handler) {
    send({ id, result: handler(params) });
  } else {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});
