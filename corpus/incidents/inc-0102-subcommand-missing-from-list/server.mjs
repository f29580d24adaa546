// Searches notes; the sub-command `mcp` serves the search over stdio.
import { createInterface } from "node:readline";

// All other commands are done when they return.
const LONG_RUNNING = ["watch"];

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "note-finder", version: "1.0.7" },
};
const TOOL = { name: "search", description: "Search the notes", inputSchema: { type: "object" } };

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

function answer({ id, method }) {
  if (method === "initialize") {
    send({ id, result: HELLO });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
}

const commands = {
  async search(...words) {
    console.log(`no note holds ${words.join(" ")}`);
  },
  async watch() {
    setInterval(() => console.log("nothing new"), 60_000);
  },
  async mcp() {
    createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
    console.error("note-finder: MCP server running on stdio");
  },
};

const [command, ...words] = process.argv.slice(2);
await commands[command](...words);
if (!LONG_RUNNING.includes(command)) process.exit(0);
