package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// weakened returns warnings about matching hooks that do not run because an equal but weaker gate runs in their place.
// Clients ignore the fields that make the difference when they compare hooks.
func (p *Plan) weakened() (warnings []string) {
	for _, d := range p.duplicates {
		if ways := p.weaker(d.runs, d.hook); len(ways) > 0 {
			const text = "hook '%s' of %s does not run, since the equal one of %s runs in its place, which %s; " +
				"write both alike, or take one out"
			warnings = append(warnings, fmt.Sprintf(text, shownName(d.hook), d.hook.SourceNextTo(d.runs),
				d.runs.SourceNextTo(d.hook), strings.Join(ways, " and ")))
		}
	}
	return warnings
}

// weaker lists how the hook that runs blocks less than the hook that it replaces, or acts differently.
func (p *Plan) weaker(runs, hook *hook.Hook) (ways []string) {
	if runs.Async && !hook.Async {
		ways = append(ways, "is async and decides nothing")
	} else if !hook.Async {
		var opens []string
		for _, cause := range hook.Dialect.Causes() {
			if p.failureDecision(hook, cause) < protocol.Continue &&
				p.failureDecision(runs, cause) == protocol.Continue {
				opens = append(opens, string(cause))
			}
		}
		if len(opens) > 0 {
			ways = append(ways, "fails open ("+strings.Join(opens, ", ")+")")
		}
		less, more := p.deadline(runs), p.deadline(hook)
		if less < more && p.failureDecision(runs, protocol.CauseTimeout) == protocol.Continue {
			ways = append(ways, fmt.Sprintf("has %v, not %v, before it fails open", less, more))
		}
	}
	if runs.Process().PowerShell != hook.Process().PowerShell {
		ways = append(ways, "is for another shell")
	}
	if !sameVariables(runs.Env, hook.Env) {
		ways = append(ways, "has another environment")
	}
	if a, b := runs.Request(), hook.Request(); a != nil && b != nil &&
		(!slices.Equal(a.Headers, b.Headers) || !slices.Equal(a.AllowedEnvVars, b.AllowedEnvVars)) {
		ways = append(ways, "sends other headers")
	}
	return ways
}

// sameVariables reports whether two lists of NAME=VALUE make the same environment.
func sameVariables(a, b []string) bool {
	variables := func(list []string) map[string]string {
		all := map[string]string{}
		for _, variable := range list {
			name, value, _ := strings.Cut(variable, "=")
			all[name] = value
		}
		return all
	}
	return maps.Equal(variables(a), variables(b))
}
