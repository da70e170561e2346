import type { Gate } from "../lib/index.js";

/**
 * Runs the hooks of the gate around each tool of the server, an McpServer or a Server. Call withHooks before the first
 * tool is registered. With a name, hooks see the tools as mcp__NAME__TOOL, as in a client.
 */
export function withHooks<S extends object>(server: S, gate: Gate, options?: { name?: string }): S;
