// Runs the project's hooks around the tools of a LangChain agent (npm langchain, version 1).
// Use: createAgent({ model, tools, middleware: [hooksMiddleware(hooks)] }). Put it last, next to the tools.
import { isCommand, isGraphBubbleUp } from "@langchain/langgraph";
import { AIMessage, ToolMessage, createMiddleware } from "langchain";
export { Hooks } from "./serve-client.mjs";

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

export const hooksMiddleware = (hooks) => createMiddleware({
  name: "hookrun",

  // If a hook stops the loop, it ends before the model is called again.
  beforeModel: {
    canJumpTo: ["end"],
    hook: () => (hooks.stopped === undefined ? undefined : { jumpTo: "end", messages: [new AIMessage(hooks.stopped)] }),
  },

  // If this throws, the agent's run ends, so a call without a verdict does not run.
  wrapToolCall: async (request, handler) => {
    const { id, name, args } = request.toolCall;
    const call = { tool: name, args, tool_use_id: id };
    const pre = await hooks.call("pre-tool", call);
    if (pre.updated_input) call.args = pre.updated_input;
    const answer = pre.decision === "continue"
      ? await run(handler, { ...request, toolCall: { ...request.toolCall, args: call.args } })
      : failure(request.toolCall, pre.reason);

    // A tool may return a command for the graph, which contains its message to the model.
    const messages = isCommand(answer) ? [answer.update?.messages ?? []].flat() : [answer];
    const message = messages.find((m) => ToolMessage.isInstance(m) && m.tool_call_id === id);
    if (!message) throw new Error(`${name} gave no message that the hooks could look at`);
    const failed = pre.decision === "continue" && message.status === "error";
    const post = await hooks.call("post-tool", { ...call, result: text(message.content), failed });
    message.content = fold(message.content, pre, post);
    return answer;
  },
});

// run turns the tool's error into a message for the hooks and the model. It passes on an interrupt of the graph.
async function run(handler, request) {
  try {
    return await handler(request);
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    return failure(request.toolCall, String(error?.message ?? error));
  }
}

const failure = ({ id, name }, content) => new ToolMessage({ tool_call_id: id, name, content, status: "error" });

// fold returns what the model sees: the result and the texts of the hooks.
function fold(result, pre, post) {
  let output = "updated_output" in post ? text(post.updated_output) : result;
  if (post.decision !== "continue" && post.cause !== "policy") output = ""; // a hook that must check it has failed
  const texts = [...(pre.inject ?? []), ...(post.inject ?? [])].map((inject) => inject.content);
  if (post.decision !== "continue") texts.push(post.reason);
  return texts.length ? [text(output), ...texts].filter(Boolean).join("\n\n") : output;
}
