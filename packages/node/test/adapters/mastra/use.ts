import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Gate } from "hookrun";
import { stopped, withHooks } from "hookrun/adapters/mastra";
import { z } from "zod";

const gate = new Gate();
const shell = createTool({
  id: "shell", description: "", inputSchema: z.object({ command: z.string() }), execute: async ({ command }) => command,
});
const tools = withHooks({ shell }, gate);
const agent = new Agent({ id: "a", name: "a", instructions: "", model: "openai/demo", tools });
await agent.generate("", { stopWhen: stopped(gate) });
