// Hooks around the tools of a LangChain agent (npm langchain).
import { isCommand, isGraphBubbleUp } from "@langchain/langgraph";
import { AIMessage, HumanMessage, ToolMessage, createMiddleware } from "langchain";
import { Blocked, HookrunError } from "../lib/index.js";

/** A middleware. Put it last, next to the tools. */
export function hooksMiddleware(gate) {
  const end = (reason) => ({ jumpTo: "end", messages: [new AIMessage(reason)] });
  return createMiddleware({
    name: "hookrun",
    // The pre-execute hooks see the user's last message, and their texts become a part of the message.
    beforeAgent: {
      canJumpTo: ["end"],
      hook: async ({ messages }) => {
        const asked = messages.findLast((message) => HumanMessage.isInstance(message));
        const { decision, reason, stop, stopReason, prompt, text } = await gate.prompt(asked?.text ?? "");
        if (stop || decision !== "continue") return end(stopReason || reason);
        if (text === (asked?.text ?? "")) return undefined;
        return { messages: [withText(asked, prompt, text)] };
      },
    },
    // The model is not called again after a stop.
    beforeModel: { canJumpTo: ["end"], hook: () => (gate.stopped === undefined ? undefined : end(gate.stopped)) },

    // If this throws, the run of the agent ends, so a call without a verdict does not run.
    wrapToolCall: async (request, handler) => {
      const { id, name, args } = request.toolCall;
      let answer = new ToolMessage({ tool_call_id: id, name, content: "", status: "error" });
      let message = answer;
      const run = async (changed) => {
        answer = await handler({ ...request, toolCall: { ...request.toolCall, args: changed } });
        // A tool may return a command for the graph, with the message to the model inside.
        const messages = isCommand(answer) ? [answer.update?.messages ?? []].flat() : [answer];
        message = messages.find((m) => ToolMessage.isInstance(m) && m.tool_call_id === id);
        if (!message) throw new HookrunError(`${name} gave no message that the hooks could look at`);
        if (message.status === "error") throw new Error(message.text);
        return message.content;
      };
      try {
        const shown = await gate.wrap(name, args, run, { id, onBlock: "throw", passOn });
        if (shown !== message.content) message.content = typeof shown === "string" ? shown : JSON.stringify(shown);
      } catch (error) {
        if (passOn(error) && !(error instanceof Blocked)) throw error;
        message.content = String(error?.message ?? error);
      }
      return answer;
    },
  });
}

// Neither an interrupt of the graph nor a call without a verdict is a failure of the tool.
const passOn = (error) => isGraphBubbleUp(error) || error instanceof HookrunError;

// The same id has the graph replace the old message.
function withText(asked, prompt, text) {
  const { id, name, content } = asked ?? {};
  if (typeof content !== "object" || prompt !== asked.text) return new HumanMessage({ id, name, content: text });
  const more = { type: "text", text: text.slice(prompt.length).trimStart() };
  return new HumanMessage({ id, name, content: [...content, more] });
}
