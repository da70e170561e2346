package hookfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/protocol"
)

// This file reads "block", "inject" and "if". "when" is in when.go.

// block reads "block".
func (r *reader) block(h *hook.Hook) {
	h.StaticVerdict = &dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy,
		Status: dialect.StatusBlocked, Reason: r.message()}
}

// inject reads "inject".
func (r *reader) inject(h *hook.Hook) {
	h.StaticVerdict = &dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, Context: r.message()}
}

// message reads the text of "block" or "inject", which run no process.
func (r *reader) message() string {
	s, ok := r.text(r.value, r.quotedKey())
	if ok && strings.TrimSpace(s) == "" {
		r.problem(r.value.Index, "%s%q is blank; write what the model is to read", r.who, r.key)
	}
	return s
}

// rule reads "if".
func (r *reader) rule(h *hook.Hook) {
	s, ok := r.text(r.value, `"if"`)
	if !ok {
		return
	}
	if r.rules() == nil {
		r.problem(r.value.Index, `%s"if": this program has no rules, so it cannot decide %s; use "matcher" and "when"`,
			r.who, quote(s))
		return
	}
	if h.If = r.rules().If(s); s == "" || h.If.Malformed() {
		r.problem(r.value.Index, "%s\"if\" %s is no rule of the form Tool or Tool(pattern), as shell(git push *)",
			r.who, quote(s))
	}
}

// warnUnreachable warns about an "if" or a "when" that can never hold at the hook's events.
func (e *entry) warnUnreachable(h *hook.Hook) {
	f, who := e.values, e.who
	some := func(what func(protocol.Event) bool) bool {
		return len(h.Events) == 0 || slices.ContainsFunc(h.Events, what)
	}
	if h.If != nil && !some(dialect.HasTool) {
		e.warnOfDeadGate(f["if"].Index, who+": \"if\" needs a tool, and its events have none, so it never runs")
	}
	if tool, _, _ := strings.Cut(h.IfText(), "("); tool != "" && !h.If.Malformed() {
		if ok, why := h.If.Match(hook.ToolCall{Tool: tool}); !ok { // no match even in doubt
			e.warnOfDeadGate(f["if"].Index, who+": \"if\" "+why+", so it never runs; use \"matcher\" and \"when\"")
		}
	}
	if tool, pattern, _ := strings.Cut(h.IfText(), "("); tool != "" && !h.If.Malformed() {
		e.ruleDoubt(h, e.at(f["if"].Index, ""), who+": ")
		names := append([]string{e.toolNames[tool], tool}, e.clients.ToolNames(tool)...)
		if h.IfMeant == nil {
			h.IfMeant = h.If.Meant(names)
		}
		if misfit := h.If.Problem(names); pattern != "" && misfit != "" {
			e.warnOfGate(f["if"].Index, fmt.Sprintf("%s: \"if\" %s %s", who, quote(h.If.String()), misfit))
		}
	}
	if severalRules(h.IfText()) {
		e.warnOfGate(f["if"].Index,
			who+": \"if\" looks like several rules, and is one that hardly matches; write an entry for each")
	}
	for _, c := range h.When {
		field := c.Field()
		if field != "" && !some(func(e protocol.Event) bool { return dialect.HasValue(e, field) }) &&
			!c.HoldsWithoutValue() {
			e.warnOfDeadGate(f["when"].Index, fmt.Sprintf("%s: its events have no %q, so it never runs", who, field))
		}
	}
}

// severalRules reports whether an if looks like several rules: Tool(pattern) | Tool(pattern).
func severalRules(text string) bool {
	for i, c := range text {
		if c != ')' {
			continue
		}
		between := strings.TrimLeft(text[i+1:], " |,")
		tool, _, more := strings.Cut(between, "(")
		if more && len(between) < len(text)-i-1 && tool != "" && !strings.ContainsAny(tool, " ()*|,\t\n") {
			return true
		}
	}
	return false
}
