package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// nameChars are the characters in names of tools besides letters, digits and marks; wildcards are special in globs.
// Names of MCP tools contain dots, slashes and colons, as in mcp__a.b__c, server:tool and a/b, and packages an @.
const (
	nameChars = "_-./:@"
	wildcards = "*?"
)

// invalidPart returns the part of a glob that no name of a tool has, and a suggestion. It returns "" for a
// valid glob. An invalid glob loads, and matches no tool.
func invalidPart(glob string, known []string) (part, meant string) {
	if tool, ok := strings.CutSuffix(glob, ":*"); ok && slices.Contains(known, tool) {
		return `:*, which is for the pattern of an "if"`, tool
	}
	text := sets.Get().ReplaceAllString(glob, "?")
	switch {
	case strings.HasPrefix(text, "!"):
		return "!, and a matcher cannot leave tools out", ""
	case strings.HasPrefix(text, "/") || strings.HasSuffix(text, "/"):
		return "a / at its end, and no name of a tool begins or ends with one", cleaned(glob)
	}
	latin := strings.ContainsFunc(text, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) })
	for _, r := range text {
		switch {
		case !isInvalid(r, latin):
		case r > unicode.MaxASCII && unicode.In(r, unicode.L, unicode.M, unicode.N):
			return fmt.Sprintf("the character %q (%U), which is not one of ASCII and may look like one", r, r), ""
		case unicode.IsPrint(r):
			return fmt.Sprintf("a %c, which no name of a tool has", r), cleaned(glob)
		default:
			return fmt.Sprintf("a character that cannot be seen (%U)", r), cleaned(glob)
		}
	}
	return "", ""
}

// isInvalid reports whether no name of a tool has the character. Names can be in any language, but a single letter of
// another script among Latin letters is a mistake or a trap.
func isInvalid(r rune, latin bool) bool {
	if unicode.In(r, unicode.L, unicode.M, unicode.N) {
		isWide := 0xff01 <= r && r <= 0xff5e
		return r > unicode.MaxASCII && (latin || isWide)
	}
	return !strings.ContainsRune(nameChars+wildcards, r)
}

// cleaned returns the glob without invalid characters, or "" if this leaves no text or the same text.
func cleaned(glob string) string {
	parts := strings.FieldsFunc(glob, func(r rune) bool { return strings.ContainsRune(";&+", r) })
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
	for i, p := range parts {
		p = strings.Map(func(r rune) rune {
			if !strings.ContainsRune("[]", r) && isInvalid(r, true) {
				return -1
			}
			return r
		}, p)
		parts[i] = strings.Trim(p, "/")
	}
	if clean := strings.Join(parts, "|"); strings.Trim(clean, "|") != "" && clean != glob {
		return clean
	}
	return ""
}

// sets matches the sets of a glob, which may contain any character.
var sets = lazy.Regexp{Text: `(?s)\[(?:!.|[^!])[^\]]*\]`}
