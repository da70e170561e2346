// An agent of the OpenAI Agents SDK with one tool, guarded by the hooks of WORKSPACE.
// Use: MODEL_URL=http://127.0.0.1:8080/v1 WORKSPACE=. HOOKRUN=hookrun node demo.mjs. It prints the model's last text.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { Hooks, withHooks } from "./hooks.mjs";

const workspace = process.env.WORKSPACE || ".";
const hooks = new Hooks({ workspace });
const shell = tool({
  name: "shell",
  description: "Runs a shell command",
  parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => {
    appendFileSync(join(workspace, "ran"), command + "\n");
    return `ran ${command}`;
  },
});
try {
  const modelProvider = new OpenAIProvider({ baseURL: process.env.MODEL_URL, apiKey: "none", useResponses: false });
  const prompt = await hooks.prompt(process.argv[2] ?? "Tidy up.");
  const agent = new Agent({ name: "demo", model: "demo", tools: withHooks([shell], hooks) });
  const { finalOutput } = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, prompt);
  console.log(finalOutput);
} catch (error) {
  if (hooks.stopped === undefined) throw error;
  console.log(hooks.stopped);
} finally {
  await hooks.close();
}
