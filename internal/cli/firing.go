package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/delivery"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
	"github.com/hookrun/hookrun/runner"
)

// hasFile reports whether there is a hooks file to read. Without one nothing will run.
func (f *callFlags) hasFile() bool {
	return f.claude || len(f.configs) > 0 || f.project.File != ""
}

// load makes the runner's options from the flags and reads the hooks files, all of them, so that every error is said at
// once.
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
	o := hookfile.Options{Workspace: f.workspace, Files: f.configs, Dialect: f.dialect, Claude: f.claude}
	if len(o.Files) == 0 { // what was found must not be missing when it is read
		o.Files = nonEmpty(f.project.File)
	}
	cfg, err := hookfile.Load(o)
	if err != nil {
		return nil, err
	}
	for i := range cfg.Hooks {
		if h := &cfg.Hooks[i]; f.dialect != "" && h.Dialect != f.dialect {
			return nil, fmt.Errorf("--dialect %s: %s is in the form of the %s dialect", f.dialect, h.File, h.Dialect)
		}
	}
	return cfg, nil
}

// newRunner returns a runner for hooks that were read.
func newRunner(cfg *hookfile.Config, o runner.Options) (*runner.Runner, error) {
	return runner.New(hookfile.Public(cfg).(*projecthooks.Config), o)
}

// descend counts how deep hooks that call hookrun stand in hooks that call hookrun. A file whose hook runs that very file,
// as `hookrun fire --claude` in Claude Code's settings does, would have no end.
func descend() error {
	const variable, deepest = "HOOKRUN_DEPTH", 4
	depth, _ := strconv.Atoi(os.Getenv(variable)) // nobody else sets it
	if depth >= deepest {
		return fmt.Errorf("%d hooks deep in each other: a hook calls hookrun, which runs that hook again; take hookrun out of the files that it reads there", depth)
	}
	return os.Setenv(variable, strconv.Itoa(depth+1))
}

// options are the runner's, from the flags.
func (f *callFlags) options() (o runner.Options, err error) {
	if f.timeout != "" {
		if o.Timeout, err = hookfile.ParseTimeout(f.timeout); err != nil {
			return o, fmt.Errorf("--timeout %w", err)
		}
	}
	if f.onFailure != "" {
		if o.OnFailure, err = onFailure(f.onFailure); err != nil {
			return o, fmt.Errorf("--on-failure %w", err)
		}
	}
	if o.Binary, err = os.Executable(); err != nil {
		return o, fmt.Errorf("finding hookrun itself: %w", err)
	}
	o.Subreaper = true
	return o, nil
}

// onFailure is the policy of one word for every cause.
func onFailure(word string) (protocol.FailurePolicy, error) {
	if word != "block" && word != "continue" {
		return nil, fmt.Errorf("must be block or continue, not %q%s", word, spelling.Suggest(word, []string{"block", "continue"}))
	}
	var d protocol.Decision
	if err := d.UnmarshalText([]byte(word)); err != nil {
		return nil, err
	}
	policy := protocol.FailurePolicy{}
	for _, c := range protocol.FailureCauses() {
		policy[c] = d
	}
	return policy, nil
}

// fire does what the flags say and prints the outcome.
func (f *callFlags) fire(event protocol.Event, std Streams) (exit int, err error) {
	return f.fireRead(func() (protocol.Event, error) { return event, nil }, std)
}

// fireRead is fire for a call that is yet to be read. Of every call there is a line in the log, also of one that came to no verdict.
func (f *callFlags) fireRead(read func() (protocol.Event, error), std Streams) (exit int, err error) {
	if err := f.record.open(); err != nil {
		return 0, err
	}
	began := time.Now()
	verdict := false
	defer func() {
		if verdict {
			return
		}
		for _, w := range f.record.write(began, &f.call, nil, err) {
			fmt.Fprintln(std.Err, "hookrun: warning:", w)
		}
	}()
	event, err := read()
	if err != nil {
		return 0, err
	}
	if err := f.finish(event, std.In); err != nil {
		return 0, err
	}
	until := interruption{exit: failure([]string{"-o", f.output})}
	if f.hasFile() {
		until.watch()
	}
	cfg, o, err := f.load()
	if err != nil {
		return 0, err
	}
	if f.verbose {
		f.project.lookAbove(len(cfg.Hooks))
	}
	o.OneShot = true
	r, err := newRunner(cfg, o)
	if err != nil {
		return 0, err
	}
	plan, err := r.Plan(f.call)
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	if !plan.Empty() {
		if err := descend(); err != nil {
			return 0, err
		}
		ctx = until.context()
	}
	began = time.Now()
	outcome, err := plan.Fire(ctx)
	until.over()
	outcome.Warnings = append(f.warnings, outcome.Warnings...)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w; the hooks were killed, there is no verdict", err)
		}
		return 0, err
	}
	claim := delivery.Claim(f.queue, &f.call, &outcome)
	f.takeIPC(&outcome)
	complain := func(err error) { fmt.Fprintln(std.Err, "hookrun: warning:", err) }
	defer settle(claim, false, complain) // unless it was printed
	if f.output == "text" {
		outcome = outcome.WithoutRewrites()
	}
	verdict = true
	outcome.Warnings = append(outcome.Warnings, f.record.write(began, &f.call, &outcome, nil)...)
	return f.print(outcome, std, func() { settle(claim, true, complain) })
}

// takeIPC adds the text that MassGen left for the next result, if the outcome will carry it: one that was taken is gone. A tool that
// failed leaves it where it is.
func (f *callFlags) takeIPC(o *protocol.Outcome) {
	if f.ipc == nil || *f.ipc == "" || f.call.Failed || o.Event.Canonical() != protocol.PostTool || !f.carries(*o) {
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

// carries reports whether what is printed of an outcome has its texts: with a reason, text output has nothing else.
func (f *callFlags) carries(o protocol.Outcome) bool {
	return f.output != "text" || o.WithoutRewrites().ExitCode() == exitOK
}

// settle ends a claim on texts of a queue: they are gone once they were given to the model, and wait on where they were not.
// On a claim that has ended it does nothing.
func settle(claim *queue.Claim, given bool, complain func(error)) {
	end := claim.Release
	if given {
		end = claim.Done
	}
	if err := end(); err != nil {
		complain(err)
	}
}

// print prints an outcome. It calls given as soon as all that the outcome has for the model was: who is killed between the two
// has others print it again.
func (f *callFlags) print(o protocol.Outcome, std Streams, given func()) (exit int, err error) {
	carried := f.carries(o)
	client, toClient := all.ClientNamed(f.output)
	var line []byte
	exit = o.ExitCode()
	switch {
	case f.output == "text":
		if line = []byte(o.Text()); f.wrap && len(line) > 0 {
			line = []byte(o.Wrapped())
		}
	case toClient:
		if line, exit, err = client.EncodeOutput(o); err == nil && stdoutIsNull() {
			err = errors.New("stdout is the null device, so nobody would read the verdict")
		}
	case f.hasMessages(): // they carry what the hooks said whatever the exit is
		line, err = o.Messages(protocol.API(f.output), protocol.Notes(f.notes), &f.call)
	default:
		line, err = o.JSON()
	}
	if err != nil {
		return 0, err
	}
	out := string(line)
	if out != "" {
		out += "\n"
	}
	if err := write(std, out); err != nil {
		return 0, err
	}
	if carried {
		given()
	}
	if exit != exitOK {
		why := o.Why()
		if toClient { // the stop reason is in the JSON
			why = o.Reason
		}
		fmt.Fprintln(std.Err, strings.TrimRight(why, "\r\n"))
	}
	if exit == exitOK || f.verbose { // else the reason stands alone: it is for the model
		f.details(&o, std.Err)
	}
	if exit == exitOK && f.verbose && o.Event.Canonical() == protocol.PostTool {
		for _, in := range o.Inject { // MassGen's line, for those who look for it in its logs
			strategy := cmp.Or(in.Strategy, protocol.ToolResult)
			fmt.Fprintf(std.Err, "[PostToolUse] Hook injection for %s: strategy=%s, content_len=%d\n", o.Tool, strategy, utf8.RuneCountInString(in.Content))
		}
	}
	return exit, nil
}

// details writes for a person what there is to say besides the verdict.
func (f *callFlags) details(o *protocol.Outcome, stderr io.Writer) {
	for _, w := range o.Warnings {
		fmt.Fprintln(stderr, "hookrun: warning:", w)
	}
	if f.output == "text" || f.hasMessages() { // the others have them on stdout
		for _, m := range o.SystemMessages {
			marked(stderr, "hookrun: message:", m)
		}
	}
	if f.verbose {
		f.project.say(stderr)
	}
	for i := range o.Hooks {
		h := &o.Hooks[i]
		name := printable.Escape(h.Name)
		if f.verbose {
			fmt.Fprintf(stderr, "hookrun: hook '%s' %s in %v\n", name, h.Status, time.Duration(h.Duration).Round(10*time.Microsecond))
			switch {
			case h.Signal != "":
				fmt.Fprintf(stderr, "hookrun: hook '%s' was killed by %s\n", name, h.Signal)
			case h.ExitCode != nil:
				fmt.Fprintf(stderr, "hookrun: hook '%s' exited with %d\n", name, *h.ExitCode)
			}
		}
		if h.Stderr == "" || h.Status == protocol.StatusTimeout { // TENEX shows nothing of a hook that it had to kill
			continue
		}
		marked(stderr, "hookrun: hook '"+name+"' stderr:", h.Stderr)
	}
}

// marked writes a text with a mark before each line.
func marked(w io.Writer, mark, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, mark, strings.TrimRight(line, "\r\n"))
	}
}
