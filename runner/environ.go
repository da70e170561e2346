package runner

import (
	"slices"
	"strings"
)

// runVariable marks the descendants of one run of a hook, so that they are known when they left its group and its tree.
const runVariable = "HOOKRUN_RUN"

// stale are the variables that base has from a hookrun which runs this one, and that this one may not set.
var stale = []string{"HOOKRUN", "HOOKRUN_TOOL", runVariable}

// merged returns the variables of all lists, later lists over earlier ones.
func merged(base []string, more ...[]string) []string {
	over := make([]string, 0, 16) // a few names: to look through them is quicker than to build a map
	over = append(over, stale...)
	for i := range over {
		over[i] = name(over[i])
	}
	for _, list := range more {
		for _, v := range list {
			over = append(over, name(v))
		}
	}
	env := make([]string, 0, len(base)+len(over)+1)
	for _, v := range base {
		if !slices.Contains(over, name(v)) {
			env = append(env, v)
		}
	}
	for i, list := range more {
		for _, v := range list {
			if !laterHas(more[i+1:], name(v)) {
				env = append(env, v)
			}
		}
	}
	return env
}

func laterHas(lists [][]string, n string) bool {
	for _, list := range lists {
		for _, v := range list {
			if name(v) == n {
				return true
			}
		}
	}
	return false
}

// name returns the part before =; Windows has hidden variables that start with one.
func name(v string) string {
	if i := strings.Index(v[min(1, len(v)):], "="); i >= 0 {
		v = v[:i+1]
	}
	return foldName(v)
}
