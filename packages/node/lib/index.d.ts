/** The verdict of all hooks of a call, as `hookrun -o json` prints it. */
export interface Outcome {
  version: 1;
  event: "pre-execute" | "pre-tool" | "post-tool";
  tool?: string;
  decision: Decision;
  approved?: boolean;
  stop?: boolean;
  stop_reason?: string;
  reason?: string;
  cause?: string;
  hook?: string;
  updated_input?: unknown;
  updated_output?: unknown;
  updated_by?: string;
  inject?: { hook?: string; content: string; display?: string; [key: string]: unknown }[];
  system_messages?: string[];
  warnings?: string[];
  hooks: { name: string; source: string; status: string; [key: string]: unknown }[];
  duration_ms: number;
  [key: string]: unknown;
}

/** Anything but "continue" means: do not run the tool. */
export type Decision = "continue" | "block" | "ask" | "defer";

export interface Common {
  decision: Decision;
  /** Why the decision is not "continue"; else "". */
  reason: string;
  /** Texts for the model. */
  inject: string[];
  /** For each of these texts a short one that a user interface shows in passing. */
  display: string[];
  /** Messages and warnings for the user. The gate has logged them already. */
  messages: string[];
  /** A hook ends the loop: before a tool, the tool does not run. */
  stop: boolean;
  /** Why, for the user; else "". */
  stopReason: string;
  outcome: Outcome;
}

export interface Verdict<A = unknown> extends Common {
  /** The arguments to run the tool with: as the hooks rewrote them, or as given. */
  args: A;
  /** A hook said "allow": the loop may skip a prompt of its own. */
  approved: boolean;
}

export interface Result<R = unknown> extends Common {
  /** The result to show: as the hooks rewrote it, withheld because a hook failed, or as given. */
  result: R | unknown;
}

export interface Prompt extends Common {
  /** The prompt, as the hooks rewrote it or as given. */
  prompt: string;
  /** The prompt for the model, if the decision is "continue": the prompt and then the texts of the hooks. */
  text: string;
}

export interface Call {
  tool: string;
  args: unknown;
  id?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Why a hook asks. */
  reason: string;
}

export interface GateOptions {
  /** The folder of the project, by default the folder of the process. Hooks run there. */
  workspace?: string;
  /** Hooks files, in place of the workspace's .tenex-hooks.json. */
  config?: string | string[];
  /** The conversation, for hooks and the queue. By default a random id. */
  sessionId?: string;
  agentId?: string;
  /** The hookrun binary; by default $HOOKRUN, then the package for this system, then PATH. */
  binary?: string;
  /** Variables for hookrun and the hooks, beside the variables of the process; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** How long one call may take, in milliseconds: from 1000 on, or 0: for ever. By default ten minutes. */
  timeout?: number;
  /** Without any hooks file every call is an error. */
  requireHooks?: boolean;
  /** How wrap ends if hooks keep a call from running; by default wrap throws Blocked. */
  onBlock?: OnBlock;
  /** Asks a person, if a hook says "ask": the tool runs if the answer is true. Without it, "ask" blocks. */
  ask?: (call: Call) => boolean | Promise<boolean>;
  /** Gets each message and warning for the user, by default on stderr; null: silence. */
  log?: ((line: string) => void) | null;
}

export type OnBlock = "throw" | "return";

export interface CallOptions {
  /** The model's id of the tool call. */
  id?: string | undefined;
  /** Ends this call alone: its hooks are killed. */
  signal?: AbortSignal | undefined;
}

export interface WrapOptions extends CallOptions {
  onBlock?: OnBlock;
  /** Whether an error of run is no failure of the tool, as an interrupt of a framework: no hook sees such an error. */
  passOn?: (error: unknown) => boolean;
  /** Joins a result and the texts of hooks for the model. By default the texts follow the result, as text. */
  form?: (result: unknown, texts: string[]) => unknown;
}

/**
 * The hooks of a project for one conversation. The first call starts one `hookrun serve`. If the
 * server dies, the next call starts a new server. Without a verdict each method throws a HookrunError.
 */
export class Gate {
  constructor(options?: GateOptions);
  readonly sessionId: string;
  /** Why a hook ended the loop, or undefined. wrap runs no tool then. prompt() sets it to undefined. */
  stopped: string | undefined;
  before<A>(tool: string, args: A, options?: CallOptions): Promise<Verdict<A>>;
  after<R>(
    tool: string, args: unknown, result: R, options?: CallOptions & { failed?: boolean; blocked?: boolean },
  ): Promise<Result<R>>;
  /** Runs the pre-execute hooks. Later calls pass the prompt on to their hooks. */
  prompt(text: string, options?: Omit<CallOptions, "id">): Promise<Prompt>;
  /**
   * before, run, after. Returns the result for the model, or a text if hooks have changed the result or added texts.
   * Throws Blocked if hooks keep the call from running; with onBlock "return" the reason is returned. The hooks see an
   * error of run, and then the error goes on; as a ToolError if hooks have changed the text.
   */
  wrap<A, R>(
    name: string, args: A, run: (args: A) => R | Promise<R>, options?: WrapOptions,
  ): Promise<R | string>;
  /** Runs the hooks for a client's own hook input, and returns the client's hook output; with "json" the outcome. */
  fire(
    input: object, options?: { output?: string; signal?: AbortSignal | undefined },
  ): Promise<Record<string, unknown>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A missing verdict: do not run the tool, and do not show a result. */
export class HookrunError extends Error {}

/** Hooks keep a tool from running. The message is for the model: the reason and the texts of the hooks. */
export class Blocked extends HookrunError {
  readonly reason: string;
  readonly decision: Decision;
  readonly stop: boolean;
  readonly outcome: Outcome;
}

/** A tool threw, and the hooks changed the message or added a text. `cause` is the tool's error, with the same name. */
export class ToolError extends Error {}

/** The path of the hookrun binary, as a Gate finds it. */
export function findBinary(asked?: string, env?: Record<string, string | undefined>): string;
