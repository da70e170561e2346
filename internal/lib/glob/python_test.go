package glob

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestPython holds random globs and names against Python's own fnmatch.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, and it is what this compares with")
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int, from ...string) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	questions := [][2]string{{"", ""}, {"*", "a\nb"}, {"?", "\n"}, {"a", "a\n"}, {"[[:alpha:]]", "a]"}, {`[\d]`, `\`},
		{"[a&&b]", "&"}, {"[a--b]", "-"}, {"[^a]", "^"}}
	for range testall.Of(3_000, 20_000) {
		questions = append(questions, [2]string{
			text(9, "a", "b", "z", "*", "?", "[", "]", "!", "-", "^", `\`, "&", "~", "|", ".", "(", "$", "{", ":", "é",
				"😀", "\n", "[a-z]", "[!a]", "[]a]", "[z-a]"),
			text(6, "a", "b", "z", "-", "]", "[", "!", "^", `\`, "&", "|", ".", "é", "😀", "\n", ":"),
		})
	}
	input, err := json.Marshal(questions)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), python, "-c",
		"import fnmatch, json, sys; print(json.dumps([fnmatch.fnmatchcase(name, glob) for glob, name in "+
			"json.load(sys.stdin)]))")
	cmd.Stdin = bytes.NewReader(input)
	output, err := cmd.Output()
	require.NoError(t, err)
	var want []bool
	require.NoError(t, json.Unmarshal(output, &want))
	matched := 0
	for i, q := range questions {
		require.Equal(t, want[i], New(q[0]).Match(q[1]), "%q on %q", q[0], q[1])
		if want[i] {
			matched++
		}
	}
	require.Greater(t, matched, testall.Of(75, 500))
}
