import type { FunctionTool } from "@openai/agents";
import type { Gate } from "../lib/index.js";

/** The function tools with the hooks of the gate around each. A hosted tool is an error: it runs elsewhere. */
export function withHooks<T extends FunctionTool<any, any, any>>(tools: T[], gate: Gate): T[];

/** The reason for which a hook ended the run, if that is why it threw; else it throws the error. */
export function stopOf(error: unknown, gate: Gate): string;
