// A client of the MCP SDK that does what a test says and prints what it hears: node client.mjs SCRIPT.json SERVER ARGS…
//
// SCRIPT is a list of [method, params] with the names of the SDK's Client, as ["callTool", {"name": …}]; "progress" as a third
// element prints notifications of progress, {"timeout": ms} gives the call up after that time.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CreateMessageRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [script, command, ...args] = process.argv.slice(2);
const print = (what, value) => console.log(JSON.stringify([what, value]));

const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: {}, sampling: {} } });
client.setRequestHandler(ListRootsRequestSchema, () => {
  print("roots asked");
  return { roots: [{ uri: "file:///tmp", name: "tmp" }] };
});
client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  print("sampling asked", params.messages);
  return { model: "none", role: "assistant", content: { type: "text", text: "sampled" } };
});
client.onerror = (e) => print("error", String(e));

await client.connect(transport);
print("server", [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()]);
for (const [method, params, how] of JSON.parse(readFileSync(script, "utf8"))) {
  const options = how === "progress" ? { onprogress: (p) => print("progress", p) } : how ?? {};
  try {
    const result = method === "callTool" ? await client.callTool(params, undefined, options) : await client[method](params, options);
    print(method, result);
  } catch (e) {
    print(method + " failed", String(e));
  }
}
const began = Date.now();
await client.close();
print("closed", Date.now() - began < 1900); // else it had to kill the server
