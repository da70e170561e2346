// An agent of LangChain with one tool, guarded by the hooks of WORKSPACE.
// Use: MODEL_URL=http://127.0.0.1:8080/v1 WORKSPACE=. HOOKRUN=hookrun node demo.mjs. It prints the model's last text.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { Hooks, hooksMiddleware } from "./hooks.mjs";

const workspace = process.env.WORKSPACE || ".";
const hooks = new Hooks({ workspace });
const shell = tool(
  async ({ command }) => {
    appendFileSync(join(workspace, "ran"), command + "\n");
    return `ran ${command}`;
  },
  { name: "shell", description: "Runs a shell command", schema: z.object({ command: z.string() }) },
);
try {
  const model = new ChatOpenAI({ model: "demo", apiKey: "none", maxRetries: 0, configuration: { baseURL: process.env.MODEL_URL } });
  const agent = createAgent({ model, tools: [shell], middleware: [hooksMiddleware(hooks)] });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: process.argv[2] ?? "Tidy up." }] });
  console.log(messages.at(-1).text);
} finally {
  await hooks.close();
}
