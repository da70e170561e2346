//go:build unix

package launch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
)

// workspace is a folder of programs for hooks to name.
type workspace struct {
	*testing.T
	dir string
}

func newWorkspace(t *testing.T) workspace {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return workspace{t, dir}
}

// file writes a file with exactly the mode: the umask, which is not ours, would take bits away.
func (w workspace) file(name, text string, mode os.FileMode) string {
	path := filepath.Join(w.dir, name)
	require.NoError(w, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(w, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(w, os.Chmod(path, mode))
	return path
}

// hook is what a file makes of a command, which stands at f:2:1.
func (w workspace) hook(command any) *hook.Hook {
	text, err := json.Marshal(command)
	require.NoError(w, err)
	cfg, err := parts.All().Parse("f", []byte(`{"hooks":[{"name":"a","events":["pre-tool"],"command":`+
		"\n"+string(text)+"}]}"))
	require.NoError(w, err)
	return &cfg.Hooks[0]
}

// inspect returns what is wrong with the command, without what stands before each message.
func (w workspace) inspect(command any, env ...string) (faults []string) {
	for _, p := range launch.Inspect(w.hook(command), w.dir, append([]string{"PATH=/usr/bin:/bin"}, env...)) {
		text, ok := strings.CutPrefix(p.Error(), `f:2:1: hook "a": `)
		require.True(w, ok, "the place is the command's: %v", p)
		faults = append(faults, text)
	}
	return faults
}

func TestProgram(t *testing.T) {
	w := newWorkspace(t)
	script := w.file("scripts/guard", "#!/bin/sh\n", 0o755)
	other := w.file("other/guard", "#!/bin/sh\n", 0o755)
	w.file("plain/guard", "#!/bin/sh\n", 0o644)
	w.file("elsewhere/scripts/guard", "#!/bin/sh\n", 0o755)
	require.NoError(t, os.MkdirAll(filepath.Join(w.dir, "dir/guard"), 0o777))
	path := func(dirs ...string) string {
		for i, d := range dirs {
			if d != "" && d[0] == '@' {
				dirs[i] = filepath.Join(w.dir, d[1:])
			}
		}
		return "PATH=" + strings.Join(dirs, ":")
	}
	for _, test := range []struct {
		name    string
		command []string
		env     []string
		want    string
		err     string
	}{
		{"in the workspace", []string{"scripts/guard", "x"}, nil, script, ""},
		{"in the workspace by a dot", []string{"./scripts/guard"}, nil, script, ""},
		{"above itself", []string{"plain/../scripts/guard"}, nil, script, ""},
		{"absolute", []string{other}, nil, other, ""},
		{"in PATH", []string{"guard"}, []string{path("@scripts", "@other")}, script, ""},
		{"in PATH, the first that can run", []string{"guard"},
			[]string{path("@nowhere", "@plain", "@dir", "@other", "@scripts")}, other, ""},
		{"in the last PATH", []string{"guard"}, []string{path("@other"), path("@scripts")}, script, ""},
		{"a name is not looked up in the workspace", []string{"guard"}, []string{path("/nowhere")}, "",
			"guard: not found in PATH"},
		{"relative entries of PATH", []string{"guard"}, []string{path("scripts", ".", "", "./scripts", "@other")},
			other, ""},
		{"relative entries of PATH alone", []string{"guard"}, []string{path("scripts", ".", "")}, "",
			"guard: not found in PATH"},
		{"no PATH", []string{"guard"}, []string{"PATHS=/bin", "XPATH=/bin"}, "", "guard: not found in PATH"},
		{"a folder's name", []string{".."}, []string{path("@scripts")}, "", "..: not found in PATH"},
		{"missing", []string{"./guard"}, nil, "", "./guard: no such file"},
		{"in what is no folder", []string{"scripts/guard/x"}, nil, "", "scripts/guard/x: not a directory"},
		{"a folder", []string{"./scripts"}, nil, "", "./scripts: is a directory"},
		{"not executable", []string{"plain/guard"}, nil, "", "plain/guard: not executable; chmod +x it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(filepath.Join(w.dir, "elsewhere")) // where hookrun stands must not matter
			got, argv, err := launch.Program(w.hook(test.command), w.dir, test.env)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, test.command, argv, "a program sees the name that it was called by")
		})
	}
	t.Run("a command line", func(t *testing.T) {
		got, argv, err := launch.Program(w.hook("exit 2 # x"), w.dir, []string{path("@other")})
		require.NoError(t, err)
		require.Equal(t, "/bin/sh", got, "whatever PATH says")
		require.Equal(t, []string{"sh", "-c", "exit 2 # x"}, argv)
	})
}

func TestInspect(t *testing.T) {
	w := newWorkspace(t)
	w.file("bin/interp", "\x7fELF\x00\x00", 0o755) // stands for a program
	path := "PATH=" + filepath.Join(w.dir, "bin") + ":/usr/bin:/bin"
	for _, test := range []struct {
		name string
		text string
		want string // behind the name of the script; "" for nothing wrong
	}{
		{"a script", "#!/bin/sh\nexit 0\n", ""},
		{"with an argument", "#! /bin/sh -e\n", ""},
		{"with nothing but its first line", "#!/bin/sh", ""},
		{"with a long first line", "#!/bin/sh " + strings.Repeat("x", 1000) + "\n", ""},
		{"a program", "\x7fELF\x02\x01\x01\x00", ""},
		{"CR LF", "#!/bin/sh\r\nexit 0\r\n",
			"its #! line ends in CR LF, so its interpreter is not found; save it with LF line ends"},
		{"CR LF behind env", "#!/usr/bin/env sh\r\nexit 0\r\n",
			"its #! line ends in CR LF, so its interpreter is not found; save it with LF line ends"},
		{"CR LF later", "#!/bin/sh\nexit 0\r\n", ""},
		{"missing interpreter", "#!/nowhere/sh\n",
			"the interpreter of its #! line cannot run: /nowhere/sh: no such file"},
		// the system does not look in PATH
		{"an interpreter by its name", "#!interp\n",
			"the interpreter of its #! line cannot run: " + filepath.Join(w.dir, "interp") + ": no such file"},
		{"an interpreter in the workspace", "#!bin/interp\n", ""},
		{"a folder as interpreter", "#!" + w.dir + "\n",
			"the interpreter of its #! line cannot run: " + w.dir + ": is a directory"},
		{"no interpreter", "#!\n", "its #! line names no interpreter; write #!/bin/sh"},
		{"no interpreter but a blank", "#! \n", "its #! line names no interpreter; write #!/bin/sh"},
		{"env", "#!/usr/bin/env interp\n", ""},
		{"env of what is missing", "#!/usr/bin/env interq\n",
			"the interpreter of its #! line cannot run: interq: not found in PATH"},
		{"env alone", "#!/usr/bin/env\n", "its #! line names no interpreter behind env; write #!/usr/bin/env sh"},
		{"env -S", "#!/usr/bin/env -S interp -u\n", ""},
		{"env -S of what is missing", "#!/usr/bin/env -S interq -u\n",
			"the interpreter of its #! line cannot run: interq: not found in PATH"},
		{"env -S in one word", "#!/usr/bin/env -Sinterq -u\n",
			"the interpreter of its #! line cannot run: interq: not found in PATH"},
		{"env -vS", "#!/usr/bin/env -vS interq\n",
			"the interpreter of its #! line cannot run: interq: not found in PATH"},
		{"env -S with a variable", "#!/usr/bin/env -S A=1 --debug interq\n",
			"the interpreter of its #! line cannot run: interq: not found in PATH"},
		{"env -S with its own PATH", "#!/usr/bin/env -S PATH=/x interq\n", ""}, // more than a look can tell
		{"env -S with a flag of two words", "#!/usr/bin/env -S -u interq sh\n", ""},
		{"env -S with quotes", "#!/usr/bin/env -S 'interq'\n", ""},
		{"env -S of nothing", "#!/usr/bin/env -S\n", ""},
		{"no #! line", "echo hello\n",
			"neither a program nor a script with a #! line; put #!/bin/sh on its first line"},
		{"a mark before the #! line", "\ufeff" + "#!/bin/sh\n",
			"there is a byte order mark before its #!, so that is no #! line; save it as UTF-8 without a byte order " +
				"mark"},
		{"an empty file", "", "neither a program nor a script with a #! line; put #!/bin/sh on its first line"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.file("script", test.text, 0o755)
			want := []string(nil)
			if test.want != "" {
				want = []string{"./script: " + test.want}
			}
			require.Equal(t, want, w.inspect([]string{"./script"}, path))
			if strings.HasPrefix(test.want, "neither") {
				want = nil // a shell runs what the system does not know
			}
			require.Equal(t, want, w.inspect("./script --strict; true", path))
		})
	}
	t.Run("no #! line in another language", func(t *testing.T) {
		for name, first := range map[string]string{
			"g.py": "env python3", "g.js": "env node", "g.mjs": "env node", "g.rb": "env ruby", "g.php": "env php",
			"g.ps1": "env pwsh", "g.pl": "env perl",
		} {
			w.file(name, "x = 1\n", 0o755)
			want := []string{"./" + name + ": neither a program nor a script with a #! line; put #!/usr/bin/" + first +
				" on its first line, or run " + strings.TrimPrefix(first, "env ") + " ./" + name}
			require.Equal(t, want, w.inspect([]string{"./" + name}, path))
			require.Equal(t, want, w.inspect("./"+name+" --strict", path), "sh takes it for its own")
		}
		w.file("bin/deno", "#!/bin/sh\n", 0o755)
		w.file("g.ts", "let x = 1\n", 0o755)
		require.Contains(t, w.inspect([]string{"./g.ts"}, "PATH="+filepath.Join(w.dir, "bin"))[0],
			"put #!/usr/bin/env -S deno run on its first line, or run deno run ./g.ts")
		w.file("g.py", "#!\n", 0o755)
		require.Equal(t, []string{"./g.py: its #! line names no interpreter; write #!/usr/bin/env python3"},
			w.inspect([]string{"./g.py"}, path))
	})
	t.Run("env with more than one word", func(t *testing.T) {
		w.file("script", "#!/usr/bin/env interp -u\n", 0o755)
		want := []string{"./script: its #! line gives env more than one word, which it takes for one name; write " +
			"#!/usr/bin/env -S interp -u"}
		if runtime.GOOS == "darwin" {
			want = nil
		}
		require.Equal(t, want, w.inspect([]string{"./script"}, path))
	})
	t.Run("unreadable", func(t *testing.T) {
		w.file("script", "#!/nowhere\n", 0o111)
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		require.Empty(t, w.inspect([]string{"./script"}), "there are programs that may be run and not read")
	})
}

// TestInspectIsRight asks the system: what Inspect lets pass must start, and what it warns of must not.
func TestInspectIsRight(t *testing.T) {
	w := newWorkspace(t)
	for text, starts := range map[string]bool{
		"#!/bin/sh\nexit 0\n":            true,
		"#!/bin/sh\r\nexit 0\r\n":        false,
		"#!/nowhere/sh\n":                false,
		"#!sh\n":                         false,
		"":                               false,
		"exit 0\n":                       false,
		"#!\n":                           false,
		"#! \t/bin/sh -e \t\nexit 0\n":   true,
		"#!/bin/sh":                      true,
		"#!/usr/bin/env sh\nexit 0\n":    true,
		"#!/usr/bin/env  sh  \nexit 0\n": true,
		"#!/bin/sh\nexit 0\r\n":          true,
		"\ufeff" + "#!/bin/sh\nexit 0\n": false,
	} {
		path := w.file("script", text, 0o755)
		p, err := os.StartProcess(path, []string{path}, &os.ProcAttr{Dir: w.dir, Files: make([]*os.File, 3)})
		if err == nil {
			_, err := p.Wait()
			require.NoError(t, err)
		}
		require.Equal(t, starts, err == nil, "%q: %v", text, err)
		require.Equal(t, starts, w.inspect([]string{"./script"}) == nil, "%q", text)
	}
}

func TestInspectFiles(t *testing.T) {
	const sh = "#!/bin/sh\nexit 0\n"
	w := newWorkspace(t)
	w.file("good", sh, 0o755)
	w.file("plain", sh, 0o644)
	w.file("open", sh, 0o757)
	w.file("open and broken", "#!/nowhere\n", 0o777)
	w.file("open.py", "", 0o646)
	w.file("tools/lint", sh, 0o755)
	require.NoError(t, os.Symlink("open", filepath.Join(w.dir, "link")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(w.dir, "dangling")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(w.dir, "pipe"), 0o777))
	require.NoError(t, os.Chmod(filepath.Join(w.dir, "pipe"), 0o777))

	for _, test := range []struct {
		name    string
		command any
		want    []string
	}{
		{"good", []string{"./good"}, nil},
		{"missing", []string{"./missing"}, []string{"./missing: no such file"}},
		{"missing in PATH", []string{"no-such-program"}, []string{"no-such-program: not found in PATH"}},
		{"a link to nothing", []string{"./dangling"}, []string{"./dangling: no such file"}},
		{"not executable", []string{"./plain"}, []string{"./plain: not executable; chmod +x it"}},
		{"a folder", []string{"./tools"}, []string{"./tools: is a directory"}},
		{"a pipe", []string{"./pipe"}, []string{"./pipe: not a regular file but a named pipe"}},
		{"world-writable", []string{"./open"},
			[]string{"./open: everybody may write to it, and so change what this hook does; chmod o-w it"}},
		{"a link to what is world-writable", []string{"./link"},
			[]string{"./link: everybody may write to it, and so change what this hook does; chmod o-w it"}},
		{"two things at once", []string{"./open and broken"}, []string{
			"./open and broken: everybody may write to it, and so change what this hook does; chmod o-w it",
			"./open and broken: the interpreter of its #! line cannot run: /nowhere: no such file",
		}},

		{"an interpreter", []string{"sh", "plain"}, nil}, // need not be executable
		{"an interpreter with a missing script", []string{"sh", "missing.sh", "x"},
			[]string{"missing.sh: no such file"}},
		{"an interpreter by its path", []string{"/bin/sh", "missing.sh"}, []string{"missing.sh: no such file"}},
		{"an interpreter with a world-writable script", []string{"sh", "./open.py"},
			[]string{"./open.py: everybody may write to it, and so change what this hook does; chmod o-w it"}},
		{"an interpreter with a flag", []string{"sh", "-c", "missing.sh"}, nil},
		{"an interpreter alone", []string{"sh"}, nil},
		{"an interpreter with an empty argument", []string{"sh", ""}, nil},
		{"no interpreter", []string{"ls", "missing.sh"}, nil},
		{"a script elsewhere", []string{"sh", filepath.Join(w.dir, "good")}, nil},

		{"a command line", "test -f missing && ./missing", nil},
		{"a path at its start", "./missing --strict", []string{"./missing: no such file"}},
		{"a path at its start, then a line break", " tools/missing\n exit 0", []string{"tools/missing: no such file"}},
		{"a path alone", "./plain", []string{"./plain: not executable; chmod +x it"}},
		{"an absolute path at its start", filepath.Join(w.dir, "missing") + "\t-x",
			[]string{filepath.Join(w.dir, "missing") + ": no such file"}},
		{"a good path at its start", "./good | cat", nil},
		{"a world-writable path at its start", "./open; true", nil}, // "./open;" is for a shell to read
		{"a world-writable path and a blank", "./open ; true",
			[]string{"./open: everybody may write to it, and so change what this hook does; chmod o-w it"}},
		{"a path with a variable", `"$HOME"/missing`, nil},
		{"a path behind an assignment", "A=./missing true", nil},
		{"a name at its start", "no-such-program", nil}, // may be a function or a builtin of the shell
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, w.inspect(test.command))
		})
	}

	// node looks for more than the file, and has commands of its own.
	t.Run("node", func(t *testing.T) {
		w.file("node/node", sh, 0o755)
		path := "PATH=" + filepath.Join(w.dir, "node")
		require.Equal(t, []string{"guard.js: no such file"}, w.inspect([]string{"node", "guard.js"}, path))
		require.Empty(t, w.inspect([]string{"node", "guard"}, path))
		require.Empty(t, w.inspect([]string{"node", "inspect", "x.js"}, path))
	})
}
