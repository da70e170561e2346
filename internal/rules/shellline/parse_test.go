package shellline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// TestParse: a parser that has read other lines, whole and broken ones, reads a line as a new parser does.
func TestParse(t *testing.T) {
	for _, name := range []string{
		"pack/testdata/blocked.txt", "pack/testdata/benign.txt", "permission/testdata/daily.txt"} {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			line = strings.ReplaceAll(line, "⏎", "\n")
			for _, src := range []string{line, line[:len(line)/2], line[len(line)/2:], "`" + line, "[[ a =~ (" + line} {
				fresh := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
				want, err := fresh.Parse(strings.NewReader(src), "")
				if got, why := parse(src); why == "" {
					require.NoError(t, err, src)
					require.Equal(t, want, got, src)
				} else if why == "a syntax error" {
					require.Error(t, err, src)
				}
			}
		}
	}
}
