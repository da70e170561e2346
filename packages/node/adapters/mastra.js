// Hooks around the tools of a Mastra agent (npm @mastra/core).
import { HookrunError } from "../lib/index.js";

/** The tools with the hooks of the gate around each. The key is the model's name of a tool. */
export function withHooks(tools, gate) {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool, gate)]));
}

/** For stopWhen: ends the loop after the step of a hook's stop. gate.stopped has the reason. */
export function stopped(gate) {
  return () => gate.stopped !== undefined;
}

function guarded(name, tool, gate) {
  if (!tool.execute) throw new HookrunError(`${name} has no execute: it runs elsewhere, where no hook can stand`);
  const guard = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool);
  guard.outputSchema = undefined; // a result changed by hooks is a text
  // Mastra shows the model the errors of execute, also the reason of a missing verdict.
  guard.execute = (input, context) => {
    const run = (args) => tool.execute(args, context);
    const [id, signal] = [context?.agent?.toolCallId, context?.abortSignal];
    return gate.wrap(name, input, run, { id, signal, onBlock: "return" });
  };
  return guard;
}
