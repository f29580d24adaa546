// Reads weather stations.
import { Console } from "node:console";
import { createInterface } from "node:readline";

// Whoever writes to the console of this process, our libraries included, writes to stderr.
globalThis.console = new Console(process.stderr);

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "weather-desk", version: "0.3.1" },
};
const TOOL = { name: "stations", description: "List stations", inputSchema: { type: "object" } };
const stations = {
  alesund: { temp: 11.5, wind: "NW" },
  tromsoe: { temp: 10.2, wind: "SE" },
};

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") {
    send({ id, result: HELLO });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else if (method === "tools/call") {
    console.table(stations);
    send({ id, result: { content: [{ type: "text", text: JSON.stringify(stations) }] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});
