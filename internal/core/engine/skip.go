package engine

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// SkipVariable is the variable in which a person names hooks to skip, for the sessions of a client started with it.
const SkipVariable = "HOOKRUN_SKIP"

const skippedBy = "$" + SkipVariable + " names it"

// withoutSkipped returns a copy of hooks with the hooks in skip disabled. A managed hook cannot be skipped.
func withoutSkipped(hooks []hook.Hook, skip []string) []hook.Hook {
	hooks = slices.Clone(hooks)
	for i := range hooks {
		h := &hooks[i]
		if h.Level > hook.ManagedLevel && h.Disabled == "" && slices.ContainsFunc(skip, h.IsNamed) {
			h.Disabled = skippedBy
		}
	}
	return hooks
}

// skipped returns a warning for each skipped hook that is for the call, and for each name without a hook.
func (p *Plan) skipped() (warnings []string) {
	skip := p.runner.options.Skip
	if len(skip) == 0 {
		return nil
	}
	for i := range p.set.hooks {
		h := p.set.hooks[i]
		if h.Disabled != skippedBy {
			continue
		}
		if h.Disabled = ""; p.match.Runs(&h) {
			text := fmt.Sprintf("$%s skips hook '%s', which is for this call", SkipVariable, printable.Escape(h.Name))
			if p.isHeld(&h) {
				text += "; " + p.trust.judgment.At([]string{h.Name}).Reason
			}
			warnings = append(warnings, text)
		}
	}
	for _, name := range skip {
		var names []string
		found := false
		for i := range p.loaded.hooks {
			h := &p.loaded.hooks[i]
			names = append(names, h.Name)
			found = found || h.Disabled == skippedBy && h.IsNamed(name)
		}
		text := fmt.Sprintf("$%s names %q, and no hook below the managed scope is called so%s", SkipVariable, name,
			spelling.Suggest(name, names))
		if !found && p.first(text) {
			warnings = append(warnings, text)
		}
	}
	return warnings
}
