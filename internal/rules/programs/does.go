package programs

import "strings"

// Answer is what is known of a program's use of operands.
type Answer int

// Maybe is the zero value, for a program in no row.
const (
	Maybe Answer = iota
	No
	Yes
)

// Shows answers whether the program prints or sends the contents of files in the operands.
func (p Program) Shows(args []Word) (a Answer) {
	for field := range strings.FieldsSeq(p.words) {
		switch word, holds := condition(field, args); word {
		case "names", "keeps", "writes", "deletes":
			a = No
		case "edits", "copies", "moves", "links", "filters", "searches", "script":
			a = Yes
		case "checks":
			a = Maybe
		case "reads", "may-show":
			switch {
			case !holds:
				a = No
			case word == "reads":
				a = Yes
			default:
				a = Maybe
			}
		}
	}
	return a
}

// Changes answers whether the program changes or deletes the files in the operands.
func (p Program) Changes(args []Word) (a Answer) {
	for field := range strings.FieldsSeq(p.words) {
		switch word, holds := condition(field, args); word {
		case "names", "reads", "searches", "checks":
			a = No
		case "writes", "edits", "deletes", "copies", "moves", "links":
			a = Yes
		case "may-write":
			if holds {
				a = Maybe
			}
		}
	}
	return a
}

// isOfSubcommands reports whether the row of a subcommand may have an effect.
func isOfSubcommands(effect string) bool {
	switch effect {
	case "may-show", "reads", "remote", "api", "decodes", "cluster", "infra", "containers", "cloud", "publishes":
		return true
	}
	return false
}

// Does reports whether the program has an effect: a word of the row, or of the row of a subcommand in the arguments.
// An option before a subcommand may take a word as its value.
func (p Program) Does(effect string, args []Word) bool {
	switch {
	case p.has(effect, args):
		return true
	case !p.Is("group") && !p.Is("modules"), !isOfSubcommands(effect):
		return false
	}
	prefix := p.Name + " "
	for at := search(prefix); ; at++ {
		name, text := rowAt(at)
		sub, ok := strings.CutPrefix(name, prefix)
		if !ok {
			return false
		}
		if row := (Program{words: text}); strings.Contains(text, effect) && hasSubcommand(args, sub) &&
			row.has(effect, args) {
			return true
		}
	}
}

func (p Program) has(effect string, args []Word) bool {
	if !strings.Contains(p.words, effect) {
		return false
	}
	for field := range strings.FieldsSeq(p.words) {
		if word, holds := condition(field, args); word == effect {
			return holds
		}
		if field == "|" { // the options follow
			return false
		}
	}
	return false
}

// condition returns the word in a field of a row, and whether the arguments meet the condition after the word: one of a
// list after a ?, none of a list after a !.
func condition(field string, args []Word) (word string, holds bool) {
	for at := range len(field) {
		switch field[at] {
		case '=':
			return field, true
		case '?', '!':
			return field[:at], hasAny(args, field[at+1:]) == (field[at] == '?')
		}
	}
	return field, true
}

// hasAny reports whether the arguments have one of the patterns in a list.
func hasAny(args []Word, list string) bool {
	for pattern := range strings.SplitSeq(list, ",") {
		for i := range args {
			if args[i].Text == "--" && len(pattern) > 1 && pattern[0] == '-' {
				break
			}
			if matches(pattern, args, i) {
				return true
			}
		}
	}
	return false
}

// matches reports whether an argument matches a pattern of a condition.
func matches(pattern string, args []Word, i int) bool {
	text := args[i].Text
	inner, isPrefix := strings.CutSuffix(pattern, "*")
	switch {
	case pattern == "$":
		return args[i].Computed && args[i].Prefix == ""
	case isPrefix && inner[0] == '*':
		return strings.Contains(text, inner[1:])
	case isPrefix:
		return strings.HasPrefix(text, inner)
	case pattern[0] == '=':
		return text == pattern[1:]
	case pattern[0] == '@': // an operand, and not the value of an option
		isValue := i > 0 && strings.HasPrefix(args[i-1].Text, "-") && !strings.Contains(args[i-1].Text, "=")
		return !isValue && text == pattern[1:]
	case pattern[0] != '-' || len(text) < 2 || text[0] != '-':
		return text == pattern
	case len(pattern) == 2: // a letter, perhaps in a bundle
		return text[1] != '-' && strings.IndexByte(text[1:], pattern[1]) >= 0
	}
	name, _, _ := strings.Cut(text, "=")
	return name == pattern || len(name) > len("--x") && strings.HasPrefix(name, "--") && strings.HasPrefix(pattern, name)
}

// hasSubcommand reports whether the arguments begin with the words of a subcommand, where * is any word. Options may
// stand before and between the words, each perhaps with a word as its value.
func hasSubcommand(args []Word, sub string) bool {
	isValue := false // the next word may be the value of an option
	for i, w := range args {
		switch {
		case strings.HasPrefix(w.Text, "+"): // cargo +nightly
		case strings.HasPrefix(w.Text, "-"):
			isValue = w.Text != "--" && !strings.Contains(w.Text, "=")
		case begins(args[i:], sub):
			return true
		case !isValue:
			return false
		default:
			isValue = false
		}
	}
	return false
}

// begins reports whether the words that are not options begin with the words of a subcommand.
func begins(args []Word, sub string) bool {
	isValue := false
	for _, w := range args {
		first, rest, more := strings.Cut(sub, " ")
		switch {
		case strings.HasPrefix(w.Text, "-"):
			isValue = !strings.Contains(w.Text, "=")
			continue
		case w.Text == first || first == "*":
			if !more {
				return true
			}
			sub = rest
		case !isValue:
			return false
		}
		isValue = false
	}
	return false
}

// Asks reports whether the row has the word with a condition.
func (p Program) Asks(effect string) bool {
	for field := range strings.FieldsSeq(p.words) {
		if strings.HasPrefix(field, effect+"?") || strings.HasPrefix(field, effect+"!") {
			return true
		}
	}
	return false
}
