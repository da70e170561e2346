// Package toolmatch checks whether a matcher (globs separated by |) says what its author meant. Many matchers are
// written as regular expressions by habit. They load as globs, but no name of a tool ever matches them.
//
//	_, err := toolmatch.Check("^(shell|Bash)$", known) // an error
//	found, _ := toolmatch.Check("shell.*", known)      // a finding of Kind Never
//
// Guarantees: a matcher with the exact names of known tools causes neither an error nor a finding. Not guaranteed: that
// a tool matches.
package toolmatch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/fnmatch"
	"github.com/hookrun/hookrun/internal/spelling"
)

// mend is the end of every message.
const mend = "matchers are globs: shell|Bash"

// maxGlobs is how many globs of a matcher are checked. Nobody writes more by hand.
const maxGlobs = 1000

// NoName are characters that no name of a tool has.
const NoName = `^$()\`

// Finding is what is odd about one glob of a matcher, or about the name in an "if".
type Finding struct {
	Glob string // as it is written
	Text string
	Kind Kind
	// Meant is the known name of which the name in an "if" is a slip, "" if there is none.
	Meant string
}

// Kind is how sure a Finding is.
type Kind int

const (
	Unknown Kind = iota // hookrun knows no tool that it matches; a loop may have one of its own
	Odd                 // it hardly matches what it was written for
	Never               // it is a typing error, and matches no tool
)

// Check returns what is odd about a matcher, or an error if it can match no tool. known are names of tools. If known is
// nil, there are no findings.
func Check(matcher string, known []string) (found []Finding, err error) {
	if i := strings.IndexAny(matcher, NoName); i >= 0 {
		return nil, fmt.Errorf("the matcher %s has a %c, which no name of a tool has, so it would never match; %s",
			quote(matcher), matcher[i], mend)
	}
	whole := fnmatch.NewList(matcher)
	globs := strings.SplitN(matcher, "|", maxGlobs+1)
	for _, glob := range globs[:min(maxGlobs, len(globs))] {
		glob = strings.TrimSpace(glob)
		if what, kind := doubt(glob, whole, known); what != "" {
			text := fmt.Sprintf("the matcher %s has %s, %s", quote(matcher), quote(glob), what)
			found = append(found, Finding{Glob: glob, Text: text, Kind: kind})
		}
	}
	return found, nil
}

// doubt says what is odd about a glob of a matcher, "" if nothing is.
func doubt(glob string, whole fnmatch.List, known []string) (what string, kind Kind) {
	switch {
	case known == nil || glob == "" || slices.ContainsFunc(known, fnmatch.New(glob).Match):
		return "", Unknown
	case strings.Contains(glob, ".*") || strings.Contains(glob, ".+"):
		meant := strings.NewReplacer(".*", "*", ".+", "*").Replace(glob)
		what = "and here . means only a dot; did you mean " + quote(meant) + "? " + mend
		if MaybeMCP(meant) || slices.ContainsFunc(known, fnmatch.New(meant).Match) {
			return what, Never
		}
		return what, Odd // tools of some servers have a dot in their names
	case strings.Contains(glob, ",") || strings.ContainsFunc(glob, unicode.IsSpace):
		return "which is one name with a comma or a blank in it; " + mend, Never
	}
	if what, meant := odd(glob, known); meant != "" {
		return "which would match no tool: it has " + what + "; did you mean " + meant + "? " + mend, Never
	} else if what != "" {
		return "which would match no tool: it has " + what + "; " + mend, Never
	}
	if name := otherCase(glob, whole, known); name != "" {
		name = quote(name)
		return "which differs from the tool " + name + " by case alone, and case counts; did you mean " + name + "? " +
			mend, Never
	}
	what, kind, _ = unknown(glob, whole, known)
	return what, kind
}

// fewLetters is the number of letters in a glob that is too short to say which tool it means.
const fewLetters = 3

// otherCase returns the known name that a glob would match if case did not count. It returns "" if there is none.
// known has no name that the glob matches.
func otherCase(glob string, whole fnmatch.List, known []string) string {
	letters := len(glob) - strings.Count(glob, "*") - strings.Count(glob, "?")
	if glob == "" || letters < fewLetters && letters < len(glob) {
		return ""
	}
	folded := fnmatch.New(strings.ToLower(glob))
	i := slices.IndexFunc(known, func(name string) bool {
		return folded.Match(strings.ToLower(name)) && !whole.Match(name)
	})
	if i < 0 {
		return ""
	}
	return known[i]
}

func quote(s string) string { return strconv.Quote(spelling.Brief(s, 80)) }
