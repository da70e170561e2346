//go:build unix

package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testall"
)

// contexts hold a line as a part of another one.
var contexts = []string{
	"L", "if true; then L; fi", "for i in 1; do L; done", "( L )", "{ L; }", "echo \"$(L)\"", "true && L", "false || L",
	"while true; do L; break; done", "case a in a) L;; esac", "f() { L; }; f", "! L", "L | cat", "true; L; true",
	"bash -c 'L'", "eval 'L'", "timeout 5 bash -c 'L'", "find . -maxdepth 0 -exec bash -c 'L' ';'", "zsh -c 'L'",
	"env -i PATH=\"$PATH\" bash -c 'L'", "sh -c 'L'",
}

// classLines has lines that run danger with --force in a shell at least, by ways that are not plain commands, each in
// each context. The file has one in each line, with ⏎ for its line ends; those of several lines stand alone.
func classLines(t *testing.T) (lines []string) {
	text, err := os.ReadFile("testdata/shell-lines.txt")
	require.NoError(t, err)
	for class := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		if strings.Contains(class, "⏎") {
			lines = append(lines, strings.ReplaceAll(class, "⏎", "\n"))
			continue
		}
		for _, context := range contexts {
			line := class
			if strings.Contains(context, "'L'") {
				line = strings.ReplaceAll(class, "'", `'\''`)
			}
			lines = append(lines, strings.ReplaceAll(context, "L", line))
		}
	}
	return testall.Part(3, lines)
}
