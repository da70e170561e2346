package nearmiss

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// clean changes the same texts as hasUnseen reports, though hasUnseen looks for few first bytes of characters, and at
// eight bytes at a time.
func TestHasUnseen(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		if utf8.ValidRune(r) && unseen(r) != hasUnseen(string(r)) {
			t.Errorf("%U", r)
		}
	}
	for _, odd := range []string{"\x00", "\x1f", "\x7f", "\xff", "\u00ad", "\u2028"} {
		for before := range 18 {
			for _, other := range []string{"a", "\n", "é", "\t", "~", "–", "\r"} {
				text, other := strings.Repeat(other, before)+odd+other, strings.Repeat(other, before+9)
				require.True(t, hasUnseen(text), "%q", text)
				require.NotEqual(t, text, clean(text))
				require.False(t, hasUnseen(other), "%q", other)
				require.Equal(t, other, clean(other))
			}
		}
	}
}

// FuzzMeantKey holds meantKey and near, which compare letters before they measure distances, against the distances
// alone.
func FuzzMeantKey(f *testing.F) {
	for _, s := range append(slices.Clone(words), "desicion", "descion", "reasn", "raeson", "dесision", "décision",
		"ask", "hookspecifcoutput", "continuous", "block_reason", "ｄｅｃｉｓｉｏｎ", "Decisions!", "updatedMCPTool",
		"jurisdiction") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, key string) {
		name, best, meant := Letters(key), 3, ""
		require.Equal(t, strings.Map(letter, key), name)
		for _, w := range words {
			limit := min(2, len(w)/4)
			d, n := spelling.Distance(name, strings.ToLower(w)), len(name)-len(w)
			if d == 3 && n >= -limit && n <= 3*limit && name[0] == w[0] &&
				consonants(name) == consonants(strings.ToLower(w)) {
				d = 2
			}
			if d <= limit && d < best {
				best, meant = d, w
			}
		}
		if slices.Contains(lookalikes, name) || key == "hookEventName" {
			meant = ""
		}
		if !slices.Contains(words, key) {
			require.Equal(t, meant, meantKey(key))
		}
		isNear := slices.ContainsFunc(denials, func(w string) bool {
			return w == name || len(w) >= 5 && len(name) >= 5 && spelling.Distance(name, w) <= 1
		})
		if !slices.Contains(lookalikes, name) {
			require.Equal(t, isNear, near(name, denials))
		}
	})
}
