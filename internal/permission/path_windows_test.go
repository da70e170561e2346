package permission

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathsOfWindows(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\me`: "/c/Users/me", `c:/Users/me`: "/c/Users/me", `a\b`: "a/b", `C:`: "/c", `C:\`: "/c/",
		`\\?\D:\x`: "/d/x", `\\server\share\x`: "//server/share/x",
	} {
		require.Equal(t, want, slashed(path))
	}
	for path, want := range map[string]string{"/c/x": `c:\x`, "/c": `c:\`, "/c/": `c:\`, "/etc/x": `\etc\x`} {
		require.Equal(t, want, native(path))
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), nil, 0o600))
	_, err := os.Lstat(native(slashed(filepath.Join(dir, "a"))))
	require.NoError(t, err)
}

func TestRulesOnPathsOfWindows(t *testing.T) {
	for _, row := range []struct {
		pattern, file string
		want          bool
	}{
		{"//c/w/secrets/**", `C:\w\secrets\a`, true},
		{"//C:/w/secrets/**", `C:\w\secrets\a`, true},
		{"//c/**/.env", `C:\w\sub\.env`, true},
		{"secrets/**", `secrets\a`, true},
		{"secrets/**", `c:\W\Secrets\a`, true},
		{"Secrets/**", `secrets/a`, true},
		{"secrets/**", `C:\other\secrets\a`, false},
		{"~/.ssh/**", `C:\Users\Me\.ssh\id`, true},
		{"//d/**", `C:\w\a`, false},
	} {
		got := matchPath(row.pattern, slashed(row.file), slashed(`C:\w`), slashed(`C:\w`), slashed(`C:\Users\me`))
		require.Equal(t, row.want, got, "%s %s", row.pattern, row.file)
	}
}
