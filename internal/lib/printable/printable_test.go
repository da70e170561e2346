package printable

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"guard-shell":                    "guard-shell",
		`echo "größe" \d 'x' …`:          `echo "größe" \d 'x' …`,
		"a\nb\r\tc":                      `a\nb\r\tc`,
		"\x1b[31mred\x1b[0m":             `\x1b[31mred\x1b[0m`,
		"\u009b2J\x7f\x00":               `\u009b2J\x7f\x00`,
		"safe\u202egnp.exe":              `safe\u202egnp.exe`,
		"zero\u200bwidth\ufeff\u2066":    `zero\u200bwidth\ufeff\u2066`,
		"line\u2028paragraph\u2029":      `line\u2028paragraph\u2029`,
		"tag\U000e0041":                  `tag\U000e0041`,
		"bytes\xff\xc3":                  `bytes\xff\xc3`,
		"she\u3164ll\u115f\u1160\uffa0":  `she\u3164ll\u115f\u1160\uffa0`,
		"a\u2800b\ufe0f\U000e0100":       `a\u2800b\ufe0f\U000e0100`,
		"a\u034fb\u17b4\u180b":           `a\u034fb\u17b4\u180b`,
		"private \ue000, unknown \u0378": `private \ue000, unknown \u0378`,
		"日本\u3000語 x\u00a0y":             "日本\u3000語 x\u00a0y",
		"a replacement \ufffd is a one":  "a replacement \ufffd is a one",
	} {
		require.Equal(t, want, Escape(text))
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"one\n\ttwo\n":                          "one\n\ttwo\n",
		"\x1b[1;31mred\x1b[0m and\x1b[m so\r\n": "red and so\n",
		"\x1b[2J\x1b]0;title\x07\nlast":         `\x1b[2J\x1b]0;title\a` + "\nlast",
		"over\rwritten\n":                       `over\rwritten` + "\n",
		"\u202etxt.exe\n\x1b[":                  `\u202etxt.exe` + "\n" + `\x1b[`,
		"bytes\xff":                             `bytes\xff`,
	} {
		require.Equal(t, want, Lines(text), "%q", text)
	}
}

func TestFold(t *testing.T) {
	long := strings.Repeat("é", 4000)
	for text, want := range map[string]string{
		"":                             "",
		"a\t b\\t":                     "a\t b\\t",
		"a\x1b\u202e \xe9\r":           `a\x1b\u202e \xe9\r`,
		strings.Repeat(" ", 100) + "a": strings.Repeat(" ", 100) + "a",
		strings.Repeat(" ", 101) + "a": "[… 101 blanks …]a",
		"a" + strings.Repeat("\t\u3000", 1<<20) + "b": "a[… 2097152 blanks …]b",
		long:       long,
		long + "x": long[:2000] + "[… 4001 bytes left out …]" + `\xa9` + long[:1998] + "x",
	} {
		folded, whole := Fold(text)
		require.Equal(t, want, folded)
		require.Equal(t, text != long+"x", whole)
	}
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"größe \u0000"}`:               `{"a":"größe \u0000"}`,
		"{\"a\u200b\":\"\u202e\u009b\x7f\"}": `{"a\u200b":"\u202e\u009b\u007f"}`,
		"\"\U000e0041\"":                     `"\udb40\udc41"`,
	} {
		require.Equal(t, want, JSON(text))
	}
}
