package permission

import (
	"slices"
	"strings"
)

// wildcard is a pattern for one simple command: alternatives, each of which is texts with anything between them.
type wildcard [][]string

// compile reads a pattern. Only * is special, \* is a literal one, and a run of blanks counts as one.
func compile(pattern string) wildcard {
	pattern = strings.Join(strings.Fields(pattern), " ")
	prefix, isPrefix := strings.CutSuffix(pattern, ":*")
	if isPrefix = isPrefix && prefix != ""; isPrefix {
		pattern = strings.TrimSpace(prefix) + " *"
	}
	texts := split(pattern)
	stars := len(texts) - 1
	// Several stars in a row are one. Without empty texts, matchTexts is through when the command is, however long the
	// pattern.
	if stars > 1 {
		texts = slices.Concat(texts[:1], slices.DeleteFunc(texts[1:stars], func(s string) bool { return s == "" }),
			texts[stars:])
	}
	w := wildcard{texts}
	// A last ` *` may match nothing: `git *` matches `git`. Behind another star it was recorded to want an argument:
	// `git * *` does not match `git push`.
	if last := len(texts) - 1; strings.HasSuffix(pattern, " *") && (stars == 1 || isPrefix) {
		w = append(w, append(texts[:last-1:last-1], strings.TrimSuffix(texts[last-1], " ")))
	}
	return w
}

// split cuts a pattern at its stars and takes the backslash away from the literal ones.
func split(pattern string) []string {
	var texts []string
	var text []byte
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == '*':
			texts, text = append(texts, string(text)), text[:0]
		case pattern[i] == '\\' && strings.HasPrefix(pattern[i+1:], "*"):
			i++
			text = append(text, '*')
		default:
			text = append(text, pattern[i])
		}
	}
	return append(texts, string(text))
}

func (w wildcard) match(command string) bool {
	return slices.ContainsFunc(w, func(texts []string) bool { return matchTexts(texts, command) })
}

// mayMatch reports whether the pattern may match a command of which words are computed when it runs, or more arguments
// follow. What stands before the first of them decides. A command whose name is computed may run any.
func (w wildcard) mayMatch(c command) bool {
	i := slices.IndexFunc(c.words, isComputed)
	switch {
	case i == 0:
		return true
	case i < 0:
		return c.more && w.mayBegin(c.text+" ")
	}
	known, next := joined(c.words[:i]), c.words[i]
	return next.several && next.prefix == "" && w.match(known) || // it may be nothing
		w.mayBegin(known+" "+next.prefix)
}

// mayBegin reports whether the pattern may match a text that begins with what is known.
func (w wildcard) mayBegin(known string) bool {
	return slices.ContainsFunc(w, func(texts []string) bool {
		return len(texts) > 1 && strings.HasPrefix(known, texts[0]) || strings.HasPrefix(texts[0], known)
	})
}

// matchTexts takes each text where it comes first. No other place can be better, so there is nothing to go back to, and
// the time is linear.
func matchTexts(texts []string, command string) bool {
	rest, ok := strings.CutPrefix(command, texts[0])
	if len(texts) == 1 || !ok {
		return ok && rest == ""
	}
	last := texts[len(texts)-1]
	if rest, ok = strings.CutSuffix(rest, last); !ok {
		return false
	}
	for _, text := range texts[1 : len(texts)-1] {
		if _, rest, ok = strings.Cut(rest, text); !ok {
			return false
		}
	}
	return true
}

// namesCommandOnly reports whether a pattern is `word *` or `word:*` to the letter. Such a pattern can be decided
// without knowing the arguments of a command. ` git * ` was recorded to be no such pattern, although it matches the
// same.
func namesCommandOnly(pattern string) bool {
	word, ok := strings.CutSuffix(pattern, " *")
	if !ok {
		word, ok = strings.CutSuffix(pattern, ":*")
	}
	return ok && word != "" && !strings.ContainsAny(word, "* \t\n\r\v\f")
}
