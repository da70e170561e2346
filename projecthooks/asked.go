package projecthooks

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Asked is a call that many hooks are held against. What several of them look at is worked out once, so it is for one goroutine,
// and the call must not change meanwhile.
type Asked struct {
	call   *protocol.Call
	rule   *permission.Call   // nil until an if is asked
	doubt  bool               // the arguments cannot be read
	values map[string][]value // by the path
	looked bool               // whether the arguments are torn
	torn   bool
}

// NewAsked returns the call for many hooks.
func NewAsked(c *protocol.Call) *Asked { return &Asked{call: c} }

// Runs reports whether the hook runs at the call, as Hook.Runs does.
func (a *Asked) Runs(h *Hook) bool {
	if !h.Concerns(a.call) {
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

// allows holds the call against the if of a hook, by each name that its tool has there. A client's pattern of a path goes along with
// its cd; a project's own stays in it.
func (a *Asked) allows(h *Hook) (ok bool, why string) {
	if h.If.String() == "" {
		return true, ""
	}
	if a.rule == nil {
		a.prepare()
	}
	if a.doubt {
		return true, "cannot be held against the input, so the hook runs"
	}
	if a.rule.Root = ""; !h.Dialect.FollowsDir {
		a.rule.Root = a.call.Workspace
	}
	ok, why = h.If.Match(*a.rule)
	if !ok && h.Dialect.ProjectTools {
		for _, name := range a.call.ProjectTools() {
			named := *a.rule
			named.Tool = name
			if ok, why := h.If.Match(named); ok {
				return true, why
			}
		}
	}
	return ok, why
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

// isTorn reports whether the arguments are a text that begins as JSON does: what was meant to be an object, and another reader than
// this one may take for one, as {"n":NaN}, an object with a comma too many, or one that was written as a text.
func (a *Asked) isTorn(args string) bool {
	if !a.looked {
		a.looked = true
		if strings.HasPrefix(args, `"`) {
			begins := strings.TrimLeftFunc(strictjson.Text(args), func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) })
			a.torn = strings.HasPrefix(begins, "{") || strings.HasPrefix(begins, "[")
		}
	}
	return a.torn
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
		case json && len(c.steps) > 0 && c.field != "tool_response" && a.isTorn(text):
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
	return c.holds(all)
}
