import type { ToolsInput } from "@mastra/core/agent";
import type { Gate } from "../lib/index.js";

/** The tools with the hooks of the gate around each. A tool without execute is an error: it runs elsewhere. */
export function withHooks<T extends ToolsInput>(tools: T, gate: Gate): T;

/** For stopWhen: ends the loop after the step in which a hook has stopped it. gate.stopped has the reason. */
export function stopped(gate: Gate): () => boolean;
