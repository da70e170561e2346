// An MCP server on stdin and stdout with a shell, guarded by the hooks of a project, whatever its client is.
// npm install hookrun @modelcontextprotocol/sdk zod
// WORKSPACE=/project node mcp.mjs
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Gate } from "hookrun";
import { withHooks } from "hookrun/adapters/mcp";
import { z } from "zod";
import { runShell, workspace } from "./shell.mjs";

const gate = new Gate({ workspace });
const server = withHooks(new McpServer({ name: "demo", version: "1.0.0" }), gate);
server.registerTool("shell", {
  description: "Runs a shell command", inputSchema: { command: z.string() },
}, async (args) => ({ content: [{ type: "text", text: await runShell(args) }] }));
server.server.onclose = () => gate.close();
await server.connect(new StdioServerTransport());
