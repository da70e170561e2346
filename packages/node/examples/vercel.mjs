// An agent of the Vercel AI SDK with a shell, guarded by the hooks of a project.
// npm install hookrun ai @ai-sdk/openai-compatible zod
// WORKSPACE=/project MODEL_URL=http://127.0.0.1:8080/v1 node vercel.mjs 'Tidy up.'
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, tool } from "ai";
import { Gate } from "hookrun";
import { stopped, withHooks } from "hookrun/adapters/vercel";
import { z } from "zod";
import { runShell, workspace } from "./shell.mjs";

const gate = new Gate({ workspace });
const shell = tool({
  description: "Runs a shell command", inputSchema: z.object({ command: z.string() }), execute: runShell,
});
const provider = createOpenAICompatible({ name: "demo", baseURL: process.env.MODEL_URL, apiKey: "none" });

const prompt = await gate.prompt(process.argv[2] ?? "Tidy up.");
if (prompt.stop || prompt.decision !== "continue") {
  console.log(prompt.stopReason || prompt.reason);
} else {
  const { text } = await generateText({
    model: provider("demo"), prompt: prompt.text, tools: withHooks({ shell }, gate),
    stopWhen: [isStepCount(20), stopped(gate)],
  });
  console.log(gate.stopped ?? text);
}
await gate.close();
