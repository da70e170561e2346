package shellword

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ word, posix, powershell, cmd, hint string }{
		{`C:\a`, `'C:\a'`, `'C:\a'`, `"C:\a"`, `C:\a`},
		{`C:\a b`, `'C:\a b'`, `'C:\a b'`, `"C:\a b"`, `"C:\a b"`},
		{`C:/a'b`, `'C:/a'\''b'`, `'C:/a''b'`, `"C:/a'b"`, `"C:/a'b"`},
		{`a’b`, `a’b`, `'a’’b'`, `"a’b"`, `a’b`},
		{`$a & b`, `'$a & b'`, `'$a & b'`, `"$a & b"`, `'$a & b'`},
		{"`a`", "'`a`'", "'`a`'", "\"`a`\"", "'`a`'"},
		{`a;b|c`, `'a;b|c'`, `'a;b|c'`, `"a;b|c"`, `"a;b|c"`},
		{`%A%`, `%A%`, `'%A%'`, ``, `'%A%'`},
		{`a"b`, `'a"b'`, `'a"b'`, ``, `'a"b'`},
		{``, `''`, `''`, `""`, `""`},
	} {
		require.Equal(t, c.posix, POSIX(c.word))
		require.Equal(t, c.powershell, PowerShell(c.word))
		word, rest, found := FromPowerShell(c.powershell + " 'x'")
		require.Equal(t, []any{c.word, " 'x'", true}, []any{word, rest, found})
		require.Equal(t, c.hint, windowsHint(c.word))
		got, err := Cmd(c.word)
		require.Equal(t, c.cmd, got)
		require.Equal(t, c.cmd == "", err != nil, c.word)
	}
}

func TestPOSIXInAShell(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	const word = "a b'c\"d$e`f`\\g!*?[h]~#&;|<>(){}\n-"
	out, err := exec.Command(sh, "-c", "printf %s "+POSIX(word)).Output()
	require.NoError(t, err)
	require.Equal(t, word, string(out))
}
