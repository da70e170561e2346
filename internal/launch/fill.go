package launch

import (
	"strings"

	"github.com/hookrun/hookrun/internal/hook"
)

// filled is the command line of the hook with values for the variables that its client writes into the text, wherever
// they stand there, also between single quotes. A value that a shell would take for more than letters is not written
// into the text: there the shell expands the variable, in quotes of its own.
func filled(h *hook.Hook, env []string) string {
	line := h.Command.Shell
	if len(h.Command.Written) == 0 || !strings.Contains(line, "$") {
		return line
	}
	var b []byte
	var q quotes
	for line != "" {
		name := variableAt(line, h.Command.Written)
		value, given := given(env, name)
		switch {
		case name == "" || !given:
			q.read(line[0])
			b = append(b, line[0])
			line = line[1:]
			continue
		case value != "" && strings.Trim(value, plainLetters) == "":
			b = append(b, value...)
		default:
			if q.escaped {
				b = b[:len(b)-1] // the backslash was for the dollar sign
			}
			b = append(b, q.around(name)...)
		}
		q.escaped, q.last = false, 'x'
		line = line[len("$")+len(name):]
	}
	return string(b)
}

// plainLetters mean themselves to a shell, in quotes and without.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+=:,-"

// variableAt is the variable that a text begins with, of those that the client writes into commands; "": none. Letters
// may follow: the client looks for the name alone.
func variableAt(text string, names []string) string {
	for _, name := range names {
		if strings.HasPrefix(text, "$"+name) {
			return name
		}
	}
	return ""
}

// quotes tracks in which quotes of a shell line a position is. It does not know quotes inside of a command
// substitution.
type quotes struct {
	open    byte // ' or ", # in a comment, $ in $'…', 0 outside
	escaped bool // by a backslash
	last    byte // that was read
}

// read goes on by one byte.
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

// around is a variable that the shell expands to one word at this position.
func (q *quotes) around(name string) string {
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
