// An MCP server on stdio. Its tools return a text with the secret of $SECRET in it, in the forms that a result can have.
import { createInterface } from "node:readline";

const secret = process.env.SECRET ?? "nothing";
const text = (said) => ({ content: [{ type: "text", text: said }] });
const tools = {
  open: () => ({ content: [text(`first ${secret}`).content[0], text(`second ${secret}`).content[0]] }),
  open_record: () => ({ ...text(JSON.stringify({ found: secret })), structuredContent: { found: secret } }),
  read_local_file: () => ({ ...text("Input validation error: missing required parameter `path`"), isError: true }),
  send_mail: () => text("sent"),
};
const schema = { type: "object", properties: {} };
const outputSchema = { type: "object", properties: { found: { type: "string" } } };
const list = Object.keys(tools).map((name) =>
  ({ name, description: name, inputSchema: schema, ...(name === "open_record" ? { outputSchema } : {}) }));

const answers = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "vault", version: "1" } }),
  "tools/list": () => ({ tools: list }),
  "tools/call": ({ name }) => tools[name](),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
});
