package pack

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the page of the rules anew")

// TestPage compares docs/reference/pack-rules.md with the rules: the page has a row for each rule.
func TestPage(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "reference", "pack-rules.md")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page()), 0o666))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, page(), string(got), "if the change is meant: go test ./internal/rules/pack -run TestPage -update")
}

// page returns the page of the rules, with a table for each pack.
func page() string {
	var b strings.Builder
	b.WriteString("# The rules of the packs\n\n" +
		"A [hooks file takes a pack](packs.md) by name. A block says what to do instead. `hookrun pack PACK/RULE` " +
		"prints the\nreason for a rule, the limits of the rule, and more examples of blocked and other calls.\n")
	for _, p := range All() {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | blocks | such as |\n|---|---|---|\n", p.Name)
		for i := range p.Rules {
			r := &p.Rules[i]
			does := strings.TrimPrefix(r.Blocks, "a command that ")
			if r.Asks {
				does = "*" + r.Does() + "* " + r.Blocks
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.ID(r), cell(does), code(r.Block()[0].String()))
		}
	}
	return b.String()
}

// code returns a text as code in a cell of a table.
func code(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + cell(text) + " ``"
	}
	return "`" + cell(text) + "`"
}

// cell returns a text as a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
