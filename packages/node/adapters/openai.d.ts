import type { FunctionTool } from "@openai/agents";
import type { Gate } from "../lib/index.js";

/** The function tools with the hooks of the gate around each. A hosted tool runs elsewhere, and is refused. */
export function withHooks<T extends FunctionTool<any, any, any>>(tools: T[], gate: Gate): T[];

/** The reason of a hook's stop, if a stop ended the run; else stopOf throws the error. */
export function stopOf(error: unknown, gate: Gate): string;
