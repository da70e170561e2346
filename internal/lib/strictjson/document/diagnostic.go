package document

import (
	"fmt"
	"sort"
	"strconv"
)

// Diagnostic is an error or a warning about a position in a file.
type Diagnostic struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // 0: the whole file
	Column int    `json:"column"`
	Text   string `json:"message"`
	// Gate, in a warning: a hook will never run or never block, so the outcome of each call has the warning. In a note:
	// a hook is switched off.
	Gate bool `json:"-"`
	// Once, in a warning: all hooks run as they should, so each session gets the warning once.
	Once bool `json:"-"`
	// Unit, in a warning: a timeout may be meant in another unit.
	Unit bool `json:"-"`
	// Unreachable, in a warning: no call reaches the hook as written, so check and doctor report an error.
	Unreachable bool `json:"-"`
}

// Position is the file and the line.
func (p Diagnostic) Position() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func (p Diagnostic) Error() string { return string(p.append(nil)) }

func (p Diagnostic) append(to []byte) []byte {
	to = append(to, p.File...)
	if p.Line > 0 {
		to = strconv.AppendInt(append(to, ':'), int64(p.Line), 10)
		to = strconv.AppendInt(append(to, ':'), int64(p.Column), 10)
	}
	return append(append(to, ": "...), p.Text...)
}

// Diagnostics are all errors of a load, each on a line.
type Diagnostics []Diagnostic

// Sort sorts diagnostics by their positions.
func (ps Diagnostics) Sort() {
	sort.SliceStable(ps, func(i, j int) bool {
		return ps[i].Line < ps[j].Line || ps[i].Line == ps[j].Line && ps[i].Column < ps[j].Column
	})
}

func (ps Diagnostics) Error() string {
	size := 0 // a file can have half a million problems
	for _, p := range ps {
		size += len(p.File) + len(p.Text) + len(":1048576:1048576: \n")
	}
	text := make([]byte, 0, size)
	for i, p := range ps {
		if i > 0 {
			text = append(text, '\n')
		}
		text = p.append(text)
	}
	return string(text)
}
