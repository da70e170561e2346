package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hookrun/hookrun/internal/printable"
)

// Diff returns a diff of each project file against the text allowed last, with control characters escaped.
func (f *Fingerprint) Diff(before *Record, texts map[string]string) string {
	old, now := map[string]*File{}, map[string]*File{}
	if before != nil {
		for i := range before.Files {
			old[before.Files[i].Name] = &before.Files[i]
		}
	}
	for i := range f.Files {
		now[f.Files[i].Name] = &f.Files[i]
	}
	names := map[string]*File{}
	maps.Copy(names, old)
	maps.Copy(names, now)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := old[name], now[name]
		if names[name].Outer || was != nil && is != nil && was.SHA256 == is.SHA256 {
			continue
		}
		before, kept := texts[name]
		after := ""
		if is != nil {
			after = is.text
		}
		if was != nil && !kept || !showable(after) {
			fmt.Fprintf(&b, "%s: not shown, since it is no text or is longer than 1 MiB\n", printable.Escape(name))
			continue
		}
		beforeName, afterName := name, name
		if was == nil {
			beforeName = "/dev/null"
		}
		if is == nil {
			afterName = "/dev/null"
		}
		b.WriteString(escaped(string(diff.Diff(beforeName, []byte(before), afterName, []byte(after)))))
	}
	return b.String()
}

// escaped escapes the control characters of a text, except newlines and tabs.
func escaped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for i, part := range strings.Split(line, "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(printable.Escape(part))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
