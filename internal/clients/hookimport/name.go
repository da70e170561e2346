package hookimport

import (
	"path"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// nameOf returns a name for a command: from the first path in the command, or the first word.
func nameOf(c hook.Command) string {
	words := strings.FieldsFunc(c.String(), func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&()<>=", r) })
	for _, w := range words {
		if base := path.Base(w); base != w && base != "null" && !strings.HasPrefix(w, "/bin/") &&
			!strings.HasPrefix(w, "/usr/bin/") {
			words = []string{strings.TrimSuffix(base, path.Ext(base))}
			break
		}
	}
	if len(words) == 0 {
		return "hook"
	}
	return plainName(words[0])
}

// plainName returns the letters, digits, "_", "-" and "." of a text, up to 40 characters, or "hook".
func plainName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && strings.ContainsRune(letters+"-.", r) {
			return r
		}
		return -1
	}, text)
	if name = strings.Trim(name[:min(len(name), 40)], "-."); name == "" {
		return "hook"
	}
	return name
}
