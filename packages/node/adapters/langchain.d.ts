import type { AgentMiddleware } from "langchain";
import type { Gate } from "../lib/index.js";

/** A middleware for createAgent: the hooks of the gate before the model sees the prompt, and around each tool. */
export function hooksMiddleware(gate: Gate): AgentMiddleware;
