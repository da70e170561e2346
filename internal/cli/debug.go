package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
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
	input = strings.TrimSuffix(input, "\n")
	text := printable.Escape(spelling.Brief(input, maxDebugInput))
	if len(input) > maxDebugInput {
		text += fmt.Sprintf(" (cut at %d of %d bytes)", maxDebugInput, len(input))
	}
	return text
}
