import type { HookCallbackMatcher, HookEvent } from "@anthropic-ai/claude-agent-sdk";
import type { Gate } from "../lib/index.js";

/** For the option hooks of query(): the hooks of the gate at these events, by default at all events of the SDK. */
export function hooksOf(gate: Gate, events?: HookEvent[]): Partial<Record<HookEvent, HookCallbackMatcher[]>>;
