// Fetches repositories for an assistant.
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "repo-shelf", version: "0.9.4" },
};
const TOOL = { name: "fetch_repo", description: "Fetch it", inputSchema: { type: "object" } };

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

function fetchRepo({ name }) {
  const { status } = spawnSync(process.execPath, ["fetch.mjs", name], { stdio: "inherit" });
  return { content: [{ type: "text", text: `fetched ${name}` }], isError: status !== 0 };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    send({ id, result: HELLO });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [TOOL] } });
  } else if (method === "tools/call") {
    send({ id, result: fetchRepo(params.arguments) });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
});
