package programs

import (
	_ "embed"
	"strings"
)

//go:embed programs.txt
var table string

// Program is a row of the table. The zero value is a program in no row: each question has the safe answer.
type Program struct {
	// Name is the name in the row, which an alias refers to. With a subcommand: `docker run`.
	Name string
	// Short are the one-letter options as getopt takes them: a colon marks an option with a value, two colons an option
	// whose value must be attached. Long are the other options, with a colon for an option with a value.
	Short, Long string

	words string // what the program does, as in the row
	// facts are the words, conditional those with a condition.
	facts, conditional Fact
}

// Find returns the row of a program. A version may follow the name of an interpreter: python3.12, and Debian's
// perl5.36-x86_64-linux-gnu.
func Find(name string) (p Program, ok bool) {
	if p, ok = find(name); !ok {
		bare := name
		if strings.HasSuffix(name, "-linux-gnu") {
			bare, _, _ = strings.Cut(name, "-")
		}
		if bare = strings.TrimRight(bare, "0123456789.-"); bare != name && bare != "" {
			p, ok = find(bare)
			if ok = ok && p.Is(Language); !ok {
				return Program{}, false
			}
		}
	}
	return p, ok
}

func find(name string) (p Program, ok bool) {
	at := search(name)
	found, text := rowAt(at)
	if found != name || name == "" {
		return Program{}, false
	}
	if to, isAlias := strings.CutPrefix(text, " as "); isAlias {
		return find(to)
	}
	p.Name = found
	p.words, text, _ = strings.Cut(text, "|")
	text = strings.TrimLeft(text, " \n\t")
	end := strings.IndexAny(text, " \n")
	if end < 0 {
		end = len(text)
	}
	if p.Short, p.Long = text[:end], text[end:]; p.Short == "-" {
		p.Short = ""
	}
	p.read()
	return p, true
}

// search returns the offset of the first row whose name is not less than name. It bisects the text itself: a list of
// rows would take longer to make than a call takes.
func search(name string) int {
	low, high := rowFrom(0), len(table)
	for low < high {
		middle := int(uint(low+high) / 2)
		for !beginsRow(middle) {
			middle--
		}
		if nameAt(middle) < name {
			low = after(middle)
		} else {
			high = middle
		}
	}
	return low
}

// beginsRow reports whether a row begins at an offset. Lines that go on and comments begin none.
func beginsRow(at int) bool {
	return table[at] != '\t' && table[at] != '#' && (at == 0 || table[at-1] == '\n')
}

// rowFrom returns the offset of the first row from the beginning of a line on.
func rowFrom(at int) int {
	for at < len(table) && !beginsRow(at) {
		at += strings.IndexByte(table[at:], '\n') + 1
	}
	return at
}

// after returns the offset of the row behind another.
func after(at int) int { return rowFrom(at + strings.IndexByte(table[at:], '\n') + 1) }

func nameAt(offset int) string {
	row := table[offset:]
	return row[:strings.IndexByte(row, '|')-1]
}

// rowAt returns the name in a row, and the text after the name.
func rowAt(at int) (name, text string) {
	if at == len(table) {
		return "", ""
	}
	name = nameAt(at)
	return name, table[at+len(name)+len(" |") : after(at)-1]
}

// read reads the words of a row.
func (p *Program) read() {
	facts := factOf.Get()
	for field := range strings.FieldsSeq(p.words) {
		if word := wordOf(field); len(word) < len(field) {
			p.conditional |= facts[word]
		} else {
			p.facts |= facts[word]
		}
	}
}

// wordOf returns the word in a field of a row, before a condition or a list.
func wordOf(field string) string {
	for i := range len(field) {
		if c := field[i]; c == '?' || c == '!' || c == '=' {
			return field[:i]
		}
	}
	return field
}

// List returns the list after a word and a = in the row, such as the options of line=c,command.
func (p Program) List(word string) string {
	for is := range strings.FieldsSeq(p.words) {
		if rest, ok := strings.CutPrefix(is, word); ok && rest != "" && rest[0] == '=' {
			return rest[1:]
		}
	}
	return ""
}

// Says reports whether the row has a word that is no Fact, since few ask for it.
func (p Program) Says(word string) bool { return In(p.words, word) }

// In reports whether a list, separated by blanks or commas, has a word.
func In(list, word string) bool {
	for begin, i := 0, 0; i <= len(list); i++ {
		if i == len(list) || list[i] == ' ' || list[i] == ',' || list[i] == '\n' || list[i] == '\t' {
			if list[begin:i] == word {
				return word != ""
			}
			begin = i + 1
		}
	}
	return false
}
