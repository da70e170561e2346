package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

var explain = command{
	name:    "explain",
	args:    "EVENT [FLAGS] | --input JSON|@FILE|- [FLAGS]",
	takes:   registry.EventNames,
	summary: "show which hooks a call would run, and why; runs none",
	about: `Shows for each hook whether it would run at EVENT for the call that the flags describe, and why or
why not; its program, where that would run, how long it may take, and what each kind of failure would
mean. It runs nothing. --show-input also shows what each hook would get on stdin, as long as no hook
before it changes the call.`,
	example: `  hookrun explain pre-tool --tool shell --args '{"command":"ls"}'`,
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		f.defineTool(flags)
		f.defineResult(flags)
		f.define(flags, "text", "json")
		const usage = "a client's own hook input as `JSON|@FILE|-`, instead of EVENT and its flags"
		input := flags.String("input", "", usage)
		const show = "show what each hook that would run gets on stdin, which may have secrets in it"
		showInput := flags.Bool("show-input", false, show)
		const whose = "show also by which names of this client's tools each matcher and if is met (CLIENT: "
		client := flags.String("client", "", "`CLIENT`: "+whose+strings.Join(registry.ClientNames(), ", ")+")")
		setValues(flags, "client", registry.ClientNames()...)
		return func(args []string, std Streams) (int, error) {
			of, known := registry.ClientNamed(*client)
			if *client != "" && !known {
				return 0, checkWord(flags, "client")
			}
			event, err := f.explained(args, *input, of, std)
			if err != nil {
				return 0, err
			}
			if err := f.finish(event, &typed{Streams: std}); err != nil {
				return 0, err
			}
			cfg, o, err := f.load()
			if err != nil {
				return 0, err
			}
			o.Subreaper = false // nothing will run
			f.project.findAbove(len(cfg.Hooks))
			e, err := newExplanation(f.call, cfg, o)
			if err != nil {
				return 0, err
			}
			if event.HasTool() && f.call.ClientInput == "" && !flags.Changed("args") {
				e.leaveToArgs(f.call, cfg)
			}
			e.Warnings = slices.Concat(f.warnings, f.project.aside(), e.Warnings)
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

// explained returns the event that the words name, or that of a client's input. client is that of --client, or nil.
func (f *callFlags) explained(args []string, input string, client *dialect.Dialect, std Streams) (protocol.Event,
	error) {
	if input != "" {
		if err := noArgs(args); err != nil {
			return "", err
		}
		doc, err := value("--input", input, &typed{Streams: std})
		if err != nil {
			return "", err
		}
		return f.readInput(doc, client)
	}
	const known = "pre-execute, pre-tool, post-tool, and Claude Code's names, such as Stop"
	if len(args) != 1 {
		return "", errors.New("give one EVENT: known are " + known)
	}
	event, ok := registry.ParseEvent(args[0])
	if !ok {
		near := spelling.Suggest(args[0], registry.EventNames())
		return "", fmt.Errorf("unknown event %q; known are %s%s", args[0], known, near)
	}
	return event, nil
}

// explanation is what explain prints.
type explanation struct {
	Version   int             `json:"version"`
	Event     protocol.Event  `json:"event"`
	Tool      string          `json:"tool,omitempty"`
	Here      []string        `json:"project_tools,omitempty"` // the project's names for a client's tool
	Workspace string          `json:"workspace"`
	Files     []string        `json:"files"`
	Warnings  []string        `json:"warnings,omitempty"`
	Hooks     []explainedHook `json:"hooks"`

	found project
}

type explainedHook struct {
	Name       string                               `json:"name"`
	Source     string                               `json:"source"`
	Level      hook.Level                           `json:"level"`
	Dialect    string                               `json:"dialect"`
	Runs       bool                                 `json:"would_run"`
	Why        string                               `json:"why"`
	Tools      []string                             `json:"client_tools,omitempty"` // with --client
	meets      string                               // the same for people
	onArgs     bool                                 // the arguments decide, and were not given
	Rule       string                               `json:"rule,omitempty"` // then there is nothing to run
	Command    string                               `json:"command,omitempty"`
	Program    string                               `json:"program,omitempty"` // absent if it cannot be started
	URL        string                               `json:"url,omitempty"`     // of an HTTP hook, which has no program
	Proxy      string                               `json:"proxy,omitempty"`
	Headers    []string                             `json:"headers,omitempty"` // their names: values may be secrets
	Variables  []string                             `json:"allowed_env_vars,omitempty"`
	CAFile     string                               `json:"ca_file,omitempty"`
	Cert       string                               `json:"client_cert,omitempty"`
	Problems   []string                             `json:"problems,omitempty"`
	Persistent bool                                 `json:"persistent,omitempty"`
	Workers    int                                  `json:"workers,omitempty"`         // of a persistent one
	MaxStops   int                                  `json:"max_stop_blocks,omitempty"` // at the end of a turn
	Cwd        string                               `json:"cwd,omitempty"`
	Timeout    string                               `json:"timeout,omitempty"`
	OnFailure  map[protocol.Cause]protocol.Decision `json:"on_failure,omitempty"`
	Input      string                               `json:"input,omitempty"` // on stdin, or as the body of a request
}

func newExplanation(c protocol.Call, cfg *hookfile.Config, o runner.Options) (e explanation, err error) {
	e = explanation{Version: 1, Event: c.Event, Tool: c.Tool, Workspace: c.Workspace, Hooks: []explainedHook{}}
	e.Files = cfg.Paths()
	r, err := newRunner(cfg, o)
	if err != nil {
		return e, err
	}
	plan, err := r.Plan(c)
	if err != nil {
		return e, err
	}
	call := dialect.NewCall(c)
	cfg.NameTool(call) // as hooks have it in their environment
	e.Warnings, e.Here = plan.Warnings(), call.ProjectTools()
	for i, planned := range plan.Hooks() {
		e.Hooks = append(e.Hooks, explained(call, &cfg.Hooks[i], planned, o))
	}
	return e, nil
}

func explained(c *dialect.Call, h *hook.Hook, planned runner.PlannedHook, o runner.Options) explainedHook {
	x := explainedHook{Name: h.Name, Source: h.Source(), Level: h.Level,
		Dialect: h.Dialect.Name, Runs: planned.Runs, Why: planned.Why}
	if h.StaticVerdict != nil {
		x.Rule = h.String()
		return x
	}
	x.Command, x.Cwd, x.Timeout, x.OnFailure = h.String(), planned.Dir, planned.Timeout.String(), planned.OnFailure
	x.MaxStops = h.StopBlocks()
	if planned.Timeout == 0 {
		x.Timeout = "none, it is not waited for"
	}
	if h.Persistent {
		x.Persistent, x.Workers = true, max(h.Workers, 1)
	}
	env := launch.Environ(h, h.Named(c), o.Env, o.Binary)
	if h.HTTP != nil {
		x.post(h)
	} else if path, _, err := launch.Program(h, planned.Dir, env); err == nil && h.Unsupported == "" {
		x.Program = path
	}
	if h.Disabled != "" {
		return x
	}
	for _, problem := range launch.Inspect(h, planned.Dir, env) {
		x.Problems = append(x.Problems, problem.Error())
	}
	return x
}

// leaveToArgs marks the hooks of which only the arguments could tell whether they run.
func (e *explanation) leaveToArgs(c protocol.Call, cfg *hookfile.Config) {
	call := dialect.NewCall(c)
	cfg.NameTool(call)
	m := hook.NewMatchContext(call)
	for i := range e.Hooks {
		if h := &cfg.Hooks[i]; m.OnArgs(h) {
			e.Hooks[i].onArgs = true
			const why = "it subscribes to %s, and the arguments decide: give --args"
			e.Hooks[i].Why = fmt.Sprintf(why, m.Event(h.Dialect))
		}
	}
}

// addInputs fills in what the hooks that would run get, if none of them changes the call for those behind it.
func (e *explanation) addInputs(c protocol.Call, cfg *hookfile.Config) error {
	call := dialect.NewCall(c)
	cfg.NameTool(call)
	for i := range e.Hooks {
		h := &cfg.Hooks[i]
		if !e.Hooks[i].Runs || h.StaticVerdict != nil {
			continue
		}
		payload, _, err := h.Dialect.Hooks.Encode(h.Seen(call))
		if err != nil {
			return err
		}
		e.Hooks[i].Input = string(payload.Bytes())
	}
	return nil
}

// addTools fills in which of a client's tools each hook is for.
func (e *explanation) addTools(client *dialect.Dialect, cfg *hookfile.Config) {
	for i := range e.Hooks {
		h, x := &cfg.Hooks[i], &e.Hooks[i]
		if !slices.ContainsFunc(h.Events, protocol.Event.HasTool) {
			continue
		}
		tools, every := h.MeetsOf(client)
		x.Tools, x.meets = tools, strings.Join(tools, ", ")
		switch {
		case every:
			x.Tools, x.meets = []string{"*"}, "every tool"
		case tools == nil:
			x.meets = "none of its tools"
		}
		x.meets = fmt.Sprintf("  %-11s %s\n", client.Name+":", x.meets)
	}
}

// post fills in what an HTTP hook posts to.
func (x *explainedHook) post(h *hook.Hook) {
	e, err := h.Endpoint()
	if err != nil { // the settings do not allow the address; Inspect reports that
		e = *h.HTTP
	}
	x.Cwd, x.URL = "", e.String()
	for _, header := range e.Headers {
		x.Headers = append(x.Headers, header.Name)
	}
	x.Variables, x.CAFile, x.Cert = e.AllowedEnvVars, e.CAFile, e.ClientCert
	if e.Proxy != "" {
		x.Proxy = (&httphook.Endpoint{URL: e.Proxy}).String()
	}
}

// request are the lines about how an HTTP hook posts.
func (x *explainedHook) request(b *strings.Builder) {
	for _, line := range []struct{ label, text string }{
		{"headers", strings.Join(x.Headers, ", ")},
		{"variables", strings.Join(x.Variables, ", ")},
		{"ca file", x.CAFile},
		{"client cert", x.Cert},
		{"proxy", x.Proxy},
	} {
		if line.text != "" {
			fmt.Fprintf(b, "  %-11s %s\n", line.label+":", line.text)
		}
	}
}

func (e explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.Event)
	if e.Tool != "" {
		fmt.Fprintf(&b, " of tool %q", e.Tool)
	}
	fmt.Fprintf(&b, " in %s: ", e.Workspace)
	runs, may := 0, 0
	if len(e.Hooks) == 0 {
		b.WriteString("no hooks, the call goes on\n")
	} else {
		for _, h := range e.Hooks {
			switch {
			case h.onArgs:
				may++
			case h.Runs:
				runs++
			}
		}
		fmt.Fprintf(&b, "%d of %d hooks would run", runs, len(e.Hooks))
		if may > 0 {
			fmt.Fprintf(&b, ", %d more by their arguments", may)
		}
		b.WriteByte('\n')
	}
	for _, line := range e.found.lines() {
		fmt.Fprintln(&b, line)
	}
	if len(e.Here) > 0 {
		fmt.Fprintf(&b, "tool: %s, here %s\n", e.Tool, strings.Join(e.Here, " and "))
	}
	for _, w := range e.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, h := range e.Hooks {
		verdict := "would not run: "
		switch {
		case h.onArgs:
			verdict = "may run: "
		case h.Runs:
			verdict = "would run: "
		}
		program := h.Program
		if program == "" {
			program = "cannot be started"
		}
		name, source := printable.Escape(h.Name), printable.Escape(h.Source)
		level := ""
		if h.Level != hook.ProjectLevel && h.Dialect == registry.Project().Name {
			level = h.Level.String() + ", "
		}
		fmt.Fprintf(&b, "\n%s (%s, %sdialect %s)\n  %s%s\n", name, source, level, h.Dialect, verdict, h.Why)
		b.WriteString(h.meets)
		if h.Rule != "" {
			fmt.Fprintf(&b, "  rule:       %s\n", h.Rule)
			continue
		}
		fmt.Fprintf(&b, "  command:    %s\n", h.Command)
		if h.URL != "" {
			h.request(&b)
		} else {
			fmt.Fprintf(&b, "  program:    %s\n", program)
		}
		for _, p := range h.Problems {
			fmt.Fprintf(&b, "  problem:    %s\n", p)
		}
		if h.Persistent {
			fmt.Fprintf(&b, "  persistent: under serve, %d at most; here it gets one line\n", h.Workers)
		}
		if h.MaxStops > 0 {
			fmt.Fprintf(&b, "  max blocks: %d in a row at the end of a turn\n", h.MaxStops)
		}
		if h.Cwd != "" {
			fmt.Fprintf(&b, "  cwd:        %s\n", h.Cwd)
		}
		fmt.Fprintf(&b, "  timeout:    %s\n  on failure:", h.Timeout)
		separator := " "
		for _, cause := range protocol.FailureCauses() {
			if d, ok := h.OnFailure[cause]; ok {
				fmt.Fprintf(&b, "%s%s: %s", separator, cause, d)
				separator = ", "
			}
		}
		b.WriteString("\n")
		if h.Input != "" {
			label := "stdin:"
			if h.URL != "" {
				label = "body:"
			}
			fmt.Fprintf(&b, "  %-11s %s\n", label, shownInput(h.Input))
		}
	}
	return printable.Lines(b.String())
}
