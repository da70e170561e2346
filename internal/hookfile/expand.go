package hookfile

import (
	"os"
	"slices"
	"strings"
)

// expanded replaces $NAME, ${NAME} and ${NAME:-default} by what the variable is here, where the form does that. What is
// not set, and has no default, stays as it is.
func (p *parser) expanded(text string) string {
	if !p.form.Expand || !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for {
		start := strings.IndexByte(text, '$')
		if start < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:start])
		text = text[start:]
		name, word, size := variable(text)
		value, ok := os.LookupEnv(name)
		switch {
		case size == 0:
			size = 1
			b.WriteByte('$')
		case slices.Contains(p.form.Written, name):
			b.WriteString(text[:size])
		case ok:
			b.WriteString(value)
		case word != nil:
			b.WriteString(*word)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
}

// variable reads the variable that a text begins with, and its default if it has one. size 0: there is none.
func variable(text string) (name string, word *string, size int) {
	if rest, ok := strings.CutPrefix(text, "${"); ok {
		name, _, ok := strings.Cut(rest, "}")
		if !ok || name == "" {
			return "", nil, 0
		}
		size = len("${}") + len(name)
		if before, after, ok := strings.Cut(name, ":-"); ok && before != "" {
			return before, &after, size
		}
		return name, nil, size
	}
	rest := text[1:]
	name = rest[:len(rest)-len(strings.TrimLeft(rest,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))]
	if name == "" {
		return "", nil, 0
	}
	return name, nil, 1 + len(name)
}
