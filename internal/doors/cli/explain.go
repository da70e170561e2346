package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

var explain = command{
	name:    "explain",
	args:    "EVENT [FLAGS] | --input JSON|@FILE|- [FLAGS]",
	takes:   func() []string { return clients.All().EventNames() },
	summary: "show which hooks a call would run, and why; runs none",
	about: `Shows for each hook whether it would run at EVENT for the call that the flags describe, and why or
why not; its program, where that would run, how long it may take, and what each kind of failure would
mean. It runs nothing. --show-input also shows what each hook would get on stdin, as long as no hook
before it changes the call.`,
	example: `  hookrun explain pre-tool --tool shell --args '{"command":"ls"}'`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callCommand
		f.defineTool(flags)
		f.defineResult(flags)
		f.define(flags, "text", "json")
		const usage = "a client's own hook input as `JSON|@FILE|-`, instead of EVENT and its flags"
		input := flags.String("input", "", usage)
		const show = "show what each hook that would run gets on stdin, which may have secrets in it"
		showInput := flags.Bool("show-input", false, show)
		const whose = "show also by which names of this client's tools each matcher and if is met (CLIENT: "
		client := flags.String("client", "", "`CLIENT`: "+whose+strings.Join(clients.All().ClientNames(), ", ")+")")
		setValues(flags, "client", clients.All().ClientNames()...)
		return func(args []string, std Streams) (int, error) {
			of, known := clients.All().ClientNamed(*client)
			if *client != "" && !known {
				return 0, checkWord(flags, "client")
			}
			event, err := f.explained(args, *input, of, std)
			if err != nil {
				return 0, err
			}
			if err := f.finish(event, &stdinReader{Streams: std}); err != nil {
				return 0, err
			}
			cfg, o, err := f.load()
			if err != nil {
				return 0, err
			}
			o.Subreaper = false // explain runs no hook
			f.project.FindAbove(len(cfg.Hooks))
			undecided := clients.All().IsAboutTool(event) && f.call.ClientInput == "" && !flags.Changed("args")
			_ = f.call.Resolve(cfg.Clients()) // the plan reports the error
			if known && f.call.ClientInput == "" && (of.MCP.Fits(f.call.Tool) ||
				of.ToolName != nil && of.ToolName(&f.call) != "") {
				input, _, err := of.Hooks.Encode(&f.call)
				if err != nil {
					return 0, err
				}
				f.call.Client, f.call.ClientInput = of.Dialect, string(input.Bytes())
				_ = f.call.Resolve(cfg.Clients())
			}
			e, err := newExplanation(f.call, cfg, o)
			if err != nil {
				return 0, err
			}
			if undecided {
				e.markUndecided(f.call, cfg)
			}
			e.Warnings = slices.Concat(f.warnings, f.project.ExtraRemarks(), e.Warnings)
			e.found = f.project
			if known {
				e.addTools(of, cfg)
			}
			if *showInput {
				if err := e.addInputs(f.call, cfg); err != nil {
					return 0, err
				}
			}
			if f.output == "json" {
				return exitOK, writeJSON(std, e)
			}
			return exitOK, write(std, e.String())
		}
	},
}

// explained returns the event named by the arguments, or of a client's input. from is the client of --client, or nil.
func (f *callCommand) explained(args []string, input string, from *client.Client, std Streams) (protocol.Event,
	error) {
	if input != "" {
		if err := noArgs(args); err != nil {
			return "", err
		}
		doc, err := value("--input", input, &stdinReader{Streams: std})
		if err != nil {
			return "", err
		}
		return f.readInput(doc, from)
	}
	const known = "pre-execute, pre-tool, post-tool, and Claude Code's names, such as Stop"
	if len(args) != 1 {
		return "", errors.New("give one EVENT: known are " + known)
	}
	event, ok := clients.All().ParseEvent(args[0])
	if !ok {
		near := spelling.Suggest(args[0], clients.All().EventNames())
		return "", fmt.Errorf("unknown event %q; known are %s%s", args[0], known, near)
	}
	return event, nil
}

// explanation is the output of explain.
type explanation struct {
	Version   int             `json:"version"`
	Event     protocol.Event  `json:"event"`
	Tool      string          `json:"tool,omitempty"`
	Here      []string        `json:"project_tools,omitempty"` // the project's names for the tool
	From      string          `json:"servers_from,omitempty"`  // what names the MCP server of the tool
	Workspace string          `json:"workspace"`
	Files     []string        `json:"files"`
	Warnings  []string        `json:"warnings,omitempty"`
	Hooks     []explainedHook `json:"hooks"`

	found project.Project
	why   string // of Here
}

// explainedHook is the part of the output about a hook.
type explainedHook struct {
	view   hookfile.View
	runs   bool
	onArgs bool // the arguments decide, but are missing
	why    string
	values hookfile.Values // other values, in the order of the lines
}

// MarshalJSON writes all values of the hook as one object.
func (x *explainedHook) MarshalJSON() ([]byte, error) {
	all := append(x.view.Identity(), hookfile.Value{Key: "would_run", Value: x.runs},
		hookfile.Value{Key: "why", Value: x.why})
	return append(all, x.values...).MarshalJSON()
}

func newExplanation(c dialect.Call, cfg *hookfile.Config, o engine.Options) (e explanation, err error) {
	e = explanation{Version: 1, Event: c.Event, Tool: c.Tool, Workspace: c.Workspace, Hooks: []explainedHook{}}
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
	for _, planned := range plan.Hooks() {
		e.Hooks = append(e.Hooks, explained(call, planned, o))
	}
	return e, nil
}

func explained(c *dialect.Call, planned engine.PlannedHook, o engine.Options) explainedHook {
	h := planned.Hook
	call := &hookfile.AtCall{Folder: planned.Dir, Timeout: planned.Timeout, OnFailure: planned.OnFailure}
	x := explainedHook{view: hookfile.View{Hook: h, Call: call}, runs: planned.Runs, why: planned.Why}
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
	} else if path, _, err := launch.Program(h, planned.Dir, env); err == nil && h.Unsupported() == "" {
		x.line("program", path)
	} else {
		x.add("", nil, "program", "cannot be started")
	}
	x.values = append(x.values, x.view.Handler()...)
	if h.Disabled == "" {
		var problems []string
		cannot, _ := trust.CannotStart(h, trust.OutsideCall(c.Workspace, o.Binary))
		for _, problem := range append(launch.Inspect(h, planned.Dir, env), cannot...) {
			problems = append(problems, problem.Error())
		}
		if problems != nil {
			x.add("problems", problems, "problem", problems...)
		}
	}
	x.values = append(x.values, x.view.Run()...)
	return x
}

// line adds a value with a line of the same text.
func (x *explainedHook) line(key, text string) { x.add(key, text, key, text) }

// add adds a value. Without a key, the value is only in the text output.
func (x *explainedHook) add(key string, value any, label string, lines ...string) {
	x.values = append(x.values, hookfile.Value{Key: key, Value: value, Label: label, Lines: lines})
}

// markUndecided marks the hooks for which only the arguments can decide.
func (e *explanation) markUndecided(c dialect.Call, cfg *hookfile.Config) {
	call := dialect.NewCall(c)
	cfg.NameTool(call)
	m := hook.NewMatchContext(call)
	for i := range e.Hooks {
		if h := &cfg.Hooks[i]; m.DependsOnArgs(h) {
			e.Hooks[i].onArgs = true
			const why = "it subscribes to %s, and the arguments decide: give --args"
			e.Hooks[i].why = fmt.Sprintf(why, m.Event(h.Dialect))
		}
	}
}

// addInputs fills in the stdin of the hooks that would run, as long as no earlier hook changes the call.
func (e *explanation) addInputs(c dialect.Call, cfg *hookfile.Config) error {
	call := dialect.NewCall(c)
	cfg.NameTool(call)
	for i := range e.Hooks {
		h, x := &cfg.Hooks[i], &e.Hooks[i]
		if !x.runs || h.Rule() != nil {
			continue
		}
		payload, _, err := h.Dialect.Hooks.Encode(h.CallFor(call))
		if err != nil {
			return err
		}
		label, input := "stdin", string(payload.Bytes())
		if h.Request() != nil {
			label = "body"
		}
		x.add("input", input, label, shownInput(input))
	}
	return nil
}

// addTools fills in the client's tools that each hook matches.
func (e *explanation) addTools(of *client.Client, cfg *hookfile.Config) {
	for i := range e.Hooks {
		h := &cfg.Hooks[i]
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

func (e explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.Event)
	if e.Tool != "" {
		fmt.Fprintf(&b, " of tool %q", e.Tool)
	}
	fmt.Fprintf(&b, " in %s: %s\n", e.Workspace, e.count())
	for _, line := range e.found.Lines() {
		fmt.Fprintln(&b, line)
	}
	if len(e.Here) > 0 {
		fmt.Fprintf(&b, "tool: %s, here %s%s\n", e.Tool, strings.Join(e.Here, " and "), e.why)
	}
	for _, w := range e.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for i := range e.Hooks {
		e.Hooks[i].print(&b)
	}
	return printable.Lines(b.String())
}

// count says how many of the hooks would run.
func (e explanation) count() string {
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

func (x *explainedHook) print(b *strings.Builder) {
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
