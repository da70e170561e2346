// A gate: the hooks of a project before and after each tool call.
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import process from "node:process";
import { findBinary } from "./binary.js";
import { Blocked, HookrunError, ToolError } from "./errors.js";
import { oneShot } from "./oneshot.js";
import { checked, common, isWithheld, resultOf, shown, textOf } from "./outcome.js";
import { NotStarted, Server } from "./server.js";

const TEN_MINUTES = 600_000;
const A_SECOND = 1_000; // a shorter timeout is one of seconds, as Python's Gate takes it
const OPTIONS = ["workspace", "config", "sessionId", "agentId", "binary", "env", "timeout", "requireHooks", "onBlock",
  "ask", "log"];

// The verdict of a call after a hook has ended the loop: no other tool of the turn starts.
const STOPPED = { decision: "block", stop: true, inject: [], display: [], outcome: undefined };

export class Gate {
  #options;
  #starting; // resolves to the server, once its version is known
  #server; // the server that was started last
  #closed = false;
  #prompt; // the user's last message
  /** Why a hook ended the loop, or undefined. wrap runs no tool then. prompt() sets it to undefined. */
  stopped;

  constructor(options = {}) {
    const wrong = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (wrong) throw new HookrunError(`a Gate has no option ${wrong}; known are ${OPTIONS.join(", ")}`);
    const { workspace = ".", config, sessionId = randomUUID(), agentId, binary, env, timeout = TEN_MINUTES } = options;
    const { requireHooks = false, onBlock = "throw", ask, log = say } = options;
    if (!Number.isFinite(timeout) || timeout < 0 || timeout > 2 ** 31 - 1) {
      throw new HookrunError(`the timeout of a Gate is in milliseconds, 0 for none, and not ${timeout}`);
    }
    if (timeout > 0 && timeout < A_SECOND) {
      const seconds = Math.round(timeout * 1_000);
      throw new HookrunError(
        `the timeout of a Gate is in milliseconds, and ${timeout} of them are less than a second; ` +
          `were these seconds? Then give ${seconds}. The shortest is ${A_SECOND}, and 0 is without an end`,
      );
    }
    checkOnBlock(onBlock);
    const files = config === undefined || config === null ? [] : [config].flat();
    const args = ["-C", resolve(workspace), ...files.flatMap((file) => ["-c", resolve(file)])];
    if (requireHooks) args.push("--require-hooks");
    this.#options = { args, agentId, binary, env, timeout, onBlock, ask, log: log ?? (() => {}) };
    this.sessionId = sessionId;
  }

  /** Runs the hooks before a tool. */
  async before(tool, args, { id, signal } = {}) {
    const outcome = await this.#call("pre-tool", { tool, args: args ?? {}, tool_use_id: id }, signal);
    return {
      ...common(outcome),
      args: "updated_input" in outcome ? outcome.updated_input : args,
      approved: outcome.approved === true,
    };
  }

  /** Runs the hooks after a tool. Without a verdict no result may be shown. */
  async after(tool, args, result, { id, failed = false, blocked = false, signal } = {}) {
    if (isStream(result)) {
      throw new HookrunError(`${tool} returned a stream, which no hook can read; collect it first`);
    }
    const call = { tool, args: args ?? {}, result: result ?? "", failed, blocked, tool_use_id: id };
    const outcome = await this.#call("post-tool", call, signal);
    return { ...common(outcome), result: resultOf(outcome, result) };
  }

  /** Runs the hooks before the model sees the user's prompt. The prompt comes back with the texts of the hooks. */
  async prompt(text, { signal } = {}) {
    [this.#prompt, this.stopped] = [text, undefined];
    const outcome = await this.#call("pre-execute", {}, signal);
    const answer = common(outcome);
    const changed = outcome.updated_input?.prompt;
    const prompt = typeof changed === "string" ? changed : text;
    return { ...answer, prompt, text: shown(prompt, answer.inject) };
  }

  /** Runs a tool with its hooks around it, and returns the result for the model. */
  async wrap(name, args, run, { id, signal, onBlock = this.#options.onBlock, passOn, form } = {}) {
    checkOnBlock(onBlock);
    const verdict = this.stopped === undefined ? await this.before(name, args, { id, signal }) : STOPPED;
    const refusal = await this.#refusal(verdict, { tool: name, args: verdict.args, id, signal });
    if (refusal !== undefined) {
      let text = refusal;
      if (this.stopped === undefined) { // the hooks after a tool hear of a blocked call, too
        text = answer(verdict, await this.after(name, verdict.args, refusal, { id, blocked: true }));
      }
      if (onBlock === "return") return text;
      throw new Blocked(textOf(text), { ...verdict, stop: this.stopped !== undefined }, refusal);
    }
    let result;
    try {
      result = await run(verdict.args);
    } catch (error) {
      throw passOn?.(error) ? error : await this.#failed(name, verdict, id, error);
    }
    return answer(verdict, await this.after(name, verdict.args, result, { id }), form);
  }

  /**
   * Runs the hooks for a client's own hook input, and returns the client's hook output, or with output "json" the
   * outcome.
   */
  async fire(input, { output = "json", signal } = {}) {
    const answer = await this.#request("fire", { ...input, output }, signal);
    if (output === "json") return checked(answer, answer?.event);
    if (typeof answer === "object" && answer !== null && !Array.isArray(answer)) return answer;
    throw new HookrunError(`the answer to ${input.hook_event_name} cannot be read: it is no object`);
  }

  /** Ends the server. When the promise resolves, no process is left. Every later call is an error. */
  async close() {
    this.#closed = true;
    const server = this.#server;
    this.#server = this.#starting = undefined;
    await server?.close();
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }

  // Why the tool does not run, or undefined.
  async #refusal(verdict, call) {
    if (this.stopped !== undefined) return this.stopped; // also if another call of the turn ended the loop
    if (verdict.decision === "continue") return undefined;
    const { ask } = this.#options;
    if (verdict.decision !== "ask" || !ask) return verdict.reason;
    const yes = await ask({ ...call, reason: verdict.reason });
    return yes === true ? this.stopped : `a person said no: ${verdict.reason}`;
  }

  // The tool threw. Its error goes on, changed if the hooks have changed the text or added texts.
  async #failed(name, verdict, id, error) {
    const text = textOfError(error);
    let after;
    try {
      after = await this.after(name, verdict.args, text, { id, failed: true });
    } catch (unseen) {
      return new HookrunError(unseen.message, { cause: error });
    }
    const words = textOf(answer(verdict, after));
    return words === text ? error : new ToolError(words, { cause: error });
  }

  async #call(method, params, signal) {
    const { agentId, log } = this.#options;
    const facts = { session_id: this.sessionId, agent_id: agentId, prompt: this.#prompt, ...params };
    const outcome = checked(await this.#request(method, facts, signal), method);
    for (const text of outcome.warnings ?? []) log(`hookrun: warning: ${plain(text)}`);
    for (const text of outcome.system_messages ?? []) log(`hookrun: message: ${plain(text)}`);
    if (outcome.stop) this.stopped = common(outcome).stopReason;
    return outcome;
  }

  async #request(method, params, signal) {
    const { args, timeout, binary: asked, env: more } = this.#options;
    if (this.#closed) throw new HookrunError("this Gate is closed; make a new one");
    if (signal?.aborted) throw new HookrunError(`the ${method} call was cancelled`, { cause: signal.reason });
    const env = environment(more);
    const text = jsonOf(params);
    try {
      const server = await unless(signal, method, this.#ready(env));
      return await server.call(method, text, { signal, timeout });
    } catch (error) {
      if (!(error instanceof NotStarted) || this.#closed || method === "fire") throw asHookrunError(error);
      return await oneShot(findBinary(asked, env), args, env, method, params, { signal, timeout });
    }
  }

  // The running server of this gate, or a new server.
  #ready(env) {
    if (this.#starting && !this.#server.isGone) return this.#starting;
    const { args, timeout, binary, log } = this.#options;
    const server = (this.#server = new Server(findBinary(binary, env), args, env, log));
    this.#starting = server.greet(timeout).then(() => server);
    return this.#starting;
  }
}

function checkOnBlock(onBlock) {
  if (onBlock !== "throw" && onBlock !== "return") {
    throw new HookrunError(`onBlock is "throw" or "return", and not ${JSON.stringify(onBlock)}`);
  }
}

function answer(verdict, after, form = shown) {
  const texts = [...verdict.inject, ...after.inject];
  if (isWithheld(after.outcome)) return form(after.reason, texts);
  if (after.reason) texts.push(after.reason);
  return form(after.result, texts);
}

// A promise that several callers share, until the signal of this caller.
function unless(signal, method, promise) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new HookrunError(`the ${method} call was cancelled`, { cause: signal.reason }));
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

// The facts of a call as JSON. A value without a form in JSON would be hidden from the hooks, so it is an error.
function jsonOf(facts) {
  const members = Object.entries(facts).filter(([, value]) => value !== undefined).map(([key, value]) => {
    try {
      const text = JSON.stringify(value);
      if (text !== undefined) return `${JSON.stringify(key)}:${text}`;
    } catch (error) {
      throw new HookrunError(`${key} of this call cannot be written as JSON: ${error.message}`, { cause: error });
    }
    throw new HookrunError(`${key} of this call cannot be written as JSON: ${typeof value}`);
  });
  return `{${members.join(",")}}`;
}

function isStream(value) {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || "getReader" in value);
}

function asHookrunError(error) {
  return error instanceof HookrunError ? error : new HookrunError(`hookrun did not start: ${error}`, { cause: error });
}

function textOfError(error) {
  return (typeof error?.message === "string" && error.message) || String(error);
}

function environment(more = {}) {
  const env = { ...process.env, ...more };
  for (const [name, value] of Object.entries(env)) if (value === undefined || value === null) delete env[name];
  return env;
}

const plain = (text) => text.replace(/\p{Cc}+/gu, " ");

function say(line) {
  process.stderr.write(`${line}\n`);
}
