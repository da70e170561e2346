package shellline

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/rules/programs"
)

// interprets finds the program text in the arguments of an interpreter. The arguments after the text count too, because
// the program may run them.
func (p program) interprets(args []Word) (l launches) {
	for len(args) > 0 {
		text := args[0].Text
		switch {
		case text == "-", IsStdin(text), text == "--" && len(args) == 1:
			return launches{wholeLine: true}
		case unsure(args[0]) && !p.inline: // may be an option
			return launches{wholeLine: true}
		case len(text) > 1 && (text[0] == '-' || text[0] == '+') && text != "--":
		case p.group:
			return p.subprogram(args)
		case p.inline:
			return p.text(args)
		default:
			return launches{risks: risks{script: true}}
		}
		options, rest, ok := p.Options(args)
		if !ok || slices.ContainsFunc(options, func(o programs.Option) bool { return InList(p.texts, o.Name) }) {
			l = p.text(args)
			l.wholeLine = l.wholeLine || !ok // may read the program from stdin
			return l
		}
		for _, o := range options {
			switch {
			case o.Value.Text == "-", IsStdin(o.Value.Text):
				return launches{wholeLine: true}
			case InList(p.idle, o.Name):
				return launches{}
			}
		}
		args = rest
	}
	return launches{wholeLine: true}
}

// text returns the words, which include a program text, as a hint. If the shell computes a part of the text, that part
// may be anywhere in the line.
func (p program) text(words []Word) (l launches) {
	joined := JoinWords(words)
	if p.inline && p.Name == "awk" && !strings.Contains(joined, "system") && !strings.Contains(joined, "|") {
		return launches{wholeLine: slices.ContainsFunc(words, IsComputed)}
	}
	return launches{
		hints:     []Hint{{Text: joined, Name: "the program text of " + p.Name}},
		wholeLine: slices.ContainsFunc(words, IsComputed),
	}
}

// subprogram reads a subcommand of an interpreter. The subcommand may be a launcher.
func (p program) subprogram(args []Word) launches {
	sub, ok := programOf(p.Name + " " + args[0].Text)
	if !ok {
		return launches{}
	}
	return sub.runs(args[1:])
}
