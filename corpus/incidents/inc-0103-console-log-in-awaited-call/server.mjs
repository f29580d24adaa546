// Searches an issue tracker.
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";

const TOOL = { name: "search_issues", description: "Find issues", inputSchema: { type: "object" } };

function send(message) {
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
}

async function searchIssues({ query }) {
  console.log("searchIssues:", query);
  await setImmediate(); // stands for the request to the tracker
  return { content: [{ type: "text", text: `1 issue holds ${query}` }] };
}

const handlers = {
  initialize: async () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "issue-lens", version: "2.4.0" },
  }),
  "tools/list": async () => ({ tools: [TOOL] }),
  "tools/call": ({ arguments: query }) => searchIssues(query),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (!handlers[method]) return send({ id, error: { code: -32601, message: "Method not found" } });
  send({ id, result: await handlers[method](params) });
});
