package shellline

import "strings"

// Loose returns the commands that a text may hold if a shell, or a program in another language, runs a part of the
// text. Quotes count for nothing, so a command may begin at each operator, bracket and line, also in quotes.
func Loose(text string) []Command { return looseIn(&outerLine{text: text}, text) }

func looseIn(outer *outerLine, text string) []Command {
	l := looseReader{outer: outer, text: looseText.Replace(text)}
	for l.at < len(l.text) && len(l.all) < MaxCommands && l.words < maxWords {
		l.command()
	}
	return l.all
}

// looseText removes the quotes, and makes blanks of what separates the words of a list in another language.
var looseText = strings.NewReplacer("\\\n", "", `\n`, "\n", `", "`, " ", `', '`, " ", `","`, " ", `','`, " ",
	"'", "", `"`, "", `\`, "")

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
)

// command reads to the end of one command.
func (l *looseReader) command() {
	c := Command{At: l.at}
	for !l.ends() {
		if l.text[l.at] == ' ' || l.text[l.at] == '\t' || l.text[l.at] == '\r' {
			l.at++
			continue
		}
		w := l.word()
		name, _, isAssignment := strings.Cut(w.Text, "=")
		if len(c.Words) > 0 || !InList(looseKeywords, w.Text) && !(isAssignment && IsName(name)) {
			c.Words = append(c.Words, w)
		}
	}
	if l.at < len(l.text) && l.text[l.at] == '`' {
		l.quote = !l.quote
	}
	l.at++
	if l.words += len(c.Words); len(c.Words) > 0 {
		c.Text, c.Row = JoinWords(c.Words), rowOf(c.Words)
		l.all = append(l.all, c)
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

// word reads a word. Its expansions and patterns are computed, and so is what a substitution ends in or before it.
func (l *looseReader) word() (w Word) {
	start := l.at
	isGlued := start > 0 && (l.text[start-1] == ')' || l.text[start-1] == '`' && !l.quote) && isNameByte(l.text[start])
	compute := func() {
		if !w.Computed {
			w.Computed, w.MaybeMany, w.Prefix = true, true, l.text[start:l.at]
		}
	}
	if isGlued {
		compute()
	}
	for ; !l.ends() && strings.IndexByte(" \t\r", l.text[l.at]) < 0; l.at++ {
		switch c, rest := l.text[l.at], l.text[l.at+1:]; {
		case c == '{':
			compute()
			l.at += strings.IndexByte(rest, '}') + 1
		case c == '$' && strings.HasPrefix(rest, "{"):
			compute()
			l.at += max(strings.IndexByte(rest, '}')+1, 1)
		case c == '$' && rest != "" && strings.IndexByte(" \t\r\n|&;<>)/.,:%]}", rest[0]) < 0,
			c == '*', c == '?', c == '[' && rest != "" && strings.IndexByte(" \t\n[", rest[0]) < 0:
			compute()
		}
	}
	if !l.quote && strings.HasPrefix(l.text[l.at:], "`") {
		compute()
	}
	w.Text = l.text[start:l.at]
	if name := variableOf(w.Text); !isGlued { // else a part of the word is not in Text
		w.Source, w.Outside = w.Text, name != "" && !l.outer.sets(name)
	}
	return w
}

// isBraceList reports whether the text behind a { is a list of which a shell makes several words.
func isBraceList(text string) bool {
	inside, _, closed := strings.Cut(text, "}")
	return closed && strings.ContainsAny(inside, ",.") && !strings.ContainsAny(inside, " \t\n;&|(){")
}

func isNameByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
