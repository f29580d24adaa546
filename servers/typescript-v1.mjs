// A server of the TypeScript SDK, version 1.

import { setTimeout } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "typescript-v1", version: "1" });
const inputSchema = { text: z.string() };
const annotations = { readOnlyHint: true };
server.registerTool("echo", { inputSchema, annotations }, async ({ text }) => {
  await setTimeout(100); // What an SDK may lose when stdin ends.
  return { content: [{ type: "text", text }] };
});
server.registerResource("note", "note://one", {}, async (uri) => ({
  contents: [{ uri: uri.href, text: "one" }],
}));
server.registerPrompt("greet", {}, () => ({
  messages: [{ role: "user", content: { type: "text", text: "hello" } }],
}));
await server.connect(new StdioServerTransport());
