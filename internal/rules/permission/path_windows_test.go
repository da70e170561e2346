package permission

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func TestPathsOfWindows(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\me`: "/c/Users/me", `c:/Users/me`: "/c/Users/me", `a\b`: "a/b", `C:`: "/c", `C:\`: "/c/",
		`\\?\D:\x`: "/d/x", `\\server\share\x`: "//server/share/x",
		`\\.\C:\x`: "/c/x", `\??\C:\x`: "/c/x", `\\?\UNC\server\share\x`: "//server/share/x", ` C:\x`: "/c/x",
		`C:\x.\y. .`: "/c/x/y", `C:\x:s\y::$DATA`: "/c/x/y", `..\.\x`: ".././x", `.. \x`: "../x", `.env.`: ".env",
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
		{"//c/w/secrets/**", `\\.\c:\w\secrets.\a`, true},
		{"*.env", `a.env::$DATA`, true},
	} {
		got := matchPath(row.pattern, slashed(row.file), slashed(`C:\w`), slashed(`C:\w`), slashed(`C:\Users\me`))
		require.Equal(t, row.want, got, "%s %s", row.pattern, row.file)
	}
}

// A file has more names than one. Each is held against the rule.
func TestOtherNamesOfWindows(t *testing.T) {
	dir := t.TempDir()
	secrets := filepath.Join(dir, "secrets of mine")
	require.NoError(t, os.Mkdir(secrets, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "other"), 0o700))
	rooted := filepath.Join(secrets, "a")[len(filepath.VolumeName(dir)):]
	files := map[string]bool{`secrets of mine\a`: true, rooted: true, `C:secrets\a`: true, `\\localhost\c$\a`: true,
		`\\?\GLOBALROOT\Device\HarddiskVolume1\a`: true, `\\?\UNC\localhost\c$\a`: true, `\\server\share\a`: true,
		`other\a`: false}
	if short := shortName(t, secrets); filepath.Base(short) != filepath.Base(secrets) {
		files[filepath.Join(short, "a")] = true
	}
	junction := filepath.Join(dir, "junction")
	_ = exec.Command("cmd", "/c", "mklink", "/J", junction, secrets).Run()
	if _, err := os.Readlink(junction); err == nil { // Wine makes none
		files[filepath.Join(junction, "a")] = true
	}
	t.Log(len(files), "names")
	for file, want := range files {
		input, err := json.Marshal(map[string]string{"path": file})
		require.NoError(t, err)
		c := Call{Tool: "fs_write", Kind: File, Project: true, Input: string(input), Dir: dir, Root: dir}
		got, why := Parse("fs_write(secrets of mine/**)").Match(c)
		require.Equal(t, want, got, "%s: %s", file, why)
	}
}

// A share may be a folder of this machine, but for the one in which the call is.
func TestPathsOnShares(t *testing.T) {
	for _, row := range []struct {
		file, dir string
		want      bool
	}{
		{`\\server\share\a`, `C:\w`, true},
		{`\\server\share\a`, `\\Server\share\w`, false},
		{`\\?\UNC\server\share\a`, `\\server\share`, false},
		{`\\server\shared\a`, `\\server\share`, true},
		{`\\server\c$\a`, `\\server\c$\w`, true},
		{`a`, `\\server\share\w`, false},
	} {
		require.Equal(t, row.want, isAmbiguous(row.file, slashed(row.dir)), "%s in %s", row.file, row.dir)
	}
}

func shortName(t *testing.T, path string) string {
	long, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	short := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetShortPathName(long, &short[0], uint32(len(short)))
	require.NoError(t, err)
	return windows.UTF16ToString(short[:n])
}
