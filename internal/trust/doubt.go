package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/spelling"
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

// doubt notes in a list why the Fingerprint may lack files that a hook runs.
func doubt(list map[*hook.Hook][]string, h *hook.Hook, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if len(list[h]) < maxDoubts && !slices.Contains(list[h], why) {
		list[h] = append(list[h], why)
	}
}

// Unresolved returns a message for each hook if hookrun cannot tell for sure which files the hook's command runs.
// entries must be mended: by "files" or, for a variable in a client's form, by taking it out. ofClients are for
// commands in a client's own file, without that key.
func (f *Fingerprint) Unresolved(cfg *hookfile.Config) (entries, ofClients []hook.Diagnostic) {
	told := map[string]bool{} // variables of settings, which all hooks have
	for i := range cfg.Hooks {
		h := &cfg.Hooks[i]
		if h.Disabled != "" {
			continue
		}
		name, why := spelling.Quote(h.Name), f.doubts[h]
		if text := envText(f.envDoubts[h]); text != "" && !(told[text] && len(h.Env) == 0) {
			told[text] = true
			entries = append(entries, h.CommandDiagnostic(fmt.Sprintf(`hook %s: "env" %s`, name, text)))
		}
		if len(why) == 0 {
			continue
		}
		const begin = "hook %s: what files its command runs cannot be told for sure: %s; "
		switch what := first(why); {
		case h.Files != nil:
			text := fmt.Sprintf("hook %s: %s; fix the glob, or take it out", name, what)
			entries = append(entries, h.CommandDiagnostic(text))
		case h.TakesFiles:
			const mend = `name them in the entry, such as "files": ["hooks/**"], or [] if there are none`
			entries = append(entries, h.CommandDiagnostic(fmt.Sprintf(begin, name, what)+mend))
		default:
			const mend = "a change of a file that is not in the list of hookrun allow is not noticed"
			ofClients = append(ofClients, h.CommandDiagnostic(fmt.Sprintf(begin, name, what)+mend))
		}
	}
	return entries, ofClients
}

func first(why []string) string { return strings.Join(why[:min(len(why), maxTold)], ", ") }

// envText says what the variables of a client's form may do, with the remedy, or is "".
func envText(why []string) string {
	if len(why) == 0 {
		return ""
	}
	return "may make programs run files that hookrun does not see: " + first(why) + "; take the variable out, or " +
		"move the hooks to " + hookfile.FileName + ` with hookrun import, where an entry has "files"`
}

// unseen returns the hooks whose "env" may make programs run files of which nobody notices a change.
func (f *Fingerprint) unseen() (found []Difference) {
	for i := range f.hooks {
		if h := &f.hooks[i]; h.Disabled == "" && f.envDoubts[h] != nil {
			found = append(found, Difference{File: `"env"`, What: envText(f.envDoubts[h]), Hooks: []string{h.Name}})
		}
	}
	return found
}
