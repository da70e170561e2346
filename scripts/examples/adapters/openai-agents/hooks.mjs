// Runs the project's hooks around the tools of the OpenAI Agents SDK (npm @openai/agents).
// Use: new Agent({ name, tools: withHooks(tools, hooks) }). A hook's stop ends the run with a tripwire error.
//
// The hooks are asked by the SDK's own tool guardrails: one for the input, one for the output. A guardrail can reject a
// call but not rewrite it. So the tool's invoke is wrapped as well, and takes the input that the hooks left.
import { ToolGuardrailFunctionOutputFactory as Verdict, defineToolInputGuardrail, defineToolOutputGuardrail } from "@openai/agents";
export { Hooks } from "./serve-client.mjs";

export const withHooks = (tools, hooks) => tools.map((tool) => guarded(tool, hooks));

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

function guarded(tool, hooks) {
  // A hosted tool runs at the provider, without its hooks.
  if (tool.type !== "function") throw new Error(`${tool.name} is no function tool: no hook can stand before it`);
  const asked = new Map(); // the calls that the hooks let run, by id

  // What run throws ends the agent's run, so a call without a verdict does not run.
  const before = defineToolInputGuardrail({
    name: "hookrun pre-tool",
    run: async ({ toolCall }) => {
      const call = { tool: tool.name, args: toolCall.arguments, tool_use_id: toolCall.callId };
      const pre = await hooks.call("pre-tool", call);
      if (pre.stop) return Verdict.throwException({ reason: pre.stop_reason });
      if (pre.updated_input) call.args = JSON.stringify(pre.updated_input);
      if (pre.decision !== "continue") return after(call, pre, pre.reason); // the SDK asks no output guardrail then
      asked.set(toolCall.callId, { call, pre });
      return Verdict.allow();
    },
  });
  const behind = defineToolOutputGuardrail({
    name: "hookrun post-tool",
    run: async ({ toolCall, output }) => {
      const { call, pre } = asked.get(toolCall.callId);
      asked.delete(toolCall.callId);
      return after(call, pre, output);
    },
  });

  // The SDK makes text of what a tool throws before a guardrail sees it, so no call is marked as failed.
  async function after(call, pre, result) {
    const post = await hooks.call("post-tool", { ...call, result: text(result) });
    if (post.stop) return Verdict.throwException({ reason: post.stop_reason });
    const shown = fold(result, pre, post);
    return shown === result && pre.decision === "continue" ? Verdict.allow() : Verdict.rejectContent(text(shown));
  }

  async function invoke(context, input, details) {
    const { call } = asked.get(details?.toolCall?.callId) ?? {};
    if (!call) throw new Error(`no hook was asked about this call of ${tool.name}`);
    return tool.invoke(context, call.args, details);
  }
  // Both stand last: before stands next to the tool, and a guardrail that changes an output keeps those behind it from it.
  return {
    ...tool, invoke,
    inputGuardrails: [...(tool.inputGuardrails ?? []), before],
    outputGuardrails: [...(tool.outputGuardrails ?? []), behind],
  };
}

// fold makes what the model is to see of a result and of what the hooks have to say.
function fold(result, pre, post) {
  let output = "updated_output" in post ? post.updated_output : result;
  if (post.decision !== "continue" && post.cause !== "policy") output = ""; // a hook that had to see it could not
  const texts = [...(pre.inject ?? []), ...(post.inject ?? [])].map((inject) => inject.content);
  if (post.decision !== "continue") texts.push(post.reason);
  return texts.length ? [text(output), ...texts].filter(Boolean).join("\n\n") : output;
}
