// Reads a project planner.
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "plan-reader", version: "5.0.0" },
};
const TOOL = { name: "find_tasks", description: "Find tasks", inputSchema: { type: "object" } };

// The runtime's own form, with the process id in it, is hard to search for.
process.on("warning", ({ name, message }) => console.log(`${name}: ${message}`));

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

// Stands for a dependency.
async function findAll() {
  process.emitWarning("findAll() is deprecated, use search()", "DeprecationWarning");
  await setImmediate();
  return "2 tasks";
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") {
    send({ id, result: HELLO });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else if (method === "tools/call") {
    send({ id, result: { content: [{ type: "text", text: await findAll() }] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});
