#!/usr/bin/env node
// Replaces keys, tokens and passwords in a tool's result by [redacted], before the model reads it.
// Wire: {"command": ["node", "./redact-secrets.mjs"], "events": ["post-tool"], "persistent": true, "on_failure": "block"}

// Use --output json: hookrun's text output cannot carry a changed result, so it withholds the whole result.
const MARK = "[redacted]";
const NAMES = "password|passwd|passphrase|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|api[_-]?key|(?:access|auth|refresh|session)[_-]?token";
const quoted = (_, before, value) => before + (/^("|').*\1$/s.test(value) ? value[0] + MARK + value[0] : MARK);
const RULES = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g, MARK],
  [/(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g, MARK],
  [/gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}/g, MARK],
  [/(authorization["'\\]*[ \t]*[=:][ \t]*["'\\]*(?:bearer|basic|token)[ \t]+)[^\s"'\\]+/gi, `$1${MARK}`],
  [/\b(bearer[ \t]+)(?=\S{16}|\S*\d)[A-Za-z0-9._~+/=-]{6,}/gi, `$1${MARK}`],
  [new RegExp(`((?:${NAMES})["'\\\\]*[ \\t]*(?:=>|[=:]{1,3})[ \\t]*)("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\\S+)`, "gi"), quoted],
  [/(:\/\/[^\s:/@]+:)[^\s:/@]+@/g, `$1${MARK}@`],
];

const isJSON = (text) => {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
};

function redactText(text) {
  const after = RULES.reduce((rest, [what, mark]) => rest.replace(what, mark), text);
  // A rule may match more than the value, up to the next space. If that would break JSON, redact value by value.
  return after !== text && isJSON(text) && !isJSON(after) ? JSON.stringify(redact(JSON.parse(text))) : after;
}

function redact(value) {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (value === null || typeof value !== "object") return value;
  const secret = (key, inner) => typeof inner === "string" && new RegExp(`(?:${NAMES})$`, "i").test(key);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, secret(key, inner) ? MARK : redact(inner)]));
}

// If a new result does not have the form of the tool's results, Claude Code shows the model the old one. So an object
// keeps its form: its keys, and the words for its type and status.
function withhold(value, note, key) {
  if (typeof value === "string") return /^(type|status)$/.test(key) && /^[a-z_]{1,20}$/.test(value) ? value : note;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return key === undefined ? note : value.map((inner) => withhold(inner, note, ""));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withhold(inner, note, name)]));
}

function answer(input) {
  let call, before;
  const output = (updatedToolOutput) => ({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput }, id: call?.id });
  try {
    call = JSON.parse(input);
    before = call.tool_response ?? call.result ?? "";
    const after = redact(before);
    return JSON.stringify(after) === JSON.stringify(before) ? { id: call.id } : output(after);
  } catch (error) {
    // A result that was not checked may contain secrets.
    const note = `[withheld: redact-secrets could not read the result: ${error.message}]`;
    try {
      return output(withhold(before ?? "", note));
    } catch {
      return output(note); // nested too deep
    }
  }
}

let held = "", answers = 0;
const say = () => {
  console.log(JSON.stringify(answer(held))); // the id says which call of a persistent hook this answers
  [held, answers] = ["", answers + 1];
};
for await (const chunk of process.stdin.setEncoding("utf8")) {
  held += chunk;
  if (chunk.endsWith("\n") && isJSON(held)) say(); // a call can have several lines
}
if (held.trim() || !answers) say();
