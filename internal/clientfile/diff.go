package clientfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Diff is the change as a unified diff, which patch(1) takes; "" if there is none.
func (c *Change) Diff() string {
	if c.Nothing() {
		return ""
	}
	name := func(exists bool) string {
		if !exists {
			return "/dev/null"
		}
		switch path := filepath.ToSlash(c.Path); {
		case strings.HasPrefix(path, `"`) || strings.TrimSpace(path) != path || strings.ContainsFunc(path, unicode.IsControl):
			return strconv.Quote(path)
		case strings.Contains(path, " "): // a tab ends the name, or patch would look for a date in there
			return path + "\t"
		default:
			return path
		}
	}
	return "--- " + name(c.Existed) + "\n+++ " + name(c.Exists) + "\n" + diff(c.Old, c.New)
}

// context is how many lines are shown around a change.
const context = 3

// change is a run of lines that are others: [oldStart, oldEnd) became [newStart, newEnd).
type change struct{ oldStart, oldEnd, newStart, newEnd int }

func diff(before, after string) string {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	changes := compare(a, b)
	var out strings.Builder
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].oldStart-changes[n-1].oldEnd <= 2*context {
			n++
		}
		first, last := changes[0], changes[n-1]
		lead, trail := min(context, first.oldStart), min(context, len(a)-last.oldEnd)
		at, end := first.oldStart-lead, last.oldEnd+trail
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", extent(at, end), extent(first.newStart-lead, last.newEnd+trail))
		for _, ch := range changes[:n] {
			show(&out, " ", a[at:ch.oldStart])
			show(&out, "-", a[ch.oldStart:ch.oldEnd])
			show(&out, "+", b[ch.newStart:ch.newEnd])
			at = ch.oldEnd
		}
		show(&out, " ", a[at:end])
		changes = changes[n:]
	}
	return out.String()
}

func show(out *strings.Builder, sign string, lines []string) {
	for _, line := range lines {
		out.WriteString(sign + line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// extent is a range of lines as a hunk's head has it: an empty one is named by the line before it.
func extent(start, end int) string {
	if start == end {
		return fmt.Sprintf("%d,0", start)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

// maxEdits is how many lines may be others before the whole middle is shown as changed.
const maxEdits = 2000

// compare finds a shortest way from one list of lines to the other, with Myers' algorithm: what it costs grows with the difference,
// and hardly with the file.
func compare(a, b []string) []change {
	// reached[d][k+d] is how far into a one gets with d edits on the diagonal k, where k is the line of a less the line of b.
	var reached [][]int
	for d := 0; ; d++ {
		if d > maxEdits {
			return []change{middle(a, b)}
		}
		row := make([]int, 2*d+1)
		reached = append(reached, row)
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x, _ = step(reached[d-1], d, k)
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			row[k+d] = x
			if x >= len(a) && x-k >= len(b) {
				return walk(reached, len(a), len(b))
			}
		}
	}
}

// step returns where the d-th edit on the way to diagonal k leads to, before any equal lines, and the diagonal that it comes from.
func step(before []int, d, k int) (x, from int) {
	at := func(k int) int { return before[k+d-1] }
	if k == -d || k != d && at(k-1) < at(k+1) {
		return at(k + 1), k + 1 // a line of b was added
	}
	return at(k-1) + 1, k - 1 // a line of a was removed
}

// walk goes the way back from the end.
func walk(reached [][]int, x, y int) []change {
	var changes []change
	for d := len(reached) - 1; d > 0; d-- {
		k := x - y
		startX, from := step(reached[d-1], d, k)
		endX, endY := startX, startX-k
		x = reached[d-1][from+d-1]
		y = x - from
		if n := len(changes); n > 0 && changes[n-1].oldStart == endX && changes[n-1].newStart == endY {
			changes[n-1].oldStart, changes[n-1].newStart = x, y
		} else {
			changes = append(changes, change{x, endX, y, endY})
		}
	}
	slices.Reverse(changes)
	return changes
}

// middle is all that is between the lines that begin and end both.
func middle(a, b []string) change {
	start, end := 0, 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return change{start, len(a) - end, start, len(b) - end}
}
