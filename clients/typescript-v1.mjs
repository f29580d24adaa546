// The client of the TypeScript SDK, version 1.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { session } from "./session.mjs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "client", version: "1" });
await session(client, new StdioClientTransport({ command, args, stderr: "ignore" }));
