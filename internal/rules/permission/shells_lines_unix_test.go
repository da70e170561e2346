//go:build unix

package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// contexts hold a line as a part of another one.
var contexts = []string{
	"L", "if true; then L; fi", "for i in 1; do L; done", "( L )", "{ L; }", "echo \"$(L)\"", "true && L", "false || L",
	"while true; do L; break; done", "case a in a) L;; esac", "f() { L; }; f", "! L", "L | cat", "true; L; true",
	"bash -c 'L'", "eval 'L'", "timeout 5 bash -c 'L'", "find . -maxdepth 0 -exec bash -c 'L' ';'", "zsh -c 'L'",
	"env -i PATH=\"$PATH\" bash -c 'L'", "sh -c 'L'",
}

// linesOf reads a file of lines, each with ⏎ for its line ends.
func linesOf(t *testing.T, name string) (lines []string) {
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		lines = append(lines, strings.ReplaceAll(line, "⏎", "\n"))
	}
	return lines
}

// TestLinesThatRan holds the rule against lines of which a shell was seen to run danger. Not all of them run here: they
// need a terminal, signals, or programs.
func TestLinesThatRan(t *testing.T) {
	for _, line := range linesOf(t, "shell-lines-once.txt") {
		got, _ := Parse(attacked).Match(projectLine(t, line))
		require.True(t, got, line)
	}
}

// classLines has lines that run danger with --force in a shell at least, by ways that are not plain commands, each in
// each context. Those of several lines stand alone.
func classLines(t *testing.T) (lines []string) {
	for _, class := range linesOf(t, "shell-lines.txt") {
		if strings.Contains(class, "\n") {
			lines = append(lines, class)
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
	return testall.Part(4, lines)
}
