package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/internal/lib/printable"
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
	isHooks := func(name string) bool { return files[name].Hooks }
	names = append(slices.DeleteFunc(slices.Clone(names), isHooks), slices.DeleteFunc(names, func(name string) bool {
		return !isHooks(name)
	})...)
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

var blankLines = lazy.Regexp{Text: `(?m)^(?:[^\S\n]*\n){4,}`}

// shown returns a file's text for a person, and whether all but blanks is in it. Of a long text, and of one that mostly
// becomes escapes, it has the first and the last lines. size is the size of the file, of which text may have the ends.
func shown(text string, size int64) (result string, whole bool) {
	ends := 0 // lines
	if len(printable.Escape(text)) > 2*len(text)+100 {
		ends = 3
	} else if len(text) > maxShown {
		ends = 40
	}
	whole = ends == 0
	if lines := slices.Collect(strings.Lines(text)); !whole && len(lines) > 2*ends {
		head, tail := strings.Join(lines[:ends], ""), strings.Join(lines[len(lines)-ends:], "")
		text = fmt.Sprintf("%s[… %d bytes left out …]\n%s", head, size-int64(len(head)+len(tail)), tail)
	}
	text = blankLines.Get().ReplaceAllStringFunc(text, func(run string) string {
		return fmt.Sprintf("[… %d blank lines …]\n", strings.Count(run, "\n"))
	})
	var b strings.Builder
	for line := range strings.Lines(text) {
		content := strings.TrimSuffix(line, "\n")
		folded, all := printable.Fold(content)
		whole = whole && all
		b.WriteString(folded + line[len(content):])
	}
	return b.String(), whole
}
