// What goes wrong with a server. In each case the tool must not run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { Blocked, Gate, HookrunError, findBinary } from "../lib/index.js";
import {
  PATIENCE, answers, contentOf, folder, gateOf, greets, hook, processesWith, script, stuck, testBinary, until,
  whenReady, workspace,
} from "./kit.js";

const linux = { skip: process.platform !== "linux" && "it reads /proc" };
const never = () => assert.fail("the tool ran");

/** The call is an error and no verdict, and the message says this. */
const noVerdict = (promise, words) => assert.rejects(promise, (error) => {
  assert.ok(error instanceof HookrunError && !(error instanceof Blocked), String(error));
  assert.match(error.message, words);
  return true;
});

test("a server that is killed in the middle", linux, async (t) => {
  const dir = workspace(stuck("pre-tool", { matcher: "stuck" }));
  const gate = gateOf(t, dir);
  const calls = [1, 2, 3].map(() => gate.wrap("stuck", {}, never));
  const allFail = Promise.all(calls.map((call) => noVerdict(call, /hookrun serve was ended by SIGKILL/)));
  await whenReady(dir, 3);
  const [server, ...others] = processesWith(dir);
  assert.deepEqual(others, []);
  process.kill(server, "SIGKILL");
  await allFail;
  assert.equal((await gate.before("free", {})).decision, "continue");
  const [next] = processesWith(dir);
  assert.notEqual(next, server);
});

test("1,000 calls in flight", async (t) => {
  const dir = workspace(
    hook("pre-tool", `"$HOOKRUN" get args.n`, { matcher: "some" }),
    answers("pre-tool", { decision: "block", reason: "odd" }, { matcher: "odd" }),
  );
  const gate = gateOf(t, dir);
  const calls = Array.from({ length: 1000 }, (_, n) => gate.before(n % 20 ? "none" : n % 40 ? "some" : "odd", { n }));
  for (const [n, verdict] of (await Promise.all(calls)).entries()) {
    const expected = n % 20 ? ["continue", []] : n % 40 ? ["continue", [String(n)]] : ["block", []];
    assert.deepEqual([verdict.decision, verdict.inject, verdict.args], [...expected, { n }]);
  }
});

test("large values", async (t) => {
  const gate = gateOf(t, [hook("post-tool", `"$HOOKRUN" get result | wc -c`)]);
  const { inject } = await gate.after("shell", {}, "é".repeat(1 << 20));
  assert.equal(Number(inject[0]), 2 * (1 << 20) + 1);
  await noVerdict(gate.before("shell", { text: "x".repeat(64 << 20) }), /reads at most 67108864/);
});

test("an AbortSignal cancels one call", linux, async (t) => {
  const dir = workspace(stuck("pre-tool", { matcher: "stuck" }), hook("pre-tool", "cat fifo", { matcher: "slow" }));
  execFileSync("mkfifo", [join(dir, "fifo")]);
  const gate = gateOf(t, dir);
  const slow = gate.before("slow", {});
  const control = new AbortController();
  const cancelled = gate.wrap("stuck", {}, never, { signal: control.signal });
  const fails = assert.rejects(cancelled, (e) => e instanceof HookrunError && e.cause === control.signal.reason);
  await whenReady(dir);
  const [server] = processesWith(dir);
  const [killed] = contentOf(join(dir, "ready")).trim().split("\n").map(Number);
  control.abort(new Error("enough"));
  await fails;
  await until("the hook is killed", () => !processesWith("tail").includes(killed));
  writeFileSync(join(dir, "fifo"), "other calls go on");
  assert.deepEqual((await slow).inject, ["other calls go on"]);
  assert.deepEqual(processesWith(dir), [server], "the server is the same");
  await assert.rejects(gate.before("slow", {}, { signal: control.signal }), { cause: control.signal.reason });
});

test("a call that is cancelled while the server starts", async (t) => {
  const gate = gateOf(t, folder(), { binary: script("exec cat >/dev/null") });
  const control = new AbortController();
  const call = noVerdict(gate.before("shell", {}, { signal: control.signal }), /cancelled/);
  control.abort();
  await call;
});

test("a hook over the timeout of the gate", linux, async (t) => {
  const dir = workspace(stuck("pre-tool", { matcher: "stuck" }));
  const gate = gateOf(t, dir, { timeout: 2_000 });
  await gate.before("free", {});
  const servers = processesWith(dir);
  await noVerdict(gate.wrap("stuck", {}, never), /no answer to a pre-tool call within 2000 ms/);
  await gate.before("free", {});
  assert.deepEqual(processesWith(dir), servers, "the server lives");
});

test("a server that hangs", linux, async (t) => {
  const dir = workspace(hook("pre-tool", "true"));
  const gate = gateOf(t, dir, { timeout: 2_000 });
  await gate.before("shell", {});
  const [server] = processesWith(dir);
  process.kill(server, "SIGSTOP");
  await noVerdict(gate.wrap("shell", {}, never), /no answer to a pre-tool call within 2000 ms/);
  await until("it is killed", () => processesWith(dir).length === 0);
  assert.equal((await gate.before("shell", {})).decision, "continue");
});

const OUTCOME = `"version":1,"event":"pre-tool","hooks":[],"duration_ms":1`;
const result = (outcome, id = 2) => greets(
  `read -r line; echo '{"jsonrpc":"2.0","id":${id},"result":${outcome}}'; cat >/dev/null`);
const line = (text) => greets(`read -r line; echo '${text}'; cat >/dev/null`);

for (const [what, [binary, words]] of Object.entries({
  "no hookrun: it echoes": [() => script("exec cat"), /no answer to a call/],
  "no hookrun: it talks": [() => script("echo hello; exec cat >/dev/null"), /no JSON/],
  "no hookrun: it ends": [() => script("exit 0"), /gave no verdict/],
  "no hookrun: it says nothing": [() => script("exec cat >/dev/null"), /no sign of life/],
  "without a version": [() => greets("cat", ""), /gave no version/],
  "older": [() => greets("cat", "v0.9.3"), /v0\.9\.3 is older than 1\.0\.0/],
  "that ends at a call": [() => greets("read -r line; exit 3"), /ended with exit code 3/],
  "that does not know a param": [
    () => line('{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"unknown param"}}'), /older than the pack/],
  "with an error": [
    () => line('{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"interrupted"}}'), /could not run: inter/],
  "with an error to no call": [
    () => line('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}'), /error "parse" to no call/],
  "that answers another call": [() => result(`{${OUTCOME},"decision":"continue"}`, 7), /no answer to a call/],
  "that answers a call twice": [() => result(`{${OUTCOME},"decision":"continue"}`, 1), /no answer to a call/],
  "with an answer that is no JSON": [() => line("continue"), /no JSON/],
  "with a result and an error": [
    () => line('{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"m"}}'), /no answer|to no call/],
  "with null": [() => result("null"), /no object/],
  "with no verdict": [() => result("{}"), /version/],
  "with a newer outcome": [() => result(`{${OUTCOME.replace("1", "2")},"decision":"continue"}`), /version is 2/],
  "with another event": [() => result(`{${OUTCOME.replace("pre", "post")},"decision":"continue"}`), /event/],
  "with another decision": [() => result(`{${OUTCOME},"decision":"allow"}`), /decision is "allow"/],
  "without a decision": [() => result(`{${OUTCOME}}`), /decision is undefined/],
  "with a stop that is a text": [() => result(`{${OUTCOME},"decision":"continue","stop":"true"}`), /stop is neither/],
  "with texts of another form": [() => result(`{${OUTCOME},"decision":"continue","inject":["x"]}`), /inject/],
})) {
  test(`a server ${what}`, async (t) => {
    const gate = gateOf(t, folder(), { binary: binary(), timeout: /sign of life/.test(words) ? 1_000 : PATIENCE });
    await noVerdict(gate.wrap("shell", {}, never), words);
  });
}

test("a block without a reason has one", async (t) => {
  const gate = gateOf(t, folder(), { binary: result(`{${OUTCOME},"decision":"block"}`) });
  assert.equal((await gate.before("shell", {})).reason, "a hook said block and gave no reason");
});

test("where no server starts, each call is a command", async (t) => {
  const dir = workspace(
    hook("pre-execute", `"$HOOKRUN" get prompt`),
    hook("pre-tool", `in=$(cat); case $(printf %s "$in" | "$HOOKRUN" get command) in
rm*) echo "no rm" >&2; exit 2 ;;
halt) echo '{"continue":false,"stopReason":"enough"}' ;;
*) printf %s "$in" ;;
esac`),
    hook("post-tool", `"$HOOKRUN" get result`),
  );
  const noServer = script(`[ "$1" = serve ] && { echo "no server here" >&2; exit 1; }\nexec '${testBinary()}' "$@"`);
  const gate = gateOf(t, dir, { binary: noServer, sessionId: "@s" });
  assert.equal((await gate.prompt("@hello")).text, "@hello\n\n@hello");
  const { inject } = await gate.before("-x", { command: "é".repeat(200_000) }, { id: "c1" });
  const { tool, args, session_id, tool_use_id, prompt } = JSON.parse(inject[0]);
  assert.deepEqual([tool, args.command.length, session_id, tool_use_id, prompt], ["-x", 200_000, "@s", "c1", "@hello"]);
  assert.equal(await gate.wrap("shell", { command: "x" }, () => ({ rows: 1 }), { onBlock: "return" }).then((text) =>
    text.endsWith('{"rows":1}')), true);
  await assert.rejects(gate.wrap("shell", { command: "rm" }, never), { reason: "no rm" });
  await assert.rejects(gate.wrap("shell", { command: "halt" }, never), { reason: "enough", stop: true });
  const many = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => gate.before("shell", { command: "rm" })));
  assert.ok(many.every(({ decision }) => decision === "block"));
});

test("a command whose exit code and outcome differ gives no verdict", async (t) => {
  const outcome = `{${OUTCOME},"decision":"continue"}`;
  for (const [code, text] of [[1, outcome], [2, outcome], [0, ""], [0, outcome.replace("continue", "block")]]) {
    const binary = script(`[ "$1" = serve ] && exit 1\ncat >/dev/null\necho '${text}'\nexit ${code}`);
    await noVerdict(gateOf(t, folder(), { binary }).wrap("shell", {}, never), /gave no verdict/);
  }
});

test("commands are cancelled and have a timeout", linux, async (t) => {
  const dir = workspace(stuck());
  const noServer = script(`[ "$1" = serve ] && exit 1\nexec '${testBinary()}' "$@"`);
  const control = new AbortController();
  const cancelled = noVerdict(
    gateOf(t, dir, { binary: noServer }).before("shell", {}, { signal: control.signal }), /cancelled/);
  await whenReady(dir);
  control.abort();
  await cancelled;
  await noVerdict(gateOf(t, dir, { binary: noServer, timeout: 1_000 }).before("shell", {}), /within 1000 ms/);
  assert.deepEqual(processesWith(dir), []);
});

test("a hookrun that is missing", async (t) => {
  const missing = /npm install hookrun/;
  const saved = { HOOKRUN: process.env.HOOKRUN, PATH: process.env.PATH };
  t.after(() => Object.assign(process.env, saved));
  process.env.HOOKRUN = "";
  process.env.PATH = folder();
  await noVerdict(gateOf(t, folder(), { binary: undefined }).wrap("shell", {}, never), missing);
  await noVerdict(gateOf(t, folder(), { binary: "/nowhere/hookrun" }).wrap("shell", {}, never), missing);
  process.env.HOOKRUN = "/nowhere/hookrun";
  await noVerdict(gateOf(t, folder(), { binary: undefined }).wrap("shell", {}, never), /\$HOOKRUN/);
});

test("where the binary is found", () => {
  const dir = folder();
  const path = join(dir, "hookrun");
  writeFileSync(path, "", { mode: 0o755 });
  assert.equal(findBinary(undefined, { PATH: `.:${folder()}:${dir}` }), path);
  assert.equal(findBinary("hookrun", { PATH: dir }), path);
  assert.equal(findBinary(undefined, { HOOKRUN: path, PATH: "" }), path);
  const before = process.cwd();
  try {
    process.chdir(dir); // a project's own file of this name is no hookrun
    assert.throws(() => findBinary(undefined, { PATH: ".:" }), HookrunError);
    assert.throws(() => findBinary("hookrun", { PATH: ":." }), HookrunError);
  } finally {
    process.chdir(before);
  }
});

test("a program that cannot be started", async (t) => {
  const path = join(folder(), "hookrun");
  writeFileSync(path, "\x7fELF no program", { mode: 0o755 });
  await noVerdict(gateOf(t, folder(), { binary: path }).wrap("shell", {}, never), /did not start|gave no verdict/);
  await noVerdict(gateOf(t, "a\0b").wrap("shell", {}, never), /did not start/);
});

test("a closed gate gives no verdict", async () => {
  const gate = new Gate({ workspace: folder(), binary: testBinary() });
  await gate.close();
  await noVerdict(gate.wrap("shell", {}, never), /closed/);
});
