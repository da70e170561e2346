// Hooks around the tools of an MCP server (npm @modelcontextprotocol/sdk).
import { Blocked, HookrunError } from "../lib/index.js";

/**
 * Runs the hooks of the gate around each tool of the server, an McpServer or a Server. Call withHooks before the first
 * tool is registered. With a name, hooks see the tools as mcp__NAME__TOOL, as in a client.
 */
export function withHooks(server, gate, { name } = {}) {
  const low = server.server ?? server;
  const { setRequestHandler } = low;
  low.assertCanSetRequestHandler("tools/call"); // throws if the server has tools already
  low.setRequestHandler = (schema, handler) =>
    setRequestHandler.call(low, schema, methodOf(schema) === "tools/call" ? guarded(handler, gate, name) : handler);
  return server;
}

function guarded(handler, gate, server) {
  return async (request, extra) => {
    const tool = server ? `mcp__${server}__${request.params.name}` : request.params.name;
    if (request.params.task) throw new HookrunError(`${tool} was called as a task, whose result no hook would see`);
    let own, seen; // the tool's result, and the part for the hooks
    const run = async (args) => {
      own = await handler({ ...request, params: { ...request.params, arguments: args } }, extra);
      seen = textOf(own);
      if (own.isError) throw new Error(text(seen).text);
      return seen;
    };
    gate.stopped = undefined; // the client's loop cannot be ended from here: each call asks the hooks again
    try {
      const passOn = (error) => error instanceof HookrunError;
      const how = { id: String(extra.requestId), signal: extra.signal, onBlock: "throw", form, passOn };
      return await gate.wrap(tool, request.params.arguments ?? {}, run, how);
    } catch (error) {
      if (error instanceof HookrunError && !(error instanceof Blocked)) throw error; // an error of the protocol
      return { content: [text(error.message)], isError: true };
    }
    // The unchanged result, or the text that the hooks made of the result, and then the texts of the hooks.
    function form(result, texts) {
      const same = result === seen;
      const content = [...(same ? own.content : result === "" ? [] : [text(result)]), ...texts.map(text)];
      // A text does not fit the schema of structured content.
      return same ? { ...own, content } : { content, isError: own.structuredContent !== undefined };
    }
  };
}

// The part for the hooks: the text, or all content if there is more than text.
function textOf({ content, structuredContent }) {
  if (structuredContent !== undefined) return { content, structuredContent };
  return content.every(({ type }) => type === "text") ? content.map((block) => block.text).join("\n") : content;
}

const text = (value) => ({ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) });

function methodOf(schema) {
  const { method } = schema.shape ?? {};
  const name = typeof schema === "string" ? schema : method?.value ?? method?._def?.value;
  if (typeof name === "string") return name;
  throw new HookrunError("the method of a handler is unknown: hooks might not run with this version of the SDK");
}
