// Runs the project's hooks around the tools of the Vercel AI SDK (npm ai, version 6).
// Use: generateText({ model, prompt: await hooks.prompt(prompt), tools: withHooks(tools, hooks),
//   stopWhen: [stepCountIs(20), stopped(hooks)] }). Where a hook ends the loop, hooks.stopped is the answer.
import { asSchema } from "ai";
import { fold, text } from "./serve-client.mjs";
export { Hooks } from "./serve-client.mjs";

export const withHooks = (tools, hooks) =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool, hooks)]));

// stopped ends the loop after the step in which a hook has stopped it.
export const stopped = (hooks) => () => hooks.stopped !== undefined;

function guarded(name, tool, hooks) {
  // A tool without execute runs at the provider or in the browser, without hooks.
  if (!tool.execute) throw new Error(`${name} has no execute: no hook can stand before it`);
  const rewritten = new Set(); // calls whose result was changed by the hooks

  // If execute throws, the model sees an error of the tool. So a call without a verdict does not run.
  async function execute(input, options) {
    const call = { tool: name, args: input, tool_use_id: options.toolCallId };
    const pre = await hooks.call("pre-tool", call);
    if (pre.stop) throw new Error(pre.stop_reason); // stopped ends the loop
    if (pre.updated_input) call.args = await valid(tool, pre.updated_input);
    let result = pre.reason, error;
    if (pre.decision === "continue") {
      try {
        result = await last(await tool.execute(call.args, options));
      } catch (thrown) {
        error = thrown;
        result = String(thrown?.message ?? thrown);
      }
    }
    const post = await hooks.call("post-tool", { ...call, result: text(result), failed: error !== undefined });
    const shown = fold(result, pre, post);
    if (error) throw new Error(shown, { cause: error });
    if (shown !== result || pre.decision !== "continue") rewritten.add(options.toolCallId);
    return shown;
  }
  const own = tool.toModelOutput;
  const toModelOutput = (of) =>
    rewritten.has(of.toolCallId) ? { type: "text", value: text(of.output) } : own.call(tool, of);
  return { ...tool, execute, ...(own && { toModelOutput }) };
}

// valid checks a hook's input against the tool's schema, as the SDK does with the model's.
async function valid(tool, input) {
  const checked = await asSchema(tool.inputSchema).validate?.(input);
  if (checked?.success === false) {
    throw new Error(`a hook rewrote the input to what the tool does not take: ${checked.error.message}`);
  }
  return checked ? checked.value : input;
}

// last returns the last value of a tool that yields. That is the value that the model sees.
async function last(result) {
  if (!result?.[Symbol.asyncIterator]) return result;
  let value;
  for await (value of result);
  return value;
}
