package programs

import (
	_ "embed"
	"strings"
)

//go:embed programs.txt
var table string

// Program is a row of the table. The zero value is a program in no row: each question has its safe answer.
type Program struct {
	// Name is the name in the row, which an alias refers to. With a subcommand: `docker run`.
	Name string
	// Short are the one-letter options as getopt takes them: a colon marks an option with a value, two colons an option
	// whose value must be attached. Long are the other options, with a colon for an option with a value.
	Short, Long string

	words string // what the program does, as in the row
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
			if ok = ok && p.Is("language"); !ok {
				return Program{}, false
			}
		}
	}
	return p, ok
}

func find(name string) (p Program, ok bool) {
	at := search(name)
	found, text := rowAt(at)
	if found != name {
		return Program{}, false
	}
	if to, isAlias := strings.CutPrefix(text, " as "); isAlias {
		return find(to)
	}
	p.Name = found
	p.words, text, _ = strings.Cut(text, "|")
	if p.Short, p.Long, _ = strings.Cut(strings.TrimLeft(text, " \n\t"), " "); p.Short == "-" {
		p.Short = ""
	}
	return p, true
}

// search returns the offset of the first row whose name is not less than name.
func search(name string) int {
	low, high := 0, len(table) // of rows
	for middle := high / 2; low < high; {
		at := endOf(middle) // the first row behind the middle
		switch {
		case at < high && nameAt(at) < name:
			low = endOf(at)
		case at < high:
			high = at
		case middle > low: // in the last row
			middle = low + (middle-low)/2
			continue
		case nameAt(low) < name:
			low = endOf(low)
		default:
			return low
		}
		middle = low + (high-low)/2
	}
	return low
}

// endOf returns the end of the row around an offset. A row goes on in lines that begin with a tab.
func endOf(at int) int {
	for {
		at += strings.IndexByte(table[at:], '\n') + 1
		if at == len(table) || table[at] != '\t' {
			return at
		}
	}
}

// nameAt returns the name in the row that begins at an offset.
func nameAt(begin int) string {
	name, _, _ := strings.Cut(table[begin:], " |")
	return name
}

// rowAt returns the name in a row, and the text after the name.
func rowAt(begin int) (name, text string) {
	if begin == len(table) {
		return "", ""
	}
	name, text, _ = strings.Cut(table[begin:endOf(begin)-1], " |")
	return name, text
}

// Is reports whether a word is in the row.
func (p Program) Is(word string) bool {
	for is := range strings.FieldsSeq(p.words) {
		if is == word {
			return true
		}
	}
	return false
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

// In reports whether a list, separated by blanks or commas, has a word.
func In(list, word string) bool {
	for list != "" {
		end := strings.IndexAny(list, " ,\n\t")
		if end < 0 {
			return list == word
		}
		if list[:end] == word && word != "" {
			return true
		}
		list = list[end+1:]
	}
	return false
}
