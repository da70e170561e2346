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
	if name == "" {
		return "", false
	}
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

// Parse reads all options of a command, and the arguments that are neither options nor values of options. An option
// that the row lacks has no value, unless one is attached behind a =. After --, all arguments are operands.
func (p Program) Parse(args []Word) (options []Option, operands []Word) {
	for i := 0; i < len(args); i++ {
		w, text := args[i], args[i].Text
		switch {
		case text == "--":
			return options, append(operands, args[i+1:]...)
		case len(text) < 2 || text[0] != '-':
			operands = append(operands, w)
			continue
		case text[1] == '-':
			name, _, attached := strings.Cut(text[2:], "=")
			o := Option{Name: name}
			if long, ok := p.long(name); ok {
				o.Name = strings.TrimSuffix(long, ":")
			}
			if attached {
				o.Value = w.After(len("--=") + len(name))
			}
			options = append(options, o)
		default:
			for j := 1; j < len(text); j++ {
				o := Option{Name: text[j : j+1]}
				if p.Takes(text[j]) {
					o.Value, j = w.After(j+1), len(text)
				}
				options = append(options, o)
			}
		}
		if p.TakesNext(text) && i+1 < len(args) {
			i++
			options[len(options)-1].Value = args[i]
		}
	}
	return options, operands
}

// Operands returns the operands that Parse finds.
func (p Program) Operands(args []Word) []Word {
	_, operands := p.Parse(args)
	return operands
}

// Values returns the values of options in a list.
func (p Program) Values(list string, args []Word) (values []Word) {
	if list == "" {
		return nil
	}
	options, _ := p.Parse(args)
	for _, o := range options {
		if In(list, o.Name) && o.Value.Text != "" {
			values = append(values, o.Value)
		}
	}
	return values
}

// TakesNext reports whether the next argument is the value of an option in this one.
func (p Program) TakesNext(text string) bool {
	if name, isLong := strings.CutPrefix(text, "--"); isLong {
		option, ok := p.long(name)
		return ok && strings.HasSuffix(option, ":")
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
