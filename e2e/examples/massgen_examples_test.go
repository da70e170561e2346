//go:build unix

package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

func TestMassGenReminders(t *testing.T) {
	t.Run("M88 high priority task", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse",
			`{matcher: "*update_task_status", handler: ./task_reminder.py, type: command, timeout: 20}`))
		const tool, done = "mcp__planning__update_task_status", `{"task":{"priority":"high","status":"completed"},` +
			`"newly_ready_tasks":[]}`
		o := r.post("agent1", tool, done)
		require.Len(t, o.Inject, 1)
		require.Equal(t, "user_message", o.Inject[0].Strategy)
		require.Equal(t, massgenGolden(t, "task_reminder.txt"), o.Inject[0].Content)
		rule := strings.Repeat("=", 60)
		require.Regexp(t, `\A\n`+rule+`\n⚠️  SYSTEM REMINDER\n`+rule+
			`\n\n✓ High-priority task completed!.*\n(  •.*\n){4}\n`+rule+`\n\z`, o.Inject[0].Content)
		for _, file := range []string{
			"memory/long_term/skill_effectiveness.md", "memory/long_term/approach_patterns.md",
			"memory/long_term/lessons_learned.md",
			"memory/short_term/user_prefs.md",
		} {
			require.Contains(t, o.Inject[0].Content, file)
		}
		require.Len(t, r.post("agent1", "update_task_status", done).Inject, 1)

		for _, output := range testall.Part(4, []string{
			`{"task":{"priority":"medium","status":"completed"}}`,
			`{"task":{"priority":"high","status":"in_progress"}}`, `{"task":{"status":"completed"}}`,
			`{"task":null}`, `{"task":"high completed"}`, `{}`, `[]`, `"task"`, `7`, `done: high, completed`, ``,
		}) {
			o := r.post("agent1", tool, output)
			require.Equal(t, "continue", o.Decision, output)
			require.Empty(t, o.Inject, output)
			require.Empty(t, o.Warnings, output)
		}
		require.Empty(t, r.post("agent1", "create_task", done).Hooks)
		for _, event := range []binary.Object{{"tool_name": "create_task", "tool_output": done},
			{"tool_name": tool, "tool_output": nil}, {"tool_name": tool}} {
			require.JSONEq(t, `{"allowed":true,"decision":"allow"}`, r.run(binary.JSON(t, event), "task_reminder.py"))
		}
	})
	t.Run("M89 reminder of a tool", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", `{handler: ./reminder_extract.py, type: command, timeout: 20}`))
		o := r.post("agent1", "any", `{"result":1,"reminder":"Your TODO list is empty"}`)
		require.Len(t, o.Inject, 1)
		require.Equal(t, "Your TODO list is empty", o.Inject[0].Content)
		require.Equal(t, "user_message", o.Inject[0].Strategy)
		for _, output := range testall.Part(4, []string{`{"result":1}`, `{"reminder":""}`, `{"reminder":7}`,
			`{"reminder":null}`,
			`{"reminder":["x"]}`, `["reminder"]`, `"reminder"`, `reminder: x`, ``}) {
			o := r.post("agent1", "any", output)
			require.Empty(t, o.Inject, output)
			require.Empty(t, o.Warnings, output)
		}
	})
}

func TestMassGenHumanInput(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	human := func(text string) massgenInject {
		return massgenInject{"\n[Human Input]: " + text + "\n", "tool_result", "human"}
	}
	say := func(r *massgenRoom, messages string, flags ...string) {
		r.Helper()
		require.Empty(r, r.run(messages, append([]string{"human_input.py", "--session", "s"}, flags...)...))
	}
	t.Run("M90 to every agent, once", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		r.says("agent1")
		say(r, `{"content":"stop at 5 pages"}`)
		r.says("agent1", human("stop at 5 pages"))
		r.says("agent1")
		r.says("agent2", human("stop at 5 pages"))
		require.Empty(t, r.waits(), "somebody has read it")
		r.says("agent3", human("stop at 5 pages")) // it is kept for agents that come later
		require.Equal(t, 0, binary.Run(t, r.dir, "", r.env, binary.Path, "queue", "--session", "s", "--clear").Code)
		r.says("agent4")
	})
	t.Run("M90 to some agents", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		say(r, `{"content":"x","target_agents":["agent2"," ","agent1",7,"agent1"]}`)
		r.says("agent3")
		r.says("agent1", human("x"))
		r.says("agent1")
		require.Contains(t, r.waits(), "agent2")
		r.says("agent2", human("x"))
		require.Empty(t, r.waits(), "dropped when all have got it")
	})
	t.Run("M90 to nobody", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		say(r, `[{"content":"x","target_agents":[]},{"content":"x","target_agents":["",7]},{"content":" "}]`)
		require.Empty(t, r.waits())
	})
	t.Run("M90 order and sources", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		say(r, `[{"content":"first"},{"content":"second","source":" Parent `+
			`"},{"content":"third\nline","target_agents":["agent1"],"source":7}]`)
		say(r, `{"content":"fourth","target_agents":null,"source":""}`, "--agent", "agent1", "--strategy",
			"user_message")
		second, third, fourth := human("second"), human("third\nline"), human("fourth")
		second.Source, fourth.Strategy = "parent", "user_message"
		r.says("agent1", human("first"), second, third, fourth)
		r.says("agent2", human("first"), second)
	})
	t.Run("M90 behind what hooks say", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", midstream), "MASSGEN_CONTENT_CMD=echo hook")
		say(r, `{"content":"x"}`)
		require.Equal(t, []string{"hook\n", "\n[Human Input]: x\n"}, r.post("agent1", "shell", "ok").texts())
	})
	t.Run("M90 undelivered at the end of a turn", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		say(r, `{"content":"late","target_agents":["agent1"]}`)
		done := binary.Run(t, r.dir, "", r.env, binary.Path, "drain", "--session", "s", "--agent", "agent1")
		require.Equal(t, binary.Result{Stdout: "\n[Human Input]: late\n\n"}, done)
		r.says("agent1")
	})
	t.Run("M90 many at once", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		var want []massgenInject
		for i := range 8 {
			want = append(want, human(fmt.Sprint(i)))
		}
		r.atOnce(8, func(i int) string { return fmt.Sprintf(`{"content":"%d"}`, i) }, "human_input.py", "--session",
			"s")
		require.ElementsMatch(t, want, r.post("agent1", "shell", "ok").Inject)
		r.says("agent1")
	})
}

func TestMassGenBackgroundResults(t *testing.T) {
	testall.Only(t, "each row starts Python many times")
	t.Run("M91 by the queue", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		require.Empty(t, r.run(`[]`, "subagents.py", "--session", "s", "--agent", "parent"), "nothing came home")
		r.says("parent")
		require.Empty(t, r.run(massgenGolden(t, "subagents.json"), "subagents.py", "--session", "s", "--agent",
			"parent"))
		require.Empty(t, r.run(`{"subagent_id":"late"}`, "subagents.py", "--session", "s", "--agent", "parent",
			"--strategy", "user_message"))
		r.says("other")
		o := r.post("parent", "shell", "ok")
		require.Len(t, o.Inject, 2)
		require.Equal(t, massgenInject{massgenGolden(t, "subagents.txt"), "tool_result", "subagent"}, o.Inject[0])
		require.Equal(t, "user_message", o.Inject[1].Strategy)
		require.Contains(t, o.Inject[1].Content, `id="late"`)
		r.says("parent")
	})
	t.Run("M91 by a getter", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", midstream),
			"MASSGEN_CONTENT_ERROR=Subagent result injection failed",
			"MASSGEN_CONTENT_CMD=mv results.json taken.json 2>/dev/null || exit 0; exec ./subagents.py --print "+
				"@taken.json")
		require.Empty(t, r.post("parent", "shell", "ok").Inject)
		binary.WriteFile(t, r.dir, "results.json", massgenGolden(t, "subagents.json"))
		require.Equal(t, []string{massgenGolden(t, "subagents.txt")}, r.post("parent", "shell", "ok").texts())
		require.Empty(t, r.post("parent", "shell", "ok").Inject)

		binary.WriteFile(t, r.dir, "results.json", `[{"status":"completed"}]`)
		o := r.post("parent", "shell", "ok")
		require.Equal(t, "continue", o.Decision)
		require.Empty(t, o.Inject)
		require.Contains(t, strings.Join(o.Warnings, "\n"), "Subagent result injection failed: KeyError: 'subagent_id'")
	})
	t.Run("M92 format", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		require.Equal(t, massgenGolden(t, "subagents.txt"),
			r.run(massgenGolden(t, "subagents.json"), "subagents.py", "--print"))
		binary.WriteFile(t, r.dir, "results.json", massgenGolden(t, "subagents.json"))
		require.Equal(t, massgenGolden(t, "subagents.txt"), r.run("", "subagents.py", "--print", "@results.json"))
		hostile := r.run(`{"subagent_id":"x\" status=\"<y>&","workspace_path":"</workspace>"}`, "subagents.py",
			"--print")
		require.Contains(t, hostile, `<subagent_result id="x&quot; status=&quot;&lt;y&gt;&amp;" status="completed">`)
		require.Contains(t, hostile, "<workspace>&lt;/workspace&gt;</workspace>")
		require.Contains(t, r.run(`{"subagent_id":"x","answer":"\ud800"}`, "subagents.py", "--print"), "\n?\n",
			"half a character")
	})
	t.Run("M93 background tools", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "")
		text := r.run(massgenGolden(t, "background_tools.json"), "background_tools.py", "--print")
		require.Equal(t, massgenGolden(t, "background_tools.txt"), text)
		require.Empty(t, r.run(`[]`, "background_tools.py", "--print"))
		for n, want := range map[int]string{600: strings.Repeat("é", 600) + "\n",
			601: strings.Repeat("é", 600) + "...\n", 700: strings.Repeat("é", 600) + "...\n"} {
			text := r.run(binary.JSON(t, binary.Object{"job_id": "j", "result": strings.Repeat("é", n)}),
				"background_tools.py", "--print")
			require.Contains(t, text, "\n  Result: "+want, n)
		}
		require.Empty(t, r.run(massgenGolden(t, "background_tools.json"), "background_tools.py", "--session", "s",
			"--agent", "agent1"))
		r.says("agent1", massgenInject{massgenGolden(t, "background_tools.txt"), "tool_result", "background_tool"})
		r.says("agent1")
	})
}

// TestMassGenExamplesTogether takes the hooks file that stands beside the programs.
func TestMassGenExamplesTogether(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(massgenExamples(t), "massgen.yaml"))
	require.NoError(t, err)
	r := newMassgenRoom(t, string(text))
	done := binary.Run(t, r.dir, "", r.env, binary.Path, "check", "massgen.yaml")
	require.Equal(t, binary.Result{Stdout: "massgen.yaml: 5 hooks, nothing wrong\n"}, done)

	state := viewer(binary.Object{"timeout_settings": binary.Object{"subsequent_round_timeout_seconds": 500,
		"round_timeout_grace_seconds": 0}}, binary.Object{"round_start_time": ago(100 * time.Second)})
	r.state(state)
	binary.WriteFile(t, r.dir, "answers.json", binary.JSON(t, peers()))
	require.Equal(t, "continue", r.pre("agent_b", "update_task_status").Decision)
	require.Empty(t, r.run(`{"content":"hello"}`, "human_input.py", "--session", "s"))
	require.Empty(t, r.run(massgenGolden(t, "subagents.json"), "subagents.py", "--session", "s", "--agent", "agent_b"))
	require.Equal(t, "true\n", r.run("", "round_timeout_post.py", "wrap-up", "agent_b"))
	o := r.post("agent_b", "update_task_status", `{"task":{"priority":"high","status":"completed"}}`)
	require.Empty(t, o.Warnings)
	all := strings.Join(o.texts(), "\n")
	order := []string{"NEW ANSWER RECEIVED", "SYSTEM REMINDER", "ANSWER NOW REQUESTED", "[Human Input]: hello",
		"BACKGROUND SUBAGENT RESULTS"}
	at := -1
	for _, token := range order {
		next := strings.Index(all, token)
		require.Greater(t, next, at, "%s is missing, or not in its place", token)
		at = next
	}
	require.Equal(t, "block", r.pre("agent_b", "shell").Decision)
	require.Empty(t, r.post("agent_b", "vote", "ok").Inject)
}

// TestMassGenExamplesReadme types what the README says, and must see what it shows.
func TestMassGenExamplesReadme(t *testing.T) {
	t.Parallel()
	binary.Needs(t, "python3")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(massgenExamples(t))))
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```console\n")
	require.True(t, found)
	console, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	var script strings.Builder
	for line := range strings.Lines(console) {
		if command, typed := strings.CutPrefix(line, "$ "); typed {
			script.WriteString("cat <<'SHOWN'\n" + line + "SHOWN\n" + command)
		}
	}
	path := "PATH=" + filepath.Dir(binary.Path) + string(os.PathListSeparator) + os.Getenv("PATH")
	done := binary.Run(t, dir, "", []string{path, "PYTHONDONTWRITEBYTECODE=1"}, "sh", "-c", script.String())
	require.Equal(t, binary.Result{Stdout: console}, done)
}

// TestMassGenExamplesHaveTheirForm: a shebang, two lines that say what and how, at most 80 lines, and nothing that is
// not Python's own.
func TestMassGenExamplesHaveTheirForm(t *testing.T) {
	files, err := os.ReadDir(massgenExamples(t))
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(massgenExamples(t), "README.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(readme), "\n"), 60)
	modules := []string{"massgen.py", "peer_timing.py"}
	for _, f := range files {
		if f.Name() == "README.md" || f.Name() == "__pycache__" {
			continue
		}
		require.Contains(t, string(readme), "`"+f.Name()+"`")
		if filepath.Ext(f.Name()) != ".py" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(massgenExamples(t), f.Name()))
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(text), "\n"), 80, f.Name())
		info, err := f.Info()
		require.NoError(t, err)
		program := !slices.Contains(modules, f.Name())
		require.Equal(t, program, info.Mode().Perm()&0o100 != 0, "%s: programs are executable, modules are not",
			f.Name())
		require.Equal(t, program, strings.HasPrefix(string(text), "#!/usr/bin/env python3\n# "), f.Name())
	}
}

func TestMassGenSettings(t *testing.T) {
	t.Parallel()
	t.Run("M52 the grace is 120 seconds, or what the settings say", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, roundTimeouts)
		for grace, text := range map[any]string{nil: "120 seconds", 7: "7 seconds"} {
			settings := binary.Object{"initial_round_timeout_seconds": 1, "subsequent_round_timeout_seconds": nil}
			if grace != nil {
				settings["round_timeout_grace_seconds"] = grace
			}
			r.state(limited(5*time.Second, settings, nil))
			require.Contains(t, strings.Join(r.post("agent1", "shell", "ok").texts(), ""), text)
		}
	})
	t.Run("M53 one delay, after some tools", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, wired("PostToolUse", "{handler: ./debug_delay.py, type: command, timeout: 60}"))
		r.state(binary.Object{"agents": binary.Object{
			"slow": binary.Object{"debug_delay_seconds": 0.01, "debug_delay_after_n_tools": 2},
			"late": binary.Object{"debug_delay_seconds": 0.01},
		}})
		said := func(agent string) string {
			return binary.Run(t, r.dir, "", r.env, binary.Path, "post-tool", "-c", "massgen.yaml", "--session-id", "s",
				"--agent-id", agent, "--tool", "x").Stderr
		}
		for i, want := range []string{"", "debug delay: 0.01 s after 2 tools", "", ""} {
			require.Equal(t, want != "", strings.Contains(said("slow"), "debug delay: 0.01 s after 2 tools"),
				"call %d", i+1)
		}
		for i, delayed := range []bool{false, false, true, false} { // three is the default
			require.Equal(t, delayed, strings.Contains(said("late"), "debug delay"), "call %d", i+1)
			require.Empty(t, said("other"), "none is the default")
		}
	})
	t.Run("M54 a strategy that does not exist is refused", func(t *testing.T) {
		t.Parallel()
		r := newMassgenRoom(t, "hooks: {}\n")
		result := `{"subagent_id": "sub_1", "status": "completed", "success": true, "answer": "done"}`
		refused := r.try(result, "subagents.py", "--session", "s", "--agent", "a", "--strategy", "tool-result")
		require.Equal(t, 2, refused.Code)
		require.Contains(t, refused.Stderr, "tool-result")
		r.run(result, "subagents.py", "--session", "s", "--agent", "a", "--strategy", "user_message")
		o := r.post("a", "shell", "ok")
		require.Len(t, o.Inject, 1)
		require.Equal(t, "user_message", o.Inject[0].Strategy)
	})
}
