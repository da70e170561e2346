package secret

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
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

// FuzzKey puts a key of some shape between two texts. After Mask no part of the key stays, in a text, in JSON, and in
// JSON in a text; and a key by which a rule blocks is hidden wherever the rule sees the key.
func FuzzKey(f *testing.F) {
	for i, s := range []string{"", "a ", "x=", `{"a":"`, "\n", "-u ", "password: ",
		"https://", "\x1b[1m", `\`, "'", "é", "token "} {
		f.Add(s, s, uint16(i*11), uint64(i))
	}
	var all []shape
	for _, list := range known.Get().shapes {
		all = append(all, list...)
	}
	f.Fuzz(func(t *testing.T, before, after string, number uint16, seed uint64) {
		k := all[int(number)%len(all)]
		key := random(rand.New(rand.NewPCG(seed, 1)), k.least+8)
		whole := k.begin + key
		if k.begin == webToken {
			whole += "." + key
		}
		if k.starts && before != "" && isAlphanumeric(before[len(before)-1]) {
			before += " "
		}
		text := before + whole + after
		requireNoKey(t, text, key)
		object, err := json.Marshal(map[string]any{"a": []string{before, text}, before: text, "b": before})
		require.NoError(t, err)
		requireNoKey(t, string(object), key)
		requireNoKey(t, before+string(object)+after, key)

		masked := Mask(before + after)
		if masked == before+after {
			require.Empty(t, InText(masked))
		}
	})
}

func requireNoKey(t *testing.T, text, key string) {
	t.Helper()
	masked := Mask(text)
	require.NotContains(t, masked, key, text)
	require.NotContains(t, masked, key[8:], text)
	require.Equal(t, gjson.Valid(text), gjson.Valid(masked), text)
}
