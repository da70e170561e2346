// Package explain lists the hooks that a call would run, with the reason and the program of each: `hookrun explain`.
// Nothing runs.
package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/check"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// Explanation lists the hooks of a call.
type Explanation struct {
	Version   int            `json:"version"`
	Event     protocol.Event `json:"event"`
	Tool      string         `json:"tool,omitempty"`
	Here      []string       `json:"project_tools,omitempty"` // the project's names for the tool
	From      string         `json:"servers_from,omitempty"`  // the files that name the MCP server of the tool
	Workspace string         `json:"workspace"`
	Files     []string       `json:"files"`
	Warnings  []string       `json:"warnings,omitempty"`
	Read      Reading        `json:"read,omitzero"` // how the rules read the shell lines of the call
	Hooks     []Hook         `json:"hooks"`

	Found project.Project `json:"-"`
	why   string          // of Here
	call  *dialect.Call
	hooks []hook.Hook
}

// Hook is the part of the output about a hook.
type Hook struct {
	view   hookfile.View
	runs   bool
	onArgs bool // the arguments decide, but are missing
	why    string
	values hookfile.Values // other values, in the order of the lines
}

// MarshalJSON writes all values of the hook as one object.
func (x *Hook) MarshalJSON() ([]byte, error) {
	all := append(x.view.Identity(), hookfile.Value{Key: "would_run", Value: x.runs},
		hookfile.Value{Key: "why", Value: x.why})
	return append(all, x.values...).MarshalJSON()
}

// Of explains a call.
func Of(c dialect.Call, cfg *hookfile.Config, o engine.Options, trust *check.Trust) (e Explanation, err error) {
	e = Explanation{Version: 1, Event: c.Event, Tool: c.Tool, Workspace: c.Workspace, Hooks: []Hook{}}
	e.Files = cfg.Paths()
	r, err := engine.New(cfg, o)
	if err != nil {
		return e, err
	}
	plan, err := r.Plan(&c, engine.CallSettings{})
	if err != nil {
		return e, err
	}
	call := dialect.NewCall(c)
	cfg.NameTool(call) // as in the environment of hooks
	e.Warnings, e.Here = plan.Warnings(), call.ProjectTools()
	if _, e.From = call.MCPNames(); e.From != "" {
		e.why = ", by the MCP servers of " + e.From
	}
	switch {
	case call.FileTools.Has(c.Tool):
		e.why = ` (by "tools" in a hooks file)`
	case len(e.Here) == 0 && call.KindsExact:
		e.Here, e.why = call.Kinds, " (as in "+clients.All().WhoCalls(c.Tool)+")"
	case len(e.Here) == 0 && len(call.Kinds) > 0:
		e.Here, e.why = call.Kinds, " (nearly a name of clients or loops)"
	}
	if e.call, e.hooks = call, cfg.Hooks; call.IsAboutTool() {
		e.Read = read(hook.NewMatchContext(call).ToolCall())
	}
	for _, planned := range plan.Hooks() {
		e.Hooks = append(e.Hooks, explained(call, planned, &o, trust))
	}
	return e, nil
}

func explained(c *dialect.Call, planned engine.PlannedHook, o *engine.Options, trust *check.Trust) Hook {
	h := planned.Hook
	call := &hookfile.AtCall{Folder: planned.Dir, Timeout: planned.Timeout, OnFailure: planned.OnFailure}
	x := Hook{view: hookfile.View{Hook: h, Call: call}, runs: planned.Runs, why: planned.Why}
	if last := h.LastObserved(); h.Observes(time.Now()) {
		text := "observe: the call goes on, whatever the hook says"
		if last != "" {
			text += "; until " + last + ", then it blocks"
		}
		x.add("", nil, "mode", text)
	} else if last != "" {
		x.add("", nil, "mode", "block, since it observed until "+last)
	}
	if h.Rule() != nil { // a rule starts no program
		x.line("rule", h.String())
		return x
	}
	x.line("command", h.String())
	env := launch.Environ(h, h.Named(c), o.Env, o.Binary)
	if h.Request() != nil {
		call.Folder = ""
		if e, err := h.Endpoint(); err == nil { // if the settings forbid the address, Inspect reports that
			as := *h
			as.Handler = &hook.Request{Endpoint: e}
			x.view.Hook = &as
		}
	} else if path, _, err := launch.Program(h, planned.Dir, env); err == nil {
		x.line("program", path)
	} else {
		x.add("", nil, "program", "cannot be started")
	}
	x.values = append(x.values, x.view.Handler()...)
	if h.Disabled == "" {
		var problems []string
		cannot, _ := trust.CannotStart(h, c.Workspace, o.Binary)
		for _, problem := range append(launch.Inspect(h, planned.Dir, env), cannot...) {
			problems = append(problems, problem.Error())
		}
		if problems != nil {
			x.add("problems", problems, "problem", problems...)
		}
	}
	x.values = append(x.values, x.view.Run()...)
	if by := h.Process(); by.Workers > 0 && h.Disabled == "" {
		text := fmt.Sprintf("its process stays after a call, for %v without another", by.Keep)
		if by.Keep == 0 {
			text = `no, each call of a client starts it: "keep" is 0`
		} else if why := trust.Cold(h, c.Workspace, o.Binary); why != nil {
			text = fmt.Sprintf("no, each call of a client starts it: %v", why)
		}
		x.line("warm", text)
	}
	return x
}

// line adds a value with a line of the same text.
func (x *Hook) line(key, text string) { x.add(key, text, key, text) }

// add adds a value. Without a key, the value is only in the text output.
func (x *Hook) add(key string, value any, label string, lines ...string) {
	x.values = append(x.values, hookfile.Value{Key: key, Value: value, Label: label, Lines: lines})
}

// MarkUndecided marks the hooks for which only the arguments can decide.
func (e *Explanation) MarkUndecided() {
	m := hook.NewMatchContext(e.call)
	e.Read = Reading{} // of no arguments
	for i := range e.Hooks {
		if h := &e.hooks[i]; m.DependsOnArgs(h) {
			e.Hooks[i].onArgs = true
			const why = "it subscribes to %s, and the arguments decide: give --args"
			e.Hooks[i].why = fmt.Sprintf(why, m.Event(h.Dialect))
		}
	}
}

// AddInputs fills in the stdin of the hooks that would run, each as show returns it, as long as no earlier hook changes
// the call.
func (e *Explanation) AddInputs(show func(string) string) error {
	for i := range e.Hooks {
		h, x := &e.hooks[i], &e.Hooks[i]
		if !x.runs || h.Rule() != nil {
			continue
		}
		payload, _, err := h.Dialect.Hooks.Encode(h.CallFor(e.call))
		if err != nil {
			return err
		}
		label, input := "stdin", string(payload.Bytes())
		if h.Request() != nil {
			label = "body"
		}
		x.add("input", input, label, show(input))
	}
	return nil
}

// AddTools fills in the client's tools that each hook matches.
func (e *Explanation) AddTools(of *client.Client) {
	for i := range e.Hooks {
		h := &e.hooks[i]
		if !h.AtTools() {
			continue
		}
		tools, every := h.MatchingTools(of.Tools, clients.All())
		key, text := "client_tools", strings.Join(tools, ", ")
		switch {
		case every:
			tools, text = []string{"*"}, "every tool"
		case tools == nil:
			key, text = "", "none of its tools"
		}
		v := hookfile.Value{Key: key, Value: tools, Label: of.Name, Lines: []string{text}}
		e.Hooks[i].values = append(hookfile.Values{v}, e.Hooks[i].values...)
	}
}

func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.Event)
	if e.Tool != "" {
		fmt.Fprintf(&b, " of tool %q", e.Tool)
	}
	fmt.Fprintf(&b, " in %s: %s\n", e.Workspace, e.count())
	for _, line := range e.Found.Lines() {
		fmt.Fprintln(&b, line)
	}
	if len(e.Here) > 0 {
		fmt.Fprintf(&b, "tool: %s, here %s%s\n", e.Tool, strings.Join(e.Here, " and "), e.why)
	}
	for _, w := range e.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if read := e.Read.String(); read != "" {
		fmt.Fprintf(&b, "\n%s", read)
	}
	for i := range e.Hooks {
		e.Hooks[i].print(&b)
	}
	return printable.Lines(b.String())
}

// count says how many of the hooks would run.
func (e Explanation) count() string {
	if len(e.Hooks) == 0 {
		return "no hooks, the call goes on"
	}
	runs, may := 0, 0
	for _, h := range e.Hooks {
		switch {
		case h.onArgs:
			may++
		case h.runs:
			runs++
		}
	}
	text := fmt.Sprintf("%d of %d hooks would run", runs, len(e.Hooks))
	if may > 0 {
		text += fmt.Sprintf(", %d more by their arguments", may)
	}
	return text
}

func (x *Hook) print(b *strings.Builder) {
	h, verdict := x.view.Hook, "would not run: "
	switch {
	case x.onArgs:
		verdict = "may run: "
	case x.runs:
		verdict = "would run: "
	}
	level := ""
	if h.Level != hook.ProjectLevel && h.Dialect.Name == tenex.Dialect.Name {
		level = h.Level.String() + ", "
	}
	fmt.Fprintf(b, "\n%s (%s, %sdialect %s)\n  %s%s\n", printable.Escape(h.Name), printable.Escape(h.Source()), level,
		h.Dialect.Name, verdict, x.why)
	for _, v := range x.values {
		for _, line := range v.Lines {
			fmt.Fprintf(b, "  %-11s %s\n", v.Label+":", line)
		}
	}
}
