import { Agent, tool } from "@openai/agents";
import { Gate } from "hookrun";
import { stopOf, withHooks } from "hookrun/adapters/openai";
import { z } from "zod";

const gate = new Gate();
const shell = tool({
  name: "shell", description: "", parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => command,
});
new Agent({ name: "demo", tools: withHooks([shell], gate) });
const reason: string = stopOf(new Error(), gate);
console.log(reason);
