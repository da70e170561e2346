package hook_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestMatcher(t *testing.T) {
	for _, test := range []struct {
		matcher string
		matches []string
		misses  []string
	}{
		{"", []string{"shell", "", "a|b", "\xff"}, nil}, // every tool
		{"*", []string{"shell", "", "mcp__a/b", "a\nb"}, nil},
		{"shell", []string{"shell"}, []string{"Shell", "shell2", "my shell", " shell", ""}},
		{"Write|Edit", []string{"Write", "Edit"}, []string{"write", "MultiEdit", "Write|Edit", "WriteEdit"}},
		{" Write | Edit\t", []string{"Write", "Edit"}, []string{" Write ", "Edit\t"}},
		{"Write||Edit|", []string{"Write", "Edit"}, []string{"", "|"}}, // an empty part is no glob
		{"|shell", []string{"shell"}, []string{"", "fs_read"}},
		{"\u00a0shell\u3000", []string{"shell"}, nil},
		{"a b", []string{"a b"}, []string{"a", "b"}}, // blanks inside count
		{"mcp__*", []string{"mcp__a", "mcp__a/b", "mcp__"}, []string{"mcp_a", "xmcp__a"}},
		{"fs_*|shell", []string{"fs_read", "fs_", "shell"}, []string{"fs", "shell_"}},
		{"*_read", []string{"fs_read", "_read"}, []string{"fs_reader", "read"}},
		{"f?_*", []string{"fs_x", "fé_", "f/_"}, []string{"f_", "fss_"}},
		{"?", []string{"a", "é", "日", "🙂", "\xff"}, []string{"", "ab", "e\u0301"}}, // a character, not a byte
		{"[ab]x", []string{"ax", "bx"}, []string{"cx", "x", "abx"}},
		{"[!a]b", []string{"cb", "éb", "!b"}, []string{"ab", "b"}},
		{"[^a]", []string{"^", "a"}, []string{"b"}}, // ^ is no sign here
		{"[a-c]", []string{"a", "b", "c"}, []string{"-", "d"}},
		{"[x", []string{"[x"}, []string{"x"}}, // never closed
		{`\*`, []string{`\`, `\a`}, []string{"*"}},
		{`[\]x`, []string{`\x`}, []string{"]x"}},
		{"Bash(git push *)", []string{"Bash(git push --force)"}, []string{"Bash(git pull)"}},
		{"[a|b]", []string{"[a", "b]"}, []string{"a", "b", "|"}}, // | comes first, as in MassGen
		{".*", []string{".", ".x"}, []string{"x", "shell"}},      // no regular expression
		{"a+", []string{"a+"}, []string{"aa"}},
		{"(a)", []string{"(a)"}, []string{"a"}},
		{"a$", []string{"a$"}, []string{"a"}},
		{"\xff*", []string{"\xff", "\xffa"}, []string{"\xfe", "\ufffd"}}, // what is no UTF-8 is itself
		{"\ufffd", []string{"\ufffd"}, []string{"\xff"}},
		{"[\xfe-\ufffd]", nil, []string{"\xff"}},
		{"[!\xff]", []string{"a", "\xfe"}, []string{"\xff"}},
	} {
		m, ok := hook.NewGlobs(test.matcher)
		require.True(t, ok, test.matcher)
		require.Equal(t, test.matcher, m.String())
		for _, name := range test.matches {
			require.True(t, m.Match(name), "%q %q", test.matcher, name)
		}
		for _, name := range test.misses {
			require.False(t, m.Match(name), "%q %q", test.matcher, name)
		}
	}
}

func TestMatcherOfNothing(t *testing.T) {
	for _, text := range []string{"|", " ", "||", " | \t|\u00a0"} {
		_, ok := hook.NewGlobs(text)
		require.False(t, ok, "%q", text)
	}
	require.True(t, hook.Globs{}.Match("shell"), "the zero value guards every tool")
}

// TestFnmatch compares with Python, whose fnmatch the matchers of MassGen are. testdata/fnmatch.py asked it.
func TestFnmatch(t *testing.T) {
	data, err := os.ReadFile("testdata/fnmatch.json")
	require.NoError(t, err)
	var oracle struct {
		Names   []string
		Matches map[string][]string
	}
	require.NoError(t, json.Unmarshal(data, &oracle))
	require.Greater(t, len(oracle.Matches)*len(oracle.Names), 10_000)
	for pattern, want := range oracle.Matches {
		m, ok := hook.NewGlobs(pattern)
		require.True(t, ok, pattern)
		got := []string{}
		for _, name := range oracle.Names {
			if m.Match(name) {
				got = append(got, name)
			}
		}
		require.Equal(t, want, got, "%q", pattern)
	}
}

// Whoever names a tool, or writes a matcher, must not be able to hold up the call. The limit is for a busy machine;
// a matcher that tries every way takes longer than the world is old.
func TestHostileMatchers(t *testing.T) {
	testall.Alone(t)
	const most = 1 << 20 // bytes of a file
	size, long := testall.Of(most/8, most), testall.Of(2_000, 10_000)
	start := time.Now()
	for _, test := range []struct{ matcher, name string }{
		{strings.Repeat("*a", 1000) + "b", strings.Repeat("a", long)},
		{strings.Repeat("a*", 1000) + "b", strings.Repeat("a", long)},
		{strings.Repeat("*?", 1000) + "b", strings.Repeat("a", long)},
		{strings.Repeat("*[!b]", 1000) + "b", strings.Repeat("é", long)},
		{strings.Repeat("*", size) + "b", strings.Repeat("a", 1000)},
		{"*" + strings.Repeat("[", 500) + "b", strings.Repeat("[", long)},
		{"*" + strings.Repeat("[", size), strings.Repeat("[", long)},
		{"*[" + strings.Repeat("a", size/2) + "]b", strings.Repeat("a", long)},
		{"*[" + strings.Repeat("z-a", size/2) + "]b", strings.Repeat("a", long)},
		{strings.Repeat("[!", size/2), strings.Repeat("[!", long)},
		{strings.Repeat("*a|", 10_000) + "b", strings.Repeat("b", 1000)},
	} {
		m, ok := hook.NewGlobs(test.matcher)
		require.True(t, ok)
		require.False(t, m.Match(test.name), "%.20q", test.matcher)
	}
	require.Less(t, time.Since(start), hostileTime)
}

// hostileTime is what the hostile matchers may take together.
var hostileTime = 60 * time.Second
