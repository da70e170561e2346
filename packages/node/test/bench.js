// What gate.wrap costs over a direct call of the tool, one call after the other, and what its two calls of hookrun
// serve take by themselves: node test/bench.js
import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { Gate } from "../lib/index.js";
import { hook, testBinary, workspace } from "./kit.js";

const CALLS = 700;
const process = (event) => ({ ...hook(event, ""), command: ["/bin/true"] });
const rule = { name: "rule", block: "no", events: ["pre-tool"], if: "shell(git push --force*)" };

async function measure(what, hooks) {
  const gate = new Gate({ workspace: workspace(...hooks), binary: testBinary() });
  const tool = async ({ command }) => command;
  const times = [];
  for (let n = 0; n < CALLS; n++) {
    const start = performance.now();
    await gate.wrap("shell", { command: "ls" }, tool);
    times.push(performance.now() - start);
  }
  await gate.close();
  show(what, times);
  show(`  serve itself`, await byHand(workspace(...hooks)));
}

async function byHand(folder) {
  const server = spawn(testBinary(), ["serve", "-C", folder], { stdio: ["pipe", "pipe", "inherit"] });
  const calls = Object.entries({ "pre-tool": {}, "post-tool": { result: "ls" } });
  const lines = calls.map(([method, more]) => JSON.stringify({
    jsonrpc: "2.0", id: 1, method, params: { tool: "shell", args: { command: "ls" }, ...more },
  }));
  const times = [];
  for (let n = 0; n < CALLS; n++) {
    const start = performance.now();
    for (const line of lines) {
      server.stdin.write(`${line}\n`);
      await once(server.stdout, "data");
    }
    times.push(performance.now() - start);
  }
  server.stdin.end();
  await once(server, "close");
  return times;
}

function show(what, times) {
  times.sort((a, b) => a - b);
  const [least, median] = [times[0], times[CALLS / 2]].map((ms) => ms.toFixed(3));
  console.log(`${what}: median ${median} ms, least ${least} ms`);
}

await measure("no hook", []);
await measure("a rule that does not match", [rule]);
await measure("one process before the tool", [process("pre-tool")]);
await measure("one process before and one after the tool", [process("pre-tool"), process("post-tool")]);
