package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
)

// Doubt is a reason why a Fingerprint may lack files that a hook runs. A new Doubt is a difference.
type Doubt struct {
	Hook string `json:"hook"`
	Why  string `json:"why"`
}

// maxDoubts bounds the doubts kept for one command, maxTold the doubts in a message.
const (
	maxDoubts = 20
	maxTold   = 3
)

// doubt notes why the Fingerprint may lack files that a hook runs.
func (t *collector) doubt(h *hook.Hook, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if len(t.doubts[h]) < maxDoubts && !slices.Contains(t.doubts[h], why) {
		t.doubts[h] = append(t.doubts[h], why)
	}
}

// Unresolved returns a message for each hook if hookrun cannot tell for sure which files the hook's command runs.
// entries are for hooks whose entry can name the files under "files", ofClients for hooks in a client's own file,
// without that key.
func (f *Fingerprint) Unresolved(cfg *hookfile.Config) (entries, ofClients []hook.Diagnostic) {
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		why := f.doubts[h]
		if len(why) == 0 || h.Disabled != "" {
			continue
		}
		what, name := strings.Join(why[:min(len(why), maxTold)], ", "), spelling.Quote(h.Name)
		const begin = "hook %s: what files its command runs cannot be told for sure: %s; "
		switch {
		case h.Files != nil:
			text := fmt.Sprintf("hook %s: %s; mend the glob, or take it out", name, what)
			entries = append(entries, h.CommandDiagnostic(text))
		case h.TakesFiles:
			const mend = `name them in the entry, such as "files": ["gates/**"], or [] if there are none`
			entries = append(entries, h.CommandDiagnostic(fmt.Sprintf(begin, name, what)+mend))
		default:
			const mend = "a change of a file that is not in the list of hookrun allow is not noticed"
			ofClients = append(ofClients, h.CommandDiagnostic(fmt.Sprintf(begin, name, what)+mend))
		}
	}
	return entries, ofClients
}
