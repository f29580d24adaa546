// Reads a calendar; --verbose shows the settings in force.
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "agenda", version: "1.2.0" },
};
const TOOL = { name: "agenda", description: "Events of today", inputSchema: { type: "object" } };
const settings = {
  endpoint: "https://calendar.example.org/dav/home",
  timeZone: "Europe/Oslo",
  readOnly: true,
  cache: { directory: ".agenda-cache", seconds: 300 },
};

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

if (process.argv.includes("--verbose")) {
  console.dir(settings);
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
