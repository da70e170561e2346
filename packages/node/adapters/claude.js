// Hooks as callbacks of the Claude Agent SDK (npm @anthropic-ai/claude-agent-sdk).

const EVENTS = [
  "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionStart", "SessionEnd", "Stop",
  "SubagentStart", "SubagentStop", "PreCompact", "Notification",
];
const AN_HOUR = 3600; // in seconds; the gate and the hooks have timeouts of their own

/** For the option hooks of query(): the hooks of the gate at these events, by default at all events of the SDK. */
export function hooksOf(gate, events = EVENTS) {
  const entry = { hooks: [(input, _id, { signal } = {}) => callback(gate, input, signal)], timeout: AN_HOUR };
  return Object.fromEntries(events.map((event) => [event, [entry]]));
}

async function callback(gate, input, signal) {
  try {
    const answer = await gate.fire(input, { output: "claude", signal });
    const stops = answer.continue === false && input.hook_event_name === "PreToolUse";
    return stops ? refusal(input, answer.stopReason, answer) : answer; // the SDK would still run the tool
  } catch (error) {
    return refusal(input, `hookrun gave no verdict: ${error.message}`);
  }
}

// An answer that denies a tool call, blocks a prompt, or ends the loop after another event.
function refusal({ hook_event_name: event }, reason = "a hook ended the loop", answer = {}) {
  const deny = { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: reason };
  if (event === "PreToolUse") return { ...answer, hookSpecificOutput: deny };
  if (event === "UserPromptSubmit") return { decision: "block", reason };
  return { continue: false, stopReason: reason };
}
