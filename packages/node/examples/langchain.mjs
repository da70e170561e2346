// An agent of LangChain with a shell, guarded by the hooks of a project.
// npm install hookrun langchain @langchain/core @langchain/langgraph @langchain/openai zod
// WORKSPACE=/project MODEL_URL=http://127.0.0.1:8080/v1 node langchain.mjs 'Tidy up.'
import { ChatOpenAI } from "@langchain/openai";
import { Gate } from "hookrun";
import { hooksMiddleware } from "hookrun/adapters/langchain";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { runShell, workspace } from "./shell.mjs";

const gate = new Gate({ workspace });
const shell = tool(runShell, {
  name: "shell", description: "Runs a shell command", schema: z.object({ command: z.string() }),
});
const configuration = { baseURL: process.env.MODEL_URL };
const model = new ChatOpenAI({ model: "demo", apiKey: "none", maxRetries: 0, configuration });

const agent = createAgent({ model, tools: [shell], middleware: [hooksMiddleware(gate)] });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: process.argv[2] ?? "Tidy up." }] });
console.log(messages.at(-1).text);
await gate.close();
