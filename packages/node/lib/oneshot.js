// One call by a command of its own, `hookrun pre-tool -o json`, if no server can be started.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { HookrunError } from "./errors.js";
import { tail } from "./lines.js";

const LONGEST_ANSWER = 256 * 1024 * 1024;
const AFTER_TERM = 3_000; // how long, in ms, a command may take to kill its hooks
const SLOTS = 2 * availableParallelism(); // commands at the same time

let running = 0;
const waiting = [];

/** The outcome of one call. */
export async function oneShot(binary, args, env, method, params, { signal, timeout }) {
  if (running >= SLOTS) await new Promise((next) => waiting.push(next));
  else running++;
  let folder;
  try {
    folder = await mkdtemp(join(tmpdir(), "hookrun-"));
    if (signal?.aborted) throw new HookrunError(`the ${method} call was cancelled`, { cause: signal.reason });
    const [flags, input] = await flagsOf(method, params, folder);
    return await run(binary, [method, ...args, "-o", "json", ...flags], env, input, { signal, timeout });
  } catch (error) {
    throw error instanceof HookrunError ? error : new HookrunError(`hookrun ${method} did not start: ${error.message}`);
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

// The longest text goes to stdin, other long texts into files: the user alone can read the folder.
async function flagsOf(method, params, folder) {
  const stdin = { "pre-execute": "prompt", "pre-tool": "args", "post-tool": "result" }[method];
  const flags = [];
  let input = "";
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) continue;
    const flag = `--${key.replaceAll("_", "-")}`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (key === "failed" || key === "blocked") {
      if (value) flags.push(flag);
    } else if (key === stdin) {
      flags.push(`${flag}=-`);
      input = text;
    } else if (key === "args" || key === "prompt") {
      const file = join(folder, key);
      await writeFile(file, text, { mode: 0o600 });
      flags.push(`${flag}=@${file}`);
    } else {
      flags.push(`${flag}=${text}`);
    }
  }
  return [flags, input];
}

function run(binary, args, env, input, { signal, timeout }) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    let [stdout, stderr, size, ended] = [[], "", 0, undefined];
    const end = (error) => {
      ended ??= error;
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), AFTER_TERM).unref();
    };
    const abort = () => end(new HookrunError(`the ${args[0]} call was cancelled`, { cause: signal.reason }));
    const late = () => end(new HookrunError(`no answer of hookrun ${args[0]} within ${timeout} ms`));
    const timer = timeout > 0 ? setTimeout(late, timeout) : undefined;
    signal?.addEventListener("abort", abort, { once: true });
    child.on("error", (error) => {
      ended ??= new HookrunError(`${binary} did not start: ${error.message}`);
      if (child.pid === undefined) finish(null);
    });
    child.stdin?.on("error", () => {}).end(input); // if hookrun ends early, stderr has the reason
    child.stdout?.on("data", (chunk) => {
      size += chunk.length;
      if (size > LONGEST_ANSWER) end(new HookrunError(`hookrun ${args[0]} wrote more than ${LONGEST_ANSWER} bytes`));
      else stdout.push(chunk);
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr = tail(stderr + text)));
    child.on("close", (code, killed) => finish(code ?? killed));
    function finish(code) {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      if (ended) return reject(ended);
      try {
        resolve(read(Buffer.concat(stdout).toString(), code));
      } catch (error) {
        const why = stderr.trim() || error.message;
        reject(new HookrunError(`hookrun ${args[0]} ended with ${code} and gave no verdict: ${why}`));
      }
    }
  });
}

// The exit code and the outcome must say the same.
function read(text, code) {
  if (![0, 2, 3].includes(code)) throw new Error("its exit code is none of 0, 2 and 3");
  const outcome = JSON.parse(text);
  const expected = outcome.stop ? 3 : outcome.decision === "continue" ? 0 : 2;
  if (code !== expected) throw new Error(`its decision is ${outcome.decision}`);
  return outcome;
}
