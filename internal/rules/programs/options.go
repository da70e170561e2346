package programs

import "strings"

// Option is an option of a command, by its letter or its long name, with its value.
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

// long finds an option by its name or by an unambiguous beginning of the name.
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
