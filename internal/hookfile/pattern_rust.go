package hookfile

import (
	"fmt"
	"strings"
)

// rustOnly is the fault of a regular expression that Rust reads in a way of its own.
type rustOnly string

func (part rustOnly) Error() string {
	return fmt.Sprintf("%q means something to Rust alone", string(part))
}

// rustsOwn finds what Rust's regular expressions have and others read as mere characters: \<, \>, \b{start}, classes of characters
// within classes, and &&, -- and ~~ between them. A guard that never ran for that would look like one that approved.
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
