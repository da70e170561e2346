package codex

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
)

// Pattern reads a matcher as Codex 0.169.0 does. "" and * are everything. Of letters, digits, _ and | alone it is a
// list of whole names; anything else is a regular expression of Rust's. That is RE2's syntax, as Go's is, and so
// without look-around. A patch answers to two names of other tools as well.
func (reader) Pattern(text, _ string) dialect.Pattern {
	p := dialect.Pattern{Text: text, Word: text, Aliases: toolAliases}
	switch {
	case text == "" || text == "*":
	case strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|") == "":
		p.Names = strings.Split(text, "|")
	default:
		if p.Err = rustsOwn(text); p.Err == nil {
			p.RE2, p.Err = regexp.Compile(text)
		}
		p.Unread = foreign(p.Err)
	}
	return p
}

// foreign reports whether Rust might read what Go cannot. A hook that its client runs had better run.
func foreign(err error) bool {
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
		return true // a**, more than 1000 of something
	case syntax.ErrInvalidNamedCapture: // a name in other letters than ASCII's, but no look-behind
		return !strings.HasPrefix(fault.Expr, "(?<=") && !strings.HasPrefix(fault.Expr, "(?<!")
	}
	return false
}

// rustOnly is the fault of a regular expression that Rust reads in a way of its own.
type rustOnly string

func (part rustOnly) Error() string {
	return fmt.Sprintf("%q means something to Rust alone", string(part))
}

// rustsOwn finds what Rust's regular expressions have and others read as mere characters: \<, \>, \b{start}, classes of
// characters within classes, and &&, -- and ~~ between them. A guard that never ran for that would look like one that
// approved.
func rustsOwn(text string) error {
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
			i++ // what is escaped
		case !class && rest[0] == '[':
			class = true
			if strings.HasPrefix(rest, "[^") {
				i++
			}
			if strings.HasPrefix(text[i+1:], "]") { // as the first it is a character
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
