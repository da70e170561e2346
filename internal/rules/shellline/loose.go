package shellline

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Loose returns the commands that a text may hold if a shell runs a part of the text. Quotes count for nothing, so a
// command may begin at each operator, bracket and line, also in quotes.
func Loose(text string) []Command { return looseIn(&outerLine{text: text}, text) }

// LooseProgram is Loose for a text in another language, in which a command is a text of its own, or a list of texts.
func LooseProgram(text string) (all []Command) {
	var list []Word // the texts of a statement
	end := 0
	add := func() {
		if len(list) > 1 {
			all = append(all, Command{Text: JoinWords(list), Words: list, Row: rowOf(list)})
		}
		list = nil
	}
	for _, at := range literals.Get().FindAllStringIndex(text, MaxCommands) {
		if strings.ContainsAny(text[end:at[0]], ";\n") { // else perhaps further arguments of a call
			add()
		}
		end = at[1]
		literal := unescaped.Get().Replace(text[at[0]+1 : end-1])
		list = append(list, Word{Text: literal, Source: literal})
		if !strings.Contains(literal, " ") {
			continue
		}
		line := Split(literal)
		if line.Unreadable != "" {
			all = append(all, Loose(literal)...)
			continue
		}
		for _, c := range line.Unwrap(literal, nil).Commands {
			c.MoreArgs = c.MoreArgs || strings.HasSuffix(literal, " ") // as in "rm -rf " + path
			all = append(all, c)
		}
	}
	add()
	return append(all, Loose(text)...)
}

var (
	literals  = lazy.Regexp{Text: "\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`"}
	unescaped = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`)
	}}
)

func looseIn(outer *outerLine, text string) []Command {
	l := looseReader{outer: outer, text: looseText.Get().Replace(text)}
	l.commands("", 0)
	for _, at := range literals.Get().FindAllStringIndex(text, MaxCommands) {
		if literal := text[at[0]+1 : at[1]-1]; text[at[0]] != '`' && strings.Contains(literal, " ") {
			l.text, l.at = looseText.Get().Replace(literal), 0
			l.commands("", 0)
		}
	}
	return l.all
}

// looseText removes the quotes. The words of a list in another language are words of a command.
var looseText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("\\\n", "", "$'", "", `$"`, "", `\n`, "\n", `", ["`, " ", `', ['`, " ", `["`, "(",
		`['`, "(",
		`"]`, ")", `']`, ")", `", "`, " ", `', '`, " ", `","`, " ", `','`, " ", "'", "", `"`, "", `\`, "", "<<<", "\n")
}}

type looseReader struct {
	outer *outerLine
	text  string
	at    int // in text
	all   []Command
	words int  // of all
	quote bool // between backquotes
}

const (
	looseEnds     = ";&|(){}\n`"
	looseKeywords = "then do else elif if while until time ! eval exec command builtin"
	looseDepth    = 100
)

// commands reads commands to a byte of ends, or to the end of the text.
func (l *looseReader) commands(ends string, depth int) {
	var piped []Command
	for l.at < len(l.text) && len(l.all) < MaxCommands && l.words < maxWords {
		if strings.IndexByte(ends, l.text[l.at]) >= 0 {
			return
		}
		before := len(l.all)
		l.command(piped, depth)
		if piped = nil; l.at < len(l.text) {
			switch c := l.text[l.at]; {
			case strings.IndexByte(ends, c) >= 0:
				return
			case c == '|' && len(l.all)-before < 100 && !strings.HasPrefix(l.text[l.at:], "||"):
				piped = l.all[before:len(l.all):len(l.all)]
			}
			l.at++
		}
	}
	l.at = len(l.text)
}

// command reads one command.
func (l *looseReader) command(piped []Command, depth int) {
	c := Command{At: l.at, PipedFrom: piped}
	if piped != nil {
		c.stdin = fed
	}
	first := len(l.all)
	for !l.ends() {
		if strings.IndexByte(" \t\r", l.text[l.at]) >= 0 {
			l.at++
			continue
		}
		for l.text[l.at] == '!' && l.at+1 < len(l.text) && strings.IndexByte(" \t\n=", l.text[l.at+1]) < 0 {
			l.at++ // of vim, or of zsh's &!
		}
		if l.ends() {
			break
		}
		w := l.word(depth)
		if l.at < len(l.text) && l.text[l.at] == '(' && len(c.Words) > 0 && depth < looseDepth { // of PowerShell
			l.at++
			l.commands(")", depth+1)
			l.at = min(l.at+1, len(l.text))
		}
		name, _, isAssignment := strings.Cut(w.Text, "=")
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "+"), "[")
		if len(c.Words) > 0 || !InList(looseKeywords, w.Text) && !(isAssignment && IsName(name)) {
			c.Words = append(c.Words, w)
		}
	}
	if l.words += len(c.Words); len(c.Words) > 0 {
		c.Substitutions = l.all[first:len(l.all):len(l.all)]
		l.values(c.Words)
		c.redirect()
		c.Text, c.Row = JoinWords(c.Words), rowOf(c.Words)
		l.all = append(l.all, c)
	}
}

// values adds the commands in the values of assignments and options, as in ProxyCommand=git push.
func (l *looseReader) values(words []Word) {
	const most = 20
	for i, w := range words[:min(most, len(words))] {
		_, value, ok := strings.Cut(w.Text, "=")
		if !ok || value == "" || i+1 == len(words) {
			continue
		}
		c := Command{Words: append([]Word{w.After(len(w.Text) - len(value))}, words[i+1:]...)}
		c.Text, c.Row = JoinWords(c.Words), rowOf(c.Words)
		l.all = append(l.all, c)
	}
}

// redirect takes the redirections to files out of the words of a command.
func (c *Command) redirect() {
	for i := 1; i < len(c.Words); i++ {
		operator := strings.TrimLeft(c.Words[i].Text, "0123456789")
		target := strings.TrimLeft(operator, "<>")
		if target == operator {
			continue
		}
		file, end := c.Words[i].After(len(c.Words[i].Text)-len(target)), i+1
		if target == "" {
			if end == len(c.Words) {
				return
			}
			file, end = c.Words[end], end+1
		}
		c.Files = append(c.Files, Redirection{Writes: operator[0] == '>', Appends: strings.HasPrefix(operator, ">>"),
			File: file})
		c.Words = append(c.Words[:i:i], c.Words[end:]...)
		i--
	}
}

// ends reports whether the command ends here.
func (l *looseReader) ends() bool {
	if l.at >= len(l.text) {
		return true
	}
	c := l.text[l.at]
	return strings.IndexByte(looseEnds, c) >= 0 && !(c == '{' && isBraceList(l.text[l.at+1:]))
}

// word reads a word. Expansions and patterns are computed.
func (l *looseReader) word(depth int) (w Word) {
	start := l.at
	compute := func() {
		if !w.Computed {
			w.Computed, w.MaybeMany, w.Prefix = true, true, l.text[start:l.at]
		}
	}
	for ; l.at < len(l.text); l.at++ {
		c, rest := l.text[l.at], l.text[l.at+1:]
		switch {
		case c == '$' && strings.HasPrefix(rest, "(") && depth < looseDepth:
			compute()
			l.at += 2
			l.commands(")", depth+1)
		case c == '`' && !l.quote && strings.Contains(rest, "`"):
			compute()
			l.at++
			l.quote = true
			l.commands("`", depth+1)
			l.quote = false
		case strings.IndexByte(" \t\r", c) >= 0 || l.ends():
			return l.between(start, w)
		case c == '{':
			compute()
			l.at += strings.IndexByte(rest, '}') + 1
		case c == '$' && strings.HasPrefix(rest, "{"):
			compute()
			end := max(strings.IndexByte(rest, '}'), 1)
			inside := rest[1:end]
			// a word of its own
			if operator := strings.IndexAny(inside, ":=+-?/#%["); operator >= 0 && depth < looseDepth {
				inner := looseReader{outer: l.outer, text: strings.TrimLeft(inside[operator:], ":=+-?/#%[")}
				inner.commands("", depth+1)
				l.all, l.words = append(l.all, inner.all...), l.words+inner.words
			}
			l.at += end + 1
		case c == '$' && rest != "" && strings.IndexByte(" \t\r\n|&;<>)/.,:%]}", rest[0]) < 0,
			c == '*', c == '?', c == '[' && rest != "" && strings.IndexByte(" \t\n[", rest[0]) < 0:
			compute()
		}
	}
	return l.between(start, w)
}

// between finishes the word that starts at an offset and ends here.
func (l *looseReader) between(start int, w Word) Word {
	w.Text = l.text[start:min(l.at, len(l.text))]
	name := variableOf(w.Text)
	w.Source, w.Outside = w.Text, name != "" && !l.outer.sets(name)
	return w
}

// isBraceList reports whether the text behind a { is a list of which a shell makes several words.
func isBraceList(text string) bool {
	const most = 200
	inside, _, closed := strings.Cut(text[:min(most, len(text))], "}")
	return closed && strings.ContainsAny(inside, ",.") && !strings.ContainsAny(inside, " \t\n;&|(){")
}
