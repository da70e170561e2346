//go:build linux

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// report is the result for a client at a version.
type report struct {
	title, recorded string // the client and its version; that of the cases
	cases           int
	same            int
	differ          map[string][]string // from a difference to the cases; the key begins with its kind
	unable          map[string][]string // from a reason to the cases
	events          []string            // in no row of the dialect
	newTools, gone  []string
}

// kinds of a difference, in the order of the report.
const (
	verdict = "changed verdict: "
	words   = "changed words: "
	keys    = "keys on stdin: "
)

// compare returns the differences between two records of a case.
func compare(old, now *seen) (differences []string) {
	add := func(kind, format string, args ...any) {
		differences = append(differences, kind+fmt.Sprintf(format, args...))
	}
	if old.Requests != now.Requests {
		add(verdict, "%d requests to the model → %d", old.Requests, now.Requests)
	}
	if !maps.Equal(old.Ran, now.Ran) {
		add(verdict, "hooks that ran %s → %s", inJSON(old.Ran), inJSON(now.Ran))
	}
	if !maps.Equal(old.Made, now.Made) {
		add(verdict, "files %s → %s", inJSON(old.Made), inJSON(now.Made))
	}
	for _, part := range []struct {
		reader   string
		old, now []string
	}{{"the model reads", old.Told, now.Told}, {"the model does not read", old.Untold, now.Untold},
		{"the user reads", old.Said, now.Said}} {
		gone, come := without(part.old, part.now), without(part.now, part.old)
		if len(gone)+len(come) > 0 {
			add(words, "%s %s → %s", part.reader, inJSON(gone), inJSON(come))
		}
	}
	for _, key := range without(now.Keys, old.Keys) {
		add(keys, "%s `%s`", map[bool]string{true: "new", false: "gone"}[key[0] == '+'], key[1:])
	}
	for _, key := range without(old.Keys, now.Keys) {
		add(keys, "%s `%s`", map[bool]string{true: "gone", false: "new"}[key[0] == '+'], key[1:])
	}
	return differences
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// without is a list without the members of another list.
func without(list, other []string) []string {
	rest := []string{}
	for _, s := range list {
		if !slices.Contains(other, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func (r *report) add(to *map[string][]string, what, id string) {
	if *to == nil {
		*to = map[string][]string{}
	}
	(*to)[what] = append((*to)[what], id)
}

// changed reports whether a person has to look.
func (r *report) changed() bool {
	return len(r.differ)+len(r.events)+len(r.newTools)+len(r.gone) > 0
}

// print writes the report as Markdown.
func (r *report) print(w io.Writer) {
	differing := map[string]bool{}
	for _, ids := range r.differ {
		for _, id := range ids {
			differing[id] = true
		}
	}
	fmt.Fprintf(w, "## %s (the cases: %s)\n\n%d of %d cases were run again, %d differ.\n\n", r.title, r.recorded,
		r.same+len(differing), r.cases, len(differing))
	item := func(what string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(w, "* %s: `%s`\n", what, strings.Join(names, "`, `"))
		}
	}
	item("events of the client that are in no row", r.events)
	item("new tools", r.newTools)
	item("tools that are gone", r.gone)
	for _, kind := range []string{verdict, words, keys} {
		for _, what := range slices.Sorted(maps.Keys(r.differ)) {
			if strings.HasPrefix(what, kind) {
				fmt.Fprintf(w, "* %s: %s\n", what, strings.Join(sorted(r.differ[what]), ", "))
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(r.unable)) {
		ids := sorted(r.unable[why])
		fmt.Fprintf(w, "* not run again, %d: %s: %s\n", len(ids), why, strings.Join(ids, ", "))
	}
}
