package client

import (
	"os"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// ExpandVariables replaces $NAME, ${NAME} and ${NAME:-default} by the variable's value, except for the names in but. An
// unset variable without a default stays as written.
func ExpandVariables(text string, but []string) string {
	if !strings.Contains(text, "$") {
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
		name, word, size := shellword.Variable(text)
		value, ok := os.LookupEnv(name)
		switch {
		case size == 0:
			size = 1
			b.WriteByte('$')
		case slices.Contains(but, name):
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
