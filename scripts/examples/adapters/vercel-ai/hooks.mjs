// Runs the project's hooks around the tools of the Vercel AI SDK (npm ai, version 6).
// Use: generateText({ model, prompt, tools: withHooks(tools, hooks), stopWhen: [stepCountIs(20), stopped(hooks)] }).
import { asSchema } from "ai";
export { Hooks } from "./serve-client.mjs";

export const withHooks = (tools, hooks) =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(name, tool, hooks)]));

// stopped ends the loop after the step in which a hook said so.
export const stopped = (hooks) => () => hooks.stopped !== undefined;

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

function guarded(name, tool, hooks) {
  // A tool that the provider or the browser runs would run without its hooks.
  if (!tool.execute) throw new Error(`${name} has no execute: no hook can stand before it`);
  const rewritten = new Set(); // the calls whose result is text of the hooks, not the tool's own value

  // What execute throws, the model sees as an error of the tool. So a call without a verdict ends there, too.
  async function execute(input, options) {
    const call = { tool: name, args: input, tool_use_id: options.toolCallId };
    const pre = await hooks.call("pre-tool", call);
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
  const toModelOutput = (of) => (rewritten.has(of.toolCallId) ? { type: "text", value: text(of.output) } : own.call(tool, of));
  return { ...tool, execute, ...(own && { toModelOutput }) };
}

// fold makes what the model is to see of a result and of what the hooks have to say.
function fold(result, pre, post) {
  let output = "updated_output" in post ? post.updated_output : result;
  if (post.decision !== "continue" && post.cause !== "policy") output = ""; // a hook that had to see it could not
  const texts = [...(pre.inject ?? []), ...(post.inject ?? [])].map((inject) => inject.content);
  if (post.decision !== "continue") texts.push(post.reason);
  return texts.length ? [text(output), ...texts].filter(Boolean).join("\n\n") : output;
}

// valid holds the input of a hook against the tool's schema, as the SDK did with that of the model.
async function valid(tool, input) {
  const checked = await asSchema(tool.inputSchema).validate?.(input);
  if (checked?.success === false) throw new Error(`a hook rewrote the input to what the tool does not take: ${checked.error.message}`);
  return checked ? checked.value : input;
}

// last takes the last value of a tool that yields: it is the one that the model sees.
async function last(result) {
  if (!result?.[Symbol.asyncIterator]) return result;
  let value;
  for await (value of result);
  return value;
}
