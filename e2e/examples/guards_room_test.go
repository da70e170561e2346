//go:build unix

package examples

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// guardRoom is a session's workspace with the guards of scripts/examples/guards in its .hooks.
type guardRoom struct {
	*testing.T
	root, dir string // dir is root/AGENT_RUN_WORKSPACES/session_1
	env       []string
}

// newGuardRoom wires these guards as gates that stay, in this order; without any it wires tenex-hooks.json.
func newGuardRoom(t *testing.T, guards ...string) *guardRoom {
	t.Helper()
	binary.Needs(t, "python3")
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &guardRoom{T: t, root: root, dir: filepath.Join(root, "AGENT_RUN_WORKSPACES", "session_1")}
	require.NoError(t, os.MkdirAll(r.dir, 0o755))
	// A link: a program that was just written may still be open in a child that another test is starting, and is busy
	// then.
	require.NoError(t, os.Symlink(binary.GuardFiles(t), filepath.Join(r.dir, ".hooks")))
	var hooks []binary.Object
	for _, g := range guards {
		hooks = append(hooks, binary.Object{"name": g, "command": []string{"python3", "-B", ".hooks/" + g + ".py"},
			"events":  []string{"pre-tool"},
			"timeout": "60s", "on_failure": "block", "persistent": true})
	}
	binary.WriteFile(t, r.dir, ".tenex-hooks.json", binary.JSON(t, binary.Object{"hooks": hooks}))
	if guards == nil {
		text, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), "tenex-hooks.json"))
		require.NoError(t, err)
		// A machine that runs many tests at once is slow.
		binary.WriteFile(t, r.dir, ".tenex-hooks.json", strings.ReplaceAll(string(text), `"10s"`, `"60s"`))
	}
	r.env = []string{"CURRENT_SESSION_WORKSPACE=" + r.dir, "PYTHONDONTWRITEBYTECODE=1",
		"PATH=" + binary.Python(t) + ":" + os.Getenv("PATH")}
	return r
}

// with is the same room with more in the environment.
func (r *guardRoom) with(env ...string) *guardRoom {
	other := *r
	other.env = slices.Concat(r.env, env)
	return &other
}

// pre is `hookrun pre-tool`.
func (r *guardRoom) pre(tool string, args any, flags ...string) (o binary.Outcome) {
	r.Helper()
	done := binary.Run(r.T, r.dir, binary.JSON(r.T, args), r.env,
		append([]string{binary.Path, "pre-tool", "-o", "json", "--tool", tool, "--args", "-"}, flags...)...)
	require.NoError(r, json.Unmarshal([]byte(done.Stdout), &o), "exit %d, stdout %q, stderr %q", done.Code,
		done.Stdout, done.Stderr)
	require.Empty(r, o.Warnings)
	return o
}

// guardAnswer is what a guard said in Claude Code's form.
type guardAnswer struct {
	Decision, Reason   string
	SystemMessage      string
	HookSpecificOutput struct {
		HookEventName, PermissionDecision, PermissionDecisionReason, AdditionalContext string

		UpdatedInput json.RawMessage
	}
}

// say runs a guard as Claude Code does, and returns its lines.
func (r *guardRoom) say(guard, stdin string) []guardAnswer {
	r.Helper()
	done := binary.Run(r.T, r.dir, stdin, r.env, "python3", "-B", ".hooks/"+guard+".py")
	require.Equal(r, 0, done.Code, done.Stderr)
	require.Empty(r, done.Stderr)
	var all []guardAnswer
	for line := range strings.Lines(done.Stdout) {
		var a guardAnswer
		require.NoError(r, json.Unmarshal([]byte(line), &a), line)
		all = append(all, a)
	}
	return all
}

// claudeCall is Claude Code's hook input, on one line.
func (r *guardRoom) claudeCall(tool string, args any, more ...binary.Object) string {
	call := binary.Object{"session_id": "s", "transcript_path": "/t.jsonl", "cwd": r.dir,
		"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args}
	for _, m := range more {
		maps.Copy(call, m)
	}
	return binary.JSON(r.T, call) + "\n"
}

func (r *guardRoom) serve() *rpc.Turns {
	r.Helper()
	return rpc.ServeTurns(r.T, r.dir, r.env...)
}

// guardCase is a call and what comes of it: nothing, a block with this in its reason, or other arguments.
type guardCase struct {
	row, tool string
	args      any
	block     string
	message   string // in the message of the block
	updated   any
}

func (c guardCase) matches(t *testing.T, decision, reason string, messages []string, updated json.RawMessage) {
	t.Helper()
	args := binary.JSON(t, c.args)
	call := c.row + ": " + c.tool + " " + args[:min(200, len(args))]
	if c.block == "" {
		require.Equal(t, "continue", decision, "%s: %s", call, reason)
	} else {
		require.Equal(t, "block", decision, call)
		require.Contains(t, reason, c.block, call)
		require.Contains(t, strings.Join(messages, "\n"), c.message, call)
	}
	if c.updated == nil {
		require.Empty(t, string(updated), call)
	} else {
		require.JSONEq(t, binary.JSON(t, c.updated), string(updated), call)
	}
}

// tries runs one telling case of each row through hookrun, and the first of them as Claude Code would, a process for
// each. Then one process that stays gets all cases, forth and back, both ways: to start Python is most of what a case
// costs.
func (r *guardRoom) tries(guard string, cases []guardCase) {
	telling := map[string]guardCase{}
	var order []string
	for _, c := range cases {
		if first, seen := telling[c.row]; !seen {
			order = append(order, c.row)
			telling[c.row] = c
		} else if first.block == "" && first.updated == nil {
			telling[c.row] = c
		}
	}
	claude := func(t *testing.T, c guardCase, a guardAnswer) {
		t.Helper()
		decision, reason := "continue", ""
		if s := a.HookSpecificOutput; s.PermissionDecision != "" || a.Decision != "" {
			require.Equal(t, []string{"deny", "block", "PreToolUse", a.Reason},
				[]string{s.PermissionDecision, a.Decision, s.HookEventName, s.PermissionDecisionReason})
			decision, reason = "block", a.Reason
		}
		c.matches(t, decision, reason, []string{a.SystemMessage}, a.HookSpecificOutput.UpdatedInput)
	}
	for i, row := range testall.Part(3, order) {
		r.Run(row, func(t *testing.T) {
			t.Parallel()
			own, c := *r, telling[row]
			own.T = t
			o := own.pre(c.tool, c.args)
			require.Len(t, o.Hooks, 1)
			c.matches(t, o.Decision, o.Reason, o.SystemMessages, o.UpdatedInput)
			if i == 0 {
				said := own.say(guard, own.claudeCall(c.tool, c.args))
				require.Len(t, said, 1)
				claude(t, c, said[0])
			}
		})
	}
	r.Run("one process for all", func(t *testing.T) {
		t.Parallel()
		own := *r
		own.T = t
		server := own.serve()
		var lines strings.Builder
		twice := slices.Concat(cases, cases)
		slices.Reverse(twice[len(cases):])
		for _, c := range twice {
			o := server.Call("pre-tool", binary.Object{"tool": c.tool, "args": c.args})
			c.matches(t, o.Decision, o.Reason, o.SystemMessages, o.UpdatedInput)
			lines.WriteString(own.claudeCall(c.tool, c.args))
		}
		said := own.say(guard, lines.String())
		require.Len(t, said, len(twice))
		for i, c := range twice {
			claude(t, c, said[i])
		}
	})
}

// change gives the room guards of its own, with another value in guards.json.
func (r *guardRoom) change(guard, key string, value any) {
	r.Helper()
	files, err := os.ReadDir(binary.GuardFiles(r.T))
	require.NoError(r, err)
	require.NoError(r, os.Remove(filepath.Join(r.dir, ".hooks")))
	require.NoError(r, os.Mkdir(filepath.Join(r.dir, ".hooks"), 0o755))
	for _, f := range files {
		if f.Name() != "guards.json" {
			text, err := os.ReadFile(filepath.Join(binary.GuardFiles(r.T), f.Name()))
			require.NoError(r, err)
			require.NoError(r, os.WriteFile(filepath.Join(r.dir, ".hooks", f.Name()), text, 0o644))
		}
	}
	var data map[string]any
	text, err := os.ReadFile(filepath.Join(binary.GuardFiles(r.T), "guards.json"))
	require.NoError(r, err)
	require.NoError(r, json.Unmarshal(text, &data))
	data[guard].(binary.Object)[key] = value
	binary.WriteFile(r.T, r.dir, ".hooks/guards.json", binary.JSON(r.T, data))
}
