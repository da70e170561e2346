package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/tenex"
)

// programs is a folder of empty files, and an environment that has it in PATH.
func programs(t *testing.T, names ...string) (dir string, env []string) {
	dir = t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o700))
	}
	return dir, []string{"Path=" + dir, "PATHEXT=.EXE;.CMD"}
}

func TestFindByExtension(t *testing.T) {
	dir, env := programs(t, "both.cmd", "both.exe", "one.CMD", "dotted.name.exe", "plain", "script.py")
	for name, want := range map[string]string{
		"both": "both.exe", "both.cmd": "both.cmd", "one": "one.cmd", "dotted.name": "dotted.name.exe",
		"plain": "plain", "script.py": "script.py",
	} {
		for _, named := range []string{name, "./" + name, `.\` + name, filepath.Join(dir, name)} {
			path, err := find(named, dir, env)
			require.NoError(t, err)
			require.Equal(t, strings.ToLower(filepath.Join(dir, want)), strings.ToLower(path))
		}
	}
	_, err := find("./script", dir, env)
	require.EqualError(t, err, "./script: no such file", ".py is not in PATHEXT")
	_, err = find("script", dir, env)
	require.EqualError(t, err, "script: not found in PATH")
}

// What only opens the Store or starts WSL is passed over for what lies behind it in PATH.
func TestStubs(t *testing.T) {
	dir, _ := programs(t, "Microsoft/WindowsApps/python3.exe", "Microsoft/WindowsApps/bash.exe", "real/python3.exe")
	apps, program := filepath.Join(dir, "Microsoft", "WindowsApps"), filepath.Join(dir, "real", "python3.exe")
	path, err := find("python3", dir, []string{"PATH=" + apps + ";" + filepath.Dir(program)})
	require.NoError(t, err)
	require.Equal(t, program, path)
	_, err = find("python3", dir, []string{"PATH=" + apps})
	require.EqualError(t, err, "python3: not found in PATH; "+filepath.Join(apps, "python3.exe")+
		" only opens the Microsoft Store")
	_, err = findShell("bash", dir, []string{"PATH=" + apps})
	require.ErrorContains(t, err, "starts WSL")
	require.ErrorContains(t, err, "install Git for Windows")
	_, err = find(filepath.Join(apps, "bash.exe"), dir, nil)
	require.ErrorContains(t, err, "starts WSL")

	system, err := windows.GetSystemDirectory()
	require.NoError(t, err)
	require.NotEmpty(t, stubFault(filepath.Join(system, "bash.exe")))
	require.Empty(t, stubFault(filepath.Join(system, "cmd.exe")))
}

// Git for Windows has a shell that it does not put into PATH.
func TestShellOfGit(t *testing.T) {
	dir, env := programs(t, "Git/cmd/git.exe", "Git/bin/sh.exe", "Git/bin/bash.exe", "other/sh.exe")
	sh := filepath.Join(dir, "Git", "bin", "sh.exe")
	for _, env := range [][]string{
		{"ProgramFiles=" + dir}, {"PATH=" + filepath.Join(dir, "Git", "cmd")},
		{"ProgramFiles=" + dir, "PATH=" + filepath.Join(dir, "other")},
	} {
		path, err := findShell("sh", dir, env)
		require.NoError(t, err)
		require.Equal(t, sh, path)
	}
	path, err := findShell("sh", dir, []string{"PATH=" + filepath.Join(dir, "other")})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "other", "sh.exe"), path)
	_, err = findShell("sh", dir, env)
	require.EqualError(t, err, "sh: not found in PATH; install Git for Windows, which has it, or write an array "+
		"with another program")
}

// An array that begins with sh or bash finds the shell where a string command does.
func TestShellInAnArray(t *testing.T) {
	dir, env := programs(t, "Git/cmd/git.exe", "Git/bin/sh.exe", "Git/bin/bash.exe")
	env = append(env, "ProgramFiles="+dir)
	for name, want := range map[string]string{"sh": "sh.exe", "bash": "bash.exe", "bash.exe": "bash.exe"} {
		h := &hook.Hook{Dialect: tenex.Dialect,
			Handler: &hook.Process{Command: hook.Command{Argv: []string{name, "guard.sh"}}}}
		path, argv, err := Program(h, dir, env)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, "Git", "bin", want), path)
		require.Equal(t, []string{name, "guard.sh"}, argv)
	}
}

// A path that depends on the current drive or its current folder is refused.
func TestPathsWithoutADrive(t *testing.T) {
	dir, env := programs(t, "c/guard.exe", "guard.exe", "C/guard.exe")
	for name, want := range map[string]string{
		"C:guard.exe":     "it starts in the current folder of drive C:; write C:/guard.exe",
		`C:dir\guard.exe`: "it starts in the current folder of drive C:; write C:/dir/guard.exe",
		"/c/guard.exe":    "a path of Git's sh, which other programs do not know; write C:/guard.exe",
		`\c\guard.exe`:    "a path of Git's sh, which other programs do not know; write C:/guard.exe",
		"/guard.exe":      "a path without a drive; write one, such as C:/guard.exe",
		"/usr/bin/env":    "a path without a drive; write one, such as C:/usr/bin/env",
	} {
		_, err := find(name, dir, env)
		require.EqualError(t, err, name+": "+want)
	}
	for _, name := range []string{`\\server\share\guard.exe`, "//server/share/guard.exe",
		`\\?\UNC\server\share\guard.exe`} {
		require.Empty(t, pathFault(name))
	}
	for _, name := range []string{filepath.Join(dir, "guard.exe"), filepath.ToSlash(filepath.Join(dir, "guard")),
		`\\?\` + filepath.Join(dir, "guard.exe")} {
		path, err := find(name, t.TempDir(), env)
		require.NoError(t, err, name)
		require.NotContains(t, path, "/", "cmd.exe takes what is behind a slash for a switch")
	}
}

func TestLaunch(t *testing.T) {
	dir, env := programs(t, "pwsh.exe", "python3.exe", "node.exe", "Git/bin/sh.exe", "Git/cmd/git.exe", "guard.exe",
		"guard.cmd", "guard.ps1", "guard.py")
	env[0] += ";" + filepath.Join(dir, "Git", "cmd")
	for name, text := range map[string]string{
		"sh": "#!/bin/sh\nexit 0", "sh.sh": "#!/bin/sh -e\r\nexit 0", "env": "#!/usr/bin/env node\n",
		"split": "#!/usr/bin/env -S python3 -u\n", "none": "exit 0\n", "blank": "#! \n", "mark": "\ufeff#!/bin/sh\n",
		"wide":    "\xff\xfe#\x00!\x00/\x00",
		"in ruby": "#!/usr/bin/env -S ruby\n", "perl": "#!/usr/bin/perl\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	slashed := func(name string) string { return filepath.ToSlash(at(name)) }
	system, err := windows.GetSystemDirectory()
	require.NoError(t, err)
	for name, want := range map[string][]string{
		"guard.exe": {at("guard.exe"), "guard.exe", "a b"},
		"guard.cmd": {filepath.Join(system, "cmd.exe"), "cmd.exe", "/d", "/e:on", "/v:off", "/c", "call",
			at("guard.cmd"), "a b"},
		"guard.ps1": {at("pwsh.exe"), "pwsh.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass",
			"-File", at("guard.ps1"), "a b"},
		"guard.py": {at("python3.exe"), "python3.exe", at("guard.py"), "a b"},
		"sh":       {at(`Git\bin\sh.exe`), "sh", slashed("sh"), "a b"},
		"sh.sh":    {at(`Git\bin\sh.exe`), "sh", "-e", slashed("sh.sh"), "a b"},
		"env":      {at("node.exe"), "node.exe", slashed("env"), "a b"},
		"split":    {at("python3.exe"), "python3.exe", "-u", slashed("split"), "a b"},
	} {
		path, argv, err := Resolve(at(name), []string{name, "a b"}, dir, env)
		require.NoError(t, err)
		require.Equal(t, want, append([]string{path}, argv...))
	}
	for name, want := range map[string]string{
		"none":  "none: neither a program that Windows knows by its extension nor a script with a #! line",
		"blank": "blank: its #! line names no interpreter; write #!/bin/sh",
		"mark":  "mark" + markFault,
		"wide": "wide: a script in UTF-16, which nothing but PowerShell reads; save it as UTF-8 without a byte " +
			"order mark",
		"perl":    "perl: its interpreter, " + at("perl") + ", is a script itself",
		"in ruby": "in ruby: its interpreter cannot run: ruby: not found in PATH",
	} {
		_, _, err := Resolve(at(name), []string{name}, dir, env)
		require.EqualError(t, err, want)
	}
}

// cmd.exe takes what is behind some characters for a command, in quotes or not.
func TestBatchFilesGetTextsAlone(t *testing.T) {
	for _, arg := range []string{`"&calc&"`, `%PATH%`, "a&b", "a|b", "a>b", "a<b", "a^b", "!x!", "a\nb", "a\rb", "/?",
		"--key=value", "a,b", "a;b"} {
		_, _, err := Resolve(`C:\guard.bat`, []string{"guard", "x", arg}, "", nil)
		require.ErrorContains(t, err, "as more than a text", arg)
	}
	_, _, err := Resolve(`C:\R&D\guard.bat`, []string{"guard"}, "", nil)
	require.ErrorContains(t, err, "as more than a text")
	for _, arg := range []string{"", "a b", `C:\dir\`, "--key=a value", "(x)", "a; b, c", "it's"} {
		_, argv, err := Resolve(`C:\guard.bat`, []string{"guard", arg}, "", nil)
		require.NoError(t, err)
		require.Equal(t, arg, argv[len(argv)-1])
	}
}

func TestLaunchOfALongPath(t *testing.T) {
	long := strings.Repeat("a", 260) + `\guard.exe`
	for path, want := range map[string]string{
		`C:\` + long:             `\\?\C:\` + long,
		`\\server\share\` + long: `\\?\UNC\server\share\` + long,
		`\\?\C:\` + long:         `\\?\C:\` + long,
		`C:\guard.exe`:           `C:\guard.exe`,
	} {
		got, argv, err := Resolve(path, []string{"guard"}, `C:\`, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, []string{"guard"}, argv)
	}
}

// cmd.exe would not run the first line of these files, or run them in another folder.
func TestBatchFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mark": "\ufeff@exit /b 2\r\n", "wide": "\xff\xfe@\x00", "plain": "@exit /b 2",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".cmd"), []byte(text), 0o600))
	}
	long := filepath.Join(dir, strings.Repeat("é", 200), strings.Repeat("é", 200))
	for _, test := range []struct{ path, dir, want string }{
		{filepath.Join(dir, "mark.cmd"), dir, "there is a byte order mark before its first line"},
		{filepath.Join(dir, "wide.cmd"), dir, "there is a byte order mark before its first line"},
		{filepath.Join(dir, "plain.cmd"), `\\server\share`, `cannot run in \\server\share`},
		{filepath.Join(dir, "plain.cmd"), `//server/share`, `cannot run in //server/share`},
		{filepath.Join(dir, "plain.cmd"), `\\?\C:\dir`, `cannot run in \\?\C:\dir`},
		{filepath.Join(long, "plain.cmd"), dir, "opens no path of more than 259 characters"},
		{filepath.Join(dir, "plain.cmd"), long, "starts no program in one of more than 258"},
	} {
		_, _, err := Resolve(test.path, []string{"guard"}, test.dir, nil)
		require.ErrorContains(t, err, test.want)
	}
	short := filepath.Join(dir, strings.Repeat("é", 120))
	_, _, err := Resolve(filepath.Join(dir, "plain.cmd"), []string{"guard"}, short, nil)
	require.NoError(t, err, "120 characters of 240 bytes")
}
