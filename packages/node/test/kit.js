// What the tests share: the binary, workspaces with hooks, and processes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Gate } from "../lib/index.js";

export const repository = fileURLToPath(new URL("../../../", import.meta.url));
export const PATIENCE = 60_000;

const folders = [];
process.on("exit", () => folders.forEach((f) => rmSync(f, { recursive: true, force: true })));

export function folder() {
  const made = mkdtempSync(join(tmpdir(), "hookrun-test-"));
  folders.push(made);
  return made;
}

let built = process.env.HOOKRUN_TEST_BINARY;

/** The hookrun of this clone. */
export function testBinary() {
  if (!built) {
    built = join(folder(), process.platform === "win32" ? "hookrun.exe" : "hookrun");
    const env = { ...process.env, CGO_ENABLED: "0" };
    execFileSync("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", built, "."], { cwd: repository, env });
  }
  return built;
}

/** A hook in sh, for these events. */
export const hook = (event, command, more = {}) => ({
  name: `${event}-${Math.random()}`, events: [event], command, on_failure: "block", ...more,
});

/** A hook that answers with this JSON. */
export const answers = (event, answer, more) => hook(event, `cat <<'END'\n${JSON.stringify(answer)}\nEND`, more);

/** A folder with these hooks. */
export function workspace(...hooks) {
  const made = folder();
  writeFileSync(join(made, ".tenex-hooks.json"), JSON.stringify({ hooks }));
  return made;
}

/** A gate of a workspace with these hooks, closed at the end of the test. gate.said has what the user was told. */
export function gateOf(t, hooks, options = {}) {
  const said = [];
  const gate = new Gate({
    workspace: Array.isArray(hooks) ? workspace(...hooks) : hooks, binary: testBinary(), timeout: PATIENCE,
    log: (line) => said.push(line), ...options,
  });
  gate.said = said;
  t.after(() => gate.close());
  return gate;
}

/** A program in sh with this text. */
export function script(text) {
  const path = join(folder(), "program");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A program in the place of hookrun that answers the greeting, and then does this. */
export const greets = (then, version = "v0.0.0-test") =>
  script(`read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"version":"${version}"}}'\n${then}`);

/** The ids of processes that have this word in their arguments. */
export function processesWith(word) {
  return readdirSync("/proc").filter((id) => /^\d+$/.test(id)).map(Number).filter((id) => {
    try {
      return id !== process.pid && readFileSync(`/proc/${id}/cmdline`, "utf8").includes(word);
    } catch {
      return false; // it has ended
    }
  });
}

/** Waits until a condition holds, which another process makes true. */
export async function until(what, holds) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const value = await holds();
    if (value) return value;
    assert.ok(Date.now() < deadline, `never happened: ${what}`);
    await new Promise((next) => setTimeout(next, 5));
  }
}

export const contentOf = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** A hook that says that it runs, in the file ready, and never ends. */
export const stuck = (event = "pre-tool", more) => hook(event, "echo $$ >>ready; exec tail -f /dev/null", more);

export const whenReady = (dir, count = 1) =>
  until("the hook runs", () => contentOf(join(dir, "ready")).split("\n").length > count);
