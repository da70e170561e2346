import type { StopCondition, ToolSet } from "ai";
import type { Gate } from "../lib/index.js";

/** The tools with the hooks of the gate around each. A tool without execute runs elsewhere, and is refused. */
export function withHooks<T extends ToolSet>(tools: T, gate: Gate): T;

/** For stopWhen: ends the loop after the step of a hook's stop. gate.stopped has the reason. */
export function stopped(gate: Gate): StopCondition<any>;
