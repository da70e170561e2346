// An agent of Mastra with a shell, guarded by the hooks of a project.
// npm install hookrun @mastra/core @ai-sdk/openai-compatible zod
// WORKSPACE=/project MODEL_URL=http://127.0.0.1:8080/v1 node mastra.mjs 'Tidy up.'
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Gate } from "hookrun";
import { stopped, withHooks } from "hookrun/adapters/mastra";
import { z } from "zod";
import { runShell, workspace } from "./shell.mjs";

const gate = new Gate({ workspace });
const shell = createTool({
  id: "shell", description: "Runs a shell command", inputSchema: z.object({ command: z.string() }), execute: runShell,
});
const provider = createOpenAICompatible({ name: "demo", baseURL: process.env.MODEL_URL, apiKey: "none" });
const agent = new Agent({
  id: "demo", name: "demo", instructions: "You tidy up.", model: provider("demo"), tools: withHooks({ shell }, gate),
});

const prompt = await gate.prompt(process.argv[2] ?? "Tidy up.");
if (prompt.stop || prompt.decision !== "continue") {
  console.log(prompt.stopReason || prompt.reason);
} else {
  const { text } = await agent.generate(prompt.text, { maxSteps: 20, stopWhen: stopped(gate) });
  console.log(gate.stopped ?? text);
}
await gate.close();
