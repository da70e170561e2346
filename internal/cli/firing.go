package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/client"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/gate"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/gate/form"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/parts"
	"github.com/hookrun/hookrun/internal/printable/terminal"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// hasFile reports whether a hooks file may exist. Without a file, no hook runs.
func (f *callFlags) hasFile() bool {
	if f.claude || len(f.configs) > 0 || f.project.Found() {
		return true
	}
	o := f.files()
	return o.HasOuter()
}

// load returns the hooks of all files, and the runner's options from the flags. It reports all their errors at once.
func (f *callFlags) load() (*hookfile.Config, engine.Options, error) {
	o, err := f.options()
	if err != nil {
		return nil, o, err
	}
	cfg, err := f.read()
	return cfg, o, err
}

// read reads the hooks files selected by the flags.
func (f *callFlags) read() (*hookfile.Config, error) {
	cfg, err := hookfile.Load(f.files())
	if err != nil {
		return nil, err
	}
	for i := range cfg.Hooks {
		if h := &cfg.Hooks[i]; f.dialect != "" && h.Dialect.Name != f.dialect && h.Level >= hook.ProjectLevel {
			const text = "--dialect %s: %s is in the form of the %s dialect"
			return nil, fmt.Errorf(text, f.dialect, h.File, h.Dialect.Name)
		}
	}
	if f.required && len(cfg.Files) == 0 {
		return nil, f.project.missing()
	}
	if f.managed && !cfg.HasLevel(hook.ManagedLevel) {
		return nil, fmt.Errorf("%s is missing, and this call is by an entry of install --managed; put the file back, "+
			"or run hookrun uninstall --managed as administrator", hookfile.ManagedFile())
	}
	f.project.files, f.project.only = cfg.Files, cfg.ManagedOnly
	return cfg, nil
}

// files returns the options that select the hooks files.
func (f *callFlags) files() hookfile.Options {
	named := f.form()
	return hookfile.Options{Parts: parts.All(), Workspace: f.workspace, Files: f.configs,
		Project: &f.project.Project, Dialect: named, Claude: f.claude, NoUser: f.noUser,
		AsClient: f.onFailure != protocol.Block.String()}
}

// readAgain reads the hooks files again. A file found at first may have been removed on purpose.
func (f *callFlags) readAgain() (*hookfile.Config, error) {
	again := *f
	again.project.Project = hookfile.ProjectIn(f.workspace)
	again.project.Worktree = f.project.Worktree
	return again.read()
}

// form returns the dialect named by the flags; nil: the dialect of each file.
func (f *callFlags) form() *dialect.Dialect {
	if f.dialect == "" {
		return nil
	}
	d, _ := registry.All().Named(f.dialect)
	return d
}

// hookEnviron returns the environment of hooks. A variable in it counts the nesting of hooks that call hookrun: a file
// with a hook that runs the same file, like `hookrun fire --claude` in Claude Code's settings, would never end.
func hookEnviron() (env []string, err error) {
	const variable, deepest = "HOOKRUN_DEPTH", 4
	depth, _ := strconv.Atoi(os.Getenv(variable)) // only hookrun sets the variable
	if depth >= deepest {
		const text = "%d hooks deep in each other: a hook calls hookrun, which runs that hook again; " +
			"take hookrun out of the files that it reads there"
		return nil, fmt.Errorf(text, depth)
	}
	env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, variable+"=") })
	return append(env, fmt.Sprintf("%s=%d", variable, depth+1)), nil
}

// options returns the runner's options from the flags.
func (f *callFlags) options() (o engine.Options, err error) {
	if f.timeout != "" {
		if o.Timeout, err = hookfile.ParseTimeout(f.timeout); err != nil {
			return o, fmt.Errorf("--timeout %w", err)
		}
	}
	if f.onFailure != "" {
		if o.OnFailure, err = hookfile.ParseFailurePolicy(f.onFailure); err != nil {
			return o, fmt.Errorf("--on-failure %w", err)
		}
	}
	mode, err := f.trustMode()
	if err != nil {
		return o, err
	}
	o.RequireTrust, o.CheckTrust = mode == hookfile.TrustRequired, trust.Check
	o.Pin, o.BlockUntilAllowed = f.pin, f.beforeAllow == "block"
	if o.Binary, err = os.Executable(); err != nil {
		return o, fmt.Errorf("finding hookrun itself: %w", err)
	}
	o.Subreaper = true
	comma := func(r rune) bool { return r == ',' || unicode.IsSpace(r) }
	o.Skip = strings.FieldsFunc(os.Getenv(engine.SkipVariable), comma)
	return o, nil
}

func trustWords() []string { return []string{hookfile.TrustOff, hookfile.TrustRequired} }

// trustMode returns the value of --trust, or of the environment variable, for commands with the flag.
func (f *callFlags) trustMode() (string, error) {
	value, from := f.trust, "--trust"
	if value == "" && f.flags.Lookup("trust") != nil {
		value, from = os.Getenv(trustVariable), "$"+trustVariable
	}
	if value == "" || slices.Contains(trustWords(), value) {
		return value, nil
	}
	near := spelling.Suggest(value, trustWords())
	return "", fmt.Errorf("%s %q is not one of off, required%s", from, value, near)
}

// fire runs the hooks for the call described by the flags, and prints the outcome.
func (f *callFlags) fire(event protocol.Event, std Streams) (exit int, err error) {
	return f.fireRead(func() (protocol.Event, error) { return event, nil }, std)
}

// fireRead is fire for a call that is still to be read.
func (f *callFlags) fireRead(read func() (protocol.Event, error), std Streams) (exit int, err error) {
	if err := f.record.open(); err != nil {
		_, _ = read() // sets the call, for the error message
		return f.tellError(err, std)
	}
	g := f.gate(func(err error) { fmt.Fprintln(std.Err, "hookrun: warning:", err) })
	began := time.Now()
	p, err := f.prepare(read, g, &stdinReader{Streams: std})
	if std.last != nil && f.record.log != nil && !errors.Is(err, errAnswered) {
		*std.last = func() { f.beats().Beat(f.config) }
	}
	if err != nil {
		if errors.Is(err, errAnswered) { // the other entry records the call
			return 0, err
		}
		g.NoVerdict(began, &f.call, err)
		return f.tellError(err, std)
	}
	answer, err := p.fire()
	if err != nil {
		return f.tellError(err, std)
	}
	defer answer.Delivered(false) // no effect after Delivered(true)
	return f.print(answer.Fired, std, func() { answer.Delivered(true) })
}

// tellError encodes an error as a block, if the exit status alone is not enough: the client does not block for the exit
// status at every event, or shows the model the tool's result beside it. tellError returns the error for the caller to
// print, unless the block replaces the exit status.
func (f *callFlags) tellError(failure error, std Streams) (exit int, err error) {
	to := f.reader()
	isStranger := errors.As(failure, new(registry.Stranger))
	isUnread := f.call.Event == "" && (to != nil || f.output == "") && (f.entry != "" || isStranger)
	if isUnread || isStranger && f.entry != "" {
		return f.tellStranger(failure, std)
	}
	if to == nil || f.call.Event == "" {
		return 0, failure
	}
	var reason strings.Builder
	printError(&reason, "fire", failure)
	if errors.As(failure, new(hook.Diagnostics)) {
		reason.WriteString(personMustMend)
	}
	if to.Events.Of(f.call.Event).Can&dialect.EndsTurn != 0 {
		// A block would start the turn again, forever.
		o := protocol.Outcome{Version: 1, Event: f.call.Event, Decision: protocol.Continue,
			SystemMessages: []string{strings.TrimSpace(reason.String())}}
		return f.print(engine.Fired{Outcome: o}, std, func() {})
	}
	block := gate.Blocked(&f.call, strings.TrimSpace(reason.String()))
	block.Failed = f.call.Failed
	takesOther := dialect.Withhold(&f.call, &block)
	reply, err := to.ReplyTo(&f.call, block)
	switch {
	case err != nil || len(reply.Stdout) == 0: // the client reads no answer at the event
	case to.Errors == client.ErrorByBlock || takesOther:
		return f.print(engine.Fired{Outcome: block}, std, func() {})
	case to.Errors == client.ErrorByExit:
		if f.entry == entryByMark { // the exit status is the answer
			_ = write(std, f.answer(nil))
		}
	default:
		_ = write(std, f.answer(reply.Stdout)) // the exit status blocks where possible
	}
	return 0, failure
}

// tellStranger tells a program about an error with its input. hookrun may not know the program, so it answers in every
// form at once. At an event without a gate the program goes on, with a message.
func (f *callFlags) tellStranger(failure error, std Streams) (exit int, err error) {
	var sender registry.Stranger
	if errors.As(failure, &sender) {
		failure = fmt.Errorf("%w; so hookrun cannot judge the call: %s", failure, sender.Who())
	}
	var reason strings.Builder
	if printError(&reason, "fire", failure); sender.HasGate() {
		_ = write(std, f.answer(sender.Denial(strings.TrimSpace(reason.String()))))
		return 0, failure
	}
	fmt.Fprint(std.Err, reason.String())
	if f.entry == "" {
		return exitFailed, nil
	}
	return client.ExitNote, write(std, f.answer(nil))
}

// gate returns the gate of a command. The runner is set once the hooks files are read.
func (f *callFlags) gate(warn func(error)) *gate.Gate {
	return &gate.Gate{Queue: f.queue, Log: f.record.log, Command: f.flags.Name(), Warn: warn}
}

// prepared is a call whose hooks are ready to run.
type prepared struct {
	gate     *gate.Gate
	call     gate.Call
	until    *interruption
	depthErr error // error if hooks are nested too deep
}

// prepare reads the call and the hooks files.
func (f *callFlags) prepare(
	read func() (protocol.Event, error), g *gate.Gate, stdin io.Reader,
) (*prepared, error) {
	event, err := read()
	if err != nil {
		return nil, err
	}
	if err := f.finish(event, stdin); err != nil {
		return nil, err
	}
	f.recordLastRun()
	p := &prepared{gate: g, until: &interruption{exit: exitFailed}}
	if f.reader() != nil {
		p.until.exit = exitBlock
	}
	if f.hasFile() {
		p.until.watch()
	}
	cfg, options, err := f.load()
	if err != nil {
		return nil, err
	}
	f.config = cfg
	if f.verbose {
		f.project.findAbove(len(cfg.Hooks))
	}
	options.OneShot = true
	if f.debug {
		f.inputs = &debugInputs{}
		options.OnInput = f.inputs.add
	}
	options.Env, p.depthErr = hookEnviron()
	if g.Runner, err = engine.New(cfg, options); err != nil {
		return nil, err
	}
	p.call = f.gateCall()
	return p, nil
}

// gateCall returns the call with the limits of its output form.
func (f *callFlags) gateCall() gate.Call {
	c := gate.Call{Call: f.call, Warnings: f.warnings}
	c.Output = f.reader()
	if f.output == "text" {
		c.Fit = func(o *protocol.Outcome) { *o = form.WithoutRewrites(*o) }
		// on other codes, stdout has no texts
		c.Carries = func(o *protocol.Outcome) bool { return form.ExitCode(*o) == exitOK }
	}
	if f.ipc != nil && *f.ipc != "" {
		c.MassGen = func() (string, bool, []string) { return ipcMemory().Take(*f.ipc, f.call.Tool) }
	}
	return c
}

// fire runs the call's hooks. A signal ends them.
func (p *prepared) fire() (gate.Answer, error) {
	plan, err := p.gate.Plan(p.call, engine.CallSettings{})
	if err != nil {
		return gate.Answer{}, err
	}
	ctx := context.Background()
	if !plan.Empty() {
		if p.depthErr != nil {
			return gate.Answer{}, plan.Refuse(p.depthErr)
		}
		ctx = p.until.context()
	}
	answer, err := plan.Fire(ctx)
	p.until.done()
	if err != nil && ctx.Err() != nil {
		err = gate.Killed(err)
	}
	return answer, err
}

// print prints an outcome, and calls given right after. If hookrun is killed before, the texts stay in the queue and
// are delivered again. A client does not get the lint about hooks files.
func (f *callFlags) print(fired engine.Fired, std Streams, given func()) (exit int, err error) {
	o := fired.WithLint()
	client := f.reader()
	var line []byte
	exit = form.ExitCode(o)
	why := form.Stderr(o)
	switch {
	case f.output == "text":
		if line = []byte(form.Text(o)); f.wrap && len(line) > 0 {
			line = []byte(form.TaggedText(o))
		}
	case client != nil:
		reply, failed := client.ReplyTo(&f.call, fired.Outcome)
		if failed != nil {
			return f.tellError(failed, std)
		}
		if line, why, exit = reply.Stdout, reply.Stderr, reply.Exit; isNull(std.Out) {
			err = errors.New("stdout is the null device, so nobody would read the verdict")
		}
	case f.hasMessages(): // messages have the texts of the hooks at every exit code
		line, err = form.Messages(protocol.API(f.output), form.Notes(f.notes),
			&form.ToolMessage{ID: f.call.ToolUseID, Result: f.call.Result, Failed: f.call.Failed, Outcome: o})
	default:
		line, err = form.JSON(o)
	}
	if err != nil {
		return 0, err
	}
	if err := write(std, f.answer(line)); err != nil {
		return 0, err
	}
	given()
	if exit != exitOK {
		fmt.Fprintln(std.Err, strings.TrimRight(why, "\r\n"))
	}
	if exit == exitOK || f.verbose { // otherwise only the reason, for the model
		f.details(&o, std.Err)
	}
	if exit == exitOK && f.verbose && registry.All().Common(o.Event) == protocol.PostTool {
		for _, in := range o.Texts { // MassGen's line, for people who search its logs
			strategy := cmp.Or(in.Strategy, dialect.ToolResult)
			const line = "[PostToolUse] Hook injection for %s: strategy=%s, content_len=%d\n"
			fmt.Fprintf(std.Err, line, terminal.Visible(o.Tool), strategy, utf8.RuneCountInString(in.Content))
			fmt.Fprintln(std.Err, terminal.Visible(in.Display))
		}
	}
	return f.status(exit), nil
}

// details writes the rest of the outcome for a person.
func (f *callFlags) details(o *protocol.Outcome, stderr io.Writer) {
	to := detailWriter{w: stderr, name: "hookrun", verbose: f.verbose, inputs: f.inputs}
	for _, w := range o.Warnings {
		to.warning(w)
	}
	if f.output == "text" || f.hasMessages() { // other forms have the messages on stdout
		to.messages(o.SystemMessages)
	}
	if f.verbose {
		f.project.writeTo(stderr)
	}
	for i := range o.Hooks {
		to.hook("", &o.Hooks[i])
	}
}
