// Knows the nodes of a workflow engine; counts its users.
import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "node-atlas", version: "2.68.0" },
};
const TOOL = { name: "list_nodes", description: "List nodes", inputSchema: { type: "object" } };

function noticeOnce() {
  const state = process.env.XDG_STATE_HOME ?? join(homedir(), ".local/state");
  const seen = join(state, "node-atlas-notice");
  if (existsSync(seen)) return;
  console.log("╔═ node-atlas counts its users ═╗");
  console.log("╚═ to opt out: NODE_ATLAS_COUNT=0 ╝");
  try {
    writeFileSync(seen, "");
  } catch {
    // A home that cannot be written to sees the notice every time.
  }
}

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

noticeOnce();
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
