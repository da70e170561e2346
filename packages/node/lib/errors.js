// The errors of hookrun. Every HookrunError means: do not run the tool, and do not show a result.

/** A missing verdict, or (Blocked) a verdict other than "continue". */
export class HookrunError extends Error {
  name = "HookrunError";
}

/** The hooks keep a tool from running. The message is the text for the model: the reason and the hooks' texts. */
export class Blocked extends HookrunError {
  name = "Blocked";

  constructor(text, verdict, reason) {
    super(text);
    this.reason = reason; // of the deciding hook, or of a stop
    this.decision = verdict.decision;
    this.stop = verdict.stop; // the loop ends
    this.outcome = verdict.outcome;
  }
}

/** A tool threw, and the hooks have changed the message or added a text. `cause` is the tool's error. */
export class ToolError extends Error {
  constructor(text, { cause }) {
    super(text, { cause });
    this.name = typeof cause?.name === "string" ? cause.name : "Error"; // some frameworks show the model the name
  }
}
