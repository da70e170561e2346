package hookfile

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// This file reads "block", "inject" and "if". "when" is in when.go.

// block reads "block".
func (r *reader) block(h *hook.Hook) {
	r.decide(h, dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy,
		Status: dialect.StatusBlocked, Reason: r.message()})
}

// inject reads "inject".
func (r *reader) inject(h *hook.Hook) {
	r.decide(h, dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, Context: r.message()})
}

// decide makes the hook a rule. Beside another handler, which is an error, the messages are about the other.
func (r *reader) decide(h *hook.Hook, v dialect.Verdict) {
	if h.Handler == nil {
		h.Handler, h.Inherit = &hook.Rule{Verdict: v}, nil
	}
}

// message reads the text of "block" or "inject", which run no process.
func (r *reader) message() string {
	s, ok := r.ForProcess()
	if ok && strings.TrimSpace(s) == "" {
		r.Problem("%q is blank; write what the model is to read", r.Key)
	}
	return s
}

// rule reads "if".
func (r *reader) rule(h *hook.Hook) {
	s, ok := r.ForProcess()
	if !ok {
		return
	}
	if r.parts.Rules == nil {
		r.Problem(`"if": this program has no rules, so it cannot decide %s; use "matcher" and "when"`, quote(s))
		return
	}
	if h.If = r.parts.Rules.If(s); s == "" || h.If.Malformed() {
		r.Problem("\"if\" %s is no rule of the form Tool or Tool(pattern), as shell(git push *)", quote(s))
	}
}

// warnUnreachable warns about an "if" or a "when" that can never hold at the hook's events.
func (e *entry) warnUnreachable(h *hook.Hook) {
	f := e.values
	some := func(what func(protocol.Event) bool) bool {
		return len(h.Events) == 0 || slices.ContainsFunc(h.Events, what)
	}
	if h.If != nil {
		if !some(h.Dialect.IsAboutTool) {
			warnOfDeadGate(f["if"], "\"if\" needs a tool, and its events have none, so it never runs")
		}
		e.warnOfIf(h)
	}
	for _, c := range h.When {
		field := c.Field()
		if field != "" && !some(func(e protocol.Event) bool { return h.Dialect.HasValue(e, field) }) &&
			!c.HoldsWithoutValue() {
			warnOfDeadGate(f["when"], "its events have no %q, so it never runs", field)
		}
	}
}

// warnOfIf warns about an "if" that cannot match, or that says something else than it seems to say.
func (e *entry) warnOfIf(h *hook.Hook) {
	read, text := e.values["if"], h.If.String()
	if tool, pattern, _ := strings.Cut(text, "("); tool != "" && !h.If.Malformed() {
		if ok, why := h.If.Match(hook.ToolCall{Tool: tool}); !ok { // no match even in doubt
			warnOfDeadGate(read, "\"if\" %s, so it never runs; use \"matcher\" and \"when\"", why)
		}
		e.ruleDoubt(h, read.Place(), read.Who)
		names := append([]string{e.toolNames[tool], tool}, e.clients.ToolNames(tool)...)
		if h.IfMeant == nil {
			h.IfMeant = h.If.Meant(names)
		}
		if misfit := h.If.Problem(names); pattern != "" && misfit != "" {
			read.Warn("\"if\" %s %s", quote(text), misfit).Gate = true
		}
	}
	if severalRules(text) {
		const text = "\"if\" looks like several rules, and is one that hardly matches; write an entry for each"
		read.Warn(text).Gate = true
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
