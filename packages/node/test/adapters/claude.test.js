// The Claude Agent SDK, with the Claude Code that it brings, and a scripted model on loopback.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { folder, greets, hook, script, testBinary, workspace } from "../kit.js";
import { GUARDS, install, typesTest } from "./kit.js";

const installed = install("claude");
typesTest("claude", installed);

const LAST = hook("post-tool", `case $("$HOOKRUN" get command) in
"touch last") echo '{"continue":false,"stopReason":"that was the last"}' ;; esac`);

const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function answer(reason, block, delta) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg", type: "message", role: "assistant", model: "scripted", content: [], usage };
  return [
    { type: "message_start", message }, { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta }, { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: reason }, usage }, { type: "message_stop" },
  ].map(event).join("");
}

/** A model that wants these commands in Bash, one by one, and is then done. */
async function claudeModel(t, commands) {
  const model = { shown: [], requests: 0, asked: "" };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (!/\/messages(?!\/count)/.test(request.url)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = (words) => answer("end_turn", { type: "text", text: "" }, { type: "text_delta", text: words });
    const { tools = [], messages } = JSON.parse(body);
    if (!tools.some(({ name }) => name === "Bash")) return response.end(text("a title"));
    const blocksOf = ({ content }) => (Array.isArray(content) ? content : [{ type: "text", text: content }]);
    const blocks = messages.flatMap(blocksOf);
    model.requests++;
    model.asked = blocks.filter(({ type }) => type === "text").map((b) => b.text).join("\n");
    model.shown = blocks.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content));
    const command = commands[model.shown.length];
    if (command === undefined) return response.end(text("all done"));
    const id = `toolu_${model.shown.length}`;
    response.end(answer("tool_use", { type: "tool_use", id, name: "Bash", input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify({ command, description: "does it" }) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  model.url = `http://127.0.0.1:${server.address().port}`;
  return model;
}

async function run(t, commands, { prompt = "Tidy up.", binary = testBinary(), more } = {}) {
  const dir = workspace(...GUARDS, LAST);
  writeFileSync(join(dir, "secret"), "the password is 1234\n");
  const model = await claudeModel(t, commands);
  const env = { ...process.env, WORKSPACE: dir, HOOKRUN: binary, HOME: folder(), NO_PROXY: "127.0.0.1", MORE: more,
    ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1" };
  const done = await new Promise((resolve) => {
    execFile(installed.node, ["claude.mjs", prompt], { cwd: installed.dir, env, timeout: 120_000 },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }));
  });
  const after = existsSync(join(dir, "after")) ? readFileSync(join(dir, "after"), "utf8").trim().split("\n") : [];
  const did = (name) => existsSync(join(dir, name));
  return { ...done, ...model, did, after: after.map((line) => JSON.parse(line)) };
}

test("claude: block, with the reason", async (t) => {
  const { did, shown, stdout, stderr } = await run(t, ["touch blocked"]);
  assert.ok(!did("blocked"));
  assert.match(shown[0] ?? stderr, /touch is not for you/);
  assert.equal(stdout, "all done\n");
});
test("claude: ask, where the SDK has nobody to ask, does not run", async (t) => {
  const { did, shown } = await run(t, ["touch asked"]);
  assert.ok(!did("asked"));
  assert.equal(shown.length, 1);
});
test("claude: rewrite and inject", async (t) => {
  const { shown, asked, after } = await run(t, ["echo one"]);
  assert.match(shown[0], /two/);
  assert.match(asked + shown[0], /mind the dots[^]*remember/);
  assert.equal(after[0].args.command, "echo two");
});
test("claude: redact", async (t) => {
  const { shown } = await run(t, ["cat secret"]);
  assert.match(shown[0], /\[redacted\]/);
  assert.doesNotMatch(shown[0], /1234/);
});
test("claude: a tool that fails", async (t) => {
  const { shown, after } = await run(t, ["exit 3"]);
  assert.match(shown[0], /[Ee]xit code 3/);
  assert.equal(after[0].hook_event_name, "PostToolUseFailure");
});
test("claude: a stop before the tool", async (t) => {
  const { did, requests } = await run(t, ["touch halted", "touch later"]);
  assert.deepEqual([did("halted"), did("later"), requests], [false, false, 1]);
});
test("claude: a stop after the tool", async (t) => {
  const { did, requests } = await run(t, ["touch last", "touch later"]);
  assert.deepEqual([did("last"), did("later"), requests], [true, false, 1]);
});
test("claude: the prompt", async (t) => {
  assert.match((await run(t, [])).asked, /The branch is main\./);
  for (const prompt of ["hold", "stop"]) {
    assert.equal((await run(t, ["touch later"], { prompt })).requests, 0, prompt);
  }
});

// The first answer is to the prompt: the tool's hooks have none.
const prompted = greets(`read -r l; echo '{"jsonrpc":"2.0","id":2,"result":{}}'
read -r l; echo "$MORE"; [ -z "$MORE" ] || exec cat >/dev/null`);
for (const [what, binary, more] of [
  ["is missing", "/nowhere/hookrun"], ["is another program", script("exec cat")], ["ends at a call", prompted, ""],
  ["writes no JSON", prompted, "continue"],
  ["answers with an error", prompted, '{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"interrupted"}}'],
]) {
  test(`claude: a server that ${what}`, async (t) => {
    const { did, shown, requests } = await run(t, ["touch ran"], { binary, more });
    assert.ok(!did("ran"));
    if (binary === prompted) assert.match(shown[0], /hookrun gave no verdict: (hookrun serve|the hooks could not run)/);
    else assert.equal(requests, 0);
  });
}
