//go:build unix

package hookfile_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/hookfile"
)

// posting is a file whose only hook posts to an address.
func posting(settings, url string) string {
	return `{` + settings + `"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"` + url +
		`","headers":{"X-Key":"secret"}}]}]}}`
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
			path, argv, err := h.Program(filepath.Dir(guard), env)
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
		_, _, err := h.Program(w.dir, []string{"PATH=" + w.dir})
		require.EqualError(t, err, "pwsh: not found in PATH")
		require.Equal(t, []hookfile.Diagnostic{{File: "f", Line: 2, Column: 29,
			Text: `hook "exit 2": pwsh: not found in PATH`}}, h.Inspect(w.dir, []string{"PATH=" + w.dir}))
	})
	t.Run("the configuration stays as it is", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"./guard","args":["${CLAUDE_PROJECT_DIR}"]}`))
		_, _, err := h.Program(filepath.Dir(guard), env)
		require.NoError(t, err)
		require.Equal(t, []string{"./guard", "${CLAUDE_PROJECT_DIR}"}, h.Command.Argv,
			"the next call may be in another project")
	})
}

// TestInspectClaude: the place of a fault is that of the command, not of the hook.
func TestInspectClaude(t *testing.T) {
	w := newWorkspace(t)
	w.file("plain", "#!/bin/sh\n", 0o644)
	env := []string{"PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + w.dir}
	for hook, want := range map[string]string{
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
		require.Equal(t, want, hookfile.Diagnostics(one(t, pre(hook)).Inspect(w.dir, env)).Error())
	}
}

// TestAllowedURLs: the settings may say where hooks post to, with * for any text. What is not allowed fails as a hook
// that is missing does.
func TestAllowedURLs(t *testing.T) {
	for _, test := range []struct {
		allowed, url string // the patterns are those of a JSON array
		ok           bool
	}{
		{`"http://host/x"`, "http://host/x", true},
		{`"http://host/x"`, "http://host/x2", false},
		{`"http://host/x"`, "http://host/", false},
		{`"http://host/*"`, "http://host/x/y?z", true},
		{`"http://host/*"`, "http://host/", true},
		{`"http://host/*"`, "http://host.evil.example/", false},
		{`"http://host*"`, "http://host.evil.example/", true}, // as it says
		{`"http://HOST/*"`, "http://host/x", false},
		{`"*"`, "http://anywhere", true},
		{`"http://*.example/*"`, "http://a.example/x", true},
		{`"http://*.example/*"`, "http://a.example", false},
		{`"http://*/a*b"`, "http://h/ab", true},
		{`"http://*/ab*b"`, "http://h/ab", false}, // no letter counts twice
		{`"*x*x*"`, "http://h/x", false},
		{`"http://h*h"`, "http://h", false},
		{`"http://*/x"`, "http://h/x", true},
		{`"http://*/x"`, "http://h/xx", false},
		{`"http://h/.x"`, "http://h/yx", false}, // no expression
		{`"**"`, "http://h", true},
		{`""`, "http://h", false},
		{``, "http://h", false}, // none is allowed
		{`"http://a","http://b"`, "http://b", true},
	} {
		h := one(t, posting(`"allowedHttpHookUrls":[`+test.allowed+`],`, test.url))
		_, err := h.Endpoint()
		if test.ok {
			require.NoError(t, err, test)
			continue
		}
		require.EqualError(t, err, test.url+` is not among the "allowedHttpHookUrls" of the settings`, test)
		require.Len(t, h.Inspect(".", nil), 1)
	}
	t.Run("lists of several files are one", func(t *testing.T) {
		cfg := claudeConfig(t, posting("", "http://a"), posting(`"allowedHttpHookUrls":["http://b"],`, "http://b"),
			`{"allowedHttpHookUrls":["http://c"],"hooks":{}}`, posting("", "http://c"))
		var ok []bool
		for i := range cfg.Hooks {
			_, err := cfg.Hooks[i].Endpoint()
			ok = append(ok, err == nil)
		}
		require.Equal(t, []bool{false, true, true}, ok, "the first file said nothing of its own")
	})
}

// TestEndpointString: neither user nor query may get into a report.
func TestEndpointString(t *testing.T) {
	for url, want := range map[string]string{
		"http://host":                        "http://host",
		"http://host/":                       "http://host/",
		"https://host:8443/a/b":              "https://host:8443/a/b",
		"https://user:pw@host/a":             "https://host/a",
		"https://user:p@w@host/a":            "https://host/a",
		"https://token@host?key=secret":      "https://host",
		"https://host/a?key=http://x@y/#z":   "https://host/a",
		"https://host/a#secret":              "https://host/a",
		"https://host#secret?key":            "https://host",
		"https://user:pw@[::1]:8080/a@b?c=d": "https://[::1]:8080/a@b",
		"http:///only/a@path":                "http:///only/a@path",
		"no address":                         "no address",
	} {
		require.Equal(t, want, (&hookfile.Endpoint{URL: url}).String(), url)
	}
}

// TestAllowedVariables: the settings may admit fewer variables than the hook wants.
func TestAllowedVariables(t *testing.T) {
	const hook = `"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"http://h","allowedEnvVars":["A","B","C",` +
		`"A"]}]}]}}`
	for docs, want := range map[string][]string{
		`{`: {"A", "B", "C", "A"},
		`{"httpHookAllowedEnvVars":["C","A","X","a*"],`: {"A", "C",
			"A"},
		`{"httpHookAllowedEnvVars":[],`:                            {},
		`{"httpHookAllowedEnvVars":["*"],`:                         {},
		`{"httpHookAllowedEnvVars":["A"],"hooks":{}}` + "\n" + `{`: {"A", "A"},
		`{"httpHookAllowedEnvVars":["A"],"hooks":{}}` + "\n" + `{"httpHookAllowedEnvVars":["B"],`: {"A", "B",
			"A"},
		`{"allowedHttpHookUrls":["*"],"httpHookAllowedEnvVars":[],"hooks":{}}` + "\n" + `{"model":"m",`: {},
	} {
		cfg := claudeConfig(t, strings.Split(docs+hook, "\n")...)
		h := &cfg.Hooks[len(cfg.Hooks)-1]
		e, err := h.Endpoint()
		require.NoError(t, err)
		require.Equal(t, want, e.AllowedEnvVars, docs)
		require.Equal(t, []string{"A", "B", "C", "A"}, h.HTTP.AllowedEnvVars, "what the file says stays")
	}
}
