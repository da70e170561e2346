//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// project is a project with hooks, and a state folder of its own.
type project struct {
	*testing.T
	dir, home string
	env       []string
}

// guarded is a guard of two commands: one is run directly, and one by a shell. A third hook is for other calls.
const guarded = `{"hooks": [
  {"name": "guard", "command": ["./guard.sh"], "events": ["pre-tool"], "matcher": "t", "on_failure": "continue"},
  {"name": "check", "command": "sh scripts/check.sh < data.txt", "events": ["pre-tool"], "matcher": "t",
   "on_failure": "continue"},
  {"name": "kept", "command": ["./kept.sh"], "events": ["pre-tool", "pre-execute"], "matcher": "u"}
]}
`

func newProject(t *testing.T) *project {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &project{T: t, home: home, dir: filepath.Join(home, "project")}
	p.env = []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config")}
	p.write(".git/HEAD", "")
	p.write(".tenex-hooks.json", guarded)
	p.write("guard.sh", "#!/bin/sh\necho guarded\n")
	p.write("scripts/check.sh", "cat\n")
	p.write("data.txt", "checked\n")
	p.write("kept.sh", "#!/bin/sh\necho kept\n")
	return p
}

func (p *project) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	require.NoError(p, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p, os.WriteFile(path, []byte(text), 0o755))
}

func (p *project) run(dir string, argv ...string) binary.Result {
	p.Helper()
	return binary.Run(p.T, dir, "", p.env, append([]string{binary.Path}, argv...)...)
}

func (p *project) allow() {
	p.Helper()
	got := p.run(p.dir, "allow", "--yes")
	require.Zero(p, got.Code, got.Stderr)
}

// call makes a call in a folder of the project, of the one session, with the flags.
func (p *project) call(dir string, flags ...string) binary.Outcome {
	p.Helper()
	return p.fire(dir, append([]string{"pre-tool", "--tool", "t"}, flags...)...)
}

func (p *project) fire(dir string, argv ...string) (o binary.Outcome) {
	p.Helper()
	got := p.run(dir, append(argv, "--session-id", "s", "-o", "json")...)
	require.NoError(p, json.Unmarshal([]byte(got.Stdout), &o), "%s%s", got.Stdout, got.Stderr)
	require.Equal(p, o.Decision == "continue", got.Code == 0)
	return o
}

func (p *project) goesOn(dir string, flags ...string) binary.Outcome {
	p.Helper()
	o := p.call(dir, flags...)
	require.Equal(p, "continue", o.Decision, o.Reason)
	return o
}

func (p *project) blocks(cause, reason, dir string, flags ...string) {
	p.Helper()
	o := p.call(dir, flags...)
	require.Equal(p, "block", o.Decision)
	require.Equal(p, cause, o.Cause, o.Reason)
	require.Contains(p, o.Reason, reason)
}

// holdsAlone requires that a call for other hooks goes on, with its hooks, and that a prompt does. If a change may have
// made another set of hooks, every tool call is blocked, and the prompt goes on without the hooks. The prompt has the
// message in both cases.
func (p *project) holdsAlone(cause, reason string, all bool, dir string, flags ...string) {
	p.Helper()
	o := p.fire(dir, append([]string{"pre-tool", "--tool", "u"}, flags...)...)
	ran := 1
	if all {
		require.Equal(p, "block", o.Decision)
		require.Equal(p, cause, o.Cause)
		require.Contains(p, o.Reason, reason)
		ran = 0
	} else {
		require.Equal(p, "continue", o.Decision, o.Reason)
		require.Len(p, o.Inject, 1)
		require.Empty(p, o.SystemMessages)
	}
	o = p.fire(dir, append([]string{"pre-execute", "--prompt", "hi"}, flags...)...)
	require.Equal(p, "continue", o.Decision, o.Reason)
	require.Len(p, o.Inject, ran)
	require.Len(p, o.SystemMessages, 1)
	require.Contains(p, o.SystemMessages[0], reason)
	require.Regexp(p, "run: hookrun (allow|deny) /|chmod ", o.SystemMessages[0])
}

// Rows of the table of attacks.
const (
	rowHooksFile = "hooks file edited, replaced by a link, or deleted"
	rowScript    = "script, or a file that it is given, edited, deleted, or replaced by a link, a pipe or a folder"
	rowBelow     = "hooks file or `.git` created in a folder below"
)

// requireRow requires that docs/reference/trust.md says of an attack which calls are blocked.
func requireRow(t *testing.T, attack, blocks string) {
	t.Helper()
	page, err := os.ReadFile("../docs/reference/trust.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "\n| "+attack+" | "+blocks+" |\n")
}

// TestAttackRows: each row of the table of attacks has a test that names the row.
func TestAttackRows(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/trust.md")
	require.NoError(t, err)
	files, err := filepath.Glob("trust_*_test.go")
	require.NoError(t, err)
	tests := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tests += string(text)
	}
	_, table, ok := strings.Cut(string(page), "| attack | blocks |\n|---|---|\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.SplitSeq(table, "\n") {
		require.Contains(t, tests, strconv.Quote(strings.Split(row, " | ")[0][len("| "):]))
	}
}

// The table of attacks in docs/reference/trust.md. Each begins with hooks that were allowed, and a session whose first
// call they approved of.
func TestAttacks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		row    string // of the table, if it is not that of a changed script
		attack func(p *project)
		trust  string // what the reason of an untrusted call names
		pin    string // and of one in a session that is pinned alone; "": the same
		all    bool   // every tool call is blocked, not only those of the hook that has changed
	}{
		{name: "hooks file edited", row: rowHooksFile, all: true, trust: ".tenex-hooks.json was changed",
			attack: func(p *project) {
				p.write(".tenex-hooks.json", `{"hooks": []}`)
			}},
		{name: "hooks file replaced by a link", row: rowHooksFile, all: true,
			trust: ".tenex-hooks.json leads to .elsewhere.json",
			attack: func(p *project) {
				own := filepath.Join(p.dir, ".tenex-hooks.json")
				require.NoError(p, os.Rename(own, filepath.Join(p.dir, ".elsewhere.json")))
				require.NoError(p, os.Symlink(".elsewhere.json", own))
			}},
		{name: "hooks file deleted", row: rowHooksFile, all: true, trust: ".tenex-hooks.json is gone",
			pin: "is the project now",
			attack: func(p *project) {
				require.NoError(p, os.Remove(filepath.Join(p.dir, ".tenex-hooks.json")))
			}},
		{name: "script edited", trust: "guard.sh was changed", attack: func(p *project) {
			p.write("guard.sh", "#!/bin/sh\n")
		}},
		{name: "script edited, its time put back", trust: "guard.sh was changed", attack: func(p *project) {
			path := filepath.Join(p.dir, "guard.sh")
			info, err := os.Stat(path)
			require.NoError(p, err)
			p.write("guard.sh", "#!/bin/sh\necho unguard\n")
			require.NoError(p, os.Chtimes(path, info.ModTime(), info.ModTime()))
		}},
		{name: "script deleted", trust: "scripts/check.sh is gone", attack: func(p *project) {
			require.NoError(p, os.Remove(filepath.Join(p.dir, "scripts/check.sh")))
		}},
		{name: "script of a shell's line edited", trust: "scripts/check.sh was changed", attack: func(p *project) {
			p.write("scripts/check.sh", "exit 0\n")
		}},
		{name: "what a script reads edited", trust: "data.txt was changed", attack: func(p *project) {
			p.write("data.txt", "nothing\n")
		}},
		{name: "script made a link out of the workspace", attack: func(p *project) {
			path, other := filepath.Join(p.dir, "guard.sh"), filepath.Join(p.home, "other.sh")
			require.NoError(p, os.Rename(path, other))
			require.NoError(p, os.Symlink(other, path))
		}, trust: "guard.sh leads to "},
		{name: "folder of scripts made a link", attack: func(p *project) {
			path, other := filepath.Join(p.dir, "scripts"), filepath.Join(p.home, "others")
			require.NoError(p, os.Rename(path, other))
			require.NoError(p, os.Symlink(other, path))
		}, trust: "scripts/check.sh leads to "},
		{name: "PATH shadowed", row: "another program found in `PATH`", attack: func(p *project) {
			p.write("../bin/sh", "#!/bin/sh\nexit 0\n")
		}, trust: "sh is "},
		{name: "file in the place of a script's folder", trust: "scripts/check.sh is gone", attack: func(p *project) {
			require.NoError(p, os.RemoveAll(filepath.Join(p.dir, "scripts")))
			p.write("scripts", "")
		}},
		{name: "hooks file in a folder below", row: rowBelow, all: true, attack: func(p *project) {
			p.write("below/.tenex-hooks.json", `{"hooks": []}`)
		}, trust: "", pin: "is the project now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			blocks := "the hook's calls"
			if tt.all {
				blocks = "every tool call"
			}
			requireRow(t, cmp.Or(tt.row, rowScript), blocks)
			prepare := func(t *testing.T) (*project, string) {
				p := newProject(t)
				p.env = append(p.env, "PATH="+filepath.Join(p.home, "bin")+":"+os.Getenv("PATH"))
				below := filepath.Join(p.dir, "below")
				require.NoError(t, os.MkdirAll(below, 0o755))
				return p, below
			}
			t.Run("trust", func(t *testing.T) {
				p, below := prepare(t)
				p.allow()
				p.goesOn(below, "--trust", "required")
				tt.attack(p)
				p.blocks("untrusted", tt.trust, below, "--trust", "required")
				p.blocks("untrusted", "a person must", below, "--trust", "required", "--pin",
					"--on-failure", "continue")
				p.holdsAlone("untrusted", tt.trust, tt.all, below, "--trust", "required", "--pin")
			})
			t.Run("pin", func(t *testing.T) {
				p, below := prepare(t)
				o := p.goesOn(below, "--pin")
				require.Len(t, o.Inject, 2)
				tt.attack(p)
				want := tt.pin
				if want == "" {
					want = tt.trust
				}
				p.blocks("changed", want, below, "--pin", "--on-failure", "continue")
				p.holdsAlone("changed", want, tt.all, below, "--pin")
			})
		})
	}
}

// A hooks file that comes into being within a session is a change like any other, and needs no person to be noticed.
func TestCreatedMidSession(t *testing.T) {
	requireRow(t, "hooks file created within a session", "every tool call, with `--pin`; else its hooks do not run")
	p := newProject(t)
	path := filepath.Join(p.dir, ".tenex-hooks.json")
	require.NoError(t, os.Remove(path))
	p.goesOn(p.dir, "--trust", "required", "--pin")
	p.write(".tenex-hooks.json", guarded)
	p.blocks("changed", ".tenex-hooks.json was not there before", p.dir, "--pin")
	p.blocks("changed", ".tenex-hooks.json was not there before", p.dir, "--trust", "required", "--pin")
	p.allow() // since then a person has looked at it
	p.goesOn(p.dir, "--trust", "required", "--pin")
	p.write("guard.sh", "#!/bin/sh\n")
	p.blocks("changed", "guard.sh was changed", p.dir, "--pin")
}

// A script that is another when it starts than when it was hashed, or is put back before the end.
func TestSwapped(t *testing.T) {
	requireRow(t, "script changed between the hash and its end, even if put back", "this call")
	for _, tt := range []struct{ name, first, second string }{
		{"by an earlier hook", "echo 'exit 0' > check.sh", "echo checked"},
		{"by an earlier hook, with its text", "cp check.sh new && mv new check.sh", "echo checked"},
		{"by itself", "", "echo 'exit 0' > check.sh"},
		{"and put back", "", "mv check.sh old && echo 'exit 0' > check.sh && mv old check.sh"},
		{"by a link", "", "mv check.sh old && ln -s old check.sh"},
		{"a program that was not there", "mkdir bin && echo 'exit 0' > bin/late && chmod +x bin/late", "./bin/late"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t)
			p.write(".tenex-hooks.json", `{"hooks": [
  {"name": "first", "command": ["./first.sh"], "events": ["pre-tool"], "on_failure": "continue"},
  {"name": "second", "command": "sh ./check.sh; ./bin/late; true", "events": ["pre-tool"], "on_failure": "continue"}
]}`)
			p.write("first.sh", "#!/bin/sh\n"+tt.first+"\n")
			p.write("check.sh", tt.second+"\n")
			p.allow()
			p.blocks("untrusted", "was changed while the hooks of this call ran", p.dir, "--trust", "required")

			p = newProject(t)
			p.write(".tenex-hooks.json", `{"hooks": [
  {"name": "first", "command": ["./first.sh"], "events": ["pre-tool"]},
  {"name": "second", "command": "sh ./check.sh; ./bin/late; true", "events": ["pre-tool"]}
]}`)
			p.write("first.sh", "#!/bin/sh\n"+tt.first+"\n")
			p.write("check.sh", tt.second+"\n")
			p.blocks("changed", "was changed while the hooks of this call ran", p.dir, "--pin")
		})
	}
}

// A folder above that another user owns can get a hooks file at any time.
func TestParentOfAnother(t *testing.T) {
	requireRow(t, "hooks file that another user can change", "every tool call")
	p := newProject(t)
	path := filepath.Join(p.dir, ".tenex-hooks.json")
	require.NoError(t, os.Chmod(path, 0o666))
	sub := filepath.Join(p.dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o755))
	p.blocks("untrusted", "another user can change the hooks file "+path, sub, "--trust", "required")
	if os.Getuid() == 0 {
		require.NoError(t, os.Chmod(path, 0o644))
		require.NoError(t, os.Chown(path, 12345, 12345))
		p.blocks("untrusted", "another user can change the hooks file "+path, sub, "--trust", "required")
	}
	p.allow() // what was hashed is what runs, whoever could write it
	p.goesOn(sub, "--trust", "required")
}

// A folder within a project that was allowed has no hooks of its own for an agent to hide in.
func TestBelowAllowed(t *testing.T) {
	requireRow(t, rowBelow, "every tool call")
	p := newProject(t)
	p.allow()
	below := filepath.Join(p.dir, "below")
	p.write("below/.git/HEAD", "")
	p.blocks("untrusted", "the hooks of "+p.dir+" were allowed and are for this folder too", below,
		"--trust", "required")
	got := p.run(below, "allow", "--yes") // a person says that it is a project of its own
	require.Zero(t, got.Code, got.Stderr)
	p.goesOn(below, "--trust", "required")
}

func TestStateFolderOfOthers(t *testing.T) {
	requireRow(t, "state folder that others can write", "every tool call")
	p := newProject(t)
	p.allow()
	state := filepath.Join(p.home, "state", "hookrun")
	for _, folder := range []string{state, filepath.Join(state, "allowed"), filepath.Dir(state)} {
		require.NoError(t, os.Chmod(folder, 0o777))
		p.blocks("untrusted", "can be written to by", p.dir, "--trust", "required")
		p.holdsAlone("untrusted", "can be written to by", true, p.dir, "--trust", "required")
		require.NoError(t, os.Chmod(folder, 0o700))
	}
	require.NoError(t, os.Chmod(state, 0o770))
	p.blocks("changed", "can be written to by", p.dir, "--pin")
	got := p.run(p.dir, "allow", "--yes")
	require.Equal(t, 1, got.Code)
	require.Contains(t, got.Stderr, "chmod 700")
	require.NoError(t, os.Chmod(state, 0o700))
	p.goesOn(p.dir, "--trust", "required")
	info, err := os.Stat(filepath.Join(state, "allowed"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	files, err := filepath.Glob(filepath.Join(state, "allowed", "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(state, 12345, 12345))
		p.blocks("untrusted", "belongs to another user", p.dir, "--trust", "required")
	}
}

// Two sessions have hooks of their own; the calls with which one session begins agree.
func TestSessions(t *testing.T) {
	p := newProject(t)
	p.goesOn(p.dir, "--pin")
	p.write("guard.sh", "#!/bin/sh\n")
	got := p.run(p.dir, "pre-tool", "--tool", "t", "--session-id", "other", "--pin")
	require.Zero(t, got.Code, got.Stderr)
	p.blocks("changed", "guard.sh was changed", p.dir, "--pin")
	p.write("guard.sh", "#!/bin/sh\necho guarded\n")
	p.goesOn(p.dir, "--pin")
	require.Equal(t, 2, p.run(p.dir, "pre-tool", "--tool", "t", "--session-id", "other", "--pin").Code)

	// Many first calls at once, while the hooks file changes: all that ran had the same.
	var all sync.WaitGroup
	results := make([]binary.Result, 12)
	for i := range results {
		all.Go(func() {
			results[i] = p.run(p.dir, "pre-tool", "--tool", "t", "--session-id", "many", "--pin", "-o", "json")
		})
		if i == len(results)/2 {
			require.NoError(t, os.WriteFile(filepath.Join(p.dir, "data.new"), []byte("others\n"), 0o600))
			require.NoError(t, os.Rename(filepath.Join(p.dir, "data.new"), filepath.Join(p.dir, "data.txt")))
		}
	}
	all.Wait()
	said := map[string]bool{}
	for _, r := range results {
		var o binary.Outcome
		require.NoError(t, json.Unmarshal([]byte(r.Stdout), &o), r.Stderr)
		if o.Decision == "continue" {
			said[o.Inject[1].Content] = true
		} else {
			require.Equal(t, "changed", o.Cause, o.Reason)
		}
	}
	require.LessOrEqual(t, len(said), 1)
}

// A session that began with hooks that were allowed does not go on without them.
func TestDeniedMidSession(t *testing.T) {
	p := newProject(t)
	p.allow()
	p.goesOn(p.dir, "--trust", "required", "--pin")
	got := p.run(p.dir, "deny") // as an agent would, without a terminal
	require.Equal(t, 1, got.Code)
	p.goesOn(p.dir, "--trust", "required", "--pin")
	require.Zero(t, p.run(p.dir, "deny", "--yes").Code)
	p.blocks("changed", "were allowed when this session began", p.dir, "--trust", "required", "--pin")
	p.allow()
	p.goesOn(p.dir, "--trust", "required", "--pin")
}

func TestPinNeedsSession(t *testing.T) {
	p := newProject(t)
	got := p.run(p.dir, "pre-tool", "--tool", "t", "--pin")
	require.Equal(t, 1, got.Code)
	require.Contains(t, got.Stderr, "give --session-id, or leave --pin out")
}

// Names of files come from whoever can write to the project, and end up on a terminal.
func TestNamesSteerNoTerminal(t *testing.T) {
	p := newProject(t)
	name := "a\x1b[31m\u202eb.sh"
	p.write(name, "#!/bin/sh\necho \x1b[2J\n")
	hooks, err := json.Marshal(map[string]any{"hooks": []any{map[string]any{"name": "x\x1b[1m",
		"command": []string{"./" + name}, "events": []string{"pre-tool"}}}})
	require.NoError(t, err)
	p.write(".tenex-hooks.json", string(hooks))
	got := p.run(p.dir, "allow", "--yes")
	require.Zero(t, got.Code, got.Stderr)
	p.write(name, "#!/bin/sh\n")
	for _, r := range []binary.Result{got, p.run(p.dir, "status"), p.run(p.dir, "allow", "--yes"),
		p.run(p.dir, "pre-tool", "--tool", "t", "--trust", "required")} {
		require.False(t, strings.ContainsAny(r.Stdout+r.Stderr, "\x1b\u202e"), "%q", r.Stdout+r.Stderr)
	}
}
