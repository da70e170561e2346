package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// maxDebugInput is the number of bytes of a hook's stdin to show.
const maxDebugInput = 16 << 10

// debugInputs records the stdin of a call's hooks.
type debugInputs struct {
	mu  sync.Mutex // hooks can run in parallel
	all []debugInput
}

type debugInput struct{ hook, source, text string }

// add records the start of a hook's stdin.
func (d *debugInputs) add(hook, source string, input []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, debugInput{hook, source, shownInput(string(input))})
}

// print writes the stdin of the hook in a report. The order tells apart two hooks of one name and line.
func (d *debugInputs) print(w io.Writer, h *protocol.Report) {
	i := slices.IndexFunc(d.all, func(in debugInput) bool { return in.hook == h.Name && in.source == h.Source })
	if i < 0 { // a rule has no stdin
		return
	}
	writeMarked(w, "hookrun: hook '"+printable.Escape(h.Name)+"' stdin:", d.all[i].text)
	d.all = slices.Delete(d.all, i, i+1)
}

// shownInput returns the input of a hook as one line for a person, cut if long.
func shownInput(input string) string {
	input = secret.MaskMessage(strings.TrimSuffix(input, "\n"))
	text := printable.Escape(spelling.Brief(input, maxDebugInput))
	if len(input) > maxDebugInput {
		text += fmt.Sprintf(" (cut at %d of %d bytes)", maxDebugInput, len(input))
	}
	return text
}

// detailWriter writes the parts of an outcome besides the verdict to stderr, for a person.
type detailWriter struct {
	w       io.Writer
	name    string // at the start of each line
	verbose bool
	inputs  *debugInputs // nil: inputs are not shown
}

func (p *detailWriter) line(format string, args ...any) {
	fmt.Fprintf(p.w, p.name+": "+format+"\n", args...)
}

func (p *detailWriter) warning(text string) { p.line("warning: %s", printable.Lines(text)) }

func (p *detailWriter) messages(texts []string) {
	for _, text := range texts {
		writeMarked(p.w, p.name+": message:", strings.TrimPrefix(text, "hookrun: "))
	}
}

// hook writes the result of a hook. call names the hook's call, or is "" if the call is clear.
func (p *detailWriter) hook(call string, h *protocol.Report) {
	name := printable.Escape(h.Name)
	if p.verbose {
		p.line("%shook '%s' %s in %v", call, name, h.Status, time.Duration(h.Duration).Round(10*time.Microsecond))
		switch {
		case h.Signal != "":
			p.line("%shook '%s' was killed by %s", call, name, h.Signal)
		case h.ExitCode != nil:
			p.line("%shook '%s' exited with %d", call, name, *h.ExitCode)
		}
	}
	if p.inputs != nil {
		p.inputs.print(p.w, h)
	}
	if h.Status == dialect.StatusTimeout && !p.verbose { // TENEX shows no output of a killed hook
		return
	}
	writeMarked(p.w, p.name+": hook '"+name+"' stderr:", h.Stderr)
}

// writeMarked writes a text with a mark before each line. Hooks may print a model's text, and w may be a terminal.
func writeMarked(w io.Writer, mark, text string) {
	for line := range strings.Lines(printable.Lines(secret.MaskMessage(text))) {
		fmt.Fprintln(w, mark, strings.TrimRight(line, "\r\n"))
	}
}
