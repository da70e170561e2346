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

var update = flag.Bool("update", false, "write the page of each pack anew")

// TestPages holds docs/packs/PACK.md to the rules: each has a section that is made from its value.
func TestPages(t *testing.T) {
	for _, p := range All() {
		file := filepath.Join("..", "..", "..", "docs", "reference", "packs", p.Name+".md")
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, []byte(page(p)), 0o666))
		}
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, page(p), string(got),
			"if the change is meant: go test ./internal/rules/pack -run TestPages -update")
	}
}

// page is the page of a pack.
func page(p *Pack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The pack %s\n\n%s.\n\n", p.Name, wrapped(strings.ToUpper(p.Summary[:1])+p.Summary[1:]))
	const takes = "`\"packs\": [%q]` takes them into a [hooks file](../packs.md). `hookrun pack %s` lists them.\n"
	fmt.Fprintf(&b, takes, p.Name, p.Name)
	for i := range p.Rules {
		r := &p.Rules[i]
		text := r.Does() + " " + r.Blocks + ". " + r.Why() + " Instead: " + r.Instead()
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.ID(r), wrapped(strings.ToUpper(text[:1])+text[1:]))
		if r.Limits() != "" {
			fmt.Fprintf(&b, "\n%s\n", wrapped("Not caught: "+r.Limits()))
		}
		block, pass := r.Block(), r.Pass()
		does := map[bool]string{true: "asked about", false: "blocked"}[r.Asks]
		b.WriteString("\n| " + does + " | let through |\n|---|---|\n")
		for i := range max(len(block), len(pass)) {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(block, i), cell(pass, i))
		}
	}
	return b.String()
}

// cell is an example in a table.
func cell(examples []Example, i int) string {
	if i >= len(examples) {
		return ""
	}
	return code(examples[i].String())
}

// code is a text as a cell of a table shows it.
func code(text string) string {
	text = strings.NewReplacer("|", `\|`, "\n", "⏎").Replace(text)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// wrapped breaks a text into lines of at most 120 columns.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > 120 {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}
