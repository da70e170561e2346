package printable

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"guard-shell":                   "guard-shell",
		`echo "größe" \d 'x' …`:         `echo "größe" \d 'x' …`,
		"a\nb\r\tc":                     `a\nb\r\tc`,
		"\x1b[31mred\x1b[0m":            `\x1b[31mred\x1b[0m`,
		"\u009b2J\x7f\x00":              `\u009b2J\x7f\x00`,
		"safe\u202egnp.exe":             `safe\u202egnp.exe`,
		"zero\u200bwidth\ufeff\u2066":   `zero\u200bwidth\ufeff\u2066`,
		"line\u2028paragraph\u2029":     `line\u2028paragraph\u2029`,
		"tag\U000e0041":                 `tag\U000e0041`,
		"bytes\xff\xc3":                 `bytes\xff\xc3`,
		"a replacement \ufffd is a one": "a replacement \ufffd is a one",
	} {
		require.Equal(t, want, Escape(text))
	}
}
