package permission

import (
	"math/rand/v2"
	"testing"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/stretchr/testify/require"
)

// fitsNames reports whether the names of a path fit those of a pattern.
func fitsNames(pattern, file string, at baseDirs) bool {
	c := Call{}.WithCache()
	r := Parse("x(" + pattern + ")")
	if r.pattern == "" {
		return true
	}
	names, _ := r.names(&c, at)
	return mayOverlap(names, c.names(file, at))
}

// TestNames holds names against regular expressions: whatever path a pattern matches, its names fit.
func TestNames(t *testing.T) {
	testall.Alone(t)
	random := rand.New(rand.NewPCG(1, 2))
	text := func(parts []string) (s string) {
		for range 1 + random.IntN(6) {
			s += parts[random.IntN(len(parts))]
		}
		return s
	}
	signs := []string{"a", "b", "A", "σ", "Σ", "ς", "s", "ſ", "k", "\u212a", "ß", "é", ".", "..", "/", "/", "~/", " ",
		"{", "}", ",", "(", ")", "!", "#", "-", "[", "]", "\U0001f600"}
	patterns := append(signs, "*", "*", "**", "/**", "**/", "?", `\`, "[a-c]", "[!x]", "[/]", "[[:alpha:]]", `\*`, "//")
	matched := 0
	at := baseDirs{"/a", "/a", "/b"}
	for range 200_000 {
		pattern, file := text(patterns), text(signs)
		if matchPath(pattern, file, at.dir, at.root, at.home) {
			matched++
			require.True(t, fitsNames(pattern, file, at), "%q on %q", pattern, file)
		}
	}
	require.Greater(t, matched, 4000)
}

func FuzzNames(f *testing.F) {
	for _, pattern := range []string{"src/**", "//etc/**", "~/.ssh/**", "*.ts", "**/a/**/b", "[!a-c]?", `\*a\ `, "./!x",
		"a*b*c/", "!x", "[[:alpha:]", "/a/", "a/[b/c]d", "a**b", `a\/b`, "ς*", "a/**/", "***/x", "{a,b}/(c)"} {
		for _, file := range []string{"/ws/src/a.ts", "a/b", "../x", "~/.ssh/id", "a//./b/", "é", "", "b/c/d", "/x/a"} {
			f.Add(pattern, file)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, file string) {
		at := baseDirs{"/ws", "/ws", "/home/u"}
		if len(pattern)+len(file) < 2000 && matchPath(pattern, file, at.dir, at.root, at.home) {
			require.True(t, fitsNames(pattern, file, at), "%q on %q", pattern, file)
		}
	})
}
