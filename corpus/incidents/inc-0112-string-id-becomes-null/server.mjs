// Disassembles programs.
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "dis-bench", version: "1.8.4" },
};
const TOOL = { name: "disassemble", description: "Disassemble", inputSchema: { type: "object" } };

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (!("id" in request)) return;
  const id = Number(request.id);
  if (request.method === "initialize") {
    send({ id, result: HELLO });
  } else if (request.method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else {
    send({ id, error: { code: -32601, message: `Method not found: ${request.method}` } });
  }
});
