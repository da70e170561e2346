//go:build unix

package launch_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
)

// pre is a file in Claude Code's form with one hook, which stands at f:2:1.
func pre(hook string) string {
	return `{"hooks":{"PreToolUse":[{"hooks":[` + "\n" + hook + "\n" + `]}]}}`
}

// one is the only hook of a file.
func one(t *testing.T, doc string) *hook.Hook {
	t.Helper()
	cfg, err := parts.All().Parse("f", []byte(doc))
	require.NoError(t, err)
	require.Len(t, cfg.Hooks, 1)
	return &cfg.Hooks[0]
}

// TestClaudeProgram: what a hook in Claude Code's form starts.
func TestClaudeProgram(t *testing.T) {
	w := newWorkspace(t)
	guard := w.file("project/guard", "#!/bin/sh\n", 0o755)
	plugin := w.file("plug in/guard", "#!/bin/sh\n", 0o755)
	pwsh := w.file("bin/pwsh", "#!/bin/sh\n", 0o755)
	env := []string{"PATH=" + filepath.Dir(pwsh), "CLAUDE_PROJECT_DIR=/old",
		"CLAUDE_PROJECT_DIR=" + filepath.Dir(guard), "CLAUDE_PLUGIN_ROOT=" + filepath.Dir(plugin), "X=x"}
	t.Chdir(w.dir) // where hookrun stands must not matter
	for _, test := range []struct {
		name, hook string
		path       string
		argv       []string
		err        string
	}{
		// In a command line they are variables, which is the shell's business.
		{"a command line", `"command":"${CLAUDE_PROJECT_DIR}/guard"`, "/bin/sh",
			[]string{"/bin/sh", "-c", "${CLAUDE_PROJECT_DIR}/guard"}, ""},
		{"bash is sh", `"command":"guard","shell":"bash"`, "/bin/sh", []string{"/bin/sh", "-c", "guard"}, ""},
		{"the project's folder",
			`"command":"${CLAUDE_PROJECT_DIR}/guard","args":["${CLAUDE_PROJECT_DIR}",` +
				`"-C=${CLAUDE_PROJECT_DIR}/${CLAUDE_PROJECT_DIR}"]`,
			guard, []string{guard, w.dir + "/project", "-C=" + w.dir + "/project/" + w.dir + "/project"}, ""},
		{"the plugin's folder", `"command":"${CLAUDE_PLUGIN_ROOT}/guard","args":[]`, plugin, []string{plugin}, ""},
		{"no other variables",
			`"command":"./guard","args":["$X","${X}","$CLAUDE_PROJECT_DIR","${CLAUDE_PROJECT_DIR","~","*",` +
				`"${claude_project_dir}"]`,
			guard, []string{"./guard", "$X", "${X}", "$CLAUDE_PROJECT_DIR", "${CLAUDE_PROJECT_DIR", "~", "*",
				"${claude_project_dir}"}, ""},
		{"a program in the hook's folder", `"command":"./guard","args":["a b"]`, guard, []string{"./guard", "a b"}, ""},
		{"a program in PATH", `"command":"pwsh","args":[""]`, pwsh, []string{"pwsh", ""}, ""},
		{"a name is not looked up in the hook's folder", `"command":"guard","args":[]`, "", nil,
			"guard: not found in PATH"},
		{"missing", `"command":"${CLAUDE_PROJECT_DIR}/missing","args":[]`, "", nil,
			w.dir + "/project/missing: no such file"},
		{"arguments make no command line", `"command":"./guard -x","args":[]`, "", nil, "./guard -x: no such file"},
		{"PowerShell", `"command":"exit 2","shell":"powershell"`, pwsh,
			[]string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", "exit 2"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := one(t, pre(`{"type":"command",`+test.hook+`}`))
			path, argv, err := launch.Program(h, filepath.Dir(guard), env)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.path, path)
			require.Equal(t, test.argv, argv)
		})
	}
	t.Run("PowerShell that is not there", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"exit 2","shell":"powershell"}`))
		_, _, err := launch.Program(h, w.dir, []string{"PATH=" + w.dir})
		require.EqualError(t, err, "pwsh: not found in PATH")
		require.Equal(t, []hook.Diagnostic{{File: "f", Line: 2, Column: 29,
			Text: `hook "exit 2": pwsh: not found in PATH`}}, launch.Inspect(h, w.dir, []string{"PATH=" + w.dir}))
	})
	t.Run("the configuration stays as it is", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"./guard","args":["${CLAUDE_PROJECT_DIR}"]}`))
		_, _, err := launch.Program(h, filepath.Dir(guard), env)
		require.NoError(t, err)
		require.Equal(t, []string{"./guard", "${CLAUDE_PROJECT_DIR}"}, h.Process().Argv,
			"the next call may be in another project")
	})
}

// TestInspectClaude: the place of a fault is that of the command, not of the hook.
func TestInspectClaude(t *testing.T) {
	w := newWorkspace(t)
	w.file("plain", "#!/bin/sh\n", 0o644)
	env := []string{"PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + w.dir}
	for entry, want := range map[string]string{
		`{"type":"command","command":"./plain; true"}`: "",
		`{"type":"command","command":"./plain"}`: `f:2:29: hook "./plain": ` +
			`./plain: not executable; chmod +x it`,
		`{"type":"command","args":[],"command":"${CLAUDE_PROJECT_DIR}/gone"}`: `f:2:39: hook ` +
			`"'${CLAUDE_PROJECT_DIR}/gone'": ` + w.dir + `/gone: no such file`,
		`{"type":"command","command":"sh","args":["${CLAUDE_PROJECT_DIR}/gone.sh"]}`: `f:2:29: hook "sh ` +
			`'${CLAUDE_PROJECT_DIR}/gone.sh'": ` + w.dir + `/gone.sh: no such file`,
		`{"type":"command","command":"sh","args":["${CLAUDE_PROJECT_DIR}/plain"]}`: "",
		`{"type":"http","url":"http://host/x"}`:                                    "",
		// Of a command line, what begins with the folders that such files name.
		`{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/gone -x"}`: `f:2:29: hook ` +
			`"\"$CLAUDE_PROJECT_DIR\"/gone -x": ` + w.dir + `/gone: no such file`,
		`{"type":"command","command":"\"${CLAUDE_PROJECT_DIR}/gone\" -x"}`: `f:2:29: hook ` +
			`"\"${CLAUDE_PROJECT_DIR}/gone\" -x": ` + w.dir + `/gone: no such file`,
		`{"type":"command","command":"$CLAUDE_PROJECT_DIR/plain"}`: `f:2:29: hook ` +
			`"$CLAUDE_PROJECT_DIR/plain": ` + w.dir + `/plain: not executable; chmod +x it`,
		`{"type":"command","command":"sh ${CLAUDE_PROJECT_DIR}/gone.sh"}`: `f:2:29: hook "sh ` +
			`${CLAUDE_PROJECT_DIR}/gone.sh": ` + w.dir + `/gone.sh: no such file`,
		`{"type":"command","command":"sh \"$CLAUDE_PROJECT_DIR\"/plain"}`:                     "",
		`{"type":"command","command":"$CLAUDE_PROJECT_DIRECTORY/gone"}`:                       "",
		`{"type":"command","command":"'$CLAUDE_PROJECT_DIR'/gone"}`:                           "",
		`{"type":"command","command":"true && \"$CLAUDE_PROJECT_DIR\"/gone"}`:                 "",
		`{"type":"prompt","prompt":"rm -rf"}`:                                                 "",
		`{"type":"command","command":"sh","args":["-c","./gone"],"if":"Bash","timeout":0.25}`: "",
	} {
		require.Equal(t, want, hook.Diagnostics(launch.Inspect(one(t, pre(entry)), w.dir, env)).Error())
	}
}

// hooksOf is a file of commands at an event.
func hooksOf(event string, fields ...string) string {
	var hooks []string
	for _, f := range fields {
		hooks = append(hooks, `{"type":"command",`+f+`}`)
	}
	return `{"hooks":{"` + event + `":[{"hooks":[` + strings.Join(hooks, ",") + `]}]}}`
}
