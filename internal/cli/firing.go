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
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/delivery"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// hasFile reports whether there is a hooks file to read. Without one nothing will run.
func (f *callFlags) hasFile() bool {
	o := f.files()
	return f.claude || len(f.configs) > 0 || f.project.Found() || o.HasOuter()
}

// load makes the runner's options from the flags and reads all hooks files, so that every error is reported at once.
func (f *callFlags) load() (*hookfile.Config, runner.Options, error) {
	o, err := f.options()
	if err != nil {
		return nil, o, err
	}
	cfg, err := f.read()
	return cfg, o, err
}

// read reads the hooks files that the flags name.
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
	f.project.files, f.project.only = cfg.Files, cfg.Only
	return cfg, nil
}

// files say which hooks files the flags mean.
func (f *callFlags) files() hookfile.Options {
	return hookfile.Options{Workspace: f.workspace, Files: f.configs, Project: &f.project.Project, Dialect: f.form(),
		Claude: f.claude, NoUser: f.noUser, AsClient: f.onFailure != protocol.Block.String()}
}

// readAgain reads the hooks files anew. One that was found at first may have been taken away on purpose since.
func (f *callFlags) readAgain() (*hookfile.Config, error) {
	again := *f
	again.project.Project = hookfile.ProjectIn(f.workspace)
	return again.read()
}

// form is the dialect that the flags name, nil: each file's own.
func (f *callFlags) form() *dialect.Dialect {
	d, _ := registry.Named(f.dialect)
	return d
}

// newRunner returns a runner for hooks that were read.
func newRunner(cfg *hookfile.Config, o runner.Options) (*runner.Runner, error) {
	return runner.New(hookfile.Behind(projecthooks.Empty(), cfg), o)
}

// nested is the environment of hooks. It counts how deep hooks that call hookrun stand in hooks that call hookrun: a
// file whose hook runs that very file, as `hookrun fire --claude` in Claude Code's settings does, would have no end.
func nested() (env []string, err error) {
	const variable, deepest = "HOOKRUN_DEPTH", 4
	depth, _ := strconv.Atoi(os.Getenv(variable)) // nobody else sets it
	if depth >= deepest {
		const text = "%d hooks deep in each other: a hook calls hookrun, which runs that hook again; " +
			"take hookrun out of the files that it reads there"
		return nil, fmt.Errorf(text, depth)
	}
	env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, variable+"=") })
	return append(env, fmt.Sprintf("%s=%d", variable, depth+1)), nil
}

// options are the runner's, from the flags.
func (f *callFlags) options() (o runner.Options, err error) {
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
	if o.Trust, err = f.trusted(); err != nil {
		return o, err
	}
	o.Pin, o.BlockUntilAllowed = f.pin, f.beforeAllow == "block"
	if o.Binary, err = os.Executable(); err != nil {
		return o, fmt.Errorf("finding hookrun itself: %w", err)
	}
	o.Subreaper = true
	return o, nil
}

// trusted is the value of --trust, else of the environment, for commands that have the flag.
func (f *callFlags) trusted() (runner.Trust, error) {
	value, from := f.trust, "--trust"
	if value == "" && f.flags.Lookup("trust") != nil {
		value, from = os.Getenv(trustVariable), "$"+trustVariable
	}
	switch t := runner.Trust(value); t {
	case "", runner.TrustOff, runner.TrustRequired:
		return t, nil
	}
	near := spelling.Suggest(value, texts([]runner.Trust{runner.TrustOff, runner.TrustRequired}))
	return "", fmt.Errorf("%s %q is not one of off, required%s", from, value, near)
}

// fire runs the hooks for the call that the flags describe, and prints the outcome.
func (f *callFlags) fire(event protocol.Event, std Streams) (exit int, err error) {
	return f.fireRead(func() (protocol.Event, error) { return event, nil }, std)
}

// fireRead is fire for a call that is yet to be read. Every call has a line in the log, also one that came to no
// verdict.
func (f *callFlags) fireRead(read func() (protocol.Event, error), std Streams) (exit int, err error) {
	if err := f.record.open(); err != nil {
		_, _ = read() // which call the error is told about
		return f.tellError(err, std)
	}
	warn := func(err error) {
		if err != nil {
			fmt.Fprintln(std.Err, "hookrun: warning:", err)
		}
	}
	began := time.Now()
	outcome, err := f.verdict(read, &typed{Streams: std}, &began)
	if err != nil {
		if errors.Is(err, errAnswered) { // the other entry has it on record
			return 0, err
		}
		warn(f.record.write(began, &f.call, nil, err))
		return f.tellError(err, std)
	}
	claim := delivery.Claim(context.Background(), f.queue, &f.call, &outcome)
	defer func() { warn(claim.Release(context.Background())) }() // unless it was printed
	f.takeIPC(&outcome)
	if f.output == "text" {
		outcome = outcome.WithoutRewrites()
	}
	if err := f.record.write(began, &f.call, &outcome, nil); err != nil {
		outcome.Warnings = append(outcome.Warnings, err.Error())
	}
	return f.print(outcome, std, func() { warn(claim.Done(context.Background())) })
}

// tellError encodes an error as a block for a client that does not block for the exit status at every event, or shows
// its model the tool's result beside it. It returns the error for the caller to print, unless the block stands in the
// place of the exit status.
func (f *callFlags) tellError(failure error, std Streams) (exit int, err error) {
	client, toClient := registry.ClientNamed(f.output)
	if !toClient || f.call.Event == "" {
		return 0, failure
	}
	var reason strings.Builder
	printError(&reason, "fire", failure)
	if errors.As(failure, new(hook.Diagnostics)) {
		reason.WriteString(personMustMend)
	}
	if slices.Contains(client.TurnEnds, f.call.Event) {
		return f.print(f.endsTurn(strings.TrimSpace(reason.String())), std, func() {})
	}
	block := protocol.Outcome{Version: 1, Event: f.call.Event, Tool: f.call.Tool, Decision: protocol.Block,
		Cause: protocol.CauseUnstarted, Reason: strings.TrimSpace(reason.String())}
	block.Failed = f.call.Failed
	takesOther := registry.Withhold(&f.call, &block)
	text, _, err := client.Encode(block)
	switch {
	case err != nil || len(text) == 0: // it reads nothing at the event
	case client.Errors == dialect.ErrorByBlock || takesOther:
		return f.print(block, std, func() {})
	case client.Errors == dialect.ErrorByExit:
		if f.entry == entryByMark { // the exit status is the answer
			_ = write(std, f.answer(nil))
		}
	default:
		_ = write(std, f.answer(text)) // the exit status blocks where it can
	}
	return 0, failure
}

// verdict reads the call and runs the hooks for it. began is set anew when they begin.
func (f *callFlags) verdict(
	read func() (protocol.Event, error), stdin io.Reader, began *time.Time,
) (o protocol.Outcome, err error) {
	event, err := read()
	if err != nil {
		return o, err
	}
	if err := f.finish(event, stdin); err != nil {
		return o, err
	}
	f.recordLastRun()
	until := interruption{exit: failureExit([]string{"-o", f.output})}
	if f.hasFile() {
		until.watch()
	}
	cfg, options, err := f.load()
	if err != nil {
		return o, err
	}
	if f.verbose {
		f.project.findAbove(len(cfg.Hooks))
	}
	options.OneShot = true
	if f.debug {
		f.inputs = &debugInputs{}
		options.OnInput = f.inputs.add
	}
	env, tooDeep := nested()
	options.Env = env
	r, err := newRunner(cfg, options)
	if err != nil {
		return o, err
	}
	plan, err := r.Plan(f.call)
	if err != nil {
		return o, err
	}
	ctx := context.Background()
	if !plan.Empty() {
		if tooDeep != nil {
			return o, tooDeep
		}
		ctx = until.context()
		if client, is := registry.ClientNamed(f.output); is && client.Limit > 0 {
			over := fmt.Errorf("the hooks took longer than %v, and %s waits no longer", client.Limit,
				client.Settings.Client)
			limited, cancel := context.WithTimeoutCause(ctx, client.Limit, over)
			defer cancel()
			ctx = limited
		}
	}
	*began = time.Now()
	o, err = plan.Fire(ctx)
	until.over()
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w; the hooks were killed, there is no verdict", err)
	}
	o.Warnings = append(f.warnings, o.Warnings...)
	return o, err
}

// takeIPC adds the text that MassGen left for the next result, if the outcome will carry it: one that was taken is
// gone. A tool that failed leaves it where it is.
func (f *callFlags) takeIPC(o *protocol.Outcome) {
	if f.ipc == nil || *f.ipc == "" || f.call.Failed || o.Event.Canonical() != protocol.PostTool {
		return
	}
	with := *o
	if with.Inject = append(slices.Clip(o.Inject), protocol.Inject{Content: "a text"}); !f.carries(with) {
		return
	}
	text, found, err := ipcMemory().Take(*f.ipc, f.call.Tool)
	if err != nil {
		o.Warnings = append(o.Warnings, err.Error())
	}
	if found {
		o.Inject = append(o.Inject, protocol.Inject{Content: text, Strategy: protocol.ToolResult, Source: "massgen"})
	}
}

// carries reports whether what is printed of an outcome has its texts: with a reason, text output has nothing else, and
// a client that reads no answer at the event is given none.
func (f *callFlags) carries(o protocol.Outcome) bool {
	if client, toClient := registry.ClientNamed(f.output); toClient {
		line, _, err := client.Encode(o)
		return err == nil && len(line) > 0
	}
	return f.output != "text" || o.WithoutRewrites().ExitCode() == exitOK
}

// print prints an outcome. It calls given as soon as the model's texts are printed. If hookrun is killed before that,
// the texts stay in the queue and are delivered again.
func (f *callFlags) print(o protocol.Outcome, std Streams, given func()) (exit int, err error) {
	client, toClient := registry.ClientNamed(f.output)
	var line []byte
	exit = o.ExitCode()
	switch {
	case f.output == "text":
		if line = []byte(o.Text()); f.wrap && len(line) > 0 {
			line = []byte(o.Wrapped())
		}
	case toClient:
		if line, exit, err = client.Encode(o); err != nil {
			return f.tellError(err, std)
		} else if isNull(std.Out) {
			err = errors.New("stdout is the null device, so nobody would read the verdict")
		}
	case f.hasMessages(): // they have the texts of the hooks at every exit code
		line, err = o.Messages(protocol.API(f.output), protocol.Notes(f.notes), &f.call)
	default:
		line, err = o.JSON()
	}
	if err != nil {
		return 0, err
	}
	if err := write(std, f.answer(line)); err != nil {
		return 0, err
	}
	if toClient && len(line) > 0 || !toClient && f.carries(o) {
		given()
	}
	if exit != exitOK {
		why := o.Why()
		if toClient { // the stop reason is in the JSON
			why = o.Reason
			if client.Stderr != nil {
				why = client.Stderr(o)
			}
		}
		fmt.Fprintln(std.Err, strings.TrimRight(why, "\r\n"))
	}
	if exit == exitOK || f.verbose { // else the reason stands alone: it is for the model
		f.details(&o, std.Err)
	}
	if exit == exitOK && f.verbose && o.Event.Canonical() == protocol.PostTool {
		for _, in := range o.Inject { // MassGen's line, for those who look for it in its logs
			strategy := cmp.Or(in.Strategy, protocol.ToolResult)
			const line = "[PostToolUse] Hook injection for %s: strategy=%s, content_len=%d\n"
			fmt.Fprintf(std.Err, line, visible(o.Tool), strategy, utf8.RuneCountInString(in.Content))
		}
	}
	return f.status(exit), nil
}

// details writes for a person what the outcome has besides the verdict.
func (f *callFlags) details(o *protocol.Outcome, stderr io.Writer) {
	for _, w := range o.Warnings {
		fmt.Fprintln(stderr, "hookrun: warning:", printable.Lines(w))
	}
	if f.output == "text" || f.hasMessages() { // the others have them on stdout
		for _, m := range o.SystemMessages {
			marked(stderr, "hookrun: message:", strings.TrimPrefix(m, "hookrun: "))
		}
	}
	if f.verbose {
		f.project.writeTo(stderr)
	}
	for i := range o.Hooks {
		h := &o.Hooks[i]
		name := printable.Escape(h.Name)
		if f.verbose {
			took := time.Duration(h.Duration).Round(10 * time.Microsecond)
			fmt.Fprintf(stderr, "hookrun: hook '%s' %s in %v\n", name, h.Status, took)
			switch {
			case h.Signal != "":
				fmt.Fprintf(stderr, "hookrun: hook '%s' was killed by %s\n", name, h.Signal)
			case h.ExitCode != nil:
				fmt.Fprintf(stderr, "hookrun: hook '%s' exited with %d\n", name, *h.ExitCode)
			}
		}
		if f.inputs != nil {
			f.inputs.print(stderr, h)
		}
		if h.Status == protocol.StatusTimeout && !f.verbose { // TENEX shows nothing of a hook that it had to kill
			continue
		}
		marked(stderr, "hookrun: hook '"+name+"' stderr:", h.Stderr)
	}
}

// marked writes a text with a mark before each line. Hooks print what a model wrote, and it may go to a terminal.
func marked(w io.Writer, mark, text string) {
	for line := range strings.Lines(printable.Lines(text)) {
		fmt.Fprintln(w, mark, strings.TrimRight(line, "\r\n"))
	}
}
