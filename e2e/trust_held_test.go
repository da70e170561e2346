//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

const (
	preA   = "pre-tool --tool a"
	preB   = "pre-tool --tool b"
	postA  = "post-tool --tool a --result x"
	prompt = "pre-execute --prompt hi"
	push   = `pre-tool --tool shell --args {"command":"git_push"}`
	change = `pre-tool --tool shell --args {"command":"change_me"}`
	list   = `pre-tool --tool shell --args {"command":"ls"}`
)

// TestHeld: the calls that a changed file blocks are those that its hook would have run for. one.sh is changed.
func TestHeld(t *testing.T) {
	for name, tt := range map[string]struct {
		hooks      string // of the project; "": local.json has all
		local      string // hooks of the local file
		user       string // hooks of the user's file
		change     func(p *project)
		held, free []string // calls
		variable   string   // in the environment
		pin        bool     // with --pin too
		names      string   // the difference; "": one.sh was changed
	}{
		"matcher": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			held: []string{preA}, free: []string{preB, postA, prompt}, pin: true,
		},
		"event": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["post-tool"]},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool", "post-tool", "pre-execute"]}`,
			held: []string{postA}, free: []string{preA, prompt}, pin: true,
		},
		"prompt": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-execute"]},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool", "pre-execute"]}`,
			held: []string{prompt}, free: []string{preA, postA}, pin: true,
		},
		"if": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "if": "shell(git_push*)"}`,
			held: []string{push, `pre-tool --tool shell --args {"command":"x=$(y);$x"}`,
				`pre-tool --tool shell --args {"command"`, "pre-tool --tool shell"},
			free: []string{list, preA, prompt}, pin: true,
		},
		"when": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"],
			 "when": [{"path": "args.n", "equals": 1}]}`,
			held: []string{preA + ` --args {"n":1}`, preA + ` --args {"n":2,"n":1}`},
			free: []string{preA + ` --args {"n":2}`, preA, prompt},
		},
		"one file of two hooks": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "2", "command": "sh two.sh", "files": ["*e.sh"], "events": ["pre-tool"], "matcher": "b"},
			{"name": "3", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "c"}`,
			held: []string{preA, preB}, free: []string{"pre-tool --tool c", prompt}, pin: true,
		},
		"a new file of a glob": {
			hooks: `{"name": "1", "command": "sh two.sh", "files": ["g/*"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			change: func(p *project) { p.write("g/new.sh", "") }, names: "g/new.sh was not there before",
			held: []string{preA}, free: []string{preB, prompt}, pin: true,
		},
		"a file of a glob that is gone": {
			hooks: `{"name": "1", "command": "sh two.sh", "files": ["g/*"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			change: func(p *project) { require.NoError(p, os.Remove(filepath.Join(p.dir, "g/old.sh"))) },
			names:  "g/old.sh is gone", held: []string{preA}, free: []string{preB, prompt}, pin: true,
		},
		"a program of PATH": {
			hooks: `{"name": "1", "command": ["found", "two.sh"], "files": [], "events": ["pre-tool"], "matcher": "a"},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			change: func(p *project) { require.NoError(p, os.Remove(filepath.Join(p.home, "bin/found"))) },
			names:  "found is not in PATH any more", held: []string{preA}, free: []string{preB, prompt}, pin: true,
		},
		"a certificate": {
			hooks: `{"name": "1", "url": "https://127.0.0.1:1/", "ca_file": "one.sh", "events": ["pre-tool"], "matcher": "a",
			 "on_failure": "continue"},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			held: []string{preA}, free: []string{preB, prompt},
		},
		"selected by a rewrite": {
			hooks: `{"name": "w", "command": ["sh", "rewrite.sh"], "events": ["pre-tool"], "matcher": "shell"},
			{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "if": "shell(git_push*)"}`,
			held: []string{push, change}, free: []string{list, prompt}, pin: true,
		},
		"selected by a rewrite, parallel": {
			hooks: `{"name": "w", "command": "sh rewrite.sh", "events": ["PreToolUse"], "matcher": "shell",
			 "dialect": "claude"},
			{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "if": "shell(git_push*)"}`,
			held: []string{push, change}, free: []string{list, prompt},
		},
		"selected by a rewrite of a lower level": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "if": "shell(git_push*)"}`,
			local: `{"name": "w", "command": ["sh", "rewrite.sh"], "events": ["pre-tool"], "matcher": "shell"}`,
			held:  []string{push, change}, free: []string{list, prompt},
		},
		"parallel": {
			hooks: `{"name": "1", "command": "sh one.sh", "events": ["PreToolUse"], "matcher": "a", "dialect": "claude"},
			{"name": "2", "command": "sh two.sh", "events": ["PreToolUse"], "dialect": "claude"}`,
			held: []string{preA}, free: []string{preB, postA, prompt},
		},
		"async": {
			hooks: `{"name": "1", "command": "sh one.sh", "events": ["PreToolUse"], "matcher": "a", "dialect": "claude",
			 "async": true}`,
			held: []string{preA}, free: []string{preB, prompt},
		},
		"persistent": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a",
			 "persistent": true}`,
			held: []string{preA}, free: []string{preB, prompt},
		},
		"observe": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a",
			 "mode": "observe"}`,
			held: []string{preA}, free: []string{preB, prompt},
		},
		"equal hooks": {
			hooks: `{"name": "1", "command": "sh one.sh", "events": ["PreToolUse"], "matcher": "a", "dialect": "claude"},
			{"name": "2", "command": "sh one.sh", "events": ["PreToolUse"], "matcher": "a|b", "dialect": "claude"}`,
			held: []string{preA, preB}, free: []string{"pre-tool --tool c", prompt},
		},
		"two hooks of one name": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "1", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			held: []string{preA, preB}, free: []string{"pre-tool --tool c", prompt},
		},
		"a rule beside it": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "1", "inject": "text", "events": ["pre-tool"], "matcher": "b"}`,
			held: []string{preA}, free: []string{preB, prompt},
		},
		"the user's hook of that name": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"}`,
			user:  `{"name": "1", "command": "echo user", "events": ["pre-tool"], "matcher": "b"}`,
			held:  []string{preA}, free: []string{preB, prompt},
		},
		"local hook": {
			hooks: `{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			local: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"}`,
			held:  []string{preA}, free: []string{preB, prompt},
		},
		"enabled false": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "enabled": false},
			{"name": "2", "command": ["sh", "two.sh"], "events": ["pre-tool"]}`,
			free: []string{preA, prompt},
		},
		"skipped": {
			hooks: `{"name": "1", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "a"},
			{"name": "2", "command": ["sh", "one.sh"], "events": ["pre-tool"], "matcher": "b"}`,
			variable: "HOOKRUN_SKIP=1", held: []string{preB}, free: []string{preA, prompt},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for flag, cause := range map[string]string{"--trust=required": "untrusted", "--pin": "changed"} {
				if flag == "--pin" && !tt.pin {
					continue
				}
				p := newProject(t)
				p.env = append(p.env, "PATH="+filepath.Join(p.home, "bin")+":"+os.Getenv("PATH"))
				file := func(hooks string) string { return `{"hooks": [` + hooks + `]}` }
				p.write(".tenex-hooks.json", file(tt.hooks))
				if tt.local != "" {
					p.write(".tenex-hooks.local.json", file(tt.local))
				}
				if tt.user != "" {
					p.write("../config/hookrun/hooks.json", file(tt.user))
				}
				p.write("one.sh", "exit 0\n")
				p.write("two.sh", "exit 0\n")
				p.write("g/old.sh", "exit 0\n")
				p.write("g/older.sh", "exit 0\n")
				p.write("../bin/found", "#!/bin/sh\n")
				p.write("rewrite.sh", `if grep -q change_me; then
  echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "git_push"}}}'
fi`)
				p.allow()
				p.env = append(p.env, tt.variable)
				fire := func(call string) binary.Outcome { return p.fire(p.dir, append(strings.Fields(call), flag)...) }
				for _, call := range append(tt.held, tt.free...) {
					require.NotEqual(t, "untrusted", fire(call).Cause, call)
				}
				if tt.change == nil {
					tt.change = func(p *project) { p.write("one.sh", "exit 0 # other\n") }
					tt.names = "one.sh was changed"
				}
				tt.change(p)
				for _, call := range tt.held {
					o := fire(call)
					require.Equal(t, "block", o.Decision, call)
					require.Equal(t, cause, o.Cause, o.Reason)
					require.Contains(t, o.Reason, tt.names, call)
					require.Contains(t, o.Reason, "(hook", call)
					require.Contains(t, o.Reason, "a person must look at them and run: hookrun allow "+p.dir, call)
				}
				for _, call := range tt.free {
					o := fire(call)
					require.Equal(t, "continue", o.Decision, "%s: %s", call, o.Reason)
					told := len(o.SystemMessages) > 0 && strings.Contains(o.SystemMessages[0], tt.names)
					require.Equal(t, call == prompt, told, "%s: %q", call, o.SystemMessages)
				}
				require.Equal(t, 2, p.run(p.dir, "status").Code)
			}
		})
	}
}

// A record of a hookrun that did not record the hooks of a file says nothing of what a change can affect.
func TestRecordWithoutHooks(t *testing.T) {
	p := newProject(t)
	p.allow()
	old := func() {
		files, err := filepath.Glob(filepath.Join(p.home, "state/hookrun/allowed/*.json"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		sum, doc, _ := strings.Cut(string(text), "\n")
		record := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(doc), &record))
		require.NotEmpty(t, record["users"])
		delete(record, "users")
		without, err := json.Marshal(record)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(files[0], []byte(sum+"\n"+string(without)), 0o600))
	}
	old()
	p.goesOn(p.dir, "--trust", "required")
	p.write("guard.sh", "#!/bin/sh\n")
	p.blocks("untrusted", "guard.sh was changed, so every tool call is blocked", p.dir, "--trust", "required")
	p.holdsAlone("untrusted", "guard.sh was changed", true, p.dir, "--trust", "required")
	p.allow()
	p.write("guard.sh", "#!/bin/sh\n# other\n")
	p.holdsAlone("untrusted", "guard.sh was changed (hook 'guard')", false, p.dir, "--trust", "required")
}

// With both flags a script that was allowed before the session began is no change, whatever it was in between.
func TestPutBackWithinSession(t *testing.T) {
	p := newProject(t)
	p.allow()
	p.write("guard.sh", "#!/bin/sh\n")
	p.blocks("untrusted", "guard.sh was changed", p.dir, "--trust", "required", "--pin")
	p.holdsAlone("untrusted", "guard.sh was changed", false, p.dir, "--trust", "required", "--pin")
	p.write("guard.sh", "#!/bin/sh\necho guarded\n")
	p.goesOn(p.dir, "--trust", "required", "--pin")
	p.write(".tenex-hooks.json", `{"hooks": []}`)
	p.blocks("untrusted", ".tenex-hooks.json was changed", p.dir, "--trust", "required", "--pin")
	p.write(".tenex-hooks.json", guarded)
	p.goesOn(p.dir, "--trust", "required", "--pin")
}

// The comparison around each hook holds also if hooks are skipped.
func TestSwappedBesideSkipped(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.json", `{"hooks": [{"name": "skipped", "command": "exit 2", "events": ["pre-tool"]},
  {"name": "guard", "command": "sh ./check.sh", "events": ["pre-tool"], "on_failure": "continue"}]}`)
	p.write("check.sh", "mv check.sh old && echo 'exit 0' > check.sh && mv old check.sh\n")
	p.allow()
	p.env = append(p.env, "HOOKRUN_SKIP=skipped")
	p.blocks("untrusted", "check.sh was changed while the hooks of this call ran (hook 'guard')", p.dir,
		"--trust", "required")
}
