// What the tests of adapters share: a framework from npm, a scripted model on loopback, and what each must do.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder, greets, hook, processesWith, repository, script, testBinary, workspace } from "../kit.js";

const source = join(repository, "packages", "node");
const NODE = 22; // the frameworks need this one

function npm(dir, ...args) {
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: dir, stdio: "pipe" });
}

/** Node 22 or later, from npm where this one is older. */
function node() {
  if (Number(process.versions.node.split(".")[0]) >= NODE) return process.execPath;
  const dir = folder();
  const name = `node-${process.platform}-${process.arch}`;
  npm(dir, "install", "--prefix", dir, "--no-save", `${name}@${NODE}`);
  return join(dir, "node_modules", name, "bin", "node");
}

/** A folder with a framework in the versions of its lock file, this package as npm installs it, and the examples. */
export function install(name) {
  const dir = folder();
  for (const file of ["package.json", "package-lock.json"]) {
    cpSync(fileURLToPath(new URL(`${name}/${file}`, import.meta.url)), join(dir, file));
  }
  npm(dir, "ci");
  const own = join(dir, "node_modules", "hookrun");
  mkdirSync(own);
  for (const part of ["lib", "adapters", "package.json"]) {
    cpSync(join(source, part), join(own, part), { recursive: true });
  }
  cpSync(join(source, "examples"), dir, { recursive: true });
  return { dir, node: node() };
}

/** The types of an adapter fit those of the framework. */
export function typesTest(name, { dir }) {
  test(`${name}: types`, () => {
    cpSync(fileURLToPath(new URL(`${name}/use.ts`, import.meta.url)), join(dir, "use.ts"));
    const compilerOptions = {
      strict: true, noEmit: true, module: "nodenext", target: "esnext", lib: ["esnext", "dom"], types: ["node"],
      typeRoots: [join(source, "node_modules", "@types")], skipLibCheck: true,
    };
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    const tsc = spawnSync(join(source, "node_modules", ".bin", "tsc"), ["-p", dir], { encoding: "utf8" });
    assert.equal(tsc.status, 0, tsc.stdout + tsc.stderr);
  });
}

export const GUARDS = [
  hook("pre-execute", `case $("$HOOKRUN" get prompt) in
hold) echo '{"decision":"block","reason":"not today"}' ;;
stop) echo '{"continue":false,"stopReason":"never again"}' ;;
*) echo "The branch is main." ;;
esac`),
  hook("pre-tool", `case $("$HOOKRUN" get command) in
"touch blocked") echo "touch is not for you" >&2; exit 2 ;;
"touch asked") echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}' ;;
"touch halted") echo '{"continue":false,"stopReason":"that is enough"}' ;;
"echo one") echo '{"hookSpecificOutput":{"updatedInput":{"command":"echo two"},"additionalContext":"mind the dots"}}' ;;
"touch speak") echo '{"systemMessage":"mind the gap"}' ;;
esac`),
  hook("pre-tool", `[ "$("$HOOKRUN" get command)" != "touch limp" ] || kill -9 $$`,
    { name: "limp", on_failure: "continue" }),
  hook("post-tool", `case $("$HOOKRUN" get result) in
*password*) echo '{"hookSpecificOutput":{"updatedToolOutput":"[redacted]"}}' ;;
last*) echo '{"continue":false,"stopReason":"that was the last"}' ;;
esac`),
  hook("post-tool", `cat >>after; echo remember`),
];

/** A model that speaks OpenAI's chat completions: it wants these commands one by one, and is then done. */
export async function chatModel(t, commands) {
  const model = { shown: [], asked: "", wrong: [], requests: 0 };
  const textOf = (content) => (typeof content === "string" ? content : content?.map((p) => p.text).join("") ?? "");
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages = [], stream } = JSON.parse(body || "{}");
    if (!request.url.endsWith("/chat/completions")) model.wrong.push(request.url);
    model.requests++;
    model.shown = messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
    model.asked = textOf(messages.findLast(({ role }) => role === "user")?.content);
    const n = model.shown.length;
    const command = commands[n];
    const message = command === undefined ? { role: "assistant", content: "all done" } : {
      role: "assistant", content: null, tool_calls: [{
        index: 0, id: `call_${n}`, type: "function",
        function: { name: "shell", arguments: JSON.stringify({ command }) },
      }],
    };
    const choice = { index: 0, finish_reason: command === undefined ? "stop" : "tool_calls" };
    const answer = { id: `answer_${n}`, created: 1, model: "demo",
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
    if (!stream) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({
        ...answer, object: "chat.completion", choices: [{ ...choice, message }],
      }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = { ...answer, object: "chat.completion.chunk", choices: [{ ...choice, delta: message }] };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  model.url = `http://127.0.0.1:${server.address().port}/v1`;
  return model;
}

/** Runs an example in a new workspace. The model wants these commands. */
export async function demo(t, installed, example, commands, { prompt, binary = testBinary(), env = {} } = {}) {
  const dir = workspace(...GUARDS);
  writeFileSync(join(dir, "secret"), "the password is 1234\n");
  const model = await chatModel(t, commands);
  const done = await new Promise((resolve) => {
    const options = {
      cwd: installed.dir, timeout: 120_000,
      env: { ...process.env, NO_PROXY: "127.0.0.1", AI_SDK_LOG_WARNINGS: "false", MODEL_URL: model.url, WORKSPACE: dir,
        HOOKRUN: binary, MASTRA_TELEMETRY_DISABLED: "1", ...env },
    };
    execFile(installed.node, [example, ...(prompt ? [prompt] : [])], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }));
  });
  assert.deepEqual(model.wrong, []);
  if (process.platform === "linux") assert.deepEqual(processesWith(`serve\0-C\0${dir}`), [], "hookrun serve is left");
  const after = existsSync(join(dir, "after")) ? readFileSync(join(dir, "after"), "utf8").trim().split("\n") : [];
  return { ...done, ...model, did: (name) => existsSync(join(dir, name)), after: after.map((l) => JSON.parse(l)) };
}

/**
 * What each adapter must do, by its example. `goesOn`: the framework shows the model an error of the hooks, in place of
 * ending the run. `failed`: the hooks hear that a tool failed. `hidden`: the framework hides an error's text.
 */
export function adapterTests(name, {
  goesOn = false, failed = true, asked = true, hidden = false, installed = install(name),
} = {}) {
  const thrown = hidden ? /An error occurred/ : /Command failed: exit 3/;
  typesTest(name, installed);
  const file = `${name}.mjs`;
  const run = async (t, ...commands) => {
    const done = await demo(t, installed, file, commands);
    assert.equal(done.code, 0, done.stderr);
    return done;
  };
  test(`${name}: block, with the reason`, async (t) => {
    const { did, shown, stdout, after } = await run(t, "touch blocked");
    assert.ok(!did("blocked"));
    assert.deepEqual([shown, stdout], [["touch is not for you\n\nremember"], "all done\n"]);
    assert.equal(after[0].tool_use_id, "call_0");
  });
  test(`${name}: ask, without anybody to ask, blocks`, async (t) => {
    const { did, shown } = await run(t, "touch asked");
    assert.ok(!did("asked"));
    assert.deepEqual(shown, ["sure?\n\nremember"]);
  });
  test(`${name}: rewrite and inject`, async (t) => {
    const { shown, after } = await run(t, "echo one");
    assert.deepEqual(shown, ["two\n\n\nmind the dots\n\nremember"]);
    assert.deepEqual(after[0].args, { command: "echo two" });
  });
  test(`${name}: redact`, async (t) => {
    const { shown } = await run(t, "cat secret");
    assert.deepEqual(shown, ["[redacted]\n\nremember"]);
  });
  test(`${name}: a tool that throws`, async (t) => {
    const { shown, after, stdout } = await run(t, "exit 3");
    assert.match(shown[0], thrown);
    assert.ok(shown[0].endsWith("\n\nremember"));
    assert.equal(after[0].hook_event_name, failed ? "PostToolUseFailure" : "PostToolUse");
    assert.equal(stdout, "all done\n");
  });
  test(`${name}: a tool that throws a secret`, async (t) => {
    const { shown } = await run(t, "cat secret >&2; exit 3");
    if (!hidden) assert.match(shown[0], /^(\w+: )?\[redacted\]\n\nremember$/);
    assert.doesNotMatch(shown[0], /1234/);
  });
  test(`${name}: a stop before the tool`, async (t) => {
    const { did, stdout, requests } = await run(t, "touch halted", "touch later");
    assert.ok(!did("halted") && !did("later"));
    assert.deepEqual([stdout, requests], ["that is enough\n", 1]);
  });
  test(`${name}: a stop after the tool`, async (t) => {
    const { did, stdout, requests } = await run(t, "touch last; echo last", "touch later");
    assert.ok(did("last") && !did("later"));
    assert.deepEqual([stdout, requests], ["that was the last\n", 1]);
  });
  test(`${name}: what hooks say to the user`, async (t) => {
    const { did, stderr } = await run(t, "touch limp", "touch speak");
    assert.ok(did("limp") && did("speak"));
    assert.match(stderr, /hookrun: warning: pre-tool hook 'limp' was killed by SIGKILL; continuing\n/);
    assert.match(stderr, /hookrun: message: mind the gap\n/);
  });
  if (asked) {
    test(`${name}: the prompt`, async (t) => {
      const { asked } = await run(t);
      assert.equal(asked, "Tidy up.\n\nThe branch is main.");
      for (const [prompt, reason] of [["hold", "not today"], ["stop", "never again"]]) {
        const held = await demo(t, installed, file, ["touch later"], { prompt });
        assert.deepEqual([held.code, held.stdout, held.requests], [0, `${reason}\n`, 0]);
      }
    });
  }

  // Without a verdict no tool runs.
  const prompted = greets(`read -r l; echo '{"jsonrpc":"2.0","id":2,"result":{"version":1,"event":"pre-execute",` +
    `"decision":"continue","hooks":[]}}'\nread -r l; echo "$MORE"; [ -z "$MORE" ] || exec cat >/dev/null`);
  for (const [what, binary, more] of [
    ["is missing", "/nowhere/hookrun"],
    ["is another program", script("exec cat")],
    ["ends at a call", prompted, ""],
    ["writes no JSON", prompted, "continue"],
    ["gives no verdict", prompted, '{"jsonrpc":"2.0","id":3,"result":{}}'],
    ["answers with an error", prompted, '{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"interrupted"}}'],
  ]) {
    test(`${name}: a server that ${what}`, async (t) => {
      const done = await demo(t, installed, file, ["touch ran"], { binary, env: { MORE: more } });
      assert.ok(!done.did("ran"));
      if (goesOn && binary === prompted) {
        assert.equal(done.code, 0, done.stderr);
        assert.match(done.shown[0], /hookrun|hooks could not run|answer/);
      } else {
        assert.notEqual(done.code, 0);
        assert.match(done.stderr, /hookrun|hooks/);
        assert.deepEqual(done.shown, []);
      }
    });
  }
}
