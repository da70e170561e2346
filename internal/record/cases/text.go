package cases

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// screen is the number of lines of a small terminal, without the lines of the summary.
const screen = 20

// Summary returns the text after the tests. It repeats the failures, unless all of them are still on the screen or were
// printed last.
func (r *Run) Summary(seconds float64) string {
	var b strings.Builder
	printed := strings.Join(r.failures, "")
	if r.since > max(screen, strings.Count(printed, "\n")) {
		b.WriteString("\nfailed:\n" + printed + "\n")
	}
	n, failed := len(r.Results), len(r.failures)
	fmt.Fprintf(&b, "%s, %d ok, %d failed", spelling.Count(n, "test"), n-failed, failed)
	if r.NotRun > 0 {
		fmt.Fprintf(&b, ", %d not run", r.NotRun)
	}
	fmt.Fprintf(&b, " in %.1f s\n", seconds)
	return b.String()
}

// progress is a line on a terminal that is overwritten again and again.
type progress struct {
	w     io.Writer // nil: no terminal
	shown int       // bytes
}

// Differences returns the summary of a replay.
func (r *Run) Differences(seconds float64) string {
	n, differ := len(r.Results), len(r.failures)
	text := fmt.Sprintf("%s, %d as before, %d would end in another way", spelling.Count(n, "call"), n-differ, differ)
	if r.NotRun > 0 {
		text += fmt.Sprintf(", %d not run", r.NotRun)
	}
	return text + fmt.Sprintf(" (%.1f s)", seconds)
}

// reworded rewords a problem of a test for a replay.
func reworded(problem string) string {
	return strings.Replace(strings.Replace(problem, ": expected ", ": was ", 1), ", got ", ", now ", 1)
}

// text returns a line for a test. If the test failed, the problems and details for the diagnosis follow.
func (r *Run) text(j *job) string {
	var b strings.Builder
	verdict, tint := "ok  ", terminal.Green
	switch {
	case r.Replay && j.result.OK && !r.Verbose:
		return ""
	case r.Replay && !j.result.OK:
		verdict, tint = "DIFF", terminal.Yellow
	case !j.result.OK:
		verdict, tint = "FAIL", terminal.Red
	}
	name := terminal.Visible(j.result.Name)
	fmt.Fprintf(&b, "%s %s (%s)\n", r.Paint.As(tint, verdict), name, took(j.result.Duration))
	if !j.result.OK {
		fmt.Fprintf(&b, "     %s:%d\n", terminal.Visible(j.result.File), j.result.Line)
	}
	for _, p := range j.result.Problems {
		if r.Replay {
			p = reworded(p)
		}
		fmt.Fprintf(&b, "     %s\n", terminal.Visible(p))
	}
	if j.result.Outcome == nil || j.result.OK && !r.Verbose {
		return b.String()
	}
	for _, h := range j.result.Outcome.Hooks {
		name, source := printable.Escape(h.Name), printable.Escape(h.Source)
		fmt.Fprintf(&b, "     hook '%s' (%s) %s%s (%s)\n", name, source, h.Status, failureCause(&h), took(h.Duration))
		for line := range strings.Lines(spelling.Brief(secret.Mask(h.Stderr), 4<<10)) {
			fmt.Fprintf(&b, "       stderr: %s\n", terminal.Visible(strings.TrimRight(line, "\r\n")))
		}
	}
	if len(j.result.Outcome.Hooks) == 0 {
		const text = "     no hook is for this call; why: hookrun explain %s%s\n"
		fmt.Fprintf(&b, text, terminal.Visible(explainArgs(&j.test.Call)), terminal.Visible(j.Hint))
	}
	return b.String()
}

// took returns a run time for a person.
func took(d protocol.Milliseconds) string {
	return terminal.Duration(time.Duration(d).Seconds() * 1000)
}

// failureCause returns the cause of a hook's failure.
func failureCause(h *protocol.Report) string {
	switch {
	case h.ExitCode != nil && *h.ExitCode != 0:
		return fmt.Sprintf(", exit %d", *h.ExitCode)
	case h.Signal != "":
		return ", " + h.Signal
	}
	return ""
}

// explainArgs returns the arguments for hookrun explain to see a call.
func explainArgs(c *dialect.Call) string {
	const most = 300 // nobody copies longer ones
	if c.ClientInput != "" {
		if len(c.ClientInput) > most {
			return "--input @FILE"
		}
		return "--input " + shellword.Local(c.ClientInput)
	}
	words := string(c.Event)
	if c.Tool != "" {
		words += " --tool " + shellword.Local(c.Tool)
	}
	if c.Args != "" && len(c.Args) <= most {
		words += " --args " + shellword.Local(c.Args)
	}
	return words
}
