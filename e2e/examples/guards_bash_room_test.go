//go:build unix

package examples

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// bashRoom is a project with a copy of scripts/examples/guards in .hooks.
type bashRoom struct {
	*testing.T
	dir string
	env []string
}

// newBashRoom makes the project in a new folder of this name, or of any.
func newBashRoom(t *testing.T, name string, env ...string) *bashRoom {
	t.Helper()
	binary.Needs(t, "python3")
	parent, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &bashRoom{T: t, dir: filepath.Join(parent, "AGENT_RUN_WORKSPACES", name)}
	r.env = append([]string{"CURRENT_SESSION_WORKSPACE=", "UA_ARTIFACTS_DIR=", "UA_MEMORY_FLUSH_MAX_CHARS="}, env...)
	from := filepath.Join(binary.Repository(t), "scripts", "examples", "guards")
	files, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); ext == ".py" || ext == ".json" {
			text, err := os.ReadFile(filepath.Join(from, f.Name()))
			require.NoError(t, err)
			binary.WriteFile(t, r.dir, filepath.Join(".hooks", f.Name()), string(text))
		}
	}
	return r
}

// argv starts a program of the folder, as hooks files do.
func (r *bashRoom) argv(program string) []string {
	words := strings.Fields(program)
	return append([]string{"python3", "-B", filepath.Join(r.dir, ".hooks", words[0])}, words[1:]...)
}

// wire writes a tenex file with these programs as hooks that stay, at one event and for every tool.
func (r *bashRoom) wire(event string, programs ...string) {
	r.Helper()
	hooks := []binary.Object{}
	for _, program := range programs {
		hooks = append(hooks, binary.Object{"name": program, "command": r.argv(program), "events": []string{event},
			"persistent": true})
	}
	binary.WriteFile(r.T, r.dir, ".tenex-hooks.json", binary.JSON(r.T, binary.Object{"hooks": hooks}))
}

// fire hands an input of Claude Code to this program, which its settings name, and returns what the client would get.
func (r *bashRoom) fire(event, program, stdin string) binary.Object {
	r.Helper()
	argv := r.argv(program)
	hook := binary.Object{"type": "command", "command": argv[0], "args": argv[1:]}
	binary.WriteFile(r.T, r.dir, "settings.json",
		binary.JSON(r.T,
			binary.Object{"hooks": binary.Object{event: []binary.Object{{"hooks": []binary.Object{hook}}}}}))
	done := binary.Run(r.T, r.dir, stdin, r.env, binary.Path, "fire", "-c", "settings.json")
	require.Equal(r, 0, done.Code, done.Stderr)
	require.Empty(r, done.Stderr)
	return r.object(done.Stdout)
}

func (r *bashRoom) object(text string) (o binary.Object) {
	r.Helper()
	require.NoError(r, json.Unmarshal([]byte(text), &o), "%.1000q", text)
	return o
}

// once runs a program for one call, and returns its answer.
func (r *bashRoom) once(program, stdin string, env ...string) binary.Object {
	r.Helper()
	answer, stderr := r.noisy(program, stdin, env...)
	require.Empty(r, stderr)
	return answer
}

// noisy is once for a program that has something to say on stderr.
func (r *bashRoom) noisy(program, stdin string, env ...string) (answer binary.Object, stderr string) {
	r.Helper()
	done := binary.Run(r.T, r.dir, stdin, append(slices.Clone(r.env), env...), r.argv(program)...)
	require.Equal(r, 0, done.Code, done.Stderr)
	return r.object(done.Stdout), done.Stderr
}

// stays has one process answer several calls. The last of them, which all others could have spoilt, must have the same
// answer from a process of its own.
func (r *bashRoom) stays(program string, calls []string, env ...string) (answers []binary.Object) {
	r.Helper()
	done := binary.Run(r.T, r.dir, strings.Join(calls, "\n"), append(slices.Clone(r.env), env...), r.argv(program)...)
	require.Equal(r, 0, done.Code, done.Stderr)
	require.Empty(r, done.Stderr)
	for line := range strings.Lines(done.Stdout) {
		answers = append(answers, r.object(line))
	}
	require.Len(r, answers, len(calls))
	last := len(calls) - 1
	require.Equal(r, answers[last], r.once(program, calls[last], env...), calls[last])
	return answers
}

// serve asks one `hookrun serve`, which keeps the hooks, about several calls of Bash.
func (r *bashRoom) serve(inputs []string, env ...string) (replies []binary.Outcome) {
	r.Helper()
	cmd := exec.Command(binary.Path, "serve", "-C", r.dir)
	cmd.Env = append(append(binary.Environment(r.dir), r.env...), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	require.NoError(r, err)
	out, err := cmd.StdoutPipe()
	require.NoError(r, err)
	require.NoError(r, cmd.Start())
	defer func() { // where a check below failed
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	lines := bufio.NewReader(out)
	for i, input := range inputs {
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"pre-tool","params":{"tool":"Bash","args":%s}}`+
			"\n", i, input)
		require.NoError(r, err)
		line, err := lines.ReadBytes('\n')
		require.NoError(r, err)
		var answer struct{ Result *binary.Outcome }
		require.NoError(r, json.Unmarshal(line, &answer))
		require.NotNil(r, answer.Result, "%s", line)
		replies = append(replies, *answer.Result)
	}
	require.NoError(r, in.Close())
	err = cmd.Wait() // stderr is whole only then
	require.NoError(r, err, stderr.String())
	return replies
}

// bashInput is the input of a call of Bash, bashCall the call as Claude Code writes it.
func bashInput(t *testing.T, command string) string {
	return binary.JSON(t, binary.Object{"command": command, "description": "d"})
}

func bashCall(t *testing.T, command string) string {
	return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t","tool_input":` +
		bashInput(t, command) + `}`
}

// each has a guard judge commands in every way in which it can be started. The commands come in the order of their
// names, so that those which are judged alike are not all beside each other, and one that stays has no chance to
// remember.
func (r *bashRoom) each(program string, want map[string]string,
	check func(command, want string, answer binary.Object, through binary.Outcome)) {
	r.Helper()
	commands := slices.Sorted(maps.Keys(want))
	var calls, inputs []string
	for _, command := range commands {
		calls, inputs = append(calls, bashCall(r.T, command)), append(inputs, bashInput(r.T, command))
	}
	answers := r.stays(program, calls)
	r.wire("pre-tool", program)
	for i, through := range r.serve(inputs) {
		require.Empty(r, through.Warnings, commands[i])
		check(commands[i], want[commands[i]], answers[i], through)
	}
	i := slices.IndexFunc(commands, func(command string) bool { return want[command] != "" })
	require.Equal(r, answers[i]["systemMessage"], r.fire("PreToolUse", program, calls[i])["systemMessage"], commands[i])
}

// hints checks answers of a guard that only hints: for the person and the model, and the tool runs. A blank want is no
// hint.
func (r *bashRoom) hints(program string, want map[string]string) {
	r.Helper()
	r.each(program, want, func(command, want string, answer binary.Object, through binary.Outcome) {
		require.Equal(r, "continue", through.Decision, command)
		require.Nil(r, through.UpdatedInput, command)
		if want == "" {
			require.Empty(r, answer, command)
			require.Empty(r, through.SystemMessages, command)
			return
		}
		require.Contains(r, answer["systemMessage"], want, command)
		require.Equal(r, binary.Object{"hookEventName": "PreToolUse", "additionalContext": answer["systemMessage"]},
			answer["hookSpecificOutput"], command)
		require.Len(r, answer, 2, command)
		require.Equal(r, []string{answer["systemMessage"].(string)}, through.SystemMessages, command)
		require.Equal(r, through.SystemMessages, through.Texts(), command)
	})
}

// blocks checks answers of a gate. A want that is not blank is what the message has in it.
func (r *bashRoom) blocks(program, reason string, decision any, want map[string]string) {
	r.Helper()
	r.each(program, want, func(command, want string, answer binary.Object, through binary.Outcome) {
		if want == "" {
			require.Empty(r, answer, command)
			require.Equal(r, "continue", through.Decision, command)
			return
		}
		specific := answer["hookSpecificOutput"].(binary.Object)
		require.Equal(r, "PreToolUse", specific["hookEventName"], command)
		require.Equal(r, "deny", specific["permissionDecision"], command)
		require.True(r, strings.HasPrefix(specific["permissionDecisionReason"].(string), reason+" "), command)
		require.Contains(r, answer["systemMessage"], want, command)
		require.Equal(r, decision, answer["decision"], command)
		require.Equal(r, "block", through.Decision, command)
		require.Equal(r, "policy", through.Cause, command)
		require.Equal(r, specific["permissionDecisionReason"], through.Reason, command)
	})
}
