package permission

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// wildcard is a pattern for one simple command. Each alternative is a list of texts, with anything between the texts.
type wildcard [][]string

// compile reads a pattern. Only * is special, \* is a literal star, and a run of spaces counts as one.
func compile(pattern string) wildcard {
	pattern = strings.Join(strings.Fields(pattern), " ")
	prefix, isPrefix := strings.CutSuffix(pattern, ":*")
	if isPrefix = isPrefix && prefix != ""; isPrefix {
		pattern = strings.TrimSpace(prefix) + " *"
	}
	texts := split(pattern)
	stars := len(texts) - 1
	// Several stars in a row are the same as one. Without the empty texts between them, the time of matchTexts depends
	// on the length of the command, not of the pattern.
	if stars > 1 {
		inner := slices.DeleteFunc(texts[1:stars], func(s string) bool { return s == "" })
		texts = slices.Concat(texts[:1], inner, texts[stars:])
	}
	w := wildcard{texts}
	// A final ` *` may match nothing: `git *` matches `git`. In recordings a final ` *` after another star needs an
	// argument: `git * *` does not match `git push`.
	if last := len(texts) - 1; strings.HasSuffix(pattern, " *") && (stars == 1 || isPrefix) {
		w = append(w, append(texts[:last-1:last-1], strings.TrimSuffix(texts[last-1], " ")))
	}
	return w
}

// split cuts a pattern at its stars and unescapes literal stars.
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

// mayMatch reports whether the pattern may match a command that has computed words or gets more arguments at run time.
// Only the text before the first unknown word counts.
func (w wildcard) mayMatch(c *shellline.Command) bool {
	i := slices.IndexFunc(c.Words, shellline.IsComputed)
	known := c.Words
	if i >= 0 {
		known = known[:i]
	}
	if w.mayBeFolder(known) {
		return true
	}
	switch {
	case i == 0:
		return w.mayName(c)
	case i < 0:
		return c.MoreArgs && w.mayBegin(c.Text+" ")
	}
	before, next := shellline.JoinWords(known), c.Words[i]
	if w.isTooShort(before+" ", next) {
		return false
	}
	return next.MaybeMany && next.Prefix == "" && w.match(before) || // may expand to nothing
		w.mayBegin(before+" "+next.Prefix)
}

// isTooShort reports whether a pattern of file names, such as [abc], names only files that are shorter than the next
// word of each alternative that begins with known.
func (w wildcard) isTooShort(known string, next shellline.Word) bool {
	if next.Source == "" || strings.ContainsAny(next.Source, "*$`{}'\"\\(~") {
		return false
	}
	length := utf8.RuneCountInString(classes.Get().ReplaceAllString(next.Source, "?"))
	return !slices.ContainsFunc(w, func(texts []string) bool {
		behind, ok := strings.CutPrefix(texts[0], known)
		word, _, _ := strings.Cut(behind, " ")
		return !ok || word == "" || utf8.RuneCountInString(word) <= length
	})
}

// classes matches the classes of characters in a pattern of file names.
var classes = lazy.Regexp{Text: `\[[^\]]+\]`}

// mayBeFolder reports whether the pattern may match a command with a word that begins with a path, as ~ and $HOME do.
func (w wildcard) mayBeFolder(words []shellline.Word) bool {
	if !slices.ContainsFunc(words, func(next shellline.Word) bool { return next.Home }) {
		return false
	}
	longest := 0
	for _, texts := range w {
		longest = max(longest, len(texts[0]))
	}
	known := ""
	for _, next := range words {
		if begin := known + "/"; next.Home &&
			slices.ContainsFunc(w, func(texts []string) bool { return strings.HasPrefix(texts[0], begin) }) {
			return true
		}
		if known += next.Text + " "; len(known) > longest {
			break
		}
	}
	return false
}

// mayName reports whether the pattern may match a command whose name is computed. If the name is one word, the words
// after the name must fit the pattern or contain all words of the pattern, because the name may be a launcher or an
// interpreter. If the name may be several words, or a line or a program text may follow, any command may run. A name
// from outside of the line counts as the name of a program, with words of the pattern behind it, unless all of a text
// that a shell runs comes from there.
func (w wildcard) mayName(c *shellline.Command) bool {
	name, rest := c.Words[0], c.Words[1:]
	i := slices.IndexFunc(rest, shellline.IsComputed)
	isText := len(rest) == 0 && (shellline.IsShell(c.Wrapper) || shellline.InList("trap su runuser", c.Wrapper))
	switch {
	case !w.mayBeNamed(name):
		return w.wordsAppearIn(quotes.Get().Replace(shellline.JoinWords(rest)))
	case len(rest) == 0 && !name.MaybeMany && w.words() > 1:
		return false
	case name.ProgramVariable && len(rest) == 0:
		return false
	case isGlob(name) && len(rest) == 0:
		return true
	case name.ProgramVariable, isGlob(name), name.Outside && !isText:
		return slices.ContainsFunc(rest, w.hasBehind) ||
			w.wordsAppearIn(quotes.Get().Replace(shellline.JoinWords(rest)))
	case name.MaybeMany, i >= 0, len(rest) == 0, strings.ContainsAny(shellline.JoinWords(rest), "'\"\\$`{}*?["):
		return true
	}
	known := shellline.JoinWords(rest) + " "
	if i >= 0 {
		known = strings.TrimPrefix(shellline.JoinWords(rest[:i])+" "+rest[i].Prefix, " ")
	}
	return w.wordsAppearIn(shellline.JoinWords(rest)) || slices.ContainsFunc(w, func(texts []string) bool {
		_, behind, ok := strings.Cut(texts[0], " ")
		if !ok {
			return len(texts) > 1
		}
		return len(texts) > 1 && strings.HasPrefix(known, behind) || strings.HasPrefix(behind+" ", known)
	})
}

// words returns the number of words that a command needs at least.
func (w wildcard) words() int {
	least := len(w[0][0]) + 1
	for _, texts := range w {
		least = min(least, strings.Count(texts[0], " ")+1)
	}
	return least
}

// hasBehind reports whether a word is one of the pattern's words behind the first.
func (w wildcard) hasBehind(next shellline.Word) bool {
	return !next.Computed && slices.ContainsFunc(w, func(texts []string) bool {
		_, behind, ok := strings.Cut(texts[0], " ")
		last := ""
		for word := range strings.FieldsSeq(behind) {
			if next.Text == word {
				return true
			}
			last = word
		}
		return ok && last != "" && len(texts) > 1 && strings.HasPrefix(next.Text, last)
	})
}

// firstOfBraces returns the first word that a shell makes of a word in braces, if only literals stand there.
func firstOfBraces(source string) (first string, ok bool) {
	if !strings.HasPrefix(source, "{") || strings.ContainsAny(source[1:], "{$`*?[\\") ||
		strings.Contains(source, "..") {
		return "", false
	}
	first, _, ok = strings.Cut(source[1:], ",")
	return quotes.Get().Replace(first), ok
}

// isGlob reports whether a word is a pattern of file names, and only that.
func isGlob(w shellline.Word) bool {
	return strings.ContainsAny(w.Source, "*?[") && !strings.ContainsAny(w.Source, "$`'\"\\{(~")
}

// mayBeNamed reports whether a computed word may be the program that the pattern names. A pattern of file names is one
// only if the name fits, and a path with a known end has the name of that end.
func (w wildcard) mayBeNamed(name shellline.Word) bool {
	_, tail, isPath := strings.Cut(name.Source, "/")
	isPath = isPath && (name.Outside || !name.MaybeMany) && !strings.ContainsAny(tail, "$`*?[{(\\")
	alternative, isBraces := firstOfBraces(name.Source)
	return slices.ContainsFunc(w, func(texts []string) bool {
		if isBraces && !strings.HasPrefix(texts[0], alternative) {
			return len(texts) > 1 && strings.HasPrefix(alternative, texts[0])
		}
		if begin := name.Prefix; !isPath && !strings.HasPrefix(texts[0], begin) &&
			!(len(texts) > 1 && strings.HasPrefix(begin, texts[0])) && !strings.Contains(begin, "/") {
			return false
		}
		if !isGlob(name) && !isPath {
			return true
		}
		first, _, isWhole := strings.Cut(texts[0], " ")
		if !isWhole && len(texts) > 1 { // more letters may follow
			return true
		}
		if isPath {
			return shellline.ProgramName(strings.Trim(tail, `"'`)) == shellline.ProgramName(first)
		}
		fits, err := path.Match(name.Source, first)
		return fits || err != nil
	})
}

// mayBegin reports whether the pattern may match a text that starts with known.
func (w wildcard) mayBegin(known string) bool {
	return slices.ContainsFunc(w, func(texts []string) bool {
		return len(texts) > 1 && strings.HasPrefix(known, texts[0]) || strings.HasPrefix(texts[0], known)
	})
}

// matchTexts matches each text at its first occurrence. A later occurrence cannot do better, so matchTexts needs no
// backtracking and takes linear time.
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

// namesCommandOnly reports whether a pattern is exactly `word *` or `word:*`. Such a pattern can be decided without the
// arguments of a command. ` git * ` matches the same commands, but in recordings the client needs the arguments.
func namesCommandOnly(pattern string) bool {
	word, ok := strings.CutSuffix(pattern, " *")
	if !ok {
		word, ok = strings.CutSuffix(pattern, ":*")
	}
	return ok && word != "" && !strings.ContainsAny(word, "* \t\n\r\v\f")
}
