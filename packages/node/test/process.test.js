// Processes: workers, children, and what is left at the end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import {
  contentOf, folder, gateOf, hook, processesWith, script, stuck, testBinary, until, whenReady, workspace,
} from "./kit.js";

const linux = { skip: process.platform !== "linux" && "it reads /proc" };
const library = new URL("../lib/index.js", import.meta.url).href;
const parent = hook("pre-tool", "echo $PPID");

/** A program that has a gate of this workspace. */
function program(dir, text) {
  const path = join(folder(), "program.mjs");
  const gate = `new Gate({ workspace: ${JSON.stringify(dir)}, binary: ${JSON.stringify(testBinary())} })`;
  writeFileSync(path, `import { Gate } from ${JSON.stringify(library)};\nconst gate = ${gate};\n${text}\n`);
  return path;
}

function start(path, env = {}) {
  const child = spawn(process.execPath, [path], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  child.text = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (child.text += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (child.text += text));
  child.ended = once(child, "close").then(([code, signal]) => ({ code, signal, text: child.text }));
  return child;
}

const runs = (path) => start(path).ended;
const goneOf = (dir) => until("nothing is left", () => processesWith(dir).length === 0);

test("a gate keeps no process alive, and leaves none", linux, async () => {
  const dir = workspace(parent);
  const path = program(dir, `console.log((await gate.before("shell", {})).inject[0]);`);
  const { code, text } = await runs(path);
  assert.equal(code, 0, text);
  assert.ok(Number(text) > 0, text);
  await goneOf(dir);
});

test("a call in flight keeps the process alive", async () => {
  const dir = workspace(hook("pre-tool", "cat fifo 2>/dev/null; echo waited"));
  const path = program(dir, `gate.before("shell", {}).then((v) => console.log(v.inject[0]));`);
  assert.deepEqual(await runs(path), { code: 0, signal: null, text: "waited\n" });
});

test("close", linux, async (t) => {
  const dir = workspace(stuck("pre-tool", { matcher: "stuck" }));
  const gate = gateOf(t, dir);
  await gate.before("free", {});
  const call = assert.rejects(gate.before("stuck", {}), { message: "the Gate is closed" });
  await whenReady(dir);
  const [pid] = contentOf(join(dir, "ready")).trim().split("\n").map(Number);
  await gate[Symbol.asyncDispose]();
  await call;
  assert.deepEqual(processesWith(dir), []);
  assert.ok(!processesWith("tail").includes(pid), "the hook is killed");
  await gate.close();
});

test("close of a server that does not end", linux, async (t) => {
  const path = script(`trap '' TERM; while :; do read -r line || exec tail -f /dev/null; done`);
  const gate = gateOf(t, folder(), { binary: path });
  const call = assert.rejects(gate.before("shell", {}), { message: "the Gate is closed" });
  await until("it starts", () => processesWith(path).length > 0);
  await gate.close();
  await call;
  assert.deepEqual(processesWith(path), []);
});

for (const [what, end, expected] of [
  ["process.exit", "process.exit(7)", { code: 7, signal: null }],
  ["an error", "setImmediate(() => { throw new Error('oops') })", { code: 1, signal: null }],
  ["SIGKILL", `process.kill(process.pid, "SIGKILL")`, { code: null, signal: "SIGKILL" }],
]) {
  test(`nothing is left after ${what} in the middle of a call`, linux, async () => {
    const dir = workspace(stuck());
    const watch = `import { watch, existsSync } from "node:fs";
const end = () => ${end};
gate.before("shell", {}).catch(() => {});
watch(${JSON.stringify(dir)}, () => existsSync(${JSON.stringify(join(dir, "ready"))}) && end());`;
    const { code, signal } = await runs(program(dir, watch));
    assert.deepEqual({ code, signal }, expected);
    await goneOf(dir);
    const [pid] = contentOf(join(dir, "ready")).trim().split("\n").map(Number);
    await until("the hook is killed", () => !processesWith("tail").includes(pid));
  });
}

test("each worker thread has a server of its own", linux, async () => {
  const dir = workspace(parent);
  const path = program(dir, `import { parentPort } from "node:worker_threads";
const { inject } = await gate.before("shell", {});
parentPort.postMessage(inject[0]);
parentPort.on("message", () => {});`);
  const workers = [1, 2, 3].map(() => new Worker(path));
  const servers = await Promise.all(workers.map(async (worker) => Number((await once(worker, "message"))[0])));
  assert.equal(new Set(servers).size, 3);
  assert.deepEqual(processesWith(dir).sort(), servers.sort());
  await Promise.all(workers.map((worker) => worker.terminate()));
  await goneOf(dir);
});

test("each child process has a server of its own", linux, async (t) => {
  const dir = workspace(parent);
  const own = (await gateOf(t, dir).before("shell", {})).inject[0];
  const path = program(dir, `import { fork } from "node:child_process";
const { inject } = await gate.before("shell", {});
console.log(inject[0]);
if (!process.env.CHILD) fork(process.argv[1], { env: { ...process.env, CHILD: "1" } });`);
  const { code, text } = await runs(path);
  assert.equal(code, 0, text);
  assert.equal(new Set([own, ...text.trim().split("\n")]).size, 3, text);
});

test("the launcher passes on exit codes, streams and signals", linux, async (t) => {
  const modules = join(folder(), "node_modules");
  const { cpSync, mkdirSync, symlinkSync } = await import("node:fs");
  const { fileURLToPath } = await import("node:url");
  mkdirSync(join(modules, "hookrun"), { recursive: true });
  for (const part of ["lib", "bin", "package.json"]) {
    cpSync(fileURLToPath(new URL(`../${part}`, import.meta.url)), join(modules, "hookrun", part), { recursive: true });
  }
  const launcher = join(modules, "hookrun", "bin", "hookrun.js");
  const launch = (...argv) => {
    const child = spawn(process.execPath, [launcher, ...argv], { stdio: "pipe" });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => (texts[name] += text));
    }
    child.ended = once(child, "close").then(([code, signal]) => ({ code, signal, ...texts }));
    return child;
  };
  await t.test("without the binary", async () => {
    const { code, stderr } = await launch("version").ended;
    assert.equal(code, 1);
    assert.match(stderr, /^hookrun: the package @hookrun\/\S+ .*npm install .*hookrun\n$/);
  });
  const platform = join(modules, "@hookrun", `${process.platform}-${process.arch}`);
  mkdirSync(join(platform, "bin"), { recursive: true });
  symlinkSync(testBinary(), join(platform, "bin", "hookrun"));
  const dir = workspace(hook("pre-tool", `case $("$HOOKRUN" get command) in
rm) echo no >&2; exit 2 ;;
halt) echo '{"continue":false,"stopReason":"enough"}' ;;
stuck) echo $$ >>ready; exec tail -f /dev/null ;;
*) echo mind ;; esac`));
  const call = (command) => {
    const child = launch("pre-tool", "-C", dir, "--tool", "shell", "--args", "-");
    child.stdin.end(JSON.stringify({ command }));
    return child;
  };
  for (const [command, code, stdout, stderr] of [
    ["ls", 0, "mind\n", ""], ["rm", 2, "", "no\n"], ["halt", 3, "", "enough\n"],
  ]) {
    await t.test(`exit code ${code}`, async () => {
      assert.deepEqual(await call(command).ended, { code, signal: null, stdout, stderr });
    });
  }
  await t.test("a signal that hookrun hears", async () => {
    const child = call("stuck");
    await whenReady(dir);
    const [pid] = contentOf(join(dir, "ready")).trim().split("\n").map(Number);
    child.kill("SIGTERM");
    const { code, stderr } = await child.ended;
    assert.equal(code, 1);
    assert.match(stderr, /SIGTERM/);
    assert.ok(!processesWith("tail").includes(pid), "the hook is killed");
  });
  await t.test("a signal that ends hookrun", async () => {
    const child = launch("serve", "-C", dir);
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
    await once(child.stdout, "data");
    const server = await until("it runs", () => processesWith(dir).find((id) => id !== child.pid) ?? child.pid);
    process.kill(server, "SIGKILL");
    assert.equal((await child.ended).signal, "SIGKILL");
  });
});
