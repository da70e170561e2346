// Makes each call of stdin, a JSON array, by the Node package, and prints the results as a JSON array.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import process from "node:process";

const { Gate, HookrunError } = await import(pathToFileURL(process.argv[2]).href);

async function made(call) {
  const [ran, told] = [[], []];
  const gate = new Gate({
    workspace: call.dir, sessionId: call.session, env: call.env, requireHooks: call.require, onBlock: "return",
    log: (line) => told.push(line.replace(/^hookrun: \w+: /, "")),
    ask: call.ask ? () => call.ask === "yes" : undefined,
  });
  const tool = (args) => {
    ran.push(args);
    if (call.fails) throw new TypeError("no such file");
    return "ran";
  };
  const answer = { text: "", stop: "", error: "" };
  try {
    if (call.prompt) {
      const asked = await gate.prompt(call.prompt);
      const runs = asked.decision === "continue" && !asked.stop;
      Object.assign(answer, { text: runs ? asked.text : asked.reason, stop: asked.stopReason });
    } else {
      answer.text = await gate.wrap(call.tool, { command: "ls" }, tool, { id: "call-1" });
      answer.stop = gate.stopped ?? "";
      if (answer.stop && answer.text === answer.stop) answer.text = ""; // the tool did not run
    }
  } catch (error) {
    const failed = ran.length > 0 && call.fails && !(error.constructor === HookrunError);
    answer[failed ? "text" : "error"] = error.message;
    answer.stop = gate.stopped ?? "";
  } finally {
    await gate.close();
  }
  return { ...answer, ran, told };
}

const results = [];
for (const call of JSON.parse(readFileSync(0, "utf8"))) results.push(await made(call));
process.stdout.write(JSON.stringify(results));
