// Runs the project's hooks around the tools of a LangChain agent (npm langchain, version 1).
// Use: createAgent({ model, tools, middleware: [hooksMiddleware(hooks)] }). Put it last, next to the tools.
import { isCommand, isGraphBubbleUp } from "@langchain/langgraph";
import { AIMessage, ToolMessage, createMiddleware } from "langchain";
export { Hooks } from "./serve-client.mjs";

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

export const hooksMiddleware = (hooks) => createMiddleware({
  name: "hookrun",

  // A hook's stop ends the loop before the model is asked again.
  beforeModel: {
    canJumpTo: ["end"],
    hook: () => (hooks.stopped === undefined ? undefined : { jumpTo: "end", messages: [new AIMessage(hooks.stopped)] }),
  },

  // What this throws ends the agent's run, so a call without a verdict does not run.
  wrapToolCall: async (request, handler) => {
    const { id, name, args } = request.toolCall;
    const call = { tool: name, args, tool_use_id: id };
    const pre = await hooks.call("pre-tool", call);
    if (pre.updated_input) call.args = pre.updated_input;
    const answer = pre.decision === "continue"
      ? await run(handler, { ...request, toolCall: { ...request.toolCall, args: call.args } })
      : failure(request.toolCall, pre.reason);

    // A tool may answer with a command for the graph. Its message to the model is then inside.
    const messages = isCommand(answer) ? [answer.update?.messages ?? []].flat() : [answer];
    const message = messages.find((m) => ToolMessage.isInstance(m) && m.tool_call_id === id);
    if (!message) throw new Error(`${name} gave no message that the hooks could look at`);
    const failed = pre.decision === "continue" && message.status === "error";
    const post = await hooks.call("post-tool", { ...call, result: text(message.content), failed });
    message.content = fold(message.content, pre, post);
    return answer;
  },
});

// run makes a message of what the tool throws, for the hooks and the model to see. An interrupt of the graph passes.
async function run(handler, request) {
  try {
    return await handler(request);
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    return failure(request.toolCall, String(error?.message ?? error));
  }
}

const failure = ({ id, name }, content) => new ToolMessage({ tool_call_id: id, name, content, status: "error" });

// fold makes what the model is to see of a result and of what the hooks have to say.
function fold(result, pre, post) {
  let output = "updated_output" in post ? text(post.updated_output) : result;
  if (post.decision !== "continue" && post.cause !== "policy") output = ""; // a hook that had to see it could not
  const texts = [...(pre.inject ?? []), ...(post.inject ?? [])].map((inject) => inject.content);
  if (post.decision !== "continue") texts.push(post.reason);
  return texts.length ? [text(output), ...texts].filter(Boolean).join("\n\n") : output;
}
