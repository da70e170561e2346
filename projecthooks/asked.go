package projecthooks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Asked is a call that many hooks are held against. What several of them look at is worked out once, so it is for one
// goroutine, and the call must not change meanwhile.
type Asked struct {
	call   *protocol.Call
	rule   *permission.Call   // nil until an if is asked
	doubt  bool               // the arguments cannot be read
	values map[string][]value // by the path
	looked bool               // whether the arguments are torn
	torn   bool

	equal, equalKnown bool // the arguments have equal keys
	near              []protocol.Call
	nearKnown         bool
	lower             string // the tool's name without blanks around it, in lower case
	work              int    // what matching has cost so far
	steps             int    // what conditions have cost so far
	warnings          []string
}

// Limits of what matching may cost, since a model chooses the names of tools: beyond them a hook is run.
const (
	maxToolName = 1 << 10 // bytes of a name
	maxMatching = 1 << 27 // bytes of all matchers times those of the name: a second at the very worst
)

// maxWarnings is how many hooks are named at a call: a file can have tens of thousands.
const maxWarnings = 20

// NewAsked returns the call for many hooks.
func NewAsked(c *protocol.Call) *Asked { return &Asked{call: c} }

// Call is the call that hooks are held against.
func (a *Asked) Call() *protocol.Call { return a.call }

// Warnings are what is odd about the call for the hooks that it was held against so far.
func (a *Asked) Warnings() (warnings []string) {
	c := a.call
	if c.Event.HasTool() && c.Tool != "" {
		warnings = append(warnings, c.ArgsWarnings()...)
		if bare := bareName(c.Tool); bare != c.Tool {
			warnings = append(
				warnings,
				fmt.Sprintf(
					"the tool's name %s has blanks around it, so no matcher for %s matches it",
					quote(c.Tool),
					quote(bare),
				),
			)
		}
	}
	return append(warnings, a.warnings...)
}

func (a *Asked) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(a.warnings) < maxWarnings && !slices.Contains(a.warnings, text) {
		a.warnings = append(a.warnings, text)
	}
}

// bareName is a name without what cannot be seen around it.
func bareName(name string) string {
	return strings.TrimFunc(
		name,
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) },
	)
}

// Runs reports whether the hook runs at the call, as Hook.Runs does.
func (a *Asked) Runs(h *Hook) bool {
	if !a.Concerns(h) {
		return false
	}
	if allowed, _ := a.allows(h); !allowed {
		return false
	}
	for i := range h.When {
		if !a.holds(&h.When[i]) {
			return false
		}
	}
	return true
}

// Concerns reports whether the hook is for calls of this event, agent and tool, as Hook.Concerns does.
func (a *Asked) Concerns(h *Hook) bool {
	c := a.call
	if h.settings.allOff() || h.disabled() || !slices.Contains(h.Events, h.rules().EventOf(c)) || !h.isFor(c.AgentID) {
		return false
	}
	if a.matches(h) {
		a.nearRule(h)
		return true
	}
	if globs, ok := h.Matcher.(Globs); ok && h.rules().ProjectTools {
		if known, near := a.nearlyMatches(h, globs); near {
			a.warn("hook %s: its matcher %s does not match the tool %s, which "+differs+"%s",
				quote(h.Name), quote(globs.text), quote(c.Tool), known)
		}
	}
	return false
}

// differs says of a name that it nearly matches.
const differs = "differs only in case or blanks"

// nearlyMatches reports whether a matcher would match the tool by any of its names if case and blanks did not count.
// known ends a warning where that is a name of another tool, which the call's nearly is.
func (a *Asked) nearlyMatches(h *Hook, globs Globs) (known string, near bool) {
	matches := func(name string) bool { return a.spend(globs.text, name) && globs.nearlyMatches(strings.ToLower(name)) }
	if matches(a.lowerTool()) || slices.ContainsFunc(h.toolNames(a.call), matches) {
		return "", true
	}
	for _, c := range a.nearlyCalled() {
		if slices.ContainsFunc(h.toolNames(&c), matches) {
			return " from " + quote(c.Tool), true
		}
	}
	return "", false
}

// nearlyCalled are the calls that this one may have been meant to be.
func (a *Asked) nearlyCalled() []protocol.Call {
	if !a.nearKnown && a.call.Event.HasTool() && len(a.call.Tool) <= maxToolName {
		a.near, a.nearKnown = all.NearlyCalled(a.call, a.lowerTool()), true
	}
	return a.near
}

// spend takes from what the matchers of the call may cost, and reports whether there was enough.
func (a *Asked) spend(matcher, name string) bool {
	a.work += len(matcher) * len(name)
	return a.work <= maxMatching
}

// nearRule warns of an if for a tool that differs from the call's by case or blanks alone.
func (a *Asked) nearRule(h *Hook) {
	if h.If.String() == "" || !h.rules().ProjectTools || !a.call.Event.HasTool() {
		return
	}
	tool, names := h.If.Tool(), h.toolNames(a.call)
	if tool == a.call.Tool || slices.Contains(names, tool) {
		return
	}
	lower := strings.ToLower(tool)
	is := func(name string) bool { return strings.ToLower(name) == lower }
	known := ""
	if lower != a.lowerTool() && !slices.ContainsFunc(names, is) {
		at := slices.IndexFunc(a.nearlyCalled(), func(c protocol.Call) bool {
			return slices.ContainsFunc(h.toolNames(&c), is)
		})
		if at < 0 {
			return
		}
		known = " from " + quote(a.near[at].Tool)
	}
	a.warn("hook %s: its if %s is not for the tool %s, which "+differs+"%s",
		quote(h.Name), quote(h.If.String()), quote(a.call.Tool), known)
}

func (a *Asked) lowerTool() string {
	if a.lower == "" && len(a.call.Tool) <= maxToolName {
		a.lower = strings.ToLower(bareName(a.call.Tool))
	}
	return a.lower
}

// matches reports whether the hook's matcher matches what the event has for it, by any name that it has there.
func (a *Asked) matches(h *Hook) bool {
	if h.Matcher == nil {
		return true
	}
	subject, ok := h.rules().MatcherSubject(a.call)
	return !ok || a.match(h, subject) ||
		slices.ContainsFunc(h.toolNames(a.call), func(name string) bool { return a.match(h, name) })
}

// match holds the matcher against one name. One that would take too long to match matches.
func (a *Asked) match(h *Hook, name string) bool {
	text := h.Matcher.String()
	if text == "" || text == "*" {
		return h.Matcher.Match(name)
	}
	if len(name) > maxToolName {
		a.warn(
			"the name %s has %d bytes, more than the %d that matchers are held against, so every hook with a matcher runs",
			quote(name),
			len(name),
			maxToolName,
		)
		return true
	}
	if !a.spend(text, name) {
		a.warn(
			"the matchers are too many to be held against the name %s, so every hook from some point on runs",
			quote(name),
		)
		return true
	}
	return h.Matcher.Match(name)
}

// allows holds the call against the if of a hook, by each name that its tool has there. A client's pattern of a path
// goes along with its cd; a project's own stays in it.
func (a *Asked) allows(h *Hook) (ok bool, why string) {
	if h.If.String() == "" {
		return true, ""
	}
	rule := a.ruleCall(h)
	if a.doubt {
		return true, "cannot be held against the input, so the hook runs"
	}
	return h.If.Match(rule)
}

// Doubt says what hookrun cannot tell of the call that the if of a project's hook matches out of doubt alone, "" if there
// is no doubt. The agent can write another call then.
func (a *Asked) Doubt(h *Hook) string {
	if h.If.String() == "" || !h.rules().ProjectTools {
		return ""
	}
	rule := a.ruleCall(h)
	if a.doubt {
		return ""
	}
	return h.If.Doubt(rule)
}

// ruleCall is the call as the if of a hook is held against it.
func (a *Asked) ruleCall(h *Hook) permission.Call {
	if a.rule == nil {
		a.prepare()
	}
	rule := *a.rule
	if !h.rules().FollowsDir {
		rule.Root = a.call.Workspace
	}
	if rule.Project = h.rules().ProjectTools; rule.Project {
		rule.Also = h.toolNames(a.call)
	}
	return rule
}

func (a *Asked) prepare() {
	c := a.call
	rule := permission.Call{Dir: c.Workspace}.Once()
	if filepath.IsAbs(c.Dir) {
		rule.Dir = c.Dir
	}
	if c.Event.HasTool() {
		rule.Tool = c.Tool
		for _, name := range slices.Concat(c.ProjectTools(), all.ToolNames(c.Tool)) {
			if rule.Kind == permission.Unknown {
				rule.Kind = permission.KindOf(name)
			}
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		rule.Home = home
	}
	input, err := c.InputText()
	a.doubt = err != nil
	rule.Input, rule.EqualKeys = input, a.hasEqualKeys()
	a.rule = &rule
}

// hasEqualKeys reports whether the arguments had equal keys: the tool may read others than a rule does.
func (a *Asked) hasEqualKeys() bool {
	if !a.equalKnown {
		a.equal, a.equalKnown = a.call.EqualKeys(), true
	}
	return a.equal
}

// isTorn reports whether the arguments are a text that begins as JSON does: what was meant to be an object, and
// another reader than this one may take for one, as {"n":NaN}, an object with a comma too many, or one that was
// written as a text.
func (a *Asked) isTorn(args string) bool {
	if !a.looked {
		a.looked = true
		if strings.HasPrefix(args, `"`) {
			begins := strings.TrimLeftFunc(
				strictjson.Text(args),
				func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) },
			)
			a.torn = strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "[")
		}
	}
	return a.torn
}

// holds reports whether a condition is true of the call. Where no hook could be given its arguments it is: the call
// will not go on, and a rule must not look like one that let it.
func (a *Asked) holds(c *Condition) bool {
	if c.holds == nil {
		return false
	}
	all, known := a.values[c.path]
	if !known {
		text, json, ok, err := a.call.Value(c.field)
		if err != nil {
			return true
		}
		isArgs := c.field == "args" || c.field == "tool_input"
		switch {
		case !ok:
		case isArgs && (a.hasEqualKeys() || json && len(c.steps) > 0 && a.isTorn(text)):
			return true
		case json && !a.step(len(text)):
			return true
		case json:
			walk(gjson.Parse(text), c.steps, func(v value) { all = append(all, v) })
		case len(c.steps) == 0:
			all = []value{{text: text}}
		}
		if a.values == nil {
			a.values = map[string][]value{}
		}
		a.values[c.path] = all
	}
	if c.cost != nil && !a.step(min(c.cost(all), maxSteps)) {
		return true
	}
	return c.holds(all)
}

// step takes from what the conditions of the call may take together, and reports whether there was enough.
func (a *Asked) step(n int) bool {
	a.steps += n
	if a.steps > maxCallSteps {
		a.warn("the conditions are too many to be held against values of this size, so those from some point on hold")
	}
	return a.steps <= maxCallSteps
}
