// An agent of the OpenAI Agents SDK with a shell, guarded by the hooks of a project.
// npm install hookrun @openai/agents zod
// WORKSPACE=/project MODEL_URL=http://127.0.0.1:8080/v1 node openai.mjs 'Tidy up.'
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { Gate } from "hookrun";
import { stopOf, withHooks } from "hookrun/adapters/openai";
import { z } from "zod";
import { runShell, workspace } from "./shell.mjs";

const gate = new Gate({ workspace });
const shell = tool({
  name: "shell", description: "Runs a shell command", parameters: z.object({ command: z.string() }), execute: runShell,
});
const modelProvider = new OpenAIProvider({ baseURL: process.env.MODEL_URL, apiKey: "none", useResponses: false });
const runner = new Runner({ modelProvider, tracingDisabled: true });

const prompt = await gate.prompt(process.argv[2] ?? "Tidy up.");
if (prompt.stop || prompt.decision !== "continue") {
  console.log(prompt.stopReason || prompt.reason);
} else {
  const agent = new Agent({ name: "demo", model: "demo", tools: withHooks([shell], gate) });
  console.log(await runner.run(agent, prompt.text).then((run) => run.finalOutput, (error) => stopOf(error, gate)));
}
await gate.close();
