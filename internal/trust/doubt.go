package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/spelling"
)

// Doubt is why files that a hook runs may be missing in a Fingerprint. One that an earlier Fingerprint lacks is a
// difference.
type Doubt struct {
	Hook string `json:"hook"`
	Why  string `json:"why"`
}

// maxDoubts is how many doubts about one command are kept, and maxTold how many are told.
const (
	maxDoubts = 20
	maxTold   = 3
)

// doubt notes why files that a hook runs may be missing in the Fingerprint.
func (t *taker) doubt(h *hook.Hook, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if len(t.doubts[h]) < maxDoubts && !slices.Contains(t.doubts[h], why) {
		t.doubts[h] = append(t.doubts[h], why)
	}
}

// Unresolved returns a message about each hook of which nobody can tell for sure what files its command runs. entries
// are of hooks whose entry can name them under "files", ofClients of hooks in a client's own file, which has no such
// key.
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
