package pack

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// TestLinesOverALimit: a line that is too long to be read is held, whatever its words are. Padding passes no rule.
func TestLinesOverALimit(t *testing.T) {
	paddings := map[string]string{
		"commands":  strings.Repeat("a;", shellline.MaxCommands+1),
		"words":     "echo" + strings.Repeat(" a", shellline.MaxCommands+1) + "; ",
		"redirects": "a" + strings.Repeat(" <a", shellline.MaxCommands+1) + "; ",
		"bytes":     "echo " + strings.Repeat("a", shellline.MaxLine) + "; ",
		"documents": strings.Repeat("cat <<E\nE\n", 65),
		"nested": strings.Repeat("{ ", shellline.MaxCommands+1) + "a" +
			strings.Repeat("; }", shellline.MaxCommands+1) + "; ",
	}
	for name, padding := range paddings {
		for _, p := range All() {
			for i := range p.Rules {
				r := &p.Rules[i]
				if e := r.Block()[0]; e.Tool == "" || e.Tool == "shell" {
					found := r.Decide(callOf(t, Example{Text: padding + e.Text}, t.TempDir()))
					assert.NotEmpty(t, found.Subject, "%s: %s", name, p.ID(r))
				}
			}
		}
		line := padding + "mv ~ x"
		found := files.Rule("no-wide-delete").Decide(callOf(t, Example{Text: line}, t.TempDir()))
		assert.NotEmpty(t, found.Doubt, name)
		reason := files.Rule("no-wide-delete").Reason("x", found)
		assert.Contains(t, reason, "hookrun cannot read all of the line, because it ", name)
	}
}
