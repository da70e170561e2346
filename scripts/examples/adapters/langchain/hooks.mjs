// Runs the project's hooks around the tools of a LangChain agent (npm langchain, version 1).
// Use: createAgent({ model, tools, middleware: [hooksMiddleware(hooks)] }). Put it last, next to the tools.
import { isCommand, isGraphBubbleUp } from "@langchain/langgraph";
import { AIMessage, HumanMessage, ToolMessage, createMiddleware } from "langchain";
import { fold, text } from "./serve-client.mjs";
export { Hooks } from "./serve-client.mjs";

export const hooksMiddleware = (hooks) => createMiddleware({
  name: "hookrun",

  // The pre-execute hooks see the user's last message. Their texts become a part of it.
  beforeAgent: {
    canJumpTo: ["end"],
    hook: async ({ messages }) => {
      const asked = messages.findLast((message) => HumanMessage.isInstance(message));
      const prompt = asked?.text ?? "";
      try {
        const shown = await hooks.prompt(prompt);
        if (shown === prompt) return undefined;
        return { messages: [asked ? withText(asked, shown.slice(prompt.length)) : new HumanMessage(shown)] };
      } catch (error) {
        if (hooks.stopped === undefined) throw error;
        return { jumpTo: "end", messages: [new AIMessage(hooks.stopped)] };
      }
    },
  },

  // If a hook ends the loop, the model is not called again.
  beforeModel: {
    canJumpTo: ["end"],
    hook: () => (hooks.stopped === undefined ? undefined : { jumpTo: "end", messages: [new AIMessage(hooks.stopped)] }),
  },

  // If this throws, the agent's run ends, so a call without a verdict does not run.
  wrapToolCall: async (request, handler) => {
    const { id, name, args } = request.toolCall;
    const call = { tool: name, args, tool_use_id: id };
    const pre = await hooks.call("pre-tool", call);
    if (pre.stop) return failure(request.toolCall, pre.stop_reason);
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
    const shown = fold(message.content, pre, post);
    if (shown !== message.content) message.content = text(shown);
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

// withText returns a message with more text. The same id has the graph replace the old one.
const withText = ({ id, name, content }, more) => new HumanMessage({
  id, name, content: typeof content === "string" ? content + more : [...content, { type: "text", text: more.trimStart() }],
});

const failure = ({ id, name }, content) => new ToolMessage({ tool_call_id: id, name, content, status: "error" });
