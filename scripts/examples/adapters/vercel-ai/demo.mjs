// An agent of the Vercel AI SDK with one tool, guarded by the hooks of WORKSPACE.
// Use: MODEL_URL=http://127.0.0.1:8080/v1 WORKSPACE=. HOOKRUN=hookrun node demo.mjs. It prints the model's last text.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";
import { Hooks, stopped, withHooks } from "./hooks.mjs";

const workspace = process.env.WORKSPACE || ".";
const hooks = new Hooks({ workspace });
const shell = tool({
  description: "Runs a shell command",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => {
    appendFileSync(join(workspace, "ran"), command + "\n");
    return `ran ${command}`;
  },
});
try {
  const model = createOpenAICompatible({ name: "demo", baseURL: process.env.MODEL_URL, apiKey: "none" })("demo");
  const { text } = await generateText({
    model, prompt: await hooks.prompt(process.argv[2] ?? "Tidy up."), maxRetries: 0,
    tools: withHooks({ shell }, hooks), stopWhen: [stepCountIs(20), stopped(hooks)],
  });
  console.log(hooks.stopped ?? text);
} catch (error) {
  if (hooks.stopped === undefined) throw error;
  console.log(hooks.stopped);
} finally {
  await hooks.close();
}
