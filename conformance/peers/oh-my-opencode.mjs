#!/usr/bin/env node
// Runs Claude Code's hooks by the opencode plugin oh-my-opencode, and answers as one hook of Claude Code would.
//
//   npm install --ignore-scripts oh-my-opencode@4.19.4
//   node oh-my-opencode.mjs FOLDER/node_modules/oh-my-opencode < HOOK-INPUT
//
// The plugin is called as opencode calls it before a tool: by its public handler, with opencode's names of tools.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const input = JSON.parse(readFileSync(0, "utf8"));
const { default: plugin } = await import(pathToFileURL(join(process.argv[2], "dist/index.js")));

// opencode's client: the plugin shows notes by it, and reads the session's messages.
const client = () => new Proxy(function () {}, {
  get: (_, key) => key === "then" ? undefined : client(),
  apply: () => Promise.resolve({ data: [] }),
});
const directory = process.cwd();
const hooks = await plugin.server({
  client: client(), directory, worktree: directory, project: { id: "p", worktree: directory }, $: client(),
  serverUrl: new URL("http://127.0.0.1:1"),
});
const names = { Bash: "bash", Read: "read", Write: "write", Edit: "edit", Glob: "glob", Grep: "grep" };
const call = { tool: names[input.tool_name] ?? input.tool_name, sessionID: input.session_id, callID: "c1" };

if (input.hook_event_name !== "PreToolUse") {
  console.error(`oh-my-opencode.mjs calls the plugin at PreToolUse alone, not at ${input.hook_event_name}`);
  process.exit(1);
}
let said = {};
const output = { args: structuredClone(input.tool_input) };
try {
  await hooks["tool.execute.before"](call, output);
  if (JSON.stringify(output.args) !== JSON.stringify(input.tool_input)) said = { updatedInput: output.args };
} catch (error) { // opencode shows it to the model in the place of the result, and does not run the tool
  said = { permissionDecision: "deny", permissionDecisionReason: error.message };
}
const answer = { hookSpecificOutput: { hookEventName: "PreToolUse", ...said } };
process.stdout.write(JSON.stringify(answer) + "\n", () => process.exit(0)); // without a wait for its telemetry
