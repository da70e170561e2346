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
  stopped; // the reason, once a hook has stopped the loop

  constructor({ workspace = ".", hookrun = process.env.HOOKRUN || "hookrun", session = randomUUID() } = {}) {
    this.session = session;
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
  async call(method, params) {
    if (this.#gone) throw new Error(this.#gone);
    const message = { jsonrpc: "2.0", id: ++this.#last, method, params: { session_id: this.session, ...params } };
    const outcome = await new Promise((resolve, reject) => {
      this.#pending.set(message.id, { resolve, reject });
      this.#server.stdin.write(JSON.stringify(message) + "\n");
    });
    if (typeof outcome?.decision !== "string") throw new Error("hookrun serve gave no verdict");
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
