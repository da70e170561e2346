"use strict";
// Draws the page from the two blocks of data in it. Whatever comes from a log reaches the document through node, as text.

const byId = (id) => document.getElementById(id);

// First of all, so that an error below is seen and not an empty page.
window.addEventListener("error", (e) => {
  byId("problem").hidden = false;
  byId("problem").textContent = "The page could not be drawn: " + e.message;
});

// --- Elements and texts

// visible shows characters that would change or hide the text around them, or that nobody sees.
function visible(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2800\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu,
    (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
}

// node makes an element. Attributes with a function are listeners; attributes and children that are false, null or "" are left out.
function node(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") e.addEventListener(key, value);
    else if (value) e.setAttribute(key, visible(value));
  }
  e.append(...children.flat().filter(Boolean).map((c) => (c instanceof Node ? c : visible(c))));
  return e;
}

function button(label, press, attributes) {
  return node("button", { type: "button", click: press, ...attributes }, label);
}

// A log may be written by anybody, so no field is trusted to have its type.
const list = (v) => (Array.isArray(v) ? v : []);
const object = (v) => (v && typeof v === "object" && !Array.isArray(v) ? v : {});
const objects = (v) => list(v).map(object);
const number = (v) => (Number.isFinite(v) && v > 0 ? v : 0);
const string = (v) => (typeof v === "string" ? v : v == null ? "" : json(v));

function json(v, indent) {
  try {
    return JSON.stringify(v, null, indent);
  } catch {
    return "(nested too deep to be shown)";
  }
}

const count = (n) => number(n).toLocaleString("en");
const joined = (separator, ...words) => words.filter(Boolean).join(separator);
const some = (n, what) => count(n) + " " + what + (n === 1 ? "" : "s");

function ms(t) {
  if (t < 1) return Math.round(t * 100) / 100 + " ms";
  if (t < 100) return Math.round(t * 10) / 10 + " ms";
  if (t < 1000) return Math.round(t) + " ms";
  if (t < 60000) return Math.round(t / 10) / 100 + " s";
  const s = Math.round(t / 1000);
  if (s < 3600) return Math.floor(s / 60) + " min " + (s % 60) + " s";
  return Math.floor(s / 3600) + " h " + (Math.floor(s / 60) % 60) + " min";
}

const two = (n) => String(n).padStart(2, "0");
const day = (d) => d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate());
const clock = (d) => two(d.getHours()) + ":" + two(d.getMinutes()) + ":" + two(d.getSeconds());

// moment is a time of the log on the reader's clock; what is no time is shown as it is.
function moment(text, withDay) {
  const d = new Date(string(text));
  return isNaN(d) ? string(text) : (withDay ? day(d) + " " : "") + clock(d);
}

function clip(text, length) {
  const start = Array.from(text.slice(0, 2 * length)); // by characters: no pair is cut in two
  return start.length > length || text.length > 2 * length ? start.slice(0, length).join("") + "…" : text;
}

// bar is a part of a whole; at both ends there is something to see.
function bar(part, whole, kind) {
  const inner = node("span", { class: kind });
  inner.style.width = Math.min(100, Math.max(1, (100 * part) / whole)) + "%";
  return node("span", { class: "bar", "aria-hidden": "true" }, inner);
}

// paged fills a container with the first items, and with more of them, as many as size, each time they are asked for.
function paged(into, items, first, draw, what, size = first) {
  let shown = 0;
  const more = button("", () => add(size));
  function add(n) {
    const next = items.slice(shown, shown + n);
    into.append(...next.map(draw).flat());
    shown += next.length;
    const left = items.length - shown;
    more.hidden = left === 0;
    more.textContent = "Show " + some(Math.min(size, left), "more " + what) + " of " + count(left);
  }
  add(first);
  return { more, upTo: (n) => n > shown && add(n - shown) };
}

// grouped has the items by their key, each key where its first item was.
function grouped(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), groups.get(key(item)) || []).get(key(item)).push(item);
  return [...groups];
}

// underFiles draws items below one heading for each file, so that no path stands at each item.
function underFiles(items, head, draw) {
  const files = grouped(items, (item) => item.file);
  const heads = new Map(files.map(([file, of]) => [of[0], file]));
  return { all: files.flatMap(([, of]) => of), draw: (item) => [heads.get(item) && head(heads.get(item)), draw(item)].filter(Boolean) };
}

// place is the file and the line of a hook.
function place(source) {
  const [, file, line] = /^([^]*?)(?::(\d+))?$/.exec(string(source));
  return { file, line: line && "line " + line };
}

// --- The data

const summary = object(JSON.parse(byId("summary-data").textContent));
const files = list(summary.files).map(string);
const manyDays = moment(summary.from, true).slice(0, 10) !== moment(summary.to, true).slice(0, 10);

// What a hook came to, by the names that the log and the styles have for it.
const statuses = new Map([
  ["blocked", "blocked"],
  ["observed", "observed"],
  ["timeout", "timed out"],
  ["failed", "failed"],
  ["unstarted", "did not start"],
  ["async", "async"],
  ["ok", "ok"],
  ["skipped", "skipped"],
]);
const lookAt = ["blocked", "timeout", "failed", "unstarted"];
// worst first: those that did not pass, then the slowest.
const worst = (a, b) => (lookAt.indexOf(a.status) + 1 || 9) - (lookAt.indexOf(b.status) + 1 || 9) || b.duration - a.duration;
const broken = new Set(["timeout", "failed", "unstarted"]);

function readHook(h) {
  const status = statuses.has(h.status) ? h.status : "failed";
  return {
    raw: h, status,
    start: number(h.start_ms),
    duration: number(h.duration_ms),
    name: string(h.name) || "(no name)",
    ...place(h.source),
    cause: string(h.cause),
    limit: number(h.limit_ms),
    broken: broken.has(status) || ["exit", "signal", "output"].includes(h.cause),
  };
}

// columnOf is the one column of the counts that a call is in, as hookrun log has it.
function columnOf(entry, outcome, hooks) {
  if ("error" in entry || !("decision" in outcome)) return "error";
  if (outcome.stop === true) return "stop";
  if (outcome.decision !== "continue") return string(outcome.decision);
  if (list(outcome.warnings).length > number(entry.lint) || hooks.some((h) => broken.has(h.raw.status)) || list(entry.notes).slice(0, hooks.length).includes("warning")) return "failed";
  return "updated_input" in outcome || "updated_output" in outcome ? "rewritten" : "continue";
}

function readCall(line) {
  let entry;
  try {
    entry = object(JSON.parse(line));
  } catch {
    return null;
  }
  const outcome = object(entry.outcome);
  const hooks = objects(outcome.hooks).map(readHook);
  const verdict = "decision" in outcome;
  const decision = verdict ? string(outcome.decision) : "no verdict";
  return {
    line, entry, outcome, hooks,
    time: string(entry.time),
    event: string(outcome.event) || string(entry.event),
    tool: string(outcome.tool) || string(entry.tool),
    session: string(entry.session_id),
    words: outcome.stop !== true ? [decision] : decision === "continue" ? ["stop"] : [decision, "stop"],
    blocked: verdict && (decision !== "continue" || outcome.stop === true),
    column: columnOf(entry, outcome, hooks),
    duration: number(outcome.duration_ms),
    scale: hooks.reduce((end, h) => Math.max(end, h.start + h.duration), number(outcome.duration_ms)) || 1,
  };
}

const calls = byId("calls-data").textContent.split("\n").map(readCall).filter(Boolean); // the newest first

// found is the text that a search looks at: every value and key of the call. Made at first use.
function found(call) {
  const texts = (v) => (v === null || typeof v !== "object" ? [String(v)] : Object.entries(v).flatMap(([k, x]) => (Array.isArray(v) ? texts(x) : [k, ...texts(x)])));
  try {
    call.text ??= texts(call.entry).join("\n").toLowerCase();
  } catch {
    call.text = call.line.toLowerCase(); // nested too deep
  }
  return call.text;
}

// --- Head

// Each call is in one of these, so the tiles add up, and so do the filters. Each has a word and a colour.
const columnWords = Object.entries({
  continue: ["went on"], rewritten: ["rewritten"], failed: ["failed", "failed"], block: ["blocked", "block"],
  ask: ["ask", "ask"], defer: ["defer", "defer"], stop: ["stopped", "stop"], error: ["no verdict", "none"],
});
const sums = object(summary.columns);
byId("files").textContent = visible(files.join(", ") || "No log file.");
if (summary.from) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const length = new Date(string(summary.to)) - new Date(string(summary.from));
  byId("span").textContent = visible(`${moment(summary.from, true)} to ${moment(summary.to, manyDays)} (${ms(number(length))}), ${zone} time`);
} else {
  byId("span").textContent = "There is no call in this log.";
}
byId("counts").append(
  ...[
    ["calls", summary.calls, ""],
    ...columnWords.map(([key, [word, kind]]) => [word, sums[key], kind]),
    ["unreadable lines", summary.unreadable, "none"],
  ]
    .filter(([word, n]) => number(n) || !/rewr|ask|defer/.test(word))
    .map(([word, n, kind]) => node("div", { class: number(n) ? kind : "zero" }, node("dt", null, word), node("dd", null, count(n)))),
);

// --- Hooks

const numbers = "matched ok blocked asked observed injected rewrote failed timed_out unstarted skipped async other p50_ms p95_ms max_ms limit_ms near_timeouts".split(" ");
const hooks = objects(summary.hooks).map((h, order) => ({
  ...Object.fromEntries(numbers.map((key) => [key, number(h[key])])),
  order,
  name: string(h.name) || "(no name)",
  file: string(h.file),
  events: list(h.events).map(string).join(", "),
  last: string(h.last),
}));
const slowestHook = hooks.reduce((most, h) => Math.max(most, h.p95_ms), 0);

// searchFor shows the calls that name a hook.
function searchFor(name) {
  show({ filter: "all", query: name });
  byId("calls-part").scrollIntoView();
}

function glance(title, items, value, kind, none) {
  const first = items.slice(0, 3);
  return node("div", { class: "card " + (items.length ? kind : "quiet") },
    node("h3", null, title),
    items.length === 0 && node("p", { class: "dim" }, none),
    node("ul", null, first.map((h) => node("li", null, button(clip(h.name, 80), () => searchFor(h.name), { class: "link" }), node("span", { class: "num" }, value(h))))),
    items.length > 3 && kind !== "ok" && node("p", { class: "dim" }, "and " + count(items.length - 3) + " more"),
  );
}

function drawGlance() {
  const broken = (h) => h.failed + h.timed_out + h.unstarted;
  const most = (of) => hooks.filter((h) => of(h) > 0).sort((a, b) => of(b) - of(a));
  byId("glance").append(
    glance("Slowest", most((h) => h.p95_ms), (h) => "p95 " + ms(h.p95_ms), "ok", "No hook ran."),
    glance("Near their timeout", most((h) => h.near_timeouts), (h) => `${count(h.near_timeouts)} ×, limit ${ms(h.limit_ms)}`, "timeout", "No hook came near."),
    glance("Failed or timed out", most(broken), (h) => count(broken(h)) + " ×", "failed", "No hook failed."),
  );
}

function hookName(h) {
  return [
    button(clip(h.name, 80), () => searchFor(h.name), { class: "link" }),
    slowestHook > 0 && h.p95_ms === slowestHook && node("span", { class: "tag ok" }, "slowest"),
    h.near_timeouts > 0 && node("span", { class: "tag timeout" }, `near its timeout ${count(h.near_timeouts)} ×`),
    node("span", { class: "dim small below" }, h.events),
  ];
}

const p95 = (h) => [node("span", null, ms(h.p95_ms)), slowestHook > 0 && bar(h.p95_ms, slowestHook, "ok")];
const max = (h) => [
  node("span", null, ms(h.max_ms), h.limit_ms > 0 && node("span", { class: "dim" }, " of " + ms(h.limit_ms))),
  h.limit_ms > 0 && bar(h.max_ms, h.limit_ms, h.max_ms >= 0.8 * h.limit_ms ? "timeout" : "ok"),
];

// Columns with a kind are coloured where they are not 0; rare ones are there only if some hook needs them.
const columns = [
  { title: "Hook", key: "name", cell: hookName },
  { title: "Matched", key: "matched" },
  { title: "OK", key: "ok" },
  { title: "Blocked", key: "blocked", kind: "blocked" },
  { title: "Asked", key: "asked", kind: "failed", rare: true },
  { title: "Injected", key: "injected" },
  { title: "Observed", key: "observed", rare: true },
  { title: "Rewrote", key: "rewrote", rare: true },
  { title: "Failed", key: "failed", kind: "failed" },
  { title: "Timed out", key: "timed_out", kind: "timeout" },
  { title: "Not started", key: "unstarted", kind: "failed", rare: true },
  { title: "Skipped", key: "skipped", rare: true },
  { title: "Async", key: "async", rare: true },
  { title: "Other", key: "other", rare: true },
  { title: "p50", key: "p50_ms", cell: (h) => ms(h.p50_ms) },
  { title: "p95", key: "p95_ms", cell: p95 },
  { title: "Max of limit", key: "max_ms", cell: max },
  { title: "Last call", key: "last", cell: (h) => moment(h.last, manyDays) },
].filter((c) => !c.rare || hooks.some((h) => h[c.key] > 0));

function hookCell(h, c) {
  const content = c.cell ? c.cell(h) : count(h[c.key]);
  if (c.key === "name") return node("th", { role: "rowheader", scope: "row", class: "name" }, content);
  return node("td", { role: "cell", class: "num " + (h[c.key] === 0 ? "zero" : c.kind || ""), "data-title": c.title }, content);
}

let hooksSort = { column: columns.find((c) => c.key === "p95_ms"), down: true };

function drawHooks() {
  const { column, down } = hooksSort;
  const compare = (a, b) => {
    const [x, y] = [a[column.key], b[column.key]];
    return (typeof x === "string" ? x.localeCompare(y) : x - y) * (down ? -1 : 1) || a.order - b.order;
  };
  const sortBy = (c) => () => {
    hooksSort = { column: c, down: c === column ? !down : c.key !== "name" };
    drawHooks();
    byId("hooks").querySelectorAll("thead button")[columns.indexOf(c)].focus();
  };
  const titles = columns.map((c) =>
    node("th", { role: "columnheader", scope: "col", class: c.key === "name" ? "name" : "num", "aria-sort": c === column && (down ? "descending" : "ascending") },
      button([c.title, c === column && node("span", { "aria-hidden": "true" }, down ? " ▼" : " ▲")], sortBy(c))));
  const body = node("tbody", { role: "rowgroup" });
  // The roles are for when the styles make cards of the table, which takes them away.
  const table = node("table", { role: "table", class: "hooks" }, node("thead", { role: "rowgroup" }, node("tr", { role: "row" }, titles)), body);
  const head = (file) => node("tr", { role: "row", class: "file" }, node("th", { role: "rowheader", scope: "rowgroup", colspan: columns.length }, file));
  const { all, draw } = underFiles([...hooks].sort(compare), head, (h) => node("tr", { role: "row" }, columns.map((c) => hookCell(h, c))));
  const { more } = paged(body, all, 25, draw, "hook");
  byId("hooks").replaceChildren(...(hooks.length ? [node("div", { class: "scroll" }, table), more] : [node("p", { class: "dim" }, "No hook matched a call.")]));
}

const fileItem = (file) => node("li", { class: "file" }, file);

function drawNever() {
  const never = objects(summary.never_fired).map((h) => ({ ...place(h.source), name: string(h.name), events: list(h.events).map(string).join(", ") }));
  if (never.length === 0) return;
  const items = node("ul", { class: "plain" });
  const { all, draw } = underFiles(never, fileItem, (h) => node("li", null, node("strong", null, h.name), node("span", { class: "dim small" }, " " + joined(" · ", h.line, h.events))));
  const { more } = paged(items, all, 5, draw, "hook");
  byId("never").append(node("div", { class: "card never" }, node("h3", null, "Never fired: " + some(never.length, "hook") + " of the configuration"), items, more));
}

// --- What is said about one call

const badgeKinds = new Map([..."continue block ask defer stop".split(" ").map((w) => [w, w]), ["no verdict", "none"]]);
const badge = (word) => node("span", { class: "badge " + (badgeKinds.get(word) || "block") }, word);
const status = (h) => node("span", { class: "status " + h.status }, statuses.get(h.status));
const decided = (o) => joined(" ", string(o.hook), string(o.cause) && `(${string(o.cause)})`);

// argsText is what the tool was called with, on one line; for an event without a tool its prompt.
function argsText(entry) {
  return "args" in entry ? string(entry.args) : string(entry.args_preview) || string(entry.prompt);
}

// notes are the second line of a call: what is unusual about it.
function notes(call) {
  const { entry, outcome } = call;
  const troubled = call.hooks.filter((h) => h.broken);
  const changed = [
    entry.failed === true && "tool failed",
    ...objects(outcome.inject).slice(0, 3).map((i) => clip(string(i.display) || "injected", 99)),
    "updated_input" in outcome && "input rewritten",
    "updated_output" in outcome && "output rewritten",
    list(outcome.warnings).length > 0 && some(list(outcome.warnings).length, "warning"),
    entry.redacted === true && "redacted",
  ].filter(Boolean);
  return [
    string(entry.error) && node("span", { class: "why" }, string(entry.error)),
    call.blocked && node("span", { class: "why" }, node("strong", null, decided(outcome)), " ", clip(string(outcome.reason) || string(outcome.stop_reason), 300)),
    troubled.slice(0, 3).map((h) => node("span", { class: "tag " + h.status }, `${clip(h.name, 40)} ${statuses.get(h.status)}`)),
    troubled.length > 3 && node("span", { class: "tag failed" }, count(troubled.length - 3) + " more"),
    changed.map((word) => node("span", { class: "tag" }, word)),
  ].flat().filter(Boolean);
}

// strip draws the hooks of a call as bars over its time: one path for each status, however many hooks there are.
function strip(call) {
  const most = 6; // lanes
  const least = 4; // thousandths of the width that the shortest bar has
  const ran = call.hooks.filter((h) => h.status !== "skipped");
  const bars = (ran.length > most ? ran.sort(worst).slice(0, 1000) : ran).map((h) => {
    const width = Math.max(least, (1000 * h.duration) / call.scale);
    return { ...h, width, x: Math.min(1000 - width, (1000 * h.start) / call.scale) };
  });
  const lanes = [];
  if (bars.length <= most) {
    lanes.push(...bars.map((b) => [b]));
  } else {
    // Too many for a lane each: what matters is placed first, and what finds no room is left to the opened call.
    for (const b of bars) {
      const free = lanes.find((lane) => lane.every((o) => b.x >= o.x + o.width || o.x >= b.x + b.width));
      if (free) free.push(b);
      else if (lanes.length < most) lanes.push([b]);
    }
  }
  const paths = new Map();
  lanes.forEach((lane, i) => lane.forEach((b) => paths.set(b.status, `${paths.get(b.status) || ""}M${b.x.toFixed(1)} ${i * 8 + 1}h${(b.width - 1).toFixed(1)}v6h-${(b.width - 1).toFixed(1)}z`)));
  const height = 8 * Math.max(1, lanes.length);
  const svg = (name, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  };
  const picture = svg("svg", { viewBox: "0 0 1000 " + height, preserveAspectRatio: "none", height, "aria-hidden": "true", class: "strip" });
  picture.append(...[...paths].map(([s, d]) => svg("path", { d, class: s })));
  return { picture, drawn: lanes.flat().length };
}

// exact keeps numbers that JavaScript would round, where the browser can.
function exact(line) {
  const whole = (k, v, context) => (typeof v === "number" && JSON.rawJSON && context && String(v) !== context.source ? JSON.rawJSON(context.source) : v);
  try {
    return object(JSON.parse(line, whole));
  } catch {
    return object(JSON.parse(line));
  }
}

function part(title, text, note) {
  return text ? node("div", { class: "part" }, node("h4", null, title, note && node("span", { class: "dim" }, " " + note)), node("pre", { tabindex: "0" }, text)) : null;
}

function hookRow(call, h) {
  const { raw } = h;
  const facts = joined(" · ",
    h.cause && "cause " + h.cause,
    typeof raw.exit_code === "number" && "exit " + raw.exit_code,
    string(raw.signal),
    h.start > 0 && "began at " + ms(h.start),
    h.limit > 0 && "limit " + ms(h.limit),
    number(raw.stdout_bytes) > 0 && count(raw.stdout_bytes) + " B of stdout",
    list(raw.left_running).length > 0 && "left running: " + list(raw.left_running).map(string).join(", "),
  );
  const span = node("span", { class: h.status });
  span.style.width = Math.max(0.5, (100 * h.duration) / call.scale) + "%";
  span.style.marginLeft = Math.min(99.5, (100 * h.start) / call.scale) + "%";
  return node("li", { class: "hook" },
    node("span", { class: "hook-name" }, node("strong", null, h.name), node("span", { class: "dim small below" }, h.line)),
    status(h),
    node("span", { class: "bar", "aria-hidden": "true" }, h.status !== "skipped" && span),
    node("span", { class: "num" }, h.status !== "skipped" && ms(h.duration)),
    facts && node("span", { class: "facts dim small" }, facts),
    string(raw.stderr) && node("pre", { tabindex: "0", class: "stderr" }, string(raw.stderr)),
  );
}

// hookList shows up to 15 hooks, in the order of the log. Of more it shows those to look at first, and all when asked.
function hookList(call) {
  const all = call.hooks;
  if (all.length === 0) return node("p", { class: "dim" }, "No hook matched.");
  const items = node("ul", { class: "plain hook-list" });
  const draw = (hooks) => {
    const under = underFiles(hooks, fileItem, (h) => hookRow(call, h));
    items.replaceChildren(...under.all.flatMap(under.draw));
  };
  if (all.length <= 15) {
    draw(all);
    return items;
  }
  draw([...all].sort(worst).slice(0, 10));
  const more = button("Show all " + count(all.length) + " hooks, in the order of the log", () => {
    draw(all);
    more.remove();
  });
  return node("div", null, node("p", { class: "dim small" }, "Of " + count(all.length) + " hooks the 10 to look at first: those that did not pass, then the slowest."), items, more);
}

function callParts(call) {
  const entry = exact(call.line);
  const outcome = object(entry.outcome);
  // A short text nested deep would be megabytes of indentation.
  const pretty = (v) => (typeof v !== "object" ? string(v) : json(v, json(v, 2).length < 100000 ? 2 : 0));
  const firstOf = (preview, size) => string(preview) && `(the first ${count(Array.from(string(preview)).length)} of ${count(size)} characters)`;
  const facts = [
    ["time", entry.time], ["tool", call.tool], ["command", entry.command], ["pid", entry.pid], ["session", entry.session_id], ["agent", entry.agent_id],
    ["tool use", entry.tool_use_id], ["workspace", entry.workspace], ["approved", outcome.approved === true ? "yes" : ""],
  ].filter(([, v]) => string(v));
  return node("div", { class: "parts" },
    node("dl", { class: "facts" }, facts.map(([k, v]) => node("div", null, node("dt", null, k), node("dd", null, string(v))))),
    part("No verdict", string(entry.error)),
    part("Reason", string(outcome.reason), decided(outcome)),
    part("Stop", string(outcome.stop_reason)),
    list(outcome.warnings).length > 0 && part("Warnings", list(outcome.warnings).map(string).join("\n")),
    part("Prompt", string(entry.prompt)),
    part("Args", "args" in entry ? pretty(entry.args) : string(entry.args_preview), !("args" in entry) && firstOf(entry.args_preview, entry.args_size)),
    part("Input after the hooks", pretty(outcome.updated_input)),
    part("Result", "result" in entry ? pretty(entry.result) : string(entry.result_preview), !("result" in entry) && firstOf(entry.result_preview, entry.result_size)),
    part("Output after the hooks", pretty(outcome.updated_output)),
    objects(outcome.inject).map((i) => part("Injected", string(i.content), joined(", ", string(i.hook), i.truncated === true && "truncated"))),
    list(outcome.system_messages).length > 0 && part("System messages", list(outcome.system_messages).map(string).join("\n")),
    part("Other answers", pretty(outcome.other)),
    node("div", { class: "part" }, node("h4", null, "Hooks"), hookList(call)),
  );
}

function drawCall(call) {
  const said = notes(call);
  const { picture, drawn } = strip(call);
  const row = node("details", { class: "call" + (call.blocked ? " is-blocked" : /failed|error/.test(call.column) ? " is-broken" : "") },
    node("summary", null, node("span", { class: "row" },
      node("span", { class: "time" }, manyDays && node("span", { class: "dim small" }, moment(call.time, true).slice(0, 10) + " "), moment(call.time)),
      node("span", { class: "what" }, node("span", { class: "dim" }, call.event), " ", node("strong", null, call.tool)),
      node("span", { class: "badges" }, call.words.map(badge)),
      picture,
      node("span", { class: "num took" }, ms(call.duration), node("span", { class: "dim small below" }, some(call.hooks.length, "hook"), call.hooks.length > 6 && drawn < call.hooks.length && `, ${count(drawn)} drawn`)),
      said.length > 0 && node("span", { class: "notes" }, said),
    )),
  );
  row.addEventListener("toggle", () => row.open && row.childElementCount === 1 && row.append(callParts(call)));
  call.row = row;
  return row;
}

// --- Blocks

// callOf is the call that a block of the summary is about, if it is among those of the page.
function callOf(block) {
  const of = calls.filter((c) => c.time === block.time && c.event === string(block.event) && c.tool === string(block.tool) && c.session === string(block.session_id));
  return of.find((c) => string(c.outcome.hook) === string(block.hook)) || of[0];
}

// blockedCall is one call that was blocked: when, the tool, what it was called with, and the reason if it is another one.
function blockedCall(b, reason) {
  const call = callOf(b);
  const args = clip(string(b.about) || (call ? argsText(exact(call.line)) : ""), 400);
  return [
    string(b.reason) !== reason && node("p", { class: "reason" }, clip(string(b.reason), 600)),
    node("p", { class: "args" },
      node("span", { class: "time" }, moment(b.time, manyDays)), " ", string(b.event), " ", node("strong", null, string(b.tool)), " ",
      args && node("code", null, args), " ",
      call && button("Show the call", () => reveal(call), { class: "link" }),
    ),
  ].filter(Boolean);
}

// drawBlock is what one hook blocked and why, the last call first.
function drawBlock([, of]) {
  const b = of[0], reason = string(b.reason);
  const calls = node("div");
  const { more } = paged(calls, of, 1, (c) => blockedCall(c, reason), "call", 10);
  return node("article", { class: "block" },
    node("p", { class: "block-head" },
      node("strong", null, string(b.hook) || "hookrun"),
      badge(string(b.decision)),
      node("span", null, count(of.length) + " ×"),
      node("span", { class: "dim" }, joined(" ", b.cause && "cause", string(b.cause))),
    ),
    node("p", { class: "reason" }, clip(reason, 600)),
    calls, more,
  );
}

function drawBlocks() {
  const blocks = objects(summary.blocks).reverse();
  const total = number(sums.block) + number(sums.ask) + number(sums.defer) + number(sums.stop);
  if (blocks.length === 0) return byId("blocks").append(node("p", { class: "dim" }, "No call was blocked."));
  const items = node("div");
  const { more } = paged(items, grouped(blocks, (b) => json([b.hook, b.decision, b.cause])), 10, drawBlock, "hook");
  byId("blocks").append(items, more, node("p", { class: "dim" }, total > blocks.length && `These are the last ${count(blocks.length)} of ${count(total)} calls.`));
}

// --- Calls

const filters = new Map([
  ["all", { label: "All", keep: () => true }],
  ...columnWords.map(([key, [word]]) => [key, { label: word[0].toUpperCase() + word.slice(1), keep: (c) => c.column === key }]),
]);
const manySessions = new Set(calls.map((c) => c.session)).size > 1;
let view = { filter: "all", query: "", slowest: false };
let pages;

// rows are the calls to be drawn, in their order; heads are by the first call of each session.
function rows() {
  const query = view.query.trim().toLowerCase();
  const kept = calls.filter((c) => filters.get(view.filter).keep(c) && (query === "" || found(c).includes(query)));
  byId("kept").textContent = kept.length === calls.length ? some(calls.length, "call") : `${count(kept.length)} of ${some(calls.length, "call")}`;
  if (view.slowest) return { all: kept.sort((a, b) => b.duration - a.duration), heads: new Map() };
  const sessions = grouped(kept, (c) => c.session).map(([, of]) => of);
  return { all: sessions.flat(), heads: new Map(manySessions ? sessions.map((of) => [of[0], drawSession(of)]) : []) };
}

function drawSession(of) {
  const blocked = of.filter((c) => c.blocked).length;
  return node("h3", { class: "session" }, of[0].session ? "Session " + of[0].session : "Without a session",
    node("span", { class: "dim small" }, " " + some(of.length, "call") + (blocked ? ", " + count(blocked) + " blocked" : "")));
}

function show(change) {
  view = { ...view, ...change };
  byId("search").value = view.query;
  for (const b of byId("filter").querySelectorAll("button[data-filter]")) b.setAttribute("aria-pressed", String(b.dataset.filter === view.filter));
  byId("slowest").setAttribute("aria-pressed", String(view.slowest));
  const items = node("div");
  const { all, heads } = rows();
  pages = { all, ...paged(items, all, 100, (c) => [heads.get(c), drawCall(c)].filter(Boolean), "call") };
  byId("rows").replaceChildren(all.length ? items : node("p", { class: "dim" }, calls.length ? "No call is like that." : "There is no call in this log."), pages.more);
}

// reveal opens one call, wherever it is in the list.
function reveal(call) {
  show({ filter: "all", query: "", slowest: false });
  pages.upTo(pages.all.indexOf(call) + 1);
  call.row.open = true;
  call.row.scrollIntoView();
  call.row.querySelector("summary").focus({ preventScroll: true });
}

function drawFilter() {
  const buttons = [...filters].filter(([, f], i) => i === 0 || calls.some(f.keep)).map(([name, f]) => button(`${f.label} ${count(calls.filter(f.keep).length)}`, () => show({ filter: name }), { "data-filter": name }));
  byId("filter").append(
    node("div", { role: "group", "aria-label": "Which calls" }, buttons),
    button("Slowest first", () => show({ slowest: !view.slowest }), { id: "slowest" }),
    node("input", { id: "search", type: "search", placeholder: "Search in calls", "aria-label": "Search in calls", autocomplete: "off", input: (e) => show({ query: e.target.value }) }),
    node("span", { id: "kept", class: "dim", role: "status" }),
    node("span", { class: "dim" }, calls.length < number(summary.calls) && `The page has the last ${count(calls.length)} of ${some(summary.calls, "call")}.`),
  );
}

drawBlocks();
drawGlance();
drawHooks();
drawNever();
drawFilter();
show({});
