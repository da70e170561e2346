package secret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzText: what is shown of a text is what it says, with marks in it; and its beginning is shown as that of the whole
// is, but where a mark begins.
func FuzzText(f *testing.F) {
	for _, s := range []string{"TOKEN=a\"b c\"d e", `{"auth":{"a":"}"}}`, `\"token\":\"x\"`, "a://b:c@d",
		"Cookie: a\r\n", "--password 'x", "Bearer abcdefghijklmnopq", `\n",`} {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, s string, show int) {
		if show < 0 || show > len(s) {
			show = len(s)
		}
		c := Cleaner{Limit: 10_000}
		whole := c.Text(s, len(s))
		require.Equal(t, whole != s, c.Found || len(s) > c.Limit)
		part := c.Text(s, show)
		require.True(t, strings.HasPrefix(whole, strings.TrimSuffix(part, Mark)))
		rest := s
		for i, piece := range strings.Split(whole, Mark) {
			at := strings.Index(rest, piece)
			require.GreaterOrEqual(t, at, 0)
			if i == 0 {
				require.Zero(t, at)
			}
			rest = rest[at+len(piece):]
		}
	})
}
