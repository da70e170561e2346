package codex

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Pattern reads a matcher as Codex 0.171.0 does. "" and * match everything. A matcher of letters, digits, _ and | is a
// list of whole names. Any other is a Rust regular expression. Rust's syntax is RE2's, like Go's, without look-around.
// apply_patch also matches by the names of two other tools.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text, Aliases: toolAliases}
	switch {
	case text == "" || text == "*":
	case strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|") == "":
		p.Names = strings.Split(text, "|")
	default:
		if p.Err = findRustOnly(text); p.Err == nil {
			p.RE2, p.Err = regexp.Compile(text)
		}
		p.Unread = mayBeRust(p.Err)
	}
	return p
}

// mayBeRust reports whether Rust might read an expression that Go rejects. The hook then runs, because the client might
// run it.
func mayBeRust(err error) bool {
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return errors.As(err, new(rustOnly))
	}
	switch fault.Code {
	case syntax.ErrInvalidEscape: // \u{41}, but no back reference
		return !strings.ContainsAny(fault.Expr[1:], "0123456789k")
	case syntax.ErrInvalidPerlOp: // (?x), but no look-around
		return !strings.ContainsAny(fault.Expr, "=!<")
	case syntax.ErrInvalidCharRange: // \p{Alphabetic}, but not [z-a]
		return strings.HasPrefix(strings.ToLower(fault.Expr), `\p`)
	case syntax.ErrInvalidRepeatOp, syntax.ErrInvalidRepeatSize, syntax.ErrNestingDepth, syntax.ErrLarge:
		return true // a**, more than 1000 repetitions
	case syntax.ErrInvalidNamedCapture: // a name in other letters than ASCII's, but no look-behind
		return !strings.HasPrefix(fault.Expr, "(?<=") && !strings.HasPrefix(fault.Expr, "(?<!")
	}
	return false
}

// rustOnly is a part of an expression that means something special only in Rust.
type rustOnly string

func (part rustOnly) Error() string {
	return fmt.Sprintf("%q means something to Rust alone", string(part))
}

// findRustOnly returns an error for syntax that only Rust reads in a special way: \<, \>, \b{start}, classes within
// classes, and &&, -- and ~~ between classes. As plain characters these would never match, and a guard that never runs
// looks like a guard that approves.
func findRustOnly(text string) error {
	class := false
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		has := func(parts ...string) (part string, ok bool) {
			for _, part := range parts {
				if strings.HasPrefix(rest, part) {
					return part, true
				}
			}
			return "", false
		}
		switch {
		case rest[0] == '\\':
			if part, ok := has(`\<`, `\>`, `\b{`, `\B{`); ok && !class {
				return rustOnly(part)
			}
			i++ // the escaped character
		case !class && rest[0] == '[':
			class = true
			if strings.HasPrefix(rest, "[^") {
				i++
			}
			if strings.HasPrefix(text[i+1:], "]") { // at the start, ] is a plain character
				i++
			}
		case class && strings.HasPrefix(rest, "[:"):
			if end := strings.Index(rest, ":]"); end > 0 {
				i += end + 1
			}
		case class:
			if part, ok := has("[", "&&", "--", "~~"); ok {
				return rustOnly(part)
			}
			class = rest[0] != ']'
		}
	}
	return nil
}
