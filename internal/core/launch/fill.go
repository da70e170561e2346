package launch

import (
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// expandWritten returns the hook's command line with values for the variables that the client itself writes into the
// text, also between single quotes. If a shell could take a value for more than plain letters, expandWritten leaves the
// variable in the text, in quotes, and the shell expands it.
func expandWritten(h *hook.Hook, env []string) string {
	c := h.Process()
	line := c.Shell
	if len(c.Written) == 0 || !strings.Contains(line, "$") {
		return line
	}
	var b []byte
	var q quotes
	for line != "" {
		name := variableAt(line, c.Written)
		value, set := lookupVariable(env, name)
		switch {
		case name == "" || !set:
			q.read(line[0])
			b = append(b, line[0])
			line = line[1:]
			continue
		case value != "" && strings.Trim(value, plainLetters) == "":
			b = append(b, value...)
		default:
			if q.escaped {
				b = b[:len(b)-1] // the backslash escaped the dollar sign
			}
			b = append(b, q.quoted(name)...)
		}
		q.escaped, q.last = false, 'x'
		line = line[len("$")+len(name):]
	}
	return string(b)
}

// plainLetters mean themselves to a shell, with and without quotes.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+=:,-"

// variableAt returns the variable in names that a text begins with, or "". Letters may follow the name: the client
// looks for the name alone.
func variableAt(text string, names []string) string {
	for _, name := range names {
		if strings.HasPrefix(text, "$"+name) {
			return name
		}
	}
	return ""
}

// quotes tracks the shell quotes around a position in a line. It does not know quotes in a command substitution.
type quotes struct {
	open    byte // ' or ", # in a comment, $ in $'…', 0 outside
	escaped bool // by a backslash
	last    byte // the byte before
}

// read moves on by one byte.
func (q *quotes) read(c byte) {
	switch {
	case q.escaped:
		q.escaped = false
	case q.open == '#':
		if c == '\n' {
			q.open = 0
		}
	case c == '\\':
		q.escaped = q.open != '\''
	case q.open == c, q.open == '$' && c == '\'':
		q.open = 0
	case q.open != 0:
	case c == '\'' && q.last == '$':
		q.open = '$'
	case c == '\'', c == '"', c == '#' && strings.IndexByte("\x00 \t\n;|&(", q.last) >= 0:
		q.open = c
	}
	q.last = c
}

// quoted returns a variable that the shell expands to one word at this position.
func (q *quotes) quoted(name string) string {
	switch q.open {
	case '\'':
		return `'"$` + name + `"'`
	case '$':
		return `'"$` + name + `"$'`
	case 0:
		return `"$` + name + `"`
	}
	return "${" + name + "}"
}
