// Hooks around the tools of a Mastra agent (npm @mastra/core).
import { HookrunError } from "../lib/index.js";

/** The tools with the hooks of the gate around each. The model's name of a tool is its key. */
export function withHooks(tools, gate) {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool, gate)]));
}

/** For stopWhen: ends the loop after the step in which a hook has stopped it. gate.stopped has the reason. */
export function stopped(gate) {
  return () => gate.stopped !== undefined;
}

function guarded(name, tool, gate) {
  if (!tool.execute) throw new HookrunError(`${name} has no execute: it runs elsewhere, where no hook can stand`);
  const guard = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool);
  guard.outputSchema = undefined; // what hooks make of a result is a text
  // Mastra shows the model what execute throws, also why there is no verdict.
  guard.execute = (input, context) => {
    const run = (args) => tool.execute(args, context);
    const [id, signal] = [context?.agent?.toolCallId, context?.abortSignal];
    return gate.wrap(name, input, run, { id, signal, onBlock: "return" });
  };
  return guard;
}
