#!/usr/bin/env node
// An agent loop around hookrun, in Node. Its model is a script with one shell call per line: {"command":"ls"}.
// Use: PROMPT='tidy up' agent-loop.mjs [FILE], in the workspace. Prints what the model would see; exits as hookrun.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const PROMPT = process.env.PROMPT || "Do what the script says.";
const folder = mkdtempSync(join(tmpdir(), "agent-loop-"));
const argsFile = join(folder, "args"), promptFile = join(folder, "prompt");
writeFileSync(promptFile, PROMPT); // a prompt may be too long for a command line, or start with @
const everyCall = ["--output", "json", "--prompt", "@" + promptFile, "--session-id", `loop-${process.pid}`];
process.on("exit", () => rmSync(folder, { recursive: true }));
const say = (role, content) => console.log(JSON.stringify({ role, content }));
const fold = (...texts) => texts.filter(Boolean).join("\n\n");
const end = (code, role, content) => (say(role, content), process.exit(code));

// runHooks returns the outcome, with its texts for the model. Without an outcome the loop ends.
function runHooks(flags, input = "") {
  const run = spawnSync(process.env.HOOKRUN || "hookrun", [...flags, ...everyCall], {
    input, stdio: ["pipe", "pipe", "inherit"], maxBuffer: Infinity, encoding: "utf8",
  });
  if (![0, 2, 3].includes(run.status)) {
    console.error("agent-loop: the hooks could not run, so the loop ends", run.error?.message ?? "");
    process.exit(1);
  }
  const outcome = JSON.parse(run.stdout);
  const warnings = run.status === 0 ? [] : outcome.warnings ?? []; // else they are on stderr already
  const said = [...warnings.map((w) => "warning: " + w), ...(outcome.system_messages ?? []).map((m) => "message: " + m)];
  for (const line of said) console.error("hookrun:", line.replace(/\p{Cc}+/gu, " "));
  return { ...outcome, texts: (outcome.inject ?? []).map((inject) => inject.content) };
}

// shell is the tool: it returns its result, and the flags of a failure.
function shell(args) {
  try {
    const run = spawnSync("sh", ["-c", JSON.parse(args).command], { stdio: ["ignore", "pipe", "pipe"], maxBuffer: Infinity, encoding: "utf8" });
    if (run.error) throw run.error;
    const text = run.stdout + run.stderr;
    return run.status === 0 ? [text, []] : [`${text}exit code ${run.status ?? run.signal}`, ["--failed"]];
  } catch (error) {
    return [`shell cannot run this: ${error.message}`, ["--failed"]];
  }
}

const begin = runHooks(["pre-execute"]);
if (begin.stop) end(3, "stopped", begin.stop_reason); // hookrun's exit code is 3
if (begin.decision !== "continue") end(2, "blocked", begin.reason);
say("user", fold(PROMPT, ...begin.texts));
for (const line of readFileSync(process.argv[2] ?? 0, "utf8").split("\n").filter(Boolean)) {
  say("call", line);
  const pre = runHooks(["pre-tool", "--tool", "shell", "--args", "-"], line);
  if (pre.stop) end(3, "stopped", pre.stop_reason);
  const args = pre.updated_input ? JSON.stringify(pre.updated_input) : line;
  const [result, flags] = pre.decision === "continue" ? shell(args) : [pre.reason, ["--blocked"]];
  writeFileSync(argsFile, args);
  const post = runHooks(["post-tool", "--tool", "shell", "--args", "@" + argsFile, "--result", "-", ...flags], result);
  let [output, reason] = ["updated_output" in post ? post.updated_output : result, post.reason];
  if (typeof output !== "string") output = JSON.stringify(output);
  if (post.decision !== "continue" && post.cause !== "policy") [output, reason] = [reason, ""]; // a hook that must check it has failed
  say("tool", fold(output, ...pre.texts, ...post.texts, reason));
  if (post.stop) end(3, "stopped", post.stop_reason);
}
