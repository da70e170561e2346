package shellline

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// printedBy returns the output of a line, if the line is one command that prints a text of its own.
func printedBy(line string) (text string, ok bool) {
	read := Split(line)
	if len(read.Commands) != 1 || read.Opaque.Why != "" || len(read.Redirections) > 0 {
		return "", false
	}
	return printed(read.Commands[0])
}

// printed returns the output of a command that prints a text of its own: its arguments, or its input.
func printed(c Command) (text string, ok bool) {
	args := c.Words[1:]
	for _, w := range args {
		if w.Computed {
			return "", false
		}
	}
	switch ProgramName(c.Words[0].Text) {
	case "echo":
		for len(args) > 0 && echoOptions.Get().MatchString(args[0].Text) {
			args = args[1:]
		}
		return printEscapes.Get().Replace(JoinWords(args)) + "\n", true
	case "print":
		for len(args) > 0 && isFlag(args[0]) {
			args = args[1:]
		}
		return printEscapes.Get().Replace(JoinWords(args)) + "\n", true
	case "printf":
		if len(args) > 0 && args[0].Text == "--" {
			args = args[1:]
		}
		if len(args) == 0 || isFlag(args[0]) {
			return "", false
		}
		return formatted(args[0].Text, args[1:]), true
	case "cat", "tee":
		if ProgramName(c.Words[0].Text) == "cat" {
			for _, w := range args {
				if w.Text != "-" && !isFlag(w) {
					return "", false
				}
			}
		}
		return c.Script, c.Script != ""
	}
	return "", false
}

var echoOptions = lazy.Regexp{Text: `^-[neE]+$`}

// printEscapes are the escapes of echo and printf. Some shells read them in echo without an option too.
var printEscapes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`, `\055`, "-", `\x2d`, "-", `\040`, " ", `\x20`,
		" ")
}}

// formatted returns the output of printf, which repeats the format until no argument is left.
func formatted(format string, args []Word) string {
	var b strings.Builder
	for first, left := true, len(args); first || len(args) > 0 && len(args) < left && b.Len() < MaxLine; first = false {
		left = len(args)
		for at := 0; at < len(format); at++ {
			if format[at] != '%' {
				b.WriteByte(format[at])
				continue
			}
			if strings.HasPrefix(format[at:], "%%") {
				b.WriteByte('%')
				at++
				continue
			}
			at += strings.IndexAny(format[at+1:]+"s", "sbcdiuoxXqeEfgG") + 1
			if len(args) > 0 {
				b.WriteString(args[0].Text)
				args = args[1:]
			}
		}
	}
	return printEscapes.Get().Replace(b.String())
}
