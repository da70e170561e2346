//go:build linux

package examples

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// persistentGuards are the two guards of scripts/examples/persistent, and what runs them.
var persistentGuards = []struct {
	name, file, interpreter string
}{{"guard-py", "guard.py", "python3"}, {"guard-mjs", "guard.mjs", "node"}}

// persistentWorkspace has the examples where their hooks file looks for them. Of the hooks there is the one of this
// name.
func persistentWorkspace(t *testing.T, name string) string {
	t.Helper()
	from, dir := filepath.Join(binary.Repository(t), "scripts", "examples", "persistent"), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".hooks"), 0o755))
	files, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		require.NoError(t, err)
		binary.WriteFile(t, dir, filepath.Join(".hooks", f.Name()), string(text))
	}
	text, err := os.ReadFile(filepath.Join(from, "tenex-hooks.json"))
	require.NoError(t, err)
	binary.WriteFile(t, dir, ".tenex-hooks.json", string(text))
	binary.OnlyHook(t, dir, name)
	return dir
}

// openServer is a `hookrun serve` that answers one call after the other.
type openServer struct {
	*testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	err  bytes.Buffer
	last int
}

func openServe(t *testing.T, dir string, env ...string) *openServer {
	t.Helper()
	s := &openServer{T: t, cmd: exec.Command(binary.Path, "serve", "-C", dir)}
	s.cmd.Env, s.cmd.Stderr = append(binary.Environment(dir), env...), &s.err
	var err error
	s.in, err = s.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	s.out = bufio.NewReader(out)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	return s
}

// shell asks the hooks about a call of the tool shell.
func (s *openServer) shell(method, command string) binary.Outcome {
	s.Helper()
	s.last++
	_, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"tool":"shell","args":%s}}`+"\n",
		s.last, method, binary.JSON(s.T, map[string]string{"command": command}))
	require.NoError(s, err)
	line, err := s.out.ReadBytes('\n')
	require.NoError(s, err)
	var answer struct {
		ID     int
		Result *binary.Outcome
	}
	require.NoError(s, json.Unmarshal(line, &answer), "%s", line)
	require.Equal(s, s.last, answer.ID)
	require.NotNil(s, answer.Result, "%s", line)
	return *answer.Result
}

// pids are those of the server's children that run this file.
func (s *openServer) pids(file string) []int {
	return slices.DeleteFunc(binary.Children(s.cmd.Process.Pid), func(pid int) bool {
		argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return !binary.Alive(pid) || !bytes.Contains(argv, []byte(file))
	})
}

// close ends the input, and with it the server and its hooks.
func (s *openServer) close() {
	s.Helper()
	left := binary.Children(s.cmd.Process.Pid)
	require.NoError(s, s.in.Close())
	require.NoError(s, s.cmd.Wait(), s.err.String())
	for _, pid := range left {
		require.Eventually(s, func() bool { return !binary.Alive(pid) }, binary.Patience, time.Millisecond,
			"process %d is left", pid)
	}
}

func TestPersistentExampleGuardsStay(t *testing.T) {
	t.Parallel()
	for _, g := range persistentGuards {
		t.Run(g.file, func(t *testing.T) {
			binary.Needs(t, g.interpreter)
			s := openServe(t, persistentWorkspace(t, g.name), "LC_ALL=C")
			require.Empty(t, s.pids(g.file), "it is started by the first call")
			require.Equal(t, "continue", s.shell("pre-tool", "ls").Decision)
			first := s.pids(g.file)
			require.Len(t, first, 1)
			for command, reason := range map[string]string{
				`rm -rf /`: "this would remove everything", `sudo rm -r -f ~/`: "this would remove everything",
				`rm -rf "$HOME" /*`:                        "this would remove everything",
				`git push origin main --force`:             "a forced push can lose the work of others",
				`mkfs.ext4 disk`:                           "this would overwrite a disk",
				`rm -rf / # größer ✓` + "\u2028":           "this would remove everything",
				`rm -rf / ` + strings.Repeat("ü", 100_000): "this would remove everything",
			} {
				r := s.shell("pre-tool", command)
				require.Equal(t, "block", r.Decision, command)
				require.Equal(t, reason+": "+strings.TrimSpace(command), strings.TrimSpace(r.Reason))
				require.Empty(t, r.Warnings)
			}
			for _, command := range []string{`rm -rf build`, `rm /tmp/x`, `git push`, `git push --force-with-lease`,
				`echo größer`, "echo '\u2028 \u2029 \u0085'", "two\nlines", ""} {
				require.Equal(t, "continue", s.shell("pre-tool", command).Decision, command)
			}
			require.Equal(t, first, s.pids(g.file), "one process for all calls")
			s.close()
		})
	}
}

func TestPersistentExampleGuardsForOneCall(t *testing.T) {
	testall.Only(t, "each row starts Python or Node many times")
	for _, g := range persistentGuards {
		t.Run(g.file, func(t *testing.T) {
			binary.Needs(t, g.interpreter)
			t.Setenv("PYTHONDONTWRITEBYTECODE", "") // of the tester
			dir := persistentWorkspace(t, g.name)
			r := binary.Ask(t, dir, "", "pre-tool", "--tool", "shell", "--args", `{"command":"rm -rf /"}`)
			require.Equal(t, "block", r.Decision)
			require.Equal(t, "this would remove everything: rm -rf /", r.Reason)
			require.Equal(t, "continue", binary.Ask(t, dir, "", "pre-tool", "--tool", "shell", "--args",
				`{"command":"ls"}`).Decision)
			for _, args := range []string{`{}`, `{"command":["rm","-rf","/"]}`, `{"command":null}`, `no JSON`} {
				r := binary.Ask(t, dir, "", "pre-tool", "--tool", "shell", "--args", args)
				require.Equal(t, "block", r.Decision, args)
				require.Contains(t, r.Reason, g.file+": ", args)
			}
			require.NoError(t, os.Remove(filepath.Join(dir, ".hooks", "rules.json")))
			require.Equal(t, "block", binary.Ask(t, dir, "", "pre-tool", "--tool", "shell", "--args",
				`{"command":"ls"}`).Decision, "no rules are no approval")
			require.False(t, binary.Exists(dir, ".hooks/__pycache__"))
		})
	}
}

// The functions do what the command says.
const (
	persistentPython = `import os, sys
from persistent import serve

print("a print at the start")

def hook(call):
    command = call["tool_input"]["command"]
    if command == "throw": raise ValueError("größer")
    if command == "exit": sys.exit(0)
    if command == "print":
        print("stray größer ✓")
        os.system("echo a child")
        sys.stdout.write("no line end")
    if command == "text": return "größer ✓"
    if command == "empty": return ""
    if command == "odd": return False
    if command == "input": return "nothing" + sys.stdin.read()
    if command == "deny": return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "größer"}}

serve(hook)
`
	persistentNode = `import { serve } from "./persistent.mjs";

console.log("a print at the start");
setInterval(() => {}, 1000);
await serve(async ({ tool_input: { command } }) => {
  if (command === "throw") throw new Error("größer");
  if (command === "exit") process.exit(0);
  if (command === "print") {
    console.log("stray größer ✓");
    process.stdout.write("no line end");
  }
  if (command === "text") return "größer ✓";
  if (command === "empty") return "";
  if (command === "odd") return false;
  if (command === "input") return "nothing";
  if (command === "deny") return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "größer" } };
});
`
)

func TestPersistentExampleFunctions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, interpreter, source string
		thrown                    string
	}{
		{"hook.py", "python3", persistentPython, "hook.py: ValueError('größer')"},
		{"hook.mjs", "node", persistentNode, "hook.mjs: Error: größer"},
	} {
		t.Run(c.file, func(t *testing.T) {
			binary.Needs(t, c.interpreter)
			dir := persistentWorkspace(t, "guard-py")
			binary.WriteFile(t, dir, ".hooks/"+c.file, c.source)
			h := binary.Hook{"name": "h", "command": []string{c.interpreter, ".hooks/" + c.file},
				"events": []string{"pre-tool", "post-tool"}, "persistent": true}
			binary.WriteHooks(t, dir, h)

			s := openServe(t, dir, "LC_ALL=C", "PYTHONUTF8=0", "PYTHONCOERCECLOCALE=0")
			require.Equal(t, "continue", s.shell("pre-tool", "ls").Decision)
			first := s.pids(c.file)
			require.Len(t, first, 1)

			r := s.shell("pre-tool", "throw")
			require.Equal(t, "block", r.Decision)
			require.Equal(t, c.thrown, r.Reason)
			r = s.shell("post-tool", "throw")
			require.Equal(t, "continue", r.Decision)
			require.Len(t, r.Warnings, 1)
			require.Contains(t, r.Warnings[0], "exited with 2")

			r = s.shell("pre-tool", "print")
			require.Equal(t, "continue", r.Decision)
			require.Empty(t, r.Texts())
			require.Empty(t, r.Warnings)
			for _, event := range []string{"pre-tool", "post-tool"} {
				require.Equal(t, []string{"größer ✓"}, s.shell(event, "text").Texts())
			}
			require.Empty(t, s.shell("pre-tool", "empty").Texts())
			require.Equal(t, []string{"nothing"}, s.shell("pre-tool", "input").Texts())
			r = s.shell("pre-tool", "odd")
			require.Equal(t, "block", r.Decision, "false is no approval")
			require.Contains(t, r.Reason, "the function must return ")
			r = s.shell("pre-tool", "deny")
			require.Equal(t, "block", r.Decision)
			require.Equal(t, "größer", r.Reason)
			require.Equal(t, first, s.pids(c.file), "the same process answered all of this")
			require.Equal(t, "block", s.shell("pre-tool", "exit").Decision, "the end of the process is no approval")
			require.Equal(t, "continue", s.shell("pre-tool", "ls").Decision)
			s.close()

			call := `{"hook_event_name":"PreToolUse","tool_input":{"command":"print"}}`
			// the last line may have no end
			alone := binary.Run(t, dir, call+"\n"+call, nil, c.interpreter, ".hooks/"+c.file)
			require.Equal(t, 0, alone.Code, alone.Stderr)
			require.Equal(t, "{}\n{}\n", alone.Stdout)
			require.Equal(t, 2, strings.Count(alone.Stderr, "stray größer ✓\n"), alone.Stderr)

			decisions := map[string]string{"throw": "block", "exit": "block", "odd": "block", "deny": "block",
				"print": "continue", "ls": "continue"}
			for _, command := range testall.PartOf(3, decisions) {
				r := binary.Ask(t, dir, "", "pre-tool", "--tool", "shell", "--args",
					binary.JSON(t, map[string]string{"command": command}))
				require.Equal(t, decisions[command], r.Decision, command)
			}
			r = binary.Ask(t, dir, "", "pre-tool", "--tool", "shell", "--args", `{"command":"text"}`)
			require.Equal(t, []string{"größer ✓"}, r.Texts())
		})
	}
}

// TestPersistentExamplesHaveTheirForm: the README names every file, and people can read each script at one look.
func TestPersistentExamplesHaveTheirForm(t *testing.T) {
	dir := filepath.Join(binary.Repository(t), "scripts", "examples", "persistent")
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(readme, []byte("\n")), 40)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		if f.Name() == "README.md" {
			continue
		}
		require.Contains(t, string(readme), "`"+f.Name()+"`")
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 31, f.Name())
		info, err := f.Info()
		require.NoError(t, err)
		require.Equal(t, strings.HasPrefix(f.Name(), "guard."), info.Mode().Perm()&0o100 != 0, f.Name())
	}
	for _, name := range []string{"guard-py", "guard-mjs"} {
		done := binary.Run(t, persistentWorkspace(t, name), "", nil, binary.Path, "check")
		require.Equal(t, binary.Result{Stdout: ".tenex-hooks.json: 1 hook, nothing wrong\n"}, done)
	}
}
