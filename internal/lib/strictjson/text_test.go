package strictjson

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestLocator: positions that are asked for in any order are those of a count from the start.
func TestLocator(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, doc := range []string{
		"", "a", strings.Repeat("a", 3*stride), strings.Repeat("\n", 3*stride), strings.Repeat("😀", stride),
		strings.Repeat("\x80", 3*stride), strings.Repeat("aé\n😀", stride), "\n" + strings.Repeat("aé", 2*stride),
	} {
		l := Locator{Doc: doc}
		for range 200 {
			offset := random.IntN(len(doc) + 1)
			for offset < len(doc) && utf8.ValidString(doc) && !utf8.RuneStart(doc[offset]) {
				offset++
			}
			line, column := l.Position(offset)
			before := doc[:offset]
			require.Equal(t, strings.Count(before, "\n")+1, line, "%.20q %d", doc, offset)
			inLine := before[strings.LastIndexByte(before, '\n')+1:]
			require.Equal(t, utf8.RuneCountInString(inLine)+1, column, "%.20q %d", doc, offset)
		}
	}
}

// FuzzText holds Text against encoding/json. Without an escape Text does not look for faults.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", `\n\t\"\\\/\b\f\r`, `\u0041\u00e9\u2028`, `\ud83d\ude00`, `\ud83d`, `\ud83d\n`,
		`\ude00\ud83d`, `\ud83d\u0041`, `\u00g0`, `\u+041`, `\u00`, `\x`, `\`, "\xff", "é\\n", "\n", `a"b`, "\x7f",
		`\ufffd`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, inside string) {
		want := ""
		if !strings.Contains(inside, `\`) && !json.Valid([]byte(`"`+inside+`"`)) {
			return
		}
		_ = json.Unmarshal([]byte(`"`+inside+`"`), &want)
		require.Equal(t, want, Text(`"`+inside+`"`))
	})
}
