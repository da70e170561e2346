// Uses every name of the package, for the compiler alone.
import { Blocked, Gate, HookrunError, ToolError, findBinary } from "hookrun";
import type { GateOptions, OnBlock, Outcome, Result, Verdict } from "hookrun";

const options: GateOptions = {
  workspace: ".", config: ["a.json"], sessionId: "s", agentId: "a", binary: findBinary(), env: { A: undefined },
  timeout: 1000, requireHooks: true, onBlock: "return", ask: async ({ tool, reason }) => `${tool}${reason}` === "",
  log: null,
};
await using gate = new Gate(options);
const { signal } = new AbortController();
const { text, stop }: { text: string; stop: boolean } = await gate.prompt("hello", { signal });
const verdict: Verdict<{ command: string }> = await gate.before("shell", { command: "ls" }, { id: "1" });
const command: string = verdict.args.command;
const result: Result<number> = await gate.after("shell", verdict.args, 1, { failed: true });
const shown: number | string = await gate.wrap("shell", { n: 1 }, async ({ n }) => n + 1, { onBlock: "throw" });
const outcome: Outcome = result.outcome;
const how: OnBlock = "throw";
// @ts-expect-error there is no such option
new Gate({ workspce: "." });
// @ts-expect-error run gets the arguments as they were given
await gate.wrap("shell", { n: 1 }, async (args: { m: number }) => args.m);
try {
  await gate.wrap("shell", {}, () => "");
} catch (error) {
  if (error instanceof Blocked) console.log(error.reason, error.decision, error.stop, error.outcome.hooks[0]?.name);
  else if (error instanceof ToolError || error instanceof HookrunError) console.log(error.cause);
}
console.log(text, stop, command, shown, outcome.decision, how, gate.stopped?.length);
await gate.close();
