// An agent of the Claude Agent SDK, guarded by the hooks of a project.
// npm install hookrun @anthropic-ai/claude-agent-sdk
// WORKSPACE=/project ANTHROPIC_API_KEY=… node claude.mjs 'Tidy up.'
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Gate } from "hookrun";
import { hooksOf } from "hookrun/adapters/claude";

const cwd = process.env.WORKSPACE || process.cwd();
const gate = new Gate({ workspace: cwd });
const options = { cwd, hooks: hooksOf(gate), settingSources: [], allowedTools: ["Bash", "Read"] };
for await (const message of query({ prompt: process.argv[2] ?? "Tidy up.", options })) {
  if (message.type === "result") console.log(message.result ?? message.subtype);
}
await gate.close();
