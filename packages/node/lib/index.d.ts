/** What the hooks of a call amount to, as `hookrun -o json` prints it. */
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
  inject?: { hook?: string; content: string; [key: string]: unknown }[];
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
  /** The prompt with the texts of the hooks behind it: what the model is to see, if the decision is "continue". */
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
  /** The folder of the project, by default that of the process. Hooks run there. */
  workspace?: string;
  /** Hooks files, in place of the workspace's .tenex-hooks.json. */
  config?: string | string[];
  /** The conversation, as hooks and the queue know it. By default a random one. */
  sessionId?: string;
  agentId?: string;
  /** The hookrun binary; by default $HOOKRUN, that of the package for this system, or that on PATH. */
  binary?: string;
  /** Variables for hookrun and the hooks, beside those of the process; undefined removes one. */
  env?: Record<string, string | undefined>;
  /** How long one call may take, in milliseconds; 0: for ever. By default ten minutes. */
  timeout?: number;
  /** Without any hooks file every call is an error. */
  requireHooks?: boolean;
  /** What wrap does with a call that hooks keep from running; by default it throws Blocked. */
  onBlock?: OnBlock;
  /** Asks a person, if a hook says "ask": the tool runs if the answer is true. Without it, "ask" blocks. */
  ask?: (call: Call) => boolean | Promise<boolean>;
  /** Gets each message and warning for the user, by default on stderr; null: nobody does. */
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
  /** Which errors of run are no failure of the tool, such as an interrupt of a framework: no hook sees them. */
  passOn?: (error: unknown) => boolean;
  /** Makes what the model sees of a result and the texts of hooks. By default the texts follow the result, as text. */
  form?: (result: unknown, texts: string[]) => unknown;
}

/**
 * The hooks of a project for one conversation. It starts one `hookrun serve` at the first call, and a new one where
 * that has died. Without a verdict, for whatever reason, each method throws a HookrunError.
 */
export class Gate {
  constructor(options?: GateOptions);
  readonly sessionId: string;
  /** Why a hook ended the loop, or undefined. wrap runs no tool then. prompt() sets it back. */
  stopped: string | undefined;
  before<A>(tool: string, args: A, options?: CallOptions): Promise<Verdict<A>>;
  after<R>(
    tool: string, args: unknown, result: R, options?: CallOptions & { failed?: boolean },
  ): Promise<Result<R>>;
  /** Runs the pre-execute hooks. Later calls pass the prompt on to their hooks. */
  prompt(text: string, options?: Omit<CallOptions, "id">): Promise<Prompt>;
  /**
   * before, run, after. Returns what the model is to see: the result, or a text if hooks have changed it or added
   * texts. Throws Blocked for a call that hooks keep from running, unless onBlock is "return": then the reason is
   * returned. What run throws goes on, after the hooks have seen it; as a ToolError if they have changed its text.
   */
  wrap<A, R>(
    name: string, args: A, run: (args: A) => R | Promise<R>, options?: WrapOptions,
  ): Promise<R | string>;
  /** Runs the hooks for a client's own hook input, and returns that client's hook output; with "json" the outcome. */
  fire(
    input: object, options?: { output?: string; signal?: AbortSignal | undefined },
  ): Promise<Record<string, unknown>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** There is no verdict: do not run the tool, and do not show a result. */
export class HookrunError extends Error {}

/** Hooks keep a tool from running. The message is for the model: the reason and the texts of the hooks. */
export class Blocked extends HookrunError {
  readonly reason: string;
  readonly decision: Decision;
  readonly stop: boolean;
  readonly outcome: Outcome;
}

/** A tool threw, and the hooks changed its message or added a text. `cause` is what it threw; name is that of it. */
export class ToolError extends Error {}

/** The path of the hookrun binary, as a Gate finds it. */
export function findBinary(asked?: string, env?: Record<string, string | undefined>): string;
