package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/net/keeper"
	"github.com/hookrun/hookrun/protocol"
)

// callCommand has the flags of a command that runs hooks for one call, or explains which hooks would run.
type callCommand struct {
	callFlags
	hooksFlags
	outcomeFlags
	stateFlags
	config *hookfile.Config // of the call; nil: not read yet, or with a fault
	sender *client.Client   // of the hook input; nil: no input was read
}

// define adds the flags of all events. output is the default of outputs.
func (f *callCommand) define(flags *pflag.FlagSet, output string, outputs func() []string) {
	f.defineFiles(flags)
	f.defineCall(flags)
	f.definePolicy(flags)
	f.defineTrust(flags)
	defineState(flags, &f.queue.Dir)
	f.defineOutcome(flags, output, outputs)
}

// callOutputs returns the output forms of a call.
func callOutputs() []string { return append([]string{"text", "json"}, clients.All().ClientNames()...) }

// defineFiring adds the flags of the commands that run hooks for one call.
func (f *callCommand) defineFiring(flags *pflag.FlagSet) {
	f.defineRequired(flags)
	f.defineLog(flags)
	flags.BoolVar(&f.debug, "debug", false, "as -v, and what each hook got on stdin, which may have secrets in it")
}

// finish completes the call from the flags.
func (f *callCommand) finish(event protocol.Event, stdin io.Reader) error {
	f.call.Event = event
	f.verbose = f.verbose || f.debug
	isAboutTool := clients.All().IsAboutTool(event)
	if !isAboutTool {
		f.call.Tool = ""
	}
	if err := f.valid(); err != nil {
		return err
	}
	if err := checkOutput(f.flags); err != nil {
		return err
	}
	if err := f.checkMessages(f.flags, f.call.ToolUseID); err != nil {
		return err
	}
	if client := f.reader(); client != nil && f.call.Client == nil {
		f.call.Client = client.Dialect
	}
	if isAboutTool && f.call.Tool == "" && f.call.ClientInput == "" {
		return fmt.Errorf("--tool is missing; give the name of the tool, as in --tool shell")
	}
	if f.call.Failed && f.call.Blocked {
		return errors.New("--failed and --blocked exclude each other: a tool that failed has run; leave one out")
	}
	if err := f.resolveWorkspace(); err != nil {
		return err
	}
	f.call.Workspace, f.warnings = f.folder, append(f.warnings, f.project.Warnings()...)
	if f.call.ClientInput != "" {
		return nil // the input has the values of all these flags
	}
	return f.readValues(stdin)
}

// runAt returns the function of a command for one event.
func (f *callCommand) runAt(event protocol.Event) func([]string, Streams) (int, error) {
	return func(args []string, std Streams) (int, error) {
		if err := noArgs(args); err != nil {
			return 0, err
		}
		return f.run(func() (protocol.Event, error) { return event, nil }, std)
	}
}

// run reads the rest of a call, runs its hooks, and prints the outcome.
func (f *callCommand) run(read func() (protocol.Event, error), std Streams) (exit int, err error) {
	if err := f.openLog(); err != nil {
		_, _ = read() // sets the call, for the error message
		return f.tellError(err, std)
	}
	g := f.service(f.flags.Name(), func(err error) { fmt.Fprintln(std.Err, "hookrun: warning:", err) })
	began := time.Now()
	p, err := f.prepare(read, g, &stdinReader{Streams: std})
	if std.last != nil && f.log != nil && !errors.Is(err, errAnswered) && !canary.Is(&f.call) {
		*std.last = func() { f.beats(&f.hooksFlags, f.call.Workspace).Beat(f.config) }
	}
	if err != nil {
		if errors.Is(err, errAnswered) { // the other entry records the call
			return 0, err
		}
		g.NoVerdict(began, &f.call, err)
		return f.tellError(err, std)
	}
	answer, err := p.run()
	if err != nil {
		return f.tellError(err, std)
	}
	given := false
	defer func() {
		if !given {
			answer.Delivered(false)
		}
	}()
	return f.print(answer.Fired, std, func() { given = true; answer.Delivered(true) })
}

// tellError encodes an error as a block, if the exit status alone is not enough: the client does not block for the exit
// status at every event, or shows the model the tool's result beside it. tellError returns the error for the caller to
// print, unless the block replaces the exit status.
func (f *callCommand) tellError(failure error, std Streams) (exit int, err error) {
	to := f.reader()
	isStranger := errors.As(failure, new(clients.Stranger))
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
	block := calls.Blocked(&f.call, strings.TrimSpace(reason.String()))
	block.Failed = f.call.Failed
	takesOther := dialect.Withhold(&f.call, &block)
	reply, err := to.ReplyTo(&f.call, block)
	switch {
	case err != nil || len(reply.Stdout) == 0: // the client reads no answer at the event
	case to.Errors == client.ErrorByBlock || takesOther:
		return f.print(engine.Fired{Outcome: block}, std, func() {})
	case to.Errors == client.ErrorByExit:
		if f.entry == entryByMark { // the exit status is the answer
			_ = f.writeAnswer(std, "")
		}
	default:
		_ = f.writeAnswer(std, string(reply.Stdout)) // the exit status blocks where possible
	}
	return 0, failure
}

// tellStranger tells a program about an error with its input. hookrun may not know the program, so it answers in every
// form at once. At an event without a gate the program goes on, with a message.
func (f *callCommand) tellStranger(failure error, std Streams) (exit int, err error) {
	var sender clients.Stranger
	if errors.As(failure, &sender) {
		failure = fmt.Errorf("%w; so hookrun cannot judge the call: %s", failure, sender.Who())
	}
	var reason strings.Builder
	if printError(&reason, "fire", failure); sender.HasGate() {
		_ = f.writeAnswer(std, string(sender.Denial(strings.TrimSpace(reason.String()))))
		return 0, failure
	}
	fmt.Fprint(std.Err, reason.String())
	if f.entry == "" {
		return exitFailed, nil
	}
	return client.ExitNote, f.writeAnswer(std, "")
}

// prepared is a call whose hooks are ready to run.
type prepared struct {
	service  *calls.Service
	call     calls.Call
	until    *interruption
	depthErr error // error if hooks are nested too deep
}

// prepare reads the call and the hooks files.
func (f *callCommand) prepare(
	read func() (protocol.Event, error), g *calls.Service, stdin io.Reader,
) (*prepared, error) {
	event, err := read()
	if err != nil {
		return nil, err
	}
	if err := f.finish(event, stdin); err != nil {
		return nil, err
	}
	f.recordLastRun()
	p := &prepared{service: g, until: &interruption{exit: exitFailed}}
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
		f.project.FindAbove(len(cfg.Hooks))
	}
	options.OneShot = true
	if dir, err := f.stateDir(); err == nil {
		options.Keeper = keeper.In(dir, options.Binary)
	}
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
func (f *callCommand) gateCall() calls.Call {
	c := calls.Call{Call: f.call, Warnings: f.warnings}
	c.Output = f.reader()
	if f.output == "text" {
		c.Fit = func(o *protocol.Outcome) { *o = form.WithoutRewrites(*o) }
		// on other codes, stdout has no texts
		c.Carries = func(o *protocol.Outcome) bool { return form.ExitCode(*o) == exitOK }
	}
	if f.ipc != "" {
		c.MassGen = func() (string, bool, []string) { return ipcMemory().Take(f.ipc, f.call.Tool) }
	}
	return c
}

// run runs the call's hooks. A signal ends them.
func (p *prepared) run() (calls.Answer, error) {
	plan, err := p.service.Plan(p.call, engine.CallSettings{})
	if err != nil {
		return calls.Answer{}, err
	}
	ctx := context.Background()
	if !plan.Empty() {
		if p.depthErr != nil {
			return calls.Answer{}, plan.Refuse(p.depthErr)
		}
		ctx = p.until.context()
	}
	answer, err := plan.Fire(ctx)
	p.until.done()
	if err != nil && ctx.Err() != nil {
		err = calls.Killed(err)
	}
	return answer, err
}

// print prints an outcome, and calls given right after. If hookrun is killed before, the texts stay in the queue and
// are delivered again. A client does not get the lint about hooks files.
func (f *callCommand) print(fired engine.Fired, std Streams, given func()) (exit int, err error) {
	o := fired.WithLint()
	client := f.reader()
	var doc []byte
	var line, why string
	if client == nil {
		exit, why = form.ExitCode(o), form.Stderr(o)
	}
	switch {
	case f.output == "text":
		if line = form.Text(o); f.wrap && line != "" {
			line = form.TaggedText(o)
		}
	case client != nil:
		reply, failed := client.ReplyTo(&f.call, fired.Outcome)
		if failed != nil {
			return f.tellError(failed, std)
		}
		if doc, why, exit = reply.Stdout, reply.Stderr, reply.Exit; isNull(std.Out) {
			err = errors.New("stdout is the null device, so nobody would read the verdict")
		}
	case f.hasMessages(): // messages have the texts of the hooks at every exit code
		doc, err = form.Messages(protocol.API(f.output), form.Notes(f.notes),
			&form.ToolMessage{ID: f.call.ToolUseID, Result: f.call.Result, Failed: f.call.Failed, Outcome: o})
	default:
		doc, err = form.JSON(o)
	}
	if err != nil {
		return 0, err
	}
	if err := f.writeAnswer(std, cmp.Or(line, string(doc))); err != nil {
		return 0, err
	}
	given()
	if exit != exitOK {
		fmt.Fprintln(std.Err, strings.TrimRight(why, "\r\n"))
	}
	if exit == exitOK || f.verbose { // otherwise only the reason, for the model
		f.details(&o, std.Err)
	}
	if exit == exitOK && f.verbose && clients.All().Common(o.Event) == protocol.PostTool {
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
func (f *callCommand) details(o *protocol.Outcome, stderr io.Writer) {
	to := detailWriter{w: stderr, name: "hookrun", verbose: f.verbose, inputs: f.inputs}
	for _, w := range o.Warnings {
		to.warning(w)
	}
	if f.output == "text" || f.client == nil && f.hasMessages() { // other forms have the messages on stdout
		to.messages(o.SystemMessages)
	}
	if f.verbose {
		for _, text := range append(f.project.Lines(), f.project.ExtraRemarks()...) {
			fmt.Fprintln(stderr, "hookrun:", printable.Lines(text))
		}
	}
	for i := range o.Hooks {
		to.hook("", &o.Hooks[i])
	}
}
