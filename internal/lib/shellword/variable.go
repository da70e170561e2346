package shellword

import "strings"

// Variable reads the variable at the start of a text, and the variable's default if the text has one. Without a
// variable, size is 0.
func Variable(text string) (name string, word *string, size int) {
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
