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

// Does reports whether one of the facts holds for the arguments.
func (p Program) Does(f Fact, args []Word) bool { return p.Facts(args)&f != 0 }

// Facts returns the facts that hold for the arguments: those in the row, and those in the row of a subcommand. An option
// before a subcommand may take a word as its value.
func (p Program) Facts(args []Word) Fact {
	f := p.holding(args)
	if !p.Is(Group | Modules) {
		return f
	}
	prefix := p.Name + " "
	for at := search(prefix); ; at++ {
		name, text := rowAt(at)
		sub, ok := strings.CutPrefix(name, prefix)
		if !ok {
			return f
		}
		if hasSubcommand(args, sub) {
			row := Program{}
			row.words, _, _ = strings.Cut(text, "|")
			row.read()
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
		if list := field[len(word)+1:]; hasAny(args, list) == (field[len(word)] == '?') {
			f |= factOf.Get()[word]
		}
	}
	return f
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
