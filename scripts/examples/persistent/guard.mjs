#!/usr/bin/env node
// Blocks shell commands by the rules in rules.json. It reads them once, when it starts.
// Wire: {"command": ["node", ".hooks/guard.mjs"], "events": ["pre-tool"], "matcher": "shell|Bash", "persistent": true, "files": [".hooks/rules.json"], "on_failure": "block"}
import { readFileSync } from "node:fs";

import { serve } from "./persistent.mjs";

const rules = JSON.parse(readFileSync(new URL("rules.json", import.meta.url), "utf8"));
for (const rule of rules) rule.pattern = new RegExp(rule.pattern);

await serve(async (call) => {
  const { command } = call.tool_input;
  if (typeof command !== "string") throw new TypeError("the call has no command"); // test converts anything to a string
  const broken = rules.find((rule) => rule.pattern.test(command));
  if (broken) return { decision: "block", reason: `${broken.reason}: ${command}` };
});
