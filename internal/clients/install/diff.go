package install

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the change as a unified diff for patch(1), or "" if the change is empty.
func (c *Change) Diff() string {
	switch {
	case c.Empty():
		return ""
	case c.Old == c.New && c.changesMode():
		what := "executable"
		if c.modeBits == readable {
			what = "readable by all"
		}
		return fmt.Sprintf("--- %s\n+++ %[1]s, %s\n", c.Path, what)
	}
	name := func(exists bool) string {
		if !exists {
			return "/dev/null"
		}
		switch path := filepath.ToSlash(c.Path); {
		case strings.HasPrefix(path, `"`) || strings.TrimSpace(path) != path ||
			strings.ContainsFunc(path, unicode.IsControl):
			return strconv.Quote(path)
		case strings.Contains(path, " "): // a tab ends the name, or patch would look for a date behind the space
			return path + "\t"
		default:
			return path
		}
	}
	// patch cannot always read the library's own head with both names.
	_, hunks, _ := strings.Cut(string(diff.Diff("", []byte(c.Old), "", []byte(c.New))), "\n@@ ")
	return "--- " + name(c.Existed) + "\n+++ " + name(c.Exists) + "\n@@ " + hunks
}
