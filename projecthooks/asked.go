package projecthooks

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/protocol"
)

// Asked is a call that many hooks are held against. What several of them look at is worked out once, so it is for one goroutine,
// and the call must not change meanwhile.
type Asked struct {
	call   *protocol.Call
	rule   *permission.Call   // nil until an if is asked
	doubt  bool               // the arguments cannot be read
	values map[string][]value // by the path
}

// NewAsked returns the call for many hooks.
func NewAsked(c *protocol.Call) *Asked { return &Asked{call: c} }

// Runs reports whether the hook runs at the call, as Hook.Runs does.
func (a *Asked) Runs(h *Hook) bool {
	if h.settings.disabled() || !slices.Contains(h.Events, h.Dialect.EventOf(a.call)) || !h.isFor(a.call.AgentID) || !h.matches(a.call) {
		return false
	}
	if allowed, _ := a.allows(h.If); !allowed {
		return false
	}
	for i := range h.When {
		if !a.holds(&h.When[i]) {
			return false
		}
	}
	return true
}

// allows holds the call against an if.
func (a *Asked) allows(rule Rule) (ok bool, why string) {
	if rule.String() == "" {
		return true, ""
	}
	if a.rule == nil {
		a.prepare()
	}
	if a.doubt {
		return true, "cannot be held against the input, so the hook runs"
	}
	return rule.Match(*a.rule)
}

func (a *Asked) prepare() {
	c := a.call
	rule := permission.Call{Dir: c.Workspace}.Once()
	if filepath.IsAbs(c.Dir) {
		rule.Dir = c.Dir
	}
	if c.Event.HasTool() {
		rule.Tool = c.Tool
	}
	if home, err := os.UserHomeDir(); err == nil {
		rule.Home = home
	}
	input, err := c.InputText()
	a.doubt = err != nil
	rule.Input = input
	a.rule = &rule
}

// holds reports whether a condition is true of the call. Where no hook could be given its arguments it is: the call will not go on,
// and a rule must not look like one that let it.
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
		switch {
		case !ok:
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
	return c.holds(all)
}
