// The client of the TypeScript SDK, version 2.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { session } from "./session.mjs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "client", version: "1" });
// Version 2 takes the options where version 1 takes a schema.
const callTool = client.callTool.bind(client);
client.callTool = (parameters, _schema, options) => callTool(parameters, options);
await session(client, new StdioClientTransport({ command, args, stderr: "ignore" }));
