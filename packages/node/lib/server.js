// One `hookrun serve` on pipes, and the calls in flight.
import { spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import { HookrunError } from "./errors.js";
import { Lines, tail } from "./lines.js";
import { versionError } from "./version.js";

const LONGEST_REQUEST = 64 * 1024 * 1024; // hookrun reads no longer line
const SHORTEST_PROBE = 1_000; // how long, in ms, a server may take to answer a ping
const LONGEST_PROBE = 10_000;
const LAST_WORDS = 5_000; // how long, in ms, a server may take to end after close
const LAST_OUTPUT = 500; // how long, in ms, output is read after the end of a server
const CANCELLED = -32800;

/** Thrown if the server ended before its first answer: a single command may still give a verdict. */
export class NotStarted extends HookrunError {}

export class Server {
  #child;
  #pending = new Map(); // by id: how to end the call
  #last = 0;
  #gone; // the error of all calls after the end of this server
  #answered = false;
  #stderr = "";
  #ended; // resolves once the process is gone
  #log;

  constructor(binary, args, env, log) {
    this.#log = log;
    this.#child = spawn(binary, ["serve", ...args], { env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    this.#ended = new Promise((done) => {
      this.#child.on("error", (error) => {
        this.#endedItself(`${binary} did not start: ${error.message}`);
        if (this.#child.pid === undefined) done();
      });
      this.#child.on("exit", () => { // another process may hold the pipes
        const timer = setTimeout(() => (stdout.destroy(), stderr.destroy()), LAST_OUTPUT);
        this.#child.on("close", () => clearTimeout(timer));
      });
      this.#child.on("close", (code, signal) => {
        const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
        this.#endedItself(`hookrun serve ${how}${this.#stderr && `: ${this.#stderr.trim()}`}`);
        done();
      });
    });
    stdin?.on("error", () => {}); // the server is gone: "close" says how
    const lines = new Lines((line) => this.#answer(line), (why) => this.#unreadable(why));
    stdout?.setEncoding("utf8").on("data", (text) => this.#gone ?? lines.add(text));
    stderr?.setEncoding("utf8").on("data", (text) => {
      this.#stderr = tail(this.#stderr + text);
      if (this.#answered) text.trimEnd().split("\n").forEach((line) => this.#log(line.replace(/\p{Cc}+/gu, " ")));
    });
    this.#idle();
  }

  get isGone() {
    return this.#gone !== undefined;
  }

  /** Asks the server for its version, so that another program or an old hookrun is found before the first call. */
  async greet(timeout) {
    const answer = await this.call("ping", "{}", { timeout });
    const wrong = versionError(answer?.version);
    if (!wrong) return;
    this.kill(wrong);
    throw new HookrunError(wrong);
  }

  /** The result of one request, with params as JSON. Every failure is a HookrunError, also an error as the answer. */
  call(method, params, { signal, timeout } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#gone) throw this.#gone;
      if (signal?.aborted) throw cancelled(method, signal);
      const id = ++this.#last;
      const line = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;
      const size = Buffer.byteLength(line);
      if (size > LONGEST_REQUEST) {
        throw new HookrunError(`this ${method} call has ${size} bytes, and hookrun reads at most ${LONGEST_REQUEST}`);
      }
      const abort = () => this.#abandon(id, cancelled(method, signal), timeout);
      const late = () => this.#abandon(id, tooLate(method, timeout, this.#answered), timeout);
      const timer = timeout > 0 ? setTimeout(late, timeout) : undefined;
      signal?.addEventListener("abort", abort, { once: true });
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      this.#pending.set(id, {
        resolve: (value) => (finish(), resolve(value)),
        reject: (error) => (finish(), reject(error)),
      });
      this.#busy();
      this.#child.stdin.write(line);
    });
  }

  /** Ends the server and all calls. When the promise resolves, no process is left. */
  async close() {
    this.#end(new HookrunError("the Gate is closed"));
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), LAST_WORDS);
    this.#child.stdin?.end();
    for (const handle of this.#handles()) handle?.ref?.();
    await this.#ended;
    clearTimeout(timer);
  }

  kill(why) {
    this.#end(new HookrunError(why));
    this.#child.kill("SIGKILL");
  }

  #answer(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#unreadable("what is no JSON");
    }
    const call = this.#pending.get(message?.id);
    const { jsonrpc, result, error } = message ?? {};
    const isError = typeof error?.message === "string" && Number.isInteger(error.code);
    if (jsonrpc !== "2.0" || !call || (result === undefined) === !isError) {
      return this.#unreadable(isError ? `the error "${error.message}" to no call` : "what is no answer to a call");
    }
    this.#answered = true;
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#idle();
    if (!isError) return call.resolve(result);
    const hint = [-32601, -32602].includes(error.code) ? " (is this hookrun older than the package hookrun?)" : "";
    const what = error.code === CANCELLED ? "the call was cancelled" : `the hooks could not run: ${error.message}`;
    call.reject(new HookrunError(what + hint));
  }

  /** Gives one call up, and cancels the call at the server. If the server does not answer a ping then, it is killed. */
  #abandon(id, error, timeout = 0) {
    const call = this.#pending.get(id);
    call.reject(error);
    this.#pending.set(id, { resolve() {}, reject() {} }); // the server still answers
    if (!this.#answered) return this.kill(error.message);
    const patience = Math.max(SHORTEST_PROBE, Math.min(timeout || LONGEST_PROBE, LONGEST_PROBE));
    const timer = setTimeout(() => this.kill("hookrun serve answers no more, so it was ended"), patience);
    const alive = () => clearTimeout(timer);
    const ping = ++this.#last;
    this.#pending.set(ping, { resolve: alive, reject: alive });
    const cancel = { jsonrpc: "2.0", method: "$/cancel", params: { id } };
    this.#child.stdin.write(`${JSON.stringify(cancel)}\n`);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ping, method: "ping" })}\n`);
  }

  #unreadable(what) {
    this.kill(`hookrun serve wrote ${what}, so it was ended. Is ${this.#child.spawnfile} a hookrun?`);
  }

  #endedItself(why) {
    this.#end(this.#answered ? new HookrunError(why) : new NotStarted(why));
  }

  #end(error) {
    if (this.#gone) return;
    this.#gone = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#idle();
  }

  #handles() {
    return [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr];
  }

  // Only calls in flight keep the process of the caller alive.
  #busy() {
    for (const handle of this.#handles()) handle?.ref?.();
  }

  #idle() {
    for (const handle of this.#handles()) handle?.unref?.();
  }
}

function cancelled(method, signal) {
  return new HookrunError(`the ${method} call was cancelled`, { cause: signal.reason });
}

function tooLate(method, timeout, answered) {
  const what = answered ? `no answer to a ${method} call` : "no sign of life from hookrun serve";
  return new HookrunError(`${what} within ${timeout} ms; hooks that take longer need a larger timeout of the Gate`);
}
