// Hooks around the tools of the OpenAI Agents SDK (npm @openai/agents).
import { Blocked, HookrunError } from "../lib/index.js";

/** The function tools with the hooks of the gate around each. A stop ends the run with an error; see stopOf. */
export function withHooks(tools, gate) {
  return tools.map((tool) => guarded(tool, gate));
}

function guarded(tool, gate) {
  if (tool.type !== "function") {
    throw new HookrunError(`${tool.name} is no function tool: it runs elsewhere, and no hook can stand before it`);
  }

  // The SDK ends the run if invoke throws. The SDK turns an error of the tool into a text, and hooks see this text.
  async function invoke(context, input, details) {
    const id = details?.toolCall?.callId;
    const run = (args) => tool.invoke(context, typeof args === "string" ? args : JSON.stringify(args), details);
    let shown;
    try {
      shown = await gate.wrap(tool.name, input, run, { id, signal: details?.signal, onBlock: "throw" });
    } catch (error) {
      if (!(error instanceof Blocked) || error.stop) throw error;
      shown = error.message;
    }
    if (gate.stopped === undefined) return shown;
    throw new Blocked(gate.stopped, { decision: "block", stop: true }, gate.stopped); // after the tool
  }
  return { ...tool, invoke };
}

/** The reason of a hook's stop, if a stop ended the run; else stopOf throws the error. */
export function stopOf(error, gate) {
  if (gate.stopped === undefined) throw error;
  return gate.stopped;
}
