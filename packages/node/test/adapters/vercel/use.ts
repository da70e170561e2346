import { generateText, isStepCount, tool, type LanguageModel } from "ai";
import { Gate } from "hookrun";
import { stopped, withHooks } from "hookrun/adapters/vercel";
import { z } from "zod";

declare const model: LanguageModel;
const gate = new Gate();
const shell = tool({
  inputSchema: z.object({ command: z.string() }), execute: async ({ command }) => command.length,
});
await generateText({
  model, prompt: "", tools: withHooks({ shell }, gate), stopWhen: [isStepCount(2), stopped(gate)],
});
