import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Gate } from "hookrun";
import { withHooks } from "hookrun/adapters/mcp";

const server: McpServer = withHooks(new McpServer({ name: "a", version: "1" }), new Gate(), { name: "a" });
console.log(server);
