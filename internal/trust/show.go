package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hookrun/hookrun/internal/printable"
)

// Diff returns a diff of each project file against the text allowed last, for a person: first of the files that run,
// then of the hooks files. unseen are the files with a change that the diff does not show.
func (f *Fingerprint) Diff(before *Record, texts map[string]string) (text string, unseen []string) {
	old, now := map[string]*File{}, map[string]*File{}
	if before != nil {
		for i := range before.Files {
			old[before.Files[i].Name] = &before.Files[i]
		}
	}
	for i := range f.Files {
		now[f.Files[i].Name] = &f.Files[i]
	}
	files := map[string]*File{}
	maps.Copy(files, old)
	maps.Copy(files, now)
	names := slices.Sorted(maps.Keys(files))
	slices.SortStableFunc(names, func(a, b string) int {
		order := map[bool]int{true: 1}
		return order[files[a].Hooks] - order[files[b].Hooks]
	})
	var b strings.Builder
	for _, name := range names {
		was, is := old[name], now[name]
		if files[name].Outer || was != nil && is != nil && was.SHA256 == is.SHA256 {
			continue
		}
		before, kept := texts[name]
		before, _ = shown(before, int64(len(before)))
		name = printable.Escape(name)
		beforeName, afterName, after, whole := name, name, "", true
		if is == nil {
			afterName = "/dev/null"
		} else {
			after, whole = shown(is.text, is.Size)
		}
		switch {
		case was == nil:
			beforeName = "/dev/null"
		case !kept:
			fmt.Fprintf(&b, "%s: the text that was allowed is not there to compare\n", name)
		case before == after && is != nil:
			fmt.Fprintf(&b, "%s: nothing that is shown here has changed\n", name)
			whole = false
		}
		b.Write(diff.Diff(beforeName, []byte(before), afterName, []byte(after)))
		if !whole {
			unseen = append(unseen, name)
		}
	}
	return b.String(), unseen
}

// shown returns a file's text for a person, and whether all but blanks is in it. Of a long or a binary text it has the
// first and the last lines. size is the size of the file: of a long one, text has only the ends.
func shown(text string, size int64) (result string, whole bool) {
	const most, mostBinary, mostBlank = 40, 3, 3
	head, left, tail := text, "", ""
	binary := isBinary(text)
	if binary || len(text) > maxShown {
		lines := slices.Collect(strings.Lines(text))
		ends := most
		if binary {
			ends = mostBinary
		}
		if len(lines) > 2*ends {
			head, tail = strings.Join(lines[:ends], ""), strings.Join(lines[len(lines)-ends:], "")
			left = fmt.Sprintf("[… %d bytes left out …]\n", size-int64(len(head)+len(tail)))
		}
	}
	whole = !binary && left == ""
	var b strings.Builder
	var blank []string // lines
	for line := range strings.Lines(head + left + tail + "\x00") {
		if strings.TrimSpace(line) == "" {
			blank = append(blank, line)
			continue
		}
		if len(blank) > mostBlank {
			blank = []string{fmt.Sprintf("[… %d blank lines …]\n", len(blank))}
		}
		for _, line := range append(blank, strings.TrimSuffix(line, "\x00")) {
			content, isLine := strings.CutSuffix(line, "\n")
			folded, all := printable.Fold(content)
			whole = whole && all
			if b.WriteString(folded); isLine {
				b.WriteByte('\n')
			}
		}
		blank = nil
	}
	return b.String(), whole
}

// isBinary reports whether a text is for no person: more than one of 20 bytes is a control character. A script with a
// few of these is shown.
func isBinary(text string) bool {
	controls := 0
	for i := range len(text) {
		if c := text[i]; c < '\t' || c > '\r' && c < ' ' || c == 0x7f {
			controls++
		}
	}
	return 20*controls > len(text)+100
}
