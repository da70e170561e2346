// A client of `hookrun serve`: it starts the server, sends calls and returns the outcomes.
// If there is no answer, for whatever reason, call throws. Then do not run the tool.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

export class Hooks {
  #server;
  #ended; // resolves once the server is gone
  #gone; // why the server answers no more calls
  #pending = new Map(); // the calls that wait for an answer, by id
  #last = 0;
  #log; // gets what the hooks say to the user, line by line
  #prompt; // what the user wrote last
  stopped; // the reason, once a hook has ended the loop

  constructor({ workspace = ".", hookrun = process.env.HOOKRUN || "hookrun", session = randomUUID(), log = console.error } = {}) {
    this.session = session;
    this.#log = log;
    this.#server = spawn(hookrun, ["serve", "-C", workspace], { stdio: ["pipe", "pipe", "inherit"] });
    this.#server.on("error", (error) => this.#end(`hookrun serve did not start: ${error.message}`));
    this.#server.stdin.on("error", (error) => this.#end(`hookrun serve does not read: ${error.message}`));
    this.#ended = new Promise((resolve) => this.#server.on("close", resolve)).then(() => this.#end("hookrun serve has ended"));
    let rest = ""; // readline would also end a line at U+2028, which JSON may contain
    this.#server.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      try { lines.forEach((line) => this.#answer(JSON.parse(line))); } catch { this.#end("hookrun serve wrote what is no JSON"); }
    });
  }
  // prompt runs the pre-execute hooks and returns the user's prompt with their texts. It throws if a hook holds the
  // prompt up; stopped then has the reason. Await it before the model sees the prompt.
  async prompt(prompt) {
    [this.#prompt, this.stopped] = [prompt, undefined];
    const outcome = await this.call("pre-execute", {});
    if (outcome.decision !== "continue") this.stopped ??= outcome.reason;
    if (this.stopped !== undefined) throw new Error(`a hook holds the prompt up: ${this.stopped}`);
    return fold(prompt, outcome);
  }
  // call returns the outcome of one call. After a stop every pre-tool call is a stop, and no hook runs for it.
  async call(method, params) {
    if (this.#gone) throw new Error(this.#gone);
    if (method === "pre-tool" && this.stopped !== undefined) return { decision: "block", reason: this.stopped, stop: true, stop_reason: this.stopped };
    const message = { jsonrpc: "2.0", id: ++this.#last, method, params: { session_id: this.session, prompt: this.#prompt, ...params } };
    const outcome = await new Promise((resolve, reject) => {
      this.#pending.set(message.id, { resolve, reject });
      this.#server.stdin.write(JSON.stringify(message) + "\n");
    });
    if (typeof outcome?.decision !== "string") throw new Error("hookrun serve gave no verdict");
    for (const [kind, texts] of [["warning", outcome.warnings], ["message", outcome.system_messages]]) {
      for (const said of texts ?? []) this.#log(`hookrun: ${kind}: ${said.replace(/\p{Cc}+/gu, " ")}`);
    }
    if (outcome.stop) this.stopped = outcome.stop_reason || "a hook stopped the loop";
    return outcome;
  }
  close() { return this.#server.stdin.end(), this.#ended; } // kills hooks that still run
  #answer({ id, result, error }) {
    const call = this.#pending.get(id);
    this.#pending.delete(id);
    error ? call?.reject(new Error(`the hooks could not run: ${error.message}`)) : call?.resolve(result);
  }
  #end(why) {
    this.#gone ??= why;
    this.#pending.forEach(({ reject }) => reject(new Error(this.#gone)));
    this.#pending.clear();
  }
}

export const text = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");

// fold returns what the model sees: the result, or what the last hooks made of it, and the texts of all hooks.
export function fold(result, ...outcomes) {
  const last = outcomes.at(-1);
  let output = "updated_output" in last ? last.updated_output : result;
  if (last.decision !== "continue" && last.cause !== "policy") output = ""; // a hook that must check it has failed
  const texts = outcomes.flatMap((outcome) => outcome.inject ?? []).map((inject) => inject.content);
  if (last.decision !== "continue") texts.push(last.reason);
  return texts.length ? [text(output), ...texts].filter(Boolean).join("\n\n") : output;
}
