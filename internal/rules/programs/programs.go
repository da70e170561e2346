package programs

import (
	_ "embed"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
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

// rows are the offsets of the rows in the table, and the length of the table.
var rows = lazy.Value[[]int32]{Make: func() []int32 {
	offsets := make([]int32, 0, 1500)
	for at := 0; at < len(table); {
		if table[at] != '\t' && table[at] != '#' {
			offsets = append(offsets, int32(at))
		}
		at += strings.IndexByte(table[at:], '\n') + 1
	}
	return append(offsets, int32(len(table)))
}}

// search returns the index of the first row whose name is not less than name.
func search(name string) int {
	offsets := rows.Get()
	low, high := 0, len(offsets)-1
	for low < high {
		middle := int(uint(low+high) / 2)
		if nameAt(offsets[middle]) < name {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func nameAt(offset int32) string {
	row := table[offset:]
	return row[:strings.IndexByte(row, '|')-1]
}

// rowAt returns the name in a row, and the text after the name.
func rowAt(i int) (name, text string) {
	offsets := rows.Get()
	if i >= len(offsets)-1 {
		return "", ""
	}
	name = nameAt(offsets[i])
	return name, table[int(offsets[i])+len(name)+len(" |") : offsets[i+1]-1]
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
