// Package toolmatch finds out whether a matcher of tools, globs with | between them, says what its author meant. Many
// are written as regular expressions by habit: those load as globs, and no name of a tool ever matches them.
//
//	_, err := toolmatch.Check("^(shell|Bash)$", known)   // an error
//	warnings, _ := toolmatch.Check("shell.*", known)     // a warning
//
// It guarantees that a matcher which names tools as they are called has neither. It does not guarantee that any tool
// matches.
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

// mend ends every message.
const mend = "matchers are globs: shell|Bash"

// maxGlobs is how many globs of a matcher are looked at: nobody writes more by hand.
const maxGlobs = 1000

// Never are characters that no name of a tool has.
const Never = `^$()\`

// Check returns what is odd about a matcher, or that it can match no tool. known are names of tools.
func Check(matcher string, known []string) (warnings []string, err error) {
	if i := strings.IndexAny(matcher, Never); i >= 0 {
		return nil, fmt.Errorf("the matcher %s has a %c, which no name of a tool has, so it would never match; %s",
			quote(matcher), matcher[i], mend)
	}
	whole := fnmatch.NewList(matcher)
	globs := strings.SplitN(matcher, "|", maxGlobs+1)
	for _, glob := range globs[:min(maxGlobs, len(globs))] {
		glob = strings.TrimSpace(glob)
		if what := doubt(glob, whole, known); what != "" {
			warnings = append(warnings, fmt.Sprintf("the matcher %s has %s, %s %s", quote(matcher), quote(glob), what,
				mend))
		}
	}
	return warnings, nil
}

// doubt says what is odd about a glob of a matcher, "" if nothing is.
func doubt(glob string, whole fnmatch.List, known []string) string {
	switch {
	case strings.Contains(glob, ".*") || strings.Contains(glob, ".+"):
		meant := strings.NewReplacer(".*", "*", ".+", "*").Replace(glob)
		return "and here . means only a dot; did you mean " + quote(meant) + "?"
	case strings.Contains(glob, ",") || strings.ContainsFunc(glob, unicode.IsSpace):
		return "which is one name with a comma or a blank in it;"
	}
	if what, meant := odd(glob, known); meant != "" {
		return "which would match no tool: it has " + what + "; did you mean " + meant + "?"
	} else if what != "" {
		return "which would match no tool: it has " + what + ";"
	}
	if name := otherCase(glob, whole, known); name != "" {
		name = quote(name)
		return "which differs from the tool " + name + " by case alone, and case counts; did you mean " + name + "?"
	}
	return ""
}

// fewLetters is how many letters of a glob say nothing about which tool it means.
const fewLetters = 3

// otherCase returns the known name that a glob would match if case did not count, where it matches none as it is, ""
// if there is none.
func otherCase(glob string, whole fnmatch.List, known []string) string {
	letters := len(glob) - strings.Count(glob, "*") - strings.Count(glob, "?")
	if glob == "" || letters < fewLetters && letters < len(glob) {
		return ""
	}
	exact, folded := fnmatch.New(glob), fnmatch.New(strings.ToLower(glob))
	if slices.ContainsFunc(known, exact.Match) {
		return ""
	}
	i := slices.IndexFunc(known, func(name string) bool {
		return folded.Match(strings.ToLower(name)) && !whole.Match(name)
	})
	if i < 0 {
		return ""
	}
	return known[i]
}

// OtherCase returns the known name that differs from a name by case alone, "" if there is none or the name itself is
// known.
func OtherCase(name string, known []string) string {
	return otherCase(strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(name), nil, known)
}

func quote(s string) string { return strconv.Quote(spelling.Brief(s, 80)) }
