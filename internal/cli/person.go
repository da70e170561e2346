package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/protocol"
)

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
	for line := range strings.Lines(printable.Lines(text)) {
		fmt.Fprintln(w, mark, strings.TrimRight(line, "\r\n"))
	}
}
