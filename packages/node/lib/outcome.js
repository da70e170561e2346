// Reads outcomes, and joins results and texts for the model.
import { HookrunError } from "./errors.js";

const DECISIONS = ["continue", "block", "ask", "defer"];
const TEXTS = { reason: 0, stop_reason: 0, cause: 0, hook: 0 };
const LISTS = { system_messages: 0, warnings: 0 };
const WITHHELD = "[withheld by hookrun]";

/** Checks every field of an outcome that this package reads. An unreadable answer is no verdict. */
export function checked(outcome, method) {
  const fail = (what) => {
    throw new HookrunError(`this answer to a ${method} call cannot be read: ${what}. Is the program a hookrun?`);
  };
  if (typeof outcome !== "object" || outcome === null || Array.isArray(outcome)) fail("it is no object");
  if (outcome.version !== 1) fail(`its version is ${JSON.stringify(outcome.version)} and not 1`);
  if (outcome.event !== method) fail(`its event is ${JSON.stringify(outcome.event)}`);
  if (!DECISIONS.includes(outcome.decision)) fail(`its decision is ${JSON.stringify(outcome.decision)}`);
  for (const [key, value] of Object.entries(outcome)) {
    if (key in TEXTS && typeof value !== "string") fail(`${key} is no text`);
    if (key in LISTS && !isListOf(value, (v) => typeof v === "string")) fail(`${key} is no list of texts`);
    if ((key === "stop" || key === "approved") && typeof value !== "boolean") fail(`${key} is neither true nor false`);
  }
  if (outcome.inject !== undefined && !isListOf(outcome.inject, (i) => typeof i?.content === "string")) {
    fail("inject is no list of texts");
  }
  if (outcome.decision === "continue" || outcome.reason) return outcome;
  return { ...outcome, reason: `a hook said ${outcome.decision} and gave no reason` };
}

const isListOf = (value, is) => Array.isArray(value) && value.every(is);

/** The fields of all results of a call. */
export function common(outcome) {
  const texts = (outcome.inject ?? []).filter((i) => i.content.trim() !== "");
  return {
    decision: outcome.decision,
    reason: outcome.decision === "continue" ? "" : outcome.reason,
    inject: texts.map((i) => i.content),
    display: texts.map((i) => String(i.display ?? "")),
    messages: [...(outcome.system_messages ?? []), ...(outcome.warnings ?? [])],
    stop: outcome.stop === true,
    stopReason: outcome.stop ? outcome.stop_reason || outcome.reason || "a hook ended the loop" : "",
    outcome,
  };
}

/** Whether a hook failed that might have changed the result: then the reason alone is for the model. */
export function isWithheld({ decision, cause }) {
  return decision !== "continue" && cause !== "policy";
}

/** The tool's result as the hooks left it. */
export function resultOf(outcome, result) {
  if ("updated_output" in outcome) return outcome.updated_output;
  return isWithheld(outcome) ? WITHHELD : result;
}

/** A value as text for a hook or a model. */
export function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** The result for the model: unchanged, or as text with the texts of hooks. */
export function shown(result, texts) {
  return texts.length === 0 ? result : [textOf(result), ...texts].filter((text) => text !== "").join("\n\n");
}
