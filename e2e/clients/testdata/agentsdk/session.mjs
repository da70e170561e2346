// One session of the Claude Agent SDK. Its prompts and options come as JSON on stdin, its messages go to stdout.
// $AGENT_SDK is the folder whose node_modules has the SDK.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const sdk = createRequire(`${process.env.AGENT_SDK}/`).resolve("@anthropic-ai/claude-agent-sdk");
const { query } = await import(pathToFileURL(sdk).href);
const { prompts, options } = JSON.parse(await text(process.stdin));

let turnEnded;
async function* turns() {
  for (const content of prompts) {
    const ended = new Promise((resolve) => (turnEnded = resolve));
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    await ended;
  }
}

for await (const message of query({ prompt: turns(), options: { cwd: process.cwd(), ...options } })) {
  console.log(JSON.stringify(message));
  if (message.type === "result") turnEnded();
}
