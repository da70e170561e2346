package queue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/texts/queue"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 300)
	for text, want := range map[string]string{
		"":                            "%",
		"s-1_a":                       "s-1_a",
		"A":                           "%41",
		"%":                           "%25",
		"..":                          "%2E%2E",
		"a/b\\c:d":                    "a%2Fb%5Cc%3Ad",
		"é":                           "%C3%A9",
		"con":                         "%63on",
		"lpt9":                        "%6Cpt9",
		"console":                     "console",
		strings.Repeat("x", 100):      strings.Repeat("x", 100),
		strings.Repeat("x", 99) + ".": "%%…",
		long:                          "%%…",
	} {
		name := queue.Folder(text)
		if strings.HasPrefix(want, "%%") {
			require.Regexp(t, `^%%[0-9a-f]{32}$`, name)
			continue
		}
		require.Equal(t, want, name)
	}
	require.NotEqual(t, queue.Folder(long), queue.Folder(long+"x"))
	for _, name := range []string{"", "A", "%2e", "%61", "%4", "%%", "a.b", "con"} {
		_, ok := queue.Unescape(name)
		require.False(t, ok, "%q is the name of no text", name)
	}
}

// FuzzName: each text has a name of its own, also where upper and lower case are the same; it fits; and what is in the
// name of an entry can be read from it.
func FuzzName(f *testing.F) {
	f.Add("a", "A", "b|c*")
	f.Add("", "%", "*")
	f.Add("a,b", "a", "x.y")
	f.Add("%41", "A", "+")
	f.Add("@", "+", "@")
	f.Add("con", "%63on", "mcp__*")
	f.Add(strings.Repeat("é", 60), strings.Repeat("é", 59)+"è", strings.Repeat("[a-z]|", 20))
	f.Fuzz(func(t *testing.T, a, b, matcher string) {
		for _, text := range []string{a, b} {
			name := queue.Escape(text)
			back, ok := queue.Unescape(name)
			require.True(t, ok)
			require.Equal(t, text, back)
			require.Regexp(t, `^[a-z0-9_%A-F-]+$`, name)
			require.LessOrEqual(t, len(queue.Folder(text)), 100)
		}
		require.Equal(t, a == b, strings.EqualFold(queue.Escape(a), queue.Escape(b)))
		require.Equal(t, a == b, strings.EqualFold(queue.Folder(a), queue.Folder(b)))
		if back, ok := queue.Unescape(a); ok {
			require.Equal(t, a, queue.Escape(back))
		}

		for _, agents := range [][]string{nil, {a}, {a, b}} {
			if slices.Contains(agents, "") || a == b {
				continue
			}
			file, gotAgents, gotMatcher, said := queue.FileName(queue.Entry{Agents: agents, Matcher: matcher})
			require.LessOrEqual(t, len(file), queue.LongestName)
			require.True(t, utf8.ValidString(file))
			if said {
				require.Equal(t, fmt.Sprint(agents), fmt.Sprint(gotAgents))
				require.Equal(t, agents == nil, gotAgents == nil)
				require.Equal(t, matcher, gotMatcher)
			}
		}
	})
}
