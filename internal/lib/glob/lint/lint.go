// Package lint checks whether a matcher (globs separated by |) says what its author meant. Many authors write matchers
// as regular expressions by habit. These load as globs, but match no tool.
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

	"github.com/hookrun/hookrun/internal/lib/glob"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// globHint is the end of every message.
const globHint = "matchers are globs: shell|Bash"

// maxGlobs is how many globs of a matcher are checked, more than a person writes by hand.
const maxGlobs = 1000

// NoName are characters that occur in no name of a tool.
const NoName = `^$()\`

// Finding is a doubt about one glob of a matcher, or about the name in an "if".
type Finding struct {
	Glob string // as written
	Text string
	Kind Kind
	// Meant has the known name that the author of an "if" probably meant, or the globs for that of a matcher, or is "".
	Meant string
}

// Kind is how sure a Finding is.
type Kind int

const (
	Unknown Kind = iota // the glob matches no known tool; a loop may have tools of its own
	Odd                 // the glob probably misses the tools that its author meant
	Never               // the glob has a typing error, and matches no tool
)

// Check returns the findings about a matcher, or an error if the matcher can match no tool. known are names of tools.
// If known is nil, Check returns no findings.
func Check(matcher string, known []string) (found []Finding, err error) {
	if i := strings.IndexAny(matcher, NoName); i >= 0 {
		return nil, fmt.Errorf("the matcher %s has a %c, which no name of a tool has, so it would never match; %s",
			quote(matcher), matcher[i], globHint)
	}
	var whole glob.List // made if a glob is not the name of a known tool
	globs := strings.SplitN(matcher, "|", maxGlobs+1)
	for _, pattern := range globs[:min(maxGlobs, len(globs))] {
		pattern = strings.TrimSpace(pattern)
		if slices.Contains(known, pattern) && !strings.ContainsAny(pattern, "*?[") {
			continue
		}
		if whole == nil {
			whole = glob.NewList(matcher)
		}
		if f := checkGlob(pattern, whole, known); f.Text != "" {
			f.Glob, f.Text = pattern, fmt.Sprintf("the matcher %s has %s, %s", quote(matcher), quote(pattern), f.Text)
			found = append(found, f)
		}
	}
	return found, nil
}

// checkGlob describes a doubt about a glob of a matcher, or returns a Finding without a text if the glob is fine.
func checkGlob(pattern string, whole glob.List, known []string) Finding {
	switch {
	case known == nil || pattern == "" || slices.ContainsFunc(known, glob.New(pattern).Match):
		return Finding{}
	case strings.Contains(pattern, ".*") || strings.Contains(pattern, ".+"):
		meant := strings.NewReplacer(".*", "*", ".+", "*").Replace(pattern)
		f := Finding{Text: "and here . means only a dot; did you mean " + quote(meant) + "? " + globHint, Kind: Odd}
		if MaybeMCP(meant) || slices.ContainsFunc(known, glob.New(meant).Match) {
			f.Kind, f.Meant = Never, meant
		}
		return f // tools of some servers have a dot in their names
	case strings.Contains(pattern, ",") || strings.ContainsFunc(pattern, unicode.IsSpace):
		between := func(r rune) bool { return strings.ContainsRune(`,{}"'`, r) || unicode.IsSpace(r) }
		names := strings.FieldsFunc(pattern, between)
		return Finding{Text: "which is one name with a comma or a blank in it; " + globHint, Kind: Never,
			Meant: strings.Join(names, "|")}
	}
	if what, meant := invalidPart(pattern, known); meant != "" {
		what = "which would match no tool: it has " + what + "; did you mean " + quote(meant) + "? " + globHint
		return Finding{Text: what, Kind: Never, Meant: meant}
	} else if what != "" {
		return Finding{Text: "which would match no tool: it has " + what + "; " + globHint, Kind: Never}
	}
	if name := otherCase(pattern, whole, known); name != "" {
		return Finding{Kind: Never, Meant: name, Text: "which differs from the tool " + quote(name) +
			" by case alone, and case counts; did you mean " + quote(name) + "? " + globHint}
	}
	return unknownTool(pattern, whole, known)
}

// minLetters is how many letters a glob with wildcards needs to tell which tool it means.
const minLetters = 3

// otherCase returns the known name that a glob would match if case did not count, or "". No known name matches the glob
// as written.
func otherCase(pattern string, whole glob.List, known []string) string {
	letters := len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
	if pattern == "" || letters < minLetters && letters < len(pattern) {
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
