package engine

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/printable"
)

// SkipVariable is where the person who starts a client names hooks that do not run in its sessions.
const SkipVariable = "HOOKRUN_SKIP"

const skippedBy = "$" + SkipVariable + " names it"

// withoutSkipped returns the hooks with those switched off that are to be skipped. A managed one cannot be skipped.
func withoutSkipped(hooks []hook.Hook, skip []string) []hook.Hook {
	hooks = slices.Clone(hooks)
	for i := range hooks {
		h := &hooks[i]
		if h.Level > hook.ManagedLevel && h.Disabled == "" && slices.Contains(skip, h.Name) {
			h.Disabled = skippedBy
		}
	}
	return hooks
}

// skipped are warnings about the hooks that are skipped and are for the call, and about names of no hook.
func (p *Plan) skipped() (warnings []string) {
	skip := p.runner.options.Skip
	if len(skip) == 0 {
		return nil
	}
	var found []string
	for i := range p.loaded.all {
		if h := &p.loaded.all[i]; h.Disabled == skippedBy {
			found = append(found, h.Name)
		}
	}
	for i := range p.set.all {
		h := p.set.all[i]
		if h.Disabled != skippedBy {
			continue
		}
		if h.Disabled = ""; p.match.Runs(&h) {
			const text = "$%s skips hook '%s', which is for this call"
			warnings = append(warnings, fmt.Sprintf(text, SkipVariable, printable.Escape(h.Name)))
		}
	}
	for _, name := range skip {
		text := fmt.Sprintf("$%s names %q, and no hook below the managed level is called so", SkipVariable, name)
		if !slices.Contains(found, name) && p.first(text) {
			warnings = append(warnings, text)
		}
	}
	return warnings
}
