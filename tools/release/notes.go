package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	home  = "https://github.com/hookrun/hookrun"
	intro = `Install this version on Linux or macOS:

    curl -fsSL %[1]s/releases/download/v%[2]s/install.sh | sh -s -- --version %[2]s

[docs/start/install.md](%[1]s/blob/v%[2]s/docs/start/install.md) has the lines for Windows and for packages, and how to verify a
download. SHA256SUMS has the sum of each file, and hookrun_%[2]s.cdx.json lists the modules that hookrun is linked with.

`
)

// localLink matches a link to a file of the repository.
var localLink = regexp.MustCompile(`\]\(([^):]+)\)`)

// startsApart matches a line that no other line is joined to: a heading, a row of a table, code.
var startsApart = regexp.MustCompile(`^(#|\||    )`)

// writeNotes writes the newest part of CHANGELOG.md to NOTES.md. The links lead to the files of this version.
func (r *release) writeNotes(dir string) error {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	_, notes, found := strings.Cut(string(text), "\n## "+r.version+"\n")
	if !found {
		return fmt.Errorf("CHANGELOG.md has no part %q", "## "+r.version)
	}
	notes, _, _ = strings.Cut(notes, "\n## ")
	notes = fmt.Sprintf(intro, home, r.version) + strings.TrimSpace(notes) + "\n"
	notes = localLink.ReplaceAllString(unwrap(notes), "]("+home+"/blob/v"+r.version+"/$1)")
	return os.WriteFile(filepath.Join(dir, "NOTES.md"), []byte(notes), 0o644)
}

// unwrap joins the lines of each paragraph and each item of a list, because GitHub shows every line end of release
// notes.
func unwrap(text string) string {
	var b strings.Builder
	open := false // the next line can belong to the paragraph
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		item, apart := strings.HasPrefix(line, "* "), line == "" || startsApart.MatchString(line)
		switch {
		case open && !item && !apart:
			b.WriteString(" " + strings.TrimSpace(line))
		case b.Len() > 0:
			b.WriteString("\n" + line)
		default:
			b.WriteString(line)
		}
		open = !apart
	}
	return b.String() + "\n"
}
