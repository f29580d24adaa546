// A server of the TypeScript SDK, version 2: `serveStdio` speaks both eras.

import { setTimeout } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "typescript-v2", version: "1" });
  const inputSchema = z.object({ text: z.string() });
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
  return server;
});
