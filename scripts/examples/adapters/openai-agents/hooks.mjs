// Runs the project's hooks around the tools of the OpenAI Agents SDK (npm @openai/agents).
// Use: run(new Agent({ name, tools: withHooks(tools, hooks) }), await hooks.prompt(prompt)). A hook's stop ends the run
// with a tripwire error. No guardrail of the SDK's can change the prompt, so the pre-execute hooks run before the agent.
//
// The SDK's own tool guardrails run the hooks: one for the input, one for the output. A guardrail can reject a call but
// not rewrite it. So the tool's invoke is wrapped as well, and uses the input as the hooks changed it.
import {
  ToolGuardrailFunctionOutputFactory as Verdict, defineToolInputGuardrail, defineToolOutputGuardrail,
} from "@openai/agents";
import { fold, text } from "./serve-client.mjs";
export { Hooks } from "./serve-client.mjs";

export const withHooks = (tools, hooks) => tools.map((tool) => guarded(tool, hooks));

function guarded(tool, hooks) {
  // A hosted tool runs at the provider, without its hooks.
  if (tool.type !== "function") throw new Error(`${tool.name} is no function tool: no hook can stand before it`);
  const allowed = new Map(); // the calls that the hooks allowed, by id

  // If run throws, the agent's run ends, so a call without a verdict does not run.
  const before = defineToolInputGuardrail({
    name: "hookrun pre-tool",
    run: async ({ toolCall }) => {
      const call = { tool: tool.name, args: toolCall.arguments, tool_use_id: toolCall.callId };
      const pre = await hooks.call("pre-tool", call);
      if (pre.stop) return Verdict.throwException({ reason: pre.stop_reason });
      if (pre.updated_input) call.args = JSON.stringify(pre.updated_input);
      if (pre.decision !== "continue") return after(call, pre, pre.reason); // the SDK runs no output guardrail then
      allowed.set(toolCall.callId, { call, pre });
      return Verdict.allow();
    },
  });
  const behind = defineToolOutputGuardrail({
    name: "hookrun post-tool",
    run: async ({ toolCall, output }) => {
      const { call, pre } = allowed.get(toolCall.callId);
      allowed.delete(toolCall.callId);
      return after(call, pre, output);
    },
  });

  // The SDK turns a tool's error into text before a guardrail sees it, so no call is marked as failed.
  async function after(call, pre, result) {
    const post = await hooks.call("post-tool", { ...call, result: text(result) });
    if (post.stop) return Verdict.throwException({ reason: post.stop_reason });
    const shown = fold(result, pre, post);
    return shown === result && pre.decision === "continue" ? Verdict.allow() : Verdict.rejectContent(text(shown));
  }

  async function invoke(context, input, details) {
    const { call } = allowed.get(details?.toolCall?.callId) ?? {};
    if (!call) throw new Error(`no hook ran for this call of ${tool.name}`);
    return tool.invoke(context, call.args, details);
  }
  // Both come last, so before runs next to the tool. A guardrail that changes an output hides it from later ones.
  return {
    ...tool, invoke,
    inputGuardrails: [...(tool.inputGuardrails ?? []), before],
    outputGuardrails: [...(tool.outputGuardrails ?? []), behind],
  };
}
