// Hooks around the tools of the Vercel AI SDK (npm ai).
import { asSchema } from "ai";
import { HookrunError } from "../lib/index.js";

/** The tools with the hooks of the gate around each. */
export function withHooks(tools, gate) {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool, gate)]));
}

/** For stopWhen: ends the loop after the step of a hook's stop. gate.stopped has the reason. */
export function stopped(gate) {
  return () => gate.stopped !== undefined;
}

function guarded(name, tool, gate) {
  if (!tool.execute) throw new HookrunError(`${name} has no execute: it runs elsewhere, where no hook can stand`);
  const changed = new Set(); // ids of the calls with a changed result

  // The SDK shows the model the errors of execute, also the reason of a missing verdict.
  async function execute(input, options) {
    let own;
    const run = async (args) => (own = await last(await tool.execute(await valid(tool, args, input), options)));
    const { toolCallId: id, abortSignal: signal } = options;
    const shown = await gate.wrap(name, input, run, { id, signal, onBlock: "return" });
    if (shown !== own) changed.add(id);
    return shown;
  }

  // The tool's own form of results does not fit the text of a changed result.
  const { toModelOutput } = tool;
  const form = ({ toolCallId, output, ...more }) => changed.has(toolCallId)
    ? { type: "text", value: typeof output === "string" ? output : JSON.stringify(output) }
    : toModelOutput.call(tool, { toolCallId, output, ...more });
  return { ...tool, execute, ...(toModelOutput && { toModelOutput: form }) };
}

// Arguments of a hook are checked against the tool's schema, as the SDK checks the model's.
async function valid(tool, args, input) {
  if (args === input) return input;
  const checked = await asSchema(tool.inputSchema).validate?.(args);
  if (checked?.success === false) throw new HookrunError(`a hook made of the input what the tool does not take: ${
    checked.error.message}`);
  return checked ? checked.value : args;
}

// If a tool yields, the model sees the last value.
async function last(result) {
  if (!result?.[Symbol.asyncIterator]) return result;
  let value;
  for await (value of result);
  return value;
}
