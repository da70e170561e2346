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

// person writes to stderr, for a person, what an outcome has besides its verdict.
type person struct {
	w       io.Writer
	name    string // before each line
	verbose bool
	inputs  *debugInputs // nil: not to be shown
}

func (p *person) line(format string, args ...any) { fmt.Fprintf(p.w, p.name+": "+format+"\n", args...) }

func (p *person) warning(text string) { p.line("warning: %s", printable.Lines(text)) }

func (p *person) messages(texts []string) {
	for _, text := range texts {
		marked(p.w, p.name+": message:", strings.TrimPrefix(text, "hookrun: "))
	}
}

// hook writes what a hook did. call is the call that it did it for, if that does not go without saying.
func (p *person) hook(call string, h *protocol.Report) {
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
	if h.Status == dialect.StatusTimeout && !p.verbose { // TENEX shows nothing of a hook that it had to kill
		return
	}
	marked(p.w, p.name+": hook '"+name+"' stderr:", h.Stderr)
}

// marked writes a text with a mark before each line. Hooks print what a model wrote, and it may go to a terminal.
func marked(w io.Writer, mark, text string) {
	for line := range strings.Lines(printable.Lines(text)) {
		fmt.Fprintln(w, mark, strings.TrimRight(line, "\r\n"))
	}
}
