// A server of the MCP SDK, with a client of the SDK on pipes.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Gate } from "../../lib/index.js";
import { greets, hook, processesWith, script, testBinary, until, workspace } from "../kit.js";
import { GUARDS, install, typesTest } from "./kit.js";

const { dir: installed, node } = install("mcp");
typesTest("mcp", { dir: installed });
const sdk = (path) => import(pathToFileURL(join(installed, "node_modules/@modelcontextprotocol/sdk/dist/esm", path)));
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const adapter = await import(pathToFileURL(join(installed, "node_modules/hookrun/adapters/mcp.js")));

let dir, client;
async function connect(binary) {
  dir = workspace(...GUARDS);
  writeFileSync(join(dir, "secret"), "the password is 1234\n");
  const connected = new Client({ name: "test", version: "1" });
  await connected.connect(new StdioClientTransport({
    command: node, args: [join(installed, "mcp.mjs")], env: { ...process.env, WORKSPACE: dir, HOOKRUN: binary },
  }));
  return connected;
}
before(async () => (client = await connect(testBinary())));
after(async () => {
  await client.close();
  await until("nothing is left", () => processesWith(dir).length === 0);
});

const texts = ({ content }) => content.map(({ text }) => text);
const shell = (command) => client.callTool({ name: "shell", arguments: { command } });
const did = (name) => existsSync(join(dir, name));

test("mcp: block, with the reason", async () => {
  const result = await shell("touch blocked");
  assert.deepEqual([texts(result), result.isError], [["touch is not for you\n\nremember"], true]);
  assert.ok(!did("blocked"));
});
test("mcp: ask, without anybody to ask, blocks", async () => {
  const result = await shell("touch asked");
  assert.deepEqual([texts(result), result.isError, did("asked")], [["sure?\n\nremember"], true, false]);
});
test("mcp: rewrite and inject", async () => {
  assert.deepEqual(texts(await shell("echo one")), ["two\n", "mind the dots", "remember"]);
});
test("mcp: redact", async () => assert.deepEqual(texts(await shell("cat secret")), ["[redacted]", "remember"]));
test("mcp: a tool that throws", async () => {
  const result = await shell("exit 3");
  assert.equal(result.isError, true);
  assert.match(texts(result)[0], /Command failed: exit 3[^]*\n\nremember$/);
  const last = JSON.parse(readFileSync(join(dir, "after"), "utf8").trim().split("\n").at(-1));
  assert.equal(last.hook_event_name, "PostToolUseFailure");
  assert.deepEqual(texts(await shell("cat secret >&2; exit 3")), ["[redacted]\n\nremember"]);
});
test("mcp: a stop refuses the call, and the client's loop goes on", async () => {
  assert.deepEqual(texts(await shell("touch halted")), ["that is enough"]);
  assert.ok(!did("halted"));
  assert.deepEqual(texts(await shell("echo on")), ["on\n", "remember"]);
});
test("mcp: arguments of a hook are checked by the server", async (t) => {
  const { call } = await inMemory(t, [hook("pre-tool",
    `echo '{"hookSpecificOutput":{"updatedInput":{"command":7}}}'`)]);
  const result = await call();
  assert.equal(result.isError, true);
  assert.match(texts(result)[0], /Input validation error/);
});
test("mcp: the name of the server, structured content", async (t) => {
  const redact = hook("post-tool", `case $("$HOOKRUN" get result) in *42*)
echo '{"hookSpecificOutput":{"updatedToolOutput":"none"}}' ;; esac`, { matcher: "mcp__demo__shell" });
  const { call } = await inMemory(t, [redact], { name: "demo" });
  const changed = await call();
  assert.deepEqual([texts(changed), changed.isError, changed.structuredContent], [["none"], true, undefined]);
});
test("mcp: it must come before the tools", async () => {
  const { McpServer } = await sdk("server/mcp.js");
  const server = new McpServer({ name: "demo", version: "1" });
  server.registerTool("shell", {}, () => ({ content: [] }));
  assert.throws(() => adapter.withHooks(server, new Gate()), /already exists/);
});
const line = (text) => greets(`read -r l; echo '${text}'; exec cat >/dev/null`);
for (const [what, binary] of [
  ["is missing", "/nowhere/hookrun"], ["is another program", script("exec cat")],
  ["ends at a call", greets("read -r l; exit 3")], ["writes no JSON", line("continue")],
  ["gives no verdict", line('{"jsonrpc":"2.0","id":2,"result":{}}')],
  ["answers with an error", line('{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"interrupted"}}')],
]) {
  test(`mcp: a server of hooks that ${what}`, async () => {
    const before = dir;
    const other = await connect(binary);
    await assert.rejects(other.callTool({ name: "shell", arguments: { command: "touch ran" } }),
      /MCP error .*(hookrun|hooks|answer)/);
    assert.ok(!did("ran"));
    await other.close();
    dir = before;
  });
}

// A server with a tool that has structured content, in this process.
async function inMemory(t, hooks, options) {
  const [{ McpServer }, { InMemoryTransport }] = [await sdk("server/mcp.js"), await sdk("inMemory.js")];
  const { z } = await import(pathToFileURL(join(installed, "node_modules/zod/index.js")));
  const gate = new Gate({ workspace: workspace(...hooks), binary: testBinary() });
  const server = adapter.withHooks(new McpServer({ name: "demo", version: "1" }), gate, options);
  server.registerTool("shell", { inputSchema: { command: z.string() }, outputSchema: { n: z.number() } }, () =>
    ({ content: [{ type: "text", text: "42" }], structuredContent: { n: 42 } }));
  const here = new Client({ name: "test", version: "1" });
  const [one, two] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), here.connect(two)]);
  await here.listTools();
  t.after(async () => (await here.close(), await gate.close()));
  return { call: () => here.callTool({ name: "shell", arguments: { command: "x" } }) };
}

test("mcp: a handler that might be the tools' is not let through", async () => {
  const { Server } = await sdk("server/index.js");
  const server = new Server({ name: "demo", version: "1" }, { capabilities: { tools: {} } });
  adapter.withHooks(server, new Gate());
  assert.throws(() => server.setRequestHandler({ shape: {} }, () => ({})), { message: /the method of a handler/ });
});
