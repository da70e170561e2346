//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// Of a command that nobody can tell, allow and check name the position and ask for "files".
func TestAllowAsksForFiles(t *testing.T) {
	p := newProject(t)
	const hooks = `{"hooks": [{"name": "guard", "command": "sh gates/$(cat which).sh", "events": ["pre-tool"]}]}`
	p.write("which", "a")
	p.write("gates/a.sh", "exit 2\n")
	p.write(".tenex-hooks.json", hooks)
	got := p.run(p.dir, "allow", "--yes")
	require.Equal(t, 1, got.Code)
	const text = `hook "guard": what files its command runs cannot be told for sure: ` +
		`"gates/$(cat which).sh" is known only when it runs; name them in the entry, such as "files": ["hooks/**"]`
	require.Contains(t, got.Stderr, ".tenex-hooks.json:1:41: "+text)
	got = p.run(p.dir, "status")
	require.Equal(t, 3, got.Code)
	require.Contains(t, got.Stdout, "  unresolved: .tenex-hooks.json:1:41: "+text)
	require.Contains(t, p.run(p.dir, "check").Stderr, ".tenex-hooks.json:1:41: warning: "+text)

	with := strings.Replace(hooks, `"events"`, `"files": ["gates/**", "which"], "events"`, 1)
	p.write(".tenex-hooks.json", with)
	p.allow()
	p.blocks("policy", "", p.dir, "--trust", "required")
	p.write("gates/b.sh", "exit 0\n")
	p.blocks("untrusted", "gates/b.sh was not there before", p.dir, "--trust", "required")
	p.write(".tenex-hooks.json", hooks)
	p.blocks("untrusted", ".tenex-hooks.json was changed", p.dir, "--trust", "required")
}

// A shell reads a pipe as it reads a file.
func TestPipeWhereNoFileWas(t *testing.T) {
	const hooks = `{"hooks": [{"name": "guard", "events": ["pre-tool"], "on_failure": "block", "files": [],
		"command": "[ -e ./local.sh ] && . ./local.sh; exec ./guard.sh"}]}`
	p := newProject(t)
	p.write(".tenex-hooks.json", hooks)
	p.allow()
	p.goesOn(p.dir, "--trust", "required", "--pin")
	require.NoError(t, syscall.Mkfifo(filepath.Join(p.dir, "local.sh"), 0o600))
	p.blocks("untrusted", "local.sh was not there before", p.dir, "--trust", "required")
	p.blocks("changed", "local.sh was not there before", p.dir, "--pin")
	require.Equal(t, 2, p.run(p.dir, "status").Code)
}

// An earlier hook makes the pipe while the call runs.
func TestPipeWithinACall(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.json", `{"hooks": [
  {"name": "first", "command": ["./first.sh"], "events": ["pre-tool"]},
  {"name": "second", "command": "[ -e ./local.sh ] && . ./local.sh; exec ./guard.sh", "events": ["pre-tool"],
   "files": []}]}`)
	p.write("first.sh", "#!/bin/sh\nmkfifo local.sh\n")
	p.allow()
	p.blocks("untrusted", "local.sh was changed while the hooks of this call ran", p.dir, "--trust", "required")
}

// An earlier hook makes a file in a folder of "files".
func TestFileOfAGlobWithinACall(t *testing.T) {
	p := newProject(t)
	p.write("gates/a.sh", "exit 0\n")
	p.write(".tenex-hooks.json", `{"hooks": [
  {"name": "first", "command": ["./first.sh"], "events": ["pre-tool"]},
  {"name": "second", "command": "sh gates/$(ls gates | head -1)", "events": ["pre-tool"], "files": ["gates/*"]}]}`)
	p.write("first.sh", "#!/bin/sh\ntouch gates/0.sh\n")
	p.allow()
	p.blocks("untrusted", "gates was changed while the hooks of this call ran", p.dir, "--trust", "required")
}

// A large file of another size is a change that nobody has to read for. Were a terabyte read, the call would not end.
func TestFileThatGrew(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.json",
		`{"hooks": [{"name": "guard", "command": ["grep", "-q", "x", "policy.txt"], "events": ["pre-tool"]}]}`)
	p.write("policy.txt", "x\n")
	p.allow()
	p.goesOn(p.dir, "--trust", "required", "--pin")
	require.NoError(t, os.Truncate(filepath.Join(p.dir, "policy.txt"), 1<<40))
	p.blocks("untrusted", "policy.txt was changed", p.dir, "--trust", "required")
	p.blocks("changed", "policy.txt was changed", p.dir, "--pin")
	got := p.run(p.dir, "pre-tool", "--tool", "t", "--session-id", "new", "--pin")
	require.Equal(t, 2, got.Code)
	require.Contains(t, got.Stderr,
		"the files that the hooks name have more than 256 MiB with "+filepath.Join(p.dir, "policy.txt"))
	got = p.run(p.dir, "allow", "--yes")
	require.Equal(t, 1, got.Code)
	require.Contains(t, got.Stderr, "more than 256 MiB with")
}

// allow keeps no more of a text than it can show.
func TestLargeFileIsStreamed(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.json",
		`{"hooks": [{"name": "guard", "command": ["grep", "-q", "x", "policy.txt"], "events": ["pre-tool"]}]}`)
	p.write("policy.txt", "x\n")
	require.NoError(t, os.Truncate(filepath.Join(p.dir, "policy.txt"), 80<<20))
	cmd := exec.Command(binary.Path, "allow", "--yes")
	cmd.Dir, cmd.Env = p.dir, append(binary.Environment(p.dir), p.env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	require.Less(t, usage.Maxrss, int64(200<<10), "KiB of memory") // on macOS in bytes
	require.Contains(t, string(out), "bytes left out …]")
	p.goesOn(p.dir, "--trust", "required")
}

// A project that is renamed, with a link in its place, is still the one that was allowed.
func TestMovedProject(t *testing.T) {
	requireRow(t, "project renamed, with a link in its place", "every tool call")
	p := newProject(t)
	p.allow()
	moved := p.dir + ".real"
	require.NoError(t, os.Rename(p.dir, moved))
	require.NoError(t, os.Symlink("project.real", p.dir))
	p.write("guard.sh", "#!/bin/sh\nexit 0\n")
	reason := p.dir + " was allowed, and is " + moved + " now, so every tool call is blocked; a person must look at " +
		"them and run: hookrun allow"
	p.blocks("untrusted", reason, p.dir, "--trust", "required")
	p.blocks("untrusted", reason, moved, "--trust", "required")
	require.Equal(t, 2, p.run(p.dir, "status").Code)
	p.allow()
	p.goesOn(moved, "--trust", "required")
}

// A project that was allowed by a link, which leads elsewhere now.
func TestLinkLeadsElsewhere(t *testing.T) {
	p := newProject(t)
	link := filepath.Join(p.home, "current")
	require.NoError(t, os.Symlink("project", link))
	got := p.run(p.home, "allow", "--yes", link)
	require.Zero(t, got.Code, got.Stderr)
	p.write("../other/.tenex-hooks.json", `{"hooks": []}`)
	p.write("../other/.git/HEAD", "")
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("other", link))
	p.blocks("untrusted", link+" was allowed, and is "+filepath.Join(p.home, "other")+" now", p.home, "-C", link,
		"--trust", "required")
}

// Who sets the state folder of a caller leaves no record: the message names the folder, and an installed entry blocks.
func TestAnotherStateFolder(t *testing.T) {
	requireRow(t, "`XDG_STATE_HOME` or `HOME` of the caller set elsewhere", "every tool call of an installed entry")
	for variable, folder := range map[string]string{"XDG_STATE_HOME": "hookrun", "HOME": ".local/state/hookrun"} {
		p := newProject(t)
		elsewhere := filepath.Join(p.home, "elsewhere")
		if variable == "HOME" {
			p.env = append(p.env, "XDG_STATE_HOME=")
		}
		p.allow()
		p.env = append(p.env, variable+"="+elsewhere)
		o := p.goesOn(p.dir, "--trust", "required")
		require.Len(t, o.SystemMessages, 1)
		require.Contains(t, o.SystemMessages[0], "there is no record of them in "+filepath.Join(elsewhere, folder))
		got := binary.Run(t, p.dir, `{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "`+p.dir+
			`", "transcript_path": "/t", "tool_name": "Bash", "tool_input": {"command": "ls"}}`, p.env, binary.Path,
			"fire", "--trust", "required", "--before-allow", "block", "-o", "json")
		require.Contains(t, got.Stdout, `"cause":"untrusted"`)
		require.Contains(t, got.Stdout, filepath.Join(elsewhere, folder))
	}
}

// A hooks file that others can change through its group, its folder or its access list.
func TestOthersCanChange(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, path string){
		"group": func(t *testing.T, path string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give files away")
			}
			require.NoError(t, os.Chown(path, 0, 12345))
			require.NoError(t, os.Chmod(path, 0o664))
		},
		"folder": func(t *testing.T, path string) { require.NoError(t, os.Chmod(filepath.Dir(path), 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			path := filepath.Join(p.dir, ".tenex-hooks.json")
			open(t, path)
			p.blocks("untrusted", "another user can change the hooks file "+path, p.dir, "--trust", "required")
			p.allow()
			p.goesOn(p.dir, "--trust", "required")
		})
	}
}

// A .git that comes later has the hooks count below as one that was there.
func TestRepositoryMadeLater(t *testing.T) {
	p := newProject(t)
	require.NoError(t, os.RemoveAll(filepath.Join(p.dir, ".git")))
	p.allow()
	p.write(".git/HEAD", "")
	p.write("sub/.git/HEAD", "")
	below := filepath.Join(p.dir, "sub")
	p.blocks("untrusted", "were allowed and are for this folder too", below, "--trust", "required")
}

// What --config names has a record of its own, also if its name is like that of the project's file.
func TestConfigBesideTheProjects(t *testing.T) {
	p := newProject(t)
	p.write(".tenex-hooks.other.json", guarded)
	p.allow()
	got := p.run(p.dir, "allow", "--yes", "-c", ".tenex-hooks.other.json")
	require.Zero(t, got.Code, got.Stderr)
	p.goesOn(p.dir, "--trust", "required")
	p.goesOn(p.dir, "--trust", "required", "-c", ".tenex-hooks.other.json")
}
