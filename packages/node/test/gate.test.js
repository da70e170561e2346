// Verdicts of real hooks, by a real server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Blocked, Gate, HookrunError, ToolError } from "../lib/index.js";
import { answers, contentOf, folder, gateOf, hook, workspace } from "./kit.js";

const GUARD = `case $("$HOOKRUN" get command) in
rm*) echo "no rm" >&2; exit 2 ;;
ls) echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"},"additionalContext":"mind the dots"}}' ;;
ask) echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}' ;;
allow) echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}' ;;
halt) echo '{"continue":false,"stopReason":"enough"}' ;;
esac`;
const REMIND = hook("post-tool", "echo remember");
const guard = (more) => hook("pre-tool", GUARD, more);
const never = () => assert.fail("the tool ran");

test("before", async (t) => {
  const gate = gateOf(t, [guard()]);
  const shell = (command) => gate.before("shell", { command });

  await t.test("continue", async () => {
    const args = { command: "true" };
    const verdict = await gate.before("shell", args, { id: "call_1" });
    assert.equal(verdict.decision, "continue");
    assert.equal(verdict.args, args);
    assert.deepEqual([verdict.reason, verdict.inject, verdict.messages, verdict.stop], ["", [], [], false]);
    assert.equal(verdict.outcome.event, "pre-tool");
  });
  await t.test("block", async () => {
    const verdict = await shell("rm -rf /");
    assert.deepEqual([verdict.decision, verdict.reason, verdict.approved], ["block", "no rm", false]);
  });
  await t.test("rewrite and inject", async () => {
    const verdict = await shell("ls");
    assert.deepEqual([verdict.decision, verdict.args], ["continue", { command: "ls -l" }]);
    assert.deepEqual(verdict.inject, ["mind the dots"]);
  });
  await t.test("ask", async () => {
    const verdict = await shell("ask");
    assert.deepEqual([verdict.decision, verdict.reason], ["ask", "sure?"]);
  });
  await t.test("approved", async () => assert.equal((await shell("allow")).approved, true));
  await t.test("stop", async () => {
    const verdict = await shell("halt");
    assert.deepEqual([verdict.stop, verdict.stopReason, gate.stopped], [true, "enough", "enough"]);
    await gate.prompt("go on");
    assert.equal(gate.stopped, undefined);
  });
});

test("after", async (t) => {
  const redact = hook("post-tool", `case $("$HOOKRUN" get result) in
*password*) echo '{"hookSpecificOutput":{"updatedToolOutput":"[redacted]"}}' ;;
*comment*) echo '{"decision":"block","reason":"read this again"}' ;;
*last*) echo '{"continue":false,"stopReason":"that was the last"}' ;;
*crash*) kill -9 $$ ;;
esac`, { on_failure: { exit: "block", signal: "block" } });
  const gate = gateOf(t, [redact]);
  const after = (result, more) => gate.after("shell", { command: "x" }, result, more);

  await t.test("as given", async () => {
    const result = { rows: [1, 2] };
    assert.equal((await after(result)).result, result);
  });
  await t.test("redact", async () => assert.equal((await after({ a: "password" })).result, "[redacted]"));
  await t.test("a block is feedback", async () => {
    const { result, reason, decision } = await after("comment");
    assert.deepEqual([decision, result, reason], ["block", "comment", "read this again"]);
  });
  await t.test("a hook that fails withholds the result", async () => {
    const { result, reason } = await after("crash");
    assert.equal(result, "[withheld by hookrun]");
    assert.match(reason, /SIGKILL/);
  });
  await t.test("stop", async () => {
    const { result, stop, stopReason } = await after("last");
    assert.deepEqual([result, stop, stopReason, gate.stopped], ["last", true, "that was the last", stopReason]);
  });
  await t.test("a stream is no result", async () => {
    for (const stream of [(async function* () {})(), new ReadableStream()]) {
      await assert.rejects(after(stream), (e) => e instanceof HookrunError && /stream/.test(e.message));
    }
  });
});

test("a short form of a text, for a person", async (t) => {
  const gate = gateOf(t, [hook("post-tool", "printf %0400d 7")]);
  const { inject, display } = await gate.after("shell", {}, "ran");
  assert.deepEqual([inject, display], [[`${"0".repeat(399)}7`], [`[INJECTION] ${"0".repeat(300)}...`]]);
});

test("a blocked call in the form of a client: Codex runs no hook after it", async (t) => {
  const audit = hook("post-tool", "echo seen", { dialect: "codex", on_failure: undefined });
  const gate = gateOf(t, [hook("pre-tool", "exit 2"), audit], { onBlock: "return" });
  assert.match(await gate.wrap("shell", {}, () => "ran"), /^Tool call blocked by project hook '[^']+'$/);
  const { outcome } = await gate.after("shell", {}, "no", { blocked: true });
  assert.deepEqual(outcome.hooks, []);
  assert.equal((await gate.after("shell", {}, "ran")).outcome.hooks.length, 1);
});

test("a prompt", async (t) => {
  const gate = gateOf(t, [
    hook("pre-execute", `case $("$HOOKRUN" get prompt) in
hold) echo '{"decision":"block","reason":"not today"}' ;;
*) echo "The branch is main." ;;
esac`),
    hook("pre-tool", `"$HOOKRUN" get prompt`),
  ]);
  const prompt = await gate.prompt("Tidy up.");
  assert.deepEqual([prompt.decision, prompt.text], ["continue", "Tidy up.\n\nThe branch is main."]);
  assert.deepEqual((await gate.before("shell", {})).inject, ["Tidy up."], "tools' hooks know the prompt");
  assert.deepEqual([(await gate.prompt("hold")).decision, (await gate.prompt("hold")).reason], ["block", "not today"]);
});

test("wrap", async (t) => {
  const seen = hook("post-tool", "cat >>seen; echo >>seen");
  const dir = workspace(guard(), REMIND, seen);
  const gate = gateOf(t, dir);
  const lastSeen = () => JSON.parse(contentOf(join(dir, "seen")).trim().split("\n").at(-1));

  await t.test("runs the tool with the rewritten arguments, and adds the texts", async () => {
    const shown = await gate.wrap("shell", { command: "ls" }, async ({ command }) => ({ ran: command }), { id: "c1" });
    assert.equal(shown, '{"ran":"ls -l"}\n\nmind the dots\n\nremember');
    assert.deepEqual([lastSeen().tool_use_id, lastSeen().args], ["c1", { command: "ls -l" }]);
  });
  await t.test("a block throws", async () => {
    await assert.rejects(gate.wrap("shell", { command: "rm x" }, never), (error) => {
      assert.ok(error instanceof Blocked && error instanceof HookrunError);
      assert.deepEqual([error.message, error.reason, error.decision, error.stop],
        ["no rm\n\nremember", "no rm", "block", false]);
      return true;
    });
    assert.equal(lastSeen().result, "no rm", "the hooks after the tool hear of the block");
  });
  await t.test("a block returns", async () => {
    const text = await gate.wrap("shell", { command: "rm x" }, never, { onBlock: "return" });
    assert.equal(text, "no rm\n\nremember");
  });
  await t.test("a stop", async () => {
    const isStop = (error) => error instanceof Blocked && error.stop && error.message === "enough";
    await assert.rejects(gate.wrap("shell", { command: "halt" }, never), isStop);
    assert.equal(gate.stopped, "enough");
    await assert.rejects(gate.wrap("shell", { command: "true" }, never), isStop, "no other tool of the turn starts");
    gate.stopped = undefined;
  });
  await t.test("the tool throws", async () => {
    const thrown = new RangeError("too far");
    const run = () => {
      throw thrown;
    };
    await assert.rejects(gate.wrap("shell", { command: "true" }, run),
      (error) => error instanceof ToolError && error.cause === thrown && error.message === "too far\n\nremember");
    assert.deepEqual([lastSeen().error, lastSeen().hook_event_name], ["too far", "PostToolUseFailure"]);
    const quiet = gateOf(t, []);
    await assert.rejects(quiet.wrap("shell", {}, run), (error) => error === thrown);
    const before = contentOf(join(dir, "seen"));
    await assert.rejects(gate.wrap("shell", {}, run, { passOn: (e) => e === thrown }), (error) => error === thrown);
    assert.equal(contentOf(join(dir, "seen")), before, "no failure of the tool");
  });
});

test("wrap without words of hooks returns what the tool returned", async (t) => {
  const gate = gateOf(t, []);
  for (const value of [{ a: 1 }, [1], 0, "", null, undefined]) {
    assert.equal(await gate.wrap("tool", {}, () => value), value);
  }
});

test("ask", async (t) => {
  const asked = [];
  let answer = true;
  const gate = gateOf(t, [guard()], { ask: async (call) => (asked.push(call), answer) });
  assert.equal(await gate.wrap("shell", { command: "ask" }, () => "ran", { id: "c" }), "ran");
  assert.deepEqual(asked[0], { tool: "shell", args: { command: "ask" }, id: "c", signal: undefined, reason: "sure?" });
  answer = "yes"; // only true is
  await assert.rejects(gate.wrap("shell", { command: "ask" }, never), { message: "a person said no: sure?" });
  const nobody = gateOf(t, [guard()]);
  await assert.rejects(nobody.wrap("shell", { command: "ask" }, never), { decision: "ask", message: "sure?" });
});

test("a redactor that fails leaves only its reason", async (t) => {
  const gate = gateOf(t, [hook("post-tool", "echo broken >&2; exit 1", { name: "redact" })]);
  const reason = "post-tool hook 'redact' exited with 1\nbroken";
  assert.equal(await gate.wrap("shell", {}, () => "the password"), reason);
  await assert.rejects(gate.wrap("shell", {}, () => Promise.reject(new Error("the password"))), { message: reason });
});

test("the user is told", async (t) => {
  const gate = gateOf(t, [
    hook("pre-tool", "kill -9 $$", { name: "limp", on_failure: "continue" }),
    answers("pre-tool", { systemMessage: "mind\nthe gap" }),
  ]);
  const { messages } = await gate.before("shell", {});
  assert.deepEqual(messages, ["mind\nthe gap", "pre-tool hook 'limp' was killed by SIGKILL; continuing"]);
  assert.deepEqual(gate.said, ["hookrun: warning: pre-tool hook 'limp' was killed by SIGKILL; continuing",
    "hookrun: message: mind the gap"]);
});

test("facts of the call", async (t) => {
  const dir = workspace(hook("pre-tool", "cat; echo $FACT"));
  const gate = gateOf(t, dir, { sessionId: "s1", agentId: "a1", env: { FACT: "known" } });
  const [text] = (await gate.before("a tool", "no JSON", { id: "c1" })).inject;
  const [line, fact] = text.split("\n");
  const { session_id, agent_id, tool_use_id, tool, args, cwd } = JSON.parse(line);
  assert.deepEqual({ session_id, agent_id, tool_use_id, tool, args, cwd, fact },
    { session_id: "s1", agent_id: "a1", tool_use_id: "c1", tool: "a tool", args: "no JSON", cwd: dir, fact: "known" });
});

test("hooks files", async (t) => {
  const dir = folder();
  const [one, two] = ["one.json", "two.json"].map((name) => join(dir, name));
  writeFileSync(one, JSON.stringify({ hooks: [hook("pre-tool", "echo one")] }));
  writeFileSync(two, JSON.stringify({ hooks: [hook("pre-tool", "echo two")] }));
  const inject = async (config) => (await gateOf(t, dir, { config }).before("shell", {})).inject;
  assert.deepEqual(await inject(one), ["one"]);
  assert.deepEqual(await inject([one, two]), ["one", "two"]);
  writeFileSync(two, "{");
  await assert.rejects(inject(two), (e) => e instanceof HookrunError && e.message.includes("two.json:1"));
  const none = gateOf(t, folder(), { requireHooks: true });
  await assert.rejects(none.before("shell", {}), (e) => e instanceof HookrunError && /hooks file/.test(e.message));
});

test("values that JSON cannot have are no call", async (t) => {
  const gate = gateOf(t, []);
  const circle = {};
  circle.circle = circle;
  for (const value of [circle, 1n, () => {}, Symbol("s"), { toJSON() {} }]) {
    const refused = (e) => e instanceof HookrunError && /written as JSON/.test(e.message);
    await assert.rejects(gate.wrap("shell", value, never), refused);
    await assert.rejects(gate.wrap("shell", {}, () => value), refused);
  }
});

test("options are checked", async () => {
  for (const wrong of [{ workspce: "." }, { timeout: -1 }, { timeout: NaN }, { timeout: "5s" }, { onBlock: "no" }]) {
    assert.throws(() => new Gate(wrong), HookrunError);
  }
  for (const seconds of [0.5, 3, 600, 999]) { // as Python's Gate takes them
    const message = new RegExp(`in milliseconds, and ${seconds} of them .* give ${seconds * 1_000}\\.`);
    assert.throws(() => new Gate({ timeout: seconds }), (e) => e instanceof HookrunError && message.test(e.message));
  }
  for (const timeout of [0, 1_000, 3_000]) await new Gate({ timeout }).close();
});

test("a stop keeps other calls of the turn from running", async (t) => {
  const dir = workspace(hook("pre-tool", `case $("$HOOKRUN" get command) in
halt) echo '{"continue":false,"stopReason":"enough"}' ;;
*) cat fifo ;; esac`));
  execFileSync("mkfifo", [join(dir, "fifo")]);
  const gate = gateOf(t, dir);
  const other = gate.wrap("shell", { command: "ls" }, never, { onBlock: "return" });
  await assert.rejects(gate.wrap("shell", { command: "halt" }, never), { stop: true });
  writeFileSync(join(dir, "fifo"), "go");
  assert.equal(await other, "enough");
});

test("fire", async (t) => {
  const gate = gateOf(t, [guard()]);
  const input = { hook_event_name: "PreToolUse", tool_name: "shell", tool_input: { command: "rm x" }, cwd: folder() };
  assert.equal((await gate.fire(input)).decision, "block");
  const { hookSpecificOutput } = await gate.fire(input, { output: "claude" });
  assert.deepEqual([hookSpecificOutput.permissionDecision, hookSpecificOutput.permissionDecisionReason],
    ["deny", "no rm"]);
  await assert.rejects(gate.fire({ ...input, tool_name: 7 }), HookrunError);
  assert.equal((await gate.fire({ ...input, 'x":1,"tool_name":"other': 1 })).tool, "shell", "a key is only a key");
});
