// Package lint checks whether a matcher (globs separated by |) says what its author meant. Many matchers are
// written as regular expressions by habit. They load as globs, but no name of a tool ever matches them.
//
//	_, err := lint.Check("^(shell|Bash)$", known) // an error
//	found, _ := lint.Check("shell.*", known)      // a finding of Kind Never
//
// Guarantees: a matcher with the exact names of known tools causes neither an error nor a finding. Not guaranteed: that
// a tool matches.
package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/glob"
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
	whole := glob.NewList(matcher)
	globs := strings.SplitN(matcher, "|", maxGlobs+1)
	for _, pattern := range globs[:min(maxGlobs, len(globs))] {
		pattern = strings.TrimSpace(pattern)
		if what, kind := doubt(pattern, whole, known); what != "" {
			text := fmt.Sprintf("the matcher %s has %s, %s", quote(matcher), quote(pattern), what)
			found = append(found, Finding{Glob: pattern, Text: text, Kind: kind})
		}
	}
	return found, nil
}

// doubt says what is odd about a glob of a matcher, "" if nothing is.
func doubt(pattern string, whole glob.List, known []string) (what string, kind Kind) {
	switch {
	case known == nil || pattern == "" || slices.ContainsFunc(known, glob.New(pattern).Match):
		return "", Unknown
	case strings.Contains(pattern, ".*") || strings.Contains(pattern, ".+"):
		meant := strings.NewReplacer(".*", "*", ".+", "*").Replace(pattern)
		what = "and here . means only a dot; did you mean " + quote(meant) + "? " + mend
		if MaybeMCP(meant) || slices.ContainsFunc(known, glob.New(meant).Match) {
			return what, Never
		}
		return what, Odd // tools of some servers have a dot in their names
	case strings.Contains(pattern, ",") || strings.ContainsFunc(pattern, unicode.IsSpace):
		return "which is one name with a comma or a blank in it; " + mend, Never
	}
	if what, meant := odd(pattern, known); meant != "" {
		return "which would match no tool: it has " + what + "; did you mean " + meant + "? " + mend, Never
	} else if what != "" {
		return "which would match no tool: it has " + what + "; " + mend, Never
	}
	if name := otherCase(pattern, whole, known); name != "" {
		name = quote(name)
		return "which differs from the tool " + name + " by case alone, and case counts; did you mean " + name + "? " +
			mend, Never
	}
	what, kind, _ = unknown(pattern, whole, known)
	return what, kind
}

// fewLetters is the number of letters in a glob that is too short to say which tool it means.
const fewLetters = 3

// otherCase returns the known name that a glob would match if case did not count. It returns "" if there is none.
// known has no name that the glob matches.
func otherCase(pattern string, whole glob.List, known []string) string {
	letters := len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
	if pattern == "" || letters < fewLetters && letters < len(pattern) {
		return ""
	}
	folded := glob.New(strings.ToLower(pattern))
	i := slices.IndexFunc(known, func(name string) bool {
		return folded.Match(strings.ToLower(name)) && !whole.Match(name)
	})
	if i < 0 {
		return ""
	}
	return known[i]
}

func quote(s string) string { return strconv.Quote(spelling.Brief(s, 80)) }
