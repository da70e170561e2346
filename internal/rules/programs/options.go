package programs

import "strings"

// Option is an option of a command, by letter or long name, with the value.
type Option struct {
	Name  string
	Value Word
}

// Options reads the options in the first argument, which begins with -. The last option's value may be the next
// argument; if the value is missing, Options returns no options and no rest, because the program runs nothing. ok means
// that all options are known.
func (p Program) Options(args []Word) (all []Option, rest []Word, ok bool) {
	text, rest := args[0].Text, args[1:]
	takes := false // the last option takes the next word as its value
	if text, isLong := strings.CutPrefix(text, "--"); isLong {
		name, value, attached := strings.Cut(text, "=")
		if name, ok = p.long(name); !ok {
			return nil, nil, false
		}
		name, takes = strings.CutSuffix(name, ":")
		takes = takes && !attached
		all = []Option{{name, Word{Text: value}}}
	} else {
		for letters := text[1:]; letters != ""; {
			letter := letters[:1]
			letters = letters[1:]
			_, behind, known := strings.Cut(p.Short, letter)
			if !known || letter == ":" {
				return nil, nil, false
			}
			o := Option{Name: letter}
			if strings.HasPrefix(behind, ":") {
				takes = letters == "" && !strings.HasPrefix(behind, "::")
				o.Value.Text, letters = letters, ""
			}
			all = append(all, o)
		}
	}
	if !takes {
		return all, rest, true
	}
	if len(rest) == 0 {
		return nil, nil, true
	}
	all[len(all)-1].Value = rest[0]
	return all, rest[1:], true
}

// long finds an option by name or by an unambiguous beginning of the name.
func (p Program) long(name string) (option string, ok bool) {
	for known := range strings.FieldsSeq(p.Long) {
		switch bare := strings.TrimSuffix(known, ":"); {
		case bare == name:
			return known, true
		case !strings.HasPrefix(bare, name):
		case option == "":
			option = known
		default:
			ok = true // ambiguous, unless a later one is exact
		}
	}
	return option, option != "" && !ok
}

// Operands returns the arguments that are neither options nor values of options. After --, all are operands.
func (p Program) Operands(args []Word) (words []Word) {
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w.Text == "--":
			return append(words, args[i+1:]...)
		case len(w.Text) < 2 || w.Text[0] != '-':
			words = append(words, w)
		case p.TakesNext(w.Text):
			i++
		}
	}
	return words
}

// TakesNext reports whether the next argument is the value of an option in this one.
func (p Program) TakesNext(text string) bool {
	if name, isLong := strings.CutPrefix(text, "--"); isLong {
		option, ok := p.long(name)
		return ok && name != "" && strings.HasSuffix(option, ":")
	}
	for i := 1; i < len(text); i++ {
		if p.Takes(text[i]) {
			return i == len(text)-1 && !strings.Contains(p.Short, text[i:]+"::")
		}
	}
	return false
}

// Takes reports whether a one-letter option has a value.
func (p Program) Takes(letter byte) bool {
	at := strings.IndexByte(p.Short, letter)
	return at >= 0 && strings.HasPrefix(p.Short[at+1:], ":")
}

// Values returns the values of options in a list, which are attached to the options or are the next arguments.
func (p Program) Values(list string, args []Word) (values []Word) {
	for i := 0; i < len(args) && list != ""; i++ {
		w := args[i]
		at := 0 // where the value begins
		if name, isLong := strings.CutPrefix(w.Text, "--"); isLong {
			name, _, _ = strings.Cut(name, "=")
			if option, _ := p.long(name); In(list, name) || In(list, strings.TrimSuffix(option, ":")) {
				at = min(len(w.Text), len("--=")+len(name))
			}
		} else if len(w.Text) > 1 && w.Text[0] == '-' {
			for j := 1; j < len(w.Text) && at == 0; j++ {
				if In(list, w.Text[j:j+1]) {
					at = j + 1
				} else if p.Takes(w.Text[j]) {
					break
				}
			}
		}
		switch {
		case at == 0:
		case at < len(w.Text):
			values = append(values, w.After(at))
		case i+1 < len(args):
			values = append(values, args[i+1])
		}
	}
	return values
}
