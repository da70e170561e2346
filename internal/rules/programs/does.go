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

// Is reports whether the row has one of the facts, without a condition.
func (p Program) Is(f Fact) bool { return p.facts&f != 0 }

// Asks reports whether the row has one of the facts with a condition.
func (p Program) Asks(f Fact) bool { return p.conditional&f != 0 }

// Shows answers whether the program prints or sends the contents of files in the operands.
func (p Program) Shows(args []Word) Answer {
	switch f := p.holding(args); {
	case f&(Checks|MayShow) != 0:
		return Maybe
	case f&(Reads|Edits|Copies|Moves|Links|Filters|Searches|Script) != 0:
		return Yes
	case (p.facts|p.conditional)&(Names|Keeps|Writes|Deletes|Reads|MayShow) != 0:
		return No
	}
	return Maybe
}

// Changes answers whether the program changes or deletes the files in the operands.
func (p Program) Changes(args []Word) Answer {
	switch f := p.holding(args); {
	case f&MayWrite != 0:
		return Maybe
	case f&(Writes|Edits|Deletes|Copies|Moves|Links) != 0:
		return Yes
	case f&(Names|Reads|Searches|Checks) != 0:
		return No
	}
	return Maybe
}

// Holds reports whether one of the facts of the row holds for the arguments.
func (p Program) Holds(f Fact, args []Word) bool { return p.holding(args)&f != 0 }

// Does reports whether one of the facts of the row, or of the row of a subcommand, holds for the arguments.
func (p Program) Does(f Fact, args []Word) bool { return p.Facts(args)&f != 0 }

// Facts returns the facts that hold for the arguments: those in the row, and those in the row of a subcommand. An
// option before a subcommand may take a word as its value.
func (p Program) Facts(args []Word) Fact {
	f := p.holding(args)
	if !p.Is(Group|Modules) || len(args) == 0 {
		return f
	}
	prefix := p.Name + " "
	begin := prefix // of the names that may match
	if first := args[0].Text; first != "" && first[0] != '-' && first[0] != '+' {
		begin += first
	}
	for at := search(begin); ; at = after(at) {
		name, text := rowAt(at)
		if !strings.HasPrefix(name, begin) {
			return f
		}
		if hasSubcommand(args, name[len(prefix):]) {
			row := Program{}
			if strings.HasPrefix(text, " as ") {
				row, _ = find(name)
			} else {
				row.words, _, _ = strings.Cut(text, "|")
				row.read()
			}
			f |= row.holding(args) & ofSubcommands
		}
	}
}

// holding returns the facts of the row whose conditions hold.
func (p Program) holding(args []Word) Fact {
	f := p.facts
	if p.conditional == 0 {
		return f
	}
	for field := range strings.FieldsSeq(p.words) {
		word := wordOf(field)
		if word == field || field[len(word)] == '=' {
			continue
		}
		if list := field[len(word)+1:]; p.Has(list, args) == (field[len(word)] == '?') {
			f |= factOf.Get()[word]
		}
	}
	return f
}

// Has reports whether the arguments match one of the patterns in a list, as in the condition of a row: -x,--long,word.
// Values of options are no options, and behind -- there is none.
func (p Program) Has(list string, args []Word) bool {
	isOption, isValue := true, false
	for i := range args {
		text := args[i].Text
		isOption = isOption && text != "--"
		for pattern := range strings.SplitSeq(list, ",") {
			if matches := pattern[0] != '-' && matches(pattern, args, i) ||
				pattern[0] == '-' && isOption && !isValue && p.hasOption(pattern, args[i:]); matches {
				return true
			}
		}
		isValue = isOption && !isValue && len(text) > 1 && text[0] == '-' && p.TakesNext(text)
	}
	return false
}

// hasOption reports whether the first argument is the option of a pattern, or a bundle with the option.
func (p Program) hasOption(pattern string, args []Word) bool {
	text := args[0].Text
	if pattern, value, ok := strings.Cut(pattern, "="); ok {
		return hasValue(pattern, value, args)
	}
	if len(pattern) != 2 || len(text) < 2 || text[0] != '-' || text[1] == '-' {
		name, _, _ := strings.Cut(text, "=")
		return name == pattern || len(name) > len("--x") && strings.HasPrefix(name, "--") &&
			strings.HasPrefix(pattern, name)
	}
	for i := 1; i < len(text); i++ {
		if text[i] == pattern[1] || p.Takes(text[i]) {
			return text[i] == pattern[1]
		}
	}
	return false
}

// hasValue reports whether the first argument is an option, and its value matches a pattern. In the pattern, ; stands
// for a comma or the end of the value.
func hasValue(option, pattern string, args []Word) bool {
	value, attached := strings.CutPrefix(args[0].Text, option)
	isShort := len(option) == 2
	switch isLast := isShort && len(args[0].Text) > 2 && args[0].Text[1] != '-' && strings.HasSuffix(args[0].Text,
		option[1:]); {
	case attached && strings.HasPrefix(value, "="):
		value = value[1:]
	case (attached && value == "" || isLast) && len(args) > 1:
		value = args[1].Text
	case !attached || !isShort:
		return false
	}
	return matches(pattern, []Word{{Text: value}}, 0) || strings.Contains(pattern, ";") &&
		strings.Contains(strings.ReplaceAll(value, ",", ";")+";", strings.Trim(pattern, "*"))
}

// Words of the commands of clouds: verbs of a deletion, verbs of something else, and first words with a command behind.
const (
	deletionVerbs = "delete del destroy terminate purge rm erase wipe"
	otherVerbs    = "list ls get describe show view info inspect create add update set deploy"
	runningVerbs  = "run ssh exec console"
)

// namesDeletion reports whether an argument is the verb of a deletion in the command of a cloud, alone or as the first
// or last part of a word: delete-db, apps:destroy. Behind another verb stands the name of something.
func namesDeletion(args []Word, i int) bool {
	verb := args[i].Text
	isPart := func(r rune) bool { return r == '-' || r == ':' }
	if at := strings.IndexFunc(verb, isPart); at > 0 && !In(deletionVerbs, verb[:at]) {
		verb = verb[strings.LastIndexFunc(verb, isPart)+1:]
	} else if at > 0 {
		verb = verb[:at]
	}
	const maxDepth = 10 // no cloud nests commands deeper
	if i > maxDepth || !In(deletionVerbs, verb) {
		return false
	}
	operands, isValue := 0, false
	for _, w := range args[:i] {
		switch isOption := strings.HasPrefix(w.Text, "-"); {
		case w.Text == "--":
			return false
		case isOption || isValue:
			isValue = isOption && !strings.Contains(w.Text, "=")
		case In(otherVerbs, w.Text) || operands == 0 && In(runningVerbs, w.Text):
			return false
		default:
			operands++
		}
	}
	return !isValue || operands == 0
}

// matches reports whether an argument matches a pattern that is no option.
func matches(pattern string, args []Word, i int) bool {
	text := args[i].Text
	inner, isPrefix := strings.CutSuffix(pattern, "*")
	switch {
	case pattern == "~":
		return namesDeletion(args, i)
	case pattern == "$":
		return args[i].Computed && args[i].Prefix == ""
	case isPrefix && inner[0] == '*':
		return strings.Contains(text, inner[1:])
	case isPrefix:
		return strings.HasPrefix(text, strings.TrimPrefix(inner, "="))
	case pattern[0] == '=':
		return text == pattern[1:]
	case pattern[0] == '@': // an operand, and not the value of an option
		isValue := i > 0 && strings.HasPrefix(args[i-1].Text, "-") && !strings.Contains(args[i-1].Text, "=")
		return !isValue && text == pattern[1:]
	}
	return text == pattern
}

// hasSubcommand reports whether the arguments begin with the words of a subcommand, where secret* is any word that
// begins so. Options may stand before and between the words, each perhaps with a word as its value.
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
		case w.Text == first || first[len(first)-1] == '*' && strings.HasPrefix(w.Text, first[:len(first)-1]):
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
