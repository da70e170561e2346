//go:build unix

package guards

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/e2e/rpc"
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
	for i, row := range order {
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

func TestGuardSchema(t *testing.T) {
	const (
		multi  = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
		search = "mcp__composio__COMPOSIO_SEARCH_TOOLS"
	)
	item := func(slug string, args any) binary.Object { return binary.Object{"tool_slug": slug, "arguments": args} }
	mail := item("GMAIL_SEND_EMAIL", binary.Object{"to": "a@b", "subject": "s", "body": "b"})
	xml := func(name, clean string) guardCase {
		return guardCase{row: "U14 XML in the name of a tool", tool: name, args: binary.Object{"a": 1}, message: clean,
			block: "XML-style argument concatenation in tool name. Use: " + clean}
	}
	lacks := func(row, tool string, args any, fields string) guardCase {
		text := "Invalid " + tool + " call. Missing required fields: " + fields + ". Example: "
		return guardCase{row: row, tool: tool, args: args, block: "Tool schema validation failed. " + text,
			message: text}
	}
	pass := func(row, tool string, args any) guardCase { return guardCase{row: row, tool: tool, args: args} }
	cases := []guardCase{
		xml("mcp__composio__COMPOSIO_SEARCH_TOOLS</arg_key><arg_value>x", "mcp__composio__COMPOSIO_SEARCH_TOOLS"),
		xml("mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOLtools</arg_key><arg_value>[]</arg_value>", multi),
		xml("Write<arg_key>path", "Write"), xml("Write<arg_value>path", "Write"), xml("Write</arg_value>", "Write"),
		pass("U14 XML in the name of a tool", "a<b>", binary.Object{}),

		{row: "U16 names that no tool has", tool: "COMPOSIO_MULTI_EXECUTE_TOOLtools", args: binary.Object{},
			block:   "Malformed tool name. Suggested: COMPOSIO_MULTI_EXECUTE_TOOL",
			message: "COMPOSIO_MULTI_EXECUTE_TOOL"},
		{row: "U16 names that no tool has", tool: "mcp__x__LISTtools", args: binary.Object{},
			block: "Malformed tool name. Suggested: LIST"},
		{row: "U15 tools in any case", tool: "COMPOSIO_MULTI_EXECUTE_ToolTools", args: binary.Object{},
			block: "Malformed tool name. Suggested: COMPOSIO_MULTI_EXECUTE_Tool"},
		{row: "U15 tools in any case", tool: "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOLTOOLS", args: binary.Object{},
			block: "Malformed tool name. Suggested: COMPOSIO_MULTI_EXECUTE_TOOL"},
		pass("U15 tools in any case", "COMPOSIO_LIST_Tools", binary.Object{}),
		pass("U16 names that no tool has", "mytools", binary.Object{}), // what is left is too short
		pass("U16 names that no tool has", "list_tools", binary.Object{}),
		pass("U16 names that no tool has", "mcp__server__tool", binary.Object{}),
		pass("U16 names that no tool has", "tools", binary.Object{}),

		{row: "U18 lists that came as text", tool: multi,
			args:    binary.Object{"tools": binary.JSON(t, []any{mail}), "k": 1},
			updated: binary.Object{"tools": []any{mail}, "k": 1}},
		{row: "U18 lists that came as text", tool: search, args: binary.Object{"queries": `[{"use_case":"x"}]`},
			updated: binary.Object{"queries": []any{binary.Object{"use_case": "x"}}}},
		// The text is checked too, and a text of an empty list is none.
		{row: "U18 lists that came as text", tool: multi, args: binary.Object{"tools": `[{"tool_slug":"x"}]`},
			block: "index 0"},
		lacks("U18 lists that came as text", multi, binary.Object{"tools": "[]"}, "tools"),

		{row: "U19 tools to execute", tool: multi, args: binary.Object{"tools": "x"},
			block: "tools must be a list, not a string."},
		{row: "U19 tools to execute", tool: multi, args: binary.Object{"tools": `{"tool_slug":"x"}`},
			block: "tools must be a list, not a string."},
		{row: "U19 tools to execute", tool: multi, args: binary.Object{"tools": binary.Object{"a": 1}},
			block: "tools must be a list, not a dict."},
		{row: "U19 tools to execute", tool: multi,
			args: binary.Object{"tools": []any{mail, "x", binary.Object{"tool_slug": "", "arguments": 1},
				binary.Object{"tool_slug": "x"}}}, block: "index 1, 2, 3"},
		{row: "U19 tools to execute", tool: multi, args: binary.Object{"tools": []any{mail, mail, mail, mail, mail}},
			block: "Too many parallel tools (5 > 4). Split into multiple calls."},
		pass("U19 tools to execute", multi, binary.Object{"tools": []any{mail, mail, mail, mail}}),
		{row: "U19 tools to execute", tool: multi,
			args: binary.Object{"tools": []any{mail, item("GMAIL_SEND_EMAIL", binary.Object{"subject": "s"})}},
			block: "Inner tool schema validation failed: Tool #2 'GMAIL_SEND_EMAIL' missing: body, one of: " +
				"recipient_email|to. Example: {"},
		{row: "U19 tools to execute", tool: multi,
			args:  binary.Object{"tools": []any{item("COMPOSIO_SEARCH_WEB", nil)}},
			block: "Tool #1 'COMPOSIO_SEARCH_WEB' missing: query"},
		pass("U19 tools to execute", multi, binary.Object{"tools": []any{item("UNKNOWN", nil)}}),

		{row: "U20 queries", tool: search, args: binary.Object{"queries": "x"},
			block: "queries must be a list, not a string."},
		{row: "U20 queries", tool: search, args: binary.Object{"queries": []any{binary.Object{"use_case": "x"},
			binary.Object{}, 7}}, block: "index 1, 2"},
		pass("U20 queries", search, binary.Object{"queries": []any{binary.Object{"use_case": "x"}}}),

		pass("U22 which schema", "mcp__x__write_text_file", binary.Object{"path": "p", "content": "x"}),
		pass("U22 which schema", "TodoWrite", binary.Object{"todos": []int{1}}),
		pass("U22 which schema", "fs_write", binary.Object{"path": "p", "content": "x"}), // not Write
		pass("U22 which schema", "unknown", nil),
		lacks("U22 which schema", "mcp__x__Write", binary.Object{"path": "p"}, "file_path, content"),
		lacks("U22 which schema", "ns.write_local_file", binary.Object{"path": "p"}, "content"),

		lacks("U23 what is missing", "Write", binary.Object{"file_path": "p", "content": "abc"},
			"content_too_short(min:10)"),
		lacks("U23 what is missing", "Write", binary.Object{"file_path": "p", "content": ""}, "content"),
		lacks("U23 what is missing", "Write", binary.Object{"content": nil}, "file_path, content"),
		lacks("U23 what is missing", "Write", "text", "file_path, content"),
		lacks("U23 what is missing", "Write", []int{1}, "file_path, content"),
		lacks("U23 what is missing", "gmail_send_email", binary.Object{"to": "", "body": "b"},
			"subject, one of: recipient_email|to"),
		pass("U23 what is missing", "gmail_send_email",
			binary.Object{"recipient_email": "a@b", "subject": "s", "body": "b"}),
		// ten characters
		pass("U23 what is missing", "Write", binary.Object{"file_path": "p", "content": "äöüäöüäöüä"}),

		lacks("U24 the text of a block", "read_local_file", binary.Object{}, "path"),
	}
	for _, name := range []string{"Task", "Bash", "task", "bash"} {
		cases = append(cases, pass("U25 Task and Bash", name, binary.Object{}))
	}
	// The table of the row, once more in full: what is missing of an empty call, and a call that is fine.
	for _, s := range []struct {
		tool, lacks string
		good        binary.Object
	}{
		{"write_local_file", "path, content", binary.Object{"path": "p", "content": "0123456789"}},
		{"upload_to_composio", "path, tool_slug, toolkit_slug",
			binary.Object{"path": "p", "tool_slug": "t", "toolkit_slug": "k"}},
		{"read_local_file", "path", binary.Object{"path": "p"}},
		{"list_directory", "path", binary.Object{"path": "p"}},
		{"append_to_file", "path, content", binary.Object{"path": "p", "content": "0123456789"}},
		{"write_text_file", "path, content", binary.Object{"path": "p", "content": "0"}},
		{"finalize_research", "session_dir", binary.Object{"session_dir": "d"}},
		{"crawl_parallel", "urls, session_dir", binary.Object{"urls": []string{"u"}, "session_dir": "d"}},
		{"ask_user_questions", "questions", binary.Object{"questions": []string{"q"}}},
		{"composio_multi_execute_tool", "tools", binary.Object{"tools": []any{mail}}},
		{"composio_search_tools", "queries", binary.Object{"queries": []any{binary.Object{"use_case": "x"}}}},
		{"composio_search_news", "query", binary.Object{"query": "q"}},
		{"composio_search_web", "query", binary.Object{"query": "q"}},
		{"gmail_send_email", "subject, body, one of: recipient_email|to",
			binary.Object{"to": "a", "subject": "s", "body": "b"}},
		{"write", "file_path, content", binary.Object{"file_path": "p", "content": "0123456789"}},
		{"todowrite", "todos", binary.Object{"todos": []int{1}}},
	} {
		cases = append(cases, lacks("U21 the table", s.tool, binary.Object{}, s.lacks),
			pass("U21 the table", s.tool, s.good))
		if content, long := s.good["content"].(string); long && len(content) == 10 {
			short := maps.Clone(s.good)
			short["content"] = content[1:]
			cases = append(cases, lacks("U21 the table", s.tool, short, "content_too_short(min:10)"))
		}
	}
	r := newGuardRoom(t, "schema")
	r.tries("schema", cases)

	t.Run("U15 whose tool a name is", func(t *testing.T) {
		names := [][2]string{
			{"COMPOSIO_MULTI_EXECUTE_TOOLtools", "COMPOSIO_MULTI_EXECUTE_TOOL composio"},
			{"X_LIST</arg_key>y", "X_LIST composio"}, {"short_tools", "short_tools composio"},
			{"atools", "atools composio"}, {"mcp__server__tool", "tool mcp"}, {"mcp__a__b__c", "c mcp"},
			{"mcp__a", "mcp__a composio"}, {"Bash", "bash claude_code"}, {"TASK", "task claude_code"},
		}
		argv := []string{"python3", "-B", "-c",
			"import sys; sys.path.insert(0, '.hooks'); import schema; [print(*schema.identity(n)) for n in " +
				"sys.argv[1:]]"}
		var want string
		for _, n := range names {
			argv, want = append(argv, n[0]), want+n[1]+"\n"
		}
		require.Equal(t, binary.Result{Stdout: want}, binary.Run(t, r.dir, "", r.env, argv...))
	})
	t.Run("U22 U23 another table", func(t *testing.T) {
		own := newGuardRoom(t, "schema")
		own.change("schema", "tools", binary.Object{"text_file": binary.Object{"required": []string{"a"},
			"least": binary.Object{"c": 3}, "example": 1},
			"write_text_file": binary.Object{"required": []string{"b"}, "example": 1}})
		server := own.serve()
		for _, c := range []struct {
			tool  string
			args  binary.Object
			lacks string
		}{
			{"my_write_text_file", binary.Object{}, "b"}, // of two keys the longer
			{"my_text_file", binary.Object{}, "a, c_empty"},
			{"my_text_file", binary.Object{"a": 1, "c": nil}, "c_empty"},
			{"my_text_file", binary.Object{"a": 1, "c": "12"}, "c_too_short(min:3)"},
		} {
			require.Contains(t, server.Call("pre-tool", binary.Object{"tool": c.tool, "args": c.args}).Reason,
				"Missing required fields: "+c.lacks+".")
		}
	})
	t.Run("U17 a phase that needs a session", func(t *testing.T) {
		none := r.with("CURRENT_SESSION_WORKSPACE=")
		none.T = t
		require.Equal(t, "Missing CURRENT_SESSION_WORKSPACE.",
			none.pre("mcp__internal__run_research_phase", binary.Object{}).Reason)
		said := none.say("schema", none.claudeCall("run_research_phase", binary.Object{})+
			none.claudeCall("run_research_phase_2", binary.Object{}))
		require.Equal(t, []string{"Missing CURRENT_SESSION_WORKSPACE.", ""}, []string{said[0].Reason, said[1].Reason})
		require.Equal(t, "continue", r.pre("run_research_phase", binary.Object{}).Decision)
	})
}

func TestGuardWorkspace(t *testing.T) {
	r := newGuardRoom(t, "workspace")
	outside := filepath.Join(r.root, "elsewhere")
	for _, folder := range []string{outside, filepath.Join(r.root, "memory"), filepath.Join(r.root, "artifacts"),
		r.dir + "-other", filepath.Join(r.dir, "src", "a", "b")} {
		require.NoError(t, os.MkdirAll(folder, 0o755))
	}
	for link, to := range map[string]string{"out": outside, "deep": "src/a/b", "up": "src/..",
		"dangling": filepath.Join(outside, "new"), "loop": "loop", "self": "."} {
		require.NoError(t, os.Symlink(to, filepath.Join(r.dir, link)))
	}
	require.NoError(t, os.Symlink(outside, filepath.Join(r.root, "artifacts", "out")))
	require.NoError(t, os.Symlink(".", filepath.Join(r.root, "memory", "self")))
	in := func(name string) string { return filepath.Join(r.dir, name) }
	at := func(name string) string { return filepath.Join(r.root, name) }
	pass := func(row, tool string, args any) guardCase { return guardCase{row: row, tool: tool, args: args} }
	becomes := func(row, tool, key, path, want string) guardCase {
		return guardCase{row: row, tool: tool, args: binary.Object{key: path, "n": 1},
			updated: binary.Object{key: want, "n": 1}}
	}
	escapes := func(row, tool, key, path string) guardCase {
		return guardCase{row: row, tool: tool, args: binary.Object{key: path}, message: at("artifacts"),
			block: fmt.Sprintf("Tool input '%s' contains path '%s' which is outside the session workspace '%s'", key,
				path, r.dir)}
	}
	text := func(path string) guardCase {
		return guardCase{row: "U29 text files", tool: "mcp__x__write_text_file", args: binary.Object{"path": path},
			block: "outside the session workspace and UA_ARTIFACTS_DIR."}
	}
	const only, keys, out = "U27 tools that only read", "U31 relative paths become absolute", "U32 paths that lead out"
	cases := []guardCase{
		pass("U26 arguments that are no object", "Write", "/etc/passwd"),
		pass("U26 arguments that are no object", "Write", []string{"/etc/passwd"}),
		pass("U26 arguments that are no object", "Write", nil),
		pass("U26 arguments that are no object", "Write", binary.Object{"file_path": nil, "path": 7}),
		pass("U26 arguments that are no object", "Bash", binary.Object{"command": "ls /etc"}),

		pass("U28 the memory", "Write", binary.Object{"file_path": at("memory/HEARTBEAT.md")}),
		pass("U28 the memory", "Edit", binary.Object{"path": at("memory/a/b.md")}),
		pass("U28 the memory", "Edit", binary.Object{"path": at("memory/self/b.md")}),
		pass("U28 the memory", "write_text_file", binary.Object{"path": at("memory/a.md")}),
		becomes("U28 the memory", "Edit", "path", "../../memory/a.md", at("memory/a.md")),
		escapes("U28 the memory", "Edit", "target", at("memory/a.md")),
		escapes("U28 the memory", "Edit", "path", at("memory2/a.md")),
		{row: "U28 the memory", tool: "Edit", args: binary.Object{"path": at("memory/a.md"), "output": "/etc/x"},
			block: "Tool input 'output' contains path '/etc/x'"},

		pass("U29 text files", "mcp__x__write_text_file", binary.Object{"path": in("a.txt")}),
		pass("U29 text files", "write_text_file", binary.Object{"path": at("artifacts/new/a.txt")}),
		becomes("U29 text files", "write_text_file", "path", "a.txt", in("a.txt")),
		text("/etc/passwd"), text(at("elsewhere/x")), text("../x"), text(at("artifacts/out/x")), text(in("out/x")),
		text(in("deep/../../x")),

		pass("U30 the artifacts", "Write", binary.Object{"file_path": at("artifacts/a/b.pdf")}),
		becomes("U30 the artifacts", "Write", "pdf_path", "../../artifacts/b.pdf", at("artifacts/b.pdf")),
		escapes("U30 the artifacts", "Write", "file_path", at("artifacts/../x")),
		escapes("U30 the artifacts", "Write", "file_path", at("artifacts/out/x")),

		becomes(keys, "Write", "file_path", "new/deep/a.txt", in("new/deep/a.txt")),
		becomes(keys, "Edit", "path", "src/../x", in("x")), becomes(keys, "Edit", "path", "deep/x", in("src/a/b/x")),
		becomes(keys, "Edit", "path", "self/x", in("x")), becomes(keys, "Edit", "path", ".", r.dir),
		becomes(keys, "Edit", "path", "", r.dir),
		becomes(keys, "Edit", "path", "~nobody-of-this-name/x", in("~nobody-of-this-name/x")),
		becomes(keys, "Edit", "path", in("self/x"), in("x")),
		becomes(keys, "Edit", "path", "grüße 😀.txt", in("grüße 😀.txt")),
		becomes(keys, "Edit", "path", "..x", in("..x")), becomes(keys, "Edit", "path", "loop", in("loop")),
		becomes(keys, "Edit", "path", strings.Replace(in("a"), "AGENT_RUN_WORKSPACES", "AGENT_RUNWORKSPACES", 1),
			in("a")),
		pass(keys, "Edit", binary.Object{"path": in("a")}), pass(keys, "Edit", binary.Object{"other": "/etc/passwd"}),
		{row: keys, tool: "Move", args: binary.Object{"target": "a", "destination": "b"},
			updated: binary.Object{"target": in("a"), "destination": in("b")}},

		escapes(out, "Edit", "path", "../x"), escapes(out, "Edit", "path", "/etc/x"),
		escapes(out, "Edit", "path", "src/../../x"), escapes(out, "Edit", "path", "out/x"),
		escapes(out, "Edit", "path", "out"),
		escapes(out, "Edit", "path", "dangling"), escapes(out, "Edit", "path", r.dir+"-other/x"),
		escapes(out, "Edit", "path", "~/.bashrc"), escapes(out, "Edit", "path", "~root/x"),
		escapes(out, "Edit", "path", "deep/../../../../x"), escapes(out, "Edit", "path", "/"),
		escapes(out, "Edit", "path", at("AGENT_RUN_WORKSPACES")),
		// a tool may go through a link or drop a/.. as text
		escapes(out, "Edit", "path", "out/../x"), escapes(out, "Edit", "path", "deep/../../x"),
		{row: out, tool: "Edit", args: binary.Object{"path": "a\x00b"}, block: "null byte"},
		{row: out, tool: "Edit", args: binary.Object{"path": strings.Repeat("a/", 1<<19)},
			block: "outside the session workspace"},
	}
	for _, key := range []string{"path", "file_path", "filepath", "html_path", "pdf_path", "destination",
		"output_path", "output", "target", "target_path", "save_path", "notebook_path"} {
		cases = append(cases, becomes(keys, "Tool", key, "a.txt", in("a.txt")), escapes(out, "Tool", key, "../x"))
	}
	for _, tool := range []string{"mcp__internal__list_directory", "Read", "View", "ListDir", "read_file", "list_dir",
		"Glob", "fs_read", "mcp__x__headLines", "TAIL_LOG", "cat", "ReadMcpResource", "GMAIL_LIST"} {
		cases = append(cases, pass(only, tool, binary.Object{"file_path": "/etc/passwd"}))
	}
	// to a server that decodes without regard to case
	for _, key := range []string{"filePath", "FILE_PATH", "Output", "savePath"} {
		cases = append(cases, becomes(keys, "Tool", key, "a.txt", in("a.txt")), escapes(out, "Tool", key, "../x"))
	}
	for _, tool := range []string{"readAndWipe", "cat_overwrite", "list_erase", "MultiEdit", "Replicate",
		"create_thread", "blacklist", "readwrite", "read_write_file", "ReadAndDelete", "mcp__read__export", "Write",
		"read__x", "update_list", ""} {
		if tool != "" {
			cases = append(cases, escapes(only, tool, "file_path", "/etc/passwd"))
		}
	}
	r.tries("workspace", cases)

	// decisions asks one hookrun about tools and their paths.
	decisions := func(r *guardRoom, calls ...[2]string) (all []string) {
		server := r.serve()
		for _, c := range calls {
			all = append(all, server.Call("pre-tool",
				binary.Object{"tool": c[0], "args": binary.Object{"path": c[1]}}).Decision)
		}
		return all
	}
	t.Run("U26 active only with a workspace", func(t *testing.T) {
		none := r.with("CURRENT_SESSION_WORKSPACE=")
		none.T = t
		require.Equal(t, []guardAnswer{{}}, none.say("workspace",
			none.claudeCall("Write", binary.Object{"file_path": "/etc/passwd"})), "no workspace at all")
		require.Contains(t, none.pre("Write", binary.Object{"file_path": "/etc/passwd"}).Reason,
			"outside the session workspace '"+r.dir+"'", "hookrun knows one")
		claude := none.with("CLAUDE_PROJECT_DIR=" + r.dir)
		require.Contains(t, claude.say("workspace",
			none.claudeCall("Write", binary.Object{"file_path": "/etc/passwd"}))[0].Reason,
			"outside the session workspace '"+r.dir+"'")
		// A project is its own root: what lies two folders above it is nobody's memory.
		require.Equal(t, []string{"block", "block", "continue"},
			decisions(none, [2]string{"Write", at("memory/x")}, [2]string{"Write", at("artifacts/x")},
				[2]string{"Write", in("memory/x")}))
	})
	t.Run("U30 UA_ARTIFACTS_DIR", func(t *testing.T) {
		home := r.with("UA_ARTIFACTS_DIR= ~/results ", "HOME="+outside)
		home.T = t
		require.Equal(t, []string{"continue", "block", "block"},
			decisions(home, [2]string{"Write", at("elsewhere/results/a")}, [2]string{"Write", at("artifacts/a")},
				[2]string{"Write", at("elsewhere/a")}))
	})
	t.Run("U32 a workspace that JSON cannot carry", func(t *testing.T) {
		odd := r.with("CURRENT_SESSION_WORKSPACE=" + in("odd\xff"))
		odd.T = t
		said := odd.say("workspace", odd.claudeCall("Write", binary.Object{"file_path": "a"}))
		require.Equal(t, "block", said[0].Decision, "the tool would get another path")
	})
	t.Run("U30 artifacts for text files only", func(t *testing.T) {
		strict := newGuardRoom(t, "workspace")
		strict.change("workspace", "artifacts_for", "write_text_file")
		a := filepath.Join(strict.root, "artifacts/a")
		require.Equal(t, []string{"block", "continue"},
			decisions(strict, [2]string{"Write", a}, [2]string{"write_text_file", a}))
	})
	t.Run("U33 for other programs", func(t *testing.T) {
		script := `
import sys
sys.path.insert(0, ".hooks")
from workspace import Outside, inside, relative, scoped
home, away = sys.argv[1:]
assert inside(home, home) and inside(home + "/a", away, home) and not inside(away, home)
assert relative(home + "/a/b", home) == "a/b"
assert scoped("a/../b", home, home) == home + "/b"
assert scoped(away + "/x", home, home, reads=True) == away + "/x"
import os
assert scoped("p/q/r", home, home, make_parent=True) == home + "/p/q/r" and os.path.isdir("p/q") and not os.path.exists("p/q/r")
for wrong in (lambda: scoped("../x", home, home), lambda: relative(away, home), lambda: scoped(away + "/p/q", home, home, make_parent=True)):
    try:
        wrong()
    except Outside:
        continue
    raise SystemExit("that was outside")
assert not os.path.exists(away + "/p")
`
		require.Equal(t, binary.Result{}, binary.Run(t, r.dir, "", r.env, "python3", "-B", "-c", script, r.dir,
			outside))
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

func TestGuardDisallowed(t *testing.T) {
	var cases []guardCase
	block := func(tool string) {
		cases = append(cases, guardCase{row: "U34 each of the list", tool: tool, args: binary.Object{},
			block: "Tool '" + tool + "' is disallowed for Primary Agent.", message: tool})
	}
	for _, tool := range []string{"TaskOutput", "TaskResult", "taskoutput", "taskresult", "mcp__composio__TaskOutput",
		"mcp__composio__TaskResult", "WebSearch", "web_search", "mcp__composio__WebSearch"} {
		block(tool)
	}
	for tool := range strings.FieldsSeq(
		`run_research_pipeline crawl_parallel finalize_research list_directory append_to_file upload_to_composio generate_image describe_image preview_image
		ask_user_questions core_memory_replace core_memory_append archival_memory_insert archival_memory_search get_core_memory_blocks batch_tool_execute`) {
		block("mcp__local_toolkit__" + tool)
	}
	for _, tool := range []string{"COMPOSIO_SEARCH_NEWS", "COMPOSIO_SEARCH_WEB", "COMPOSIO_REMOTE_WORKBENCH"} {
		block("mcp__composio__" + tool)
	}
	for _, tool := range []string{"websearch", "WEBSEARCH", "WebSearch2", "MyWebSearch", "Web", "Task",
		"mcp__other__WebSearch", "mcp__composio__COMPOSIO_SEARCH_TOOLS"} {
		cases = append(cases, guardCase{row: "U34 exactly, by case", tool: tool, args: binary.Object{}})
	}
	cases = append(cases, guardCase{row: "U36 what the text says", tool: "WebSearch", args: nil,
		block: "Tool 'WebSearch' is disallowed for Primary Agent. Delegate with the Task tool",
		message: "WebSearch is not available for the Primary Agent. Delegate with the Task tool, to " +
			"research-specialist"})
	r := newGuardRoom(t, "disallowed")
	r.tries("disallowed", cases)

	t.Run("U35 not for subagents", func(t *testing.T) {
		r := r.with("UA_PRIMARY_TRANSCRIPT=/primary.jsonl", "UA_PRIMARY_AGENT=main")
		r.T = t
		tests := []struct {
			more binary.Object
			free bool
		}{
			// the transcript is another one
			{binary.Object{"parent_tool_use_id": "t1"}, true}, {binary.Object{"parent_tool_use_id": ""}, true},
			{binary.Object{"transcript_path": "/primary.jsonl"}, false}, {binary.Object{"transcript_path": ""}, false},
			{binary.Object{"transcript_path": nil}, false},
			{binary.Object{"transcript_path": "/primary.jsonl", "parent_tool_use_id": "t1"}, true},
			{binary.Object{"transcript_path": "/primary.jsonl", "parent_tool_use_id": nil}, false},
			{binary.Object{"transcript_path": "/primary.jsonl", "agent_id": "main"}, false},
			{binary.Object{"transcript_path": "/primary.jsonl", "agent_id": "other"}, true},
			{binary.Object{"transcript_path": "/primary.jsonl", "agent_type": "x"}, false},
			{binary.Object{"transcript_path": "/primary.jsonl", "agent_id": "main", "agent_type": "x"}, true},
		}
		var lines string
		for _, c := range tests {
			lines += r.claudeCall("WebSearch", binary.Object{}, c.more)
		}
		for i, said := range r.say("disallowed", lines) {
			require.Equal(t, tests[i].free, said.Decision == "", tests[i].more)
		}
		server := r.serve()
		for _, c := range []struct{ key, value, want string }{
			{"transcript_path", "/sub.jsonl", "continue"}, {"transcript_path", "/primary.jsonl", "block"},
			{"agent_id", "other", "continue"}, {"agent_id", "main", "block"},
		} {
			require.Equal(t, c.want, server.Call("pre-tool",
				binary.Object{"tool": "WebSearch", "args": binary.Object{}, c.key: c.value}).Decision, c)
		}
		// hookrun hands on what it does not know itself.
		binary.WriteFile(t, r.dir, "settings.json",
			`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"python3 -B .hooks/disallowed.py"}]}]}}`)
		for id, code := range map[string]int{"t1": 0, "": 2} {
			call := r.claudeCall("WebSearch", binary.Object{},
				binary.Object{"transcript_path": "/primary.jsonl", "parent_tool_use_id": id})
			require.Equal(t, code, binary.Run(t, r.dir, call, r.env, binary.Path, "fire", "-c", "settings.json", "-o",
				"json").Code, "parent %q", id)
		}
	})
	t.Run("U35 what is not known of the primary agent exempts nobody", func(t *testing.T) {
		r := *r
		r.T = t
		require.Equal(t, "block", r.pre("WebSearch", binary.Object{}, "--transcript-path", "/sub.jsonl", "--agent-id",
			"other").Decision)
	})
}

// wiredPre is what runs before a Bash call, in the order of the document.
var wiredPre = []string{"schema", "workspace", "disallowed", "bash-env", "bash-deps", "bash-composio",
	"bash-playwright", "bash-skill-hint", "ledger"}

// would are the hooks that would run.
func (r *guardRoom) would(flags ...string) (names []string) {
	r.Helper()
	done := binary.Run(r.T, r.dir, "", r.env, append([]string{binary.Path, "explain", "-o", "json"}, flags...)...)
	require.Equal(r, 0, done.Code, done.Stderr)
	var plan struct {
		Hooks []struct {
			Name, Command string
			WouldRun      bool `json:"would_run"`
		}
	}
	require.NoError(r, json.Unmarshal([]byte(done.Stdout), &plan), done.Stdout)
	for _, h := range plan.Hooks {
		if h.WouldRun {
			names = append(names, h.Name)
		}
	}
	return names
}

func TestGuardsAreWired(t *testing.T) {
	r := newGuardRoom(t)
	settings := filepath.Join(".hooks", "claude-settings.json")
	t.Run("U01 the events", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(r.dir, settings))
		require.NoError(t, err)
		var file struct{ Hooks map[string][]any }
		require.NoError(t, json.Unmarshal(text, &file))
		// AgentStop is Stop in Claude Code, which has an event of its own for a tool that failed.
		require.ElementsMatch(t, []string{"Stop", "SubagentStop", "PreToolUse", "PreCompact", "PostToolUse",
			"PostToolUseFailure", "UserPromptSubmit"}, slices.Collect(maps.Keys(file.Hooks)))
	})
	t.Run("all files pass the check", func(t *testing.T) {
		for _, f := range []string{".hooks/tenex-hooks.json", ".hooks/tenex-rules.json", settings} {
			done := binary.Run(t, r.dir, "", r.env, binary.Path, "check", f)
			require.Equal(t, 0, done.Code, done.Stderr)
			require.Regexp(t, `^\S+: \d+ hooks, nothing wrong\n$`, done.Stdout)
		}
	})
	t.Run("U02 the order before a tool", func(t *testing.T) {
		require.Equal(t, wiredPre, r.would("pre-tool", "--tool", "Bash"))
		require.Equal(t, []string{"schema", "workspace", "disallowed", "task-skills", "ledger"},
			r.would("pre-tool", "--tool", "Task"))
		require.Equal(t, []string{"schema", "workspace", "disallowed", "ledger"},
			r.would("pre-tool", "--tool", "Write"))
		require.Equal(t, []string{"prompt-skills", "ledger-turn"}, r.would("pre-execute"))
	})
	t.Run("U03 the order after a tool", func(t *testing.T) {
		require.Equal(t, []string{"ledger-completion", "validation-hints"}, r.would("post-tool", "--tool", "Bash"))
		require.Equal(t, []string{"ledger-completion", "validation-hints", "task-guidance"},
			r.would("post-tool", "--tool", "Task"))
	})
	t.Run("U02 U03 the same in Claude Code's settings", func(t *testing.T) {
		var wired, settled [2][]string
		for _, h := range binary.HooksOf(t, filepath.Join(r.dir, ".hooks", "tenex-hooks.json")) {
			at := slices.Index([]string{"pre-tool", "post-tool"}, h["events"].([]any)[0].(string))
			if at >= 0 {
				wired[at] = append(wired[at], filepath.Base(h["command"].([]any)[2].(string)))
			}
		}
		text, err := os.ReadFile(filepath.Join(r.dir, settings))
		require.NoError(t, err)
		var file struct {
			Hooks map[string][]struct {
				Hooks []struct{ Args []string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &file))
		for i, event := range []string{"PreToolUse", "PostToolUse"} {
			for _, group := range file.Hooks[event] {
				for _, h := range group.Hooks {
					settled[i] = append(settled[i], filepath.Base(h.Args[1]))
				}
			}
		}
		require.Equal(t, wired, settled)
	})
	t.Run("U04 what a guard gets", func(t *testing.T) {
		own := newGuardRoom(t, "schema")
		binary.WriteFile(t, own.dir, ".tenex-hooks.json",
			`{"hooks":[{"name":"keep","command":"cat >\"$HOOKRUN_EVENT\"","events":["pre-tool","post-tool"]}]}`)
		flags := []string{"--tool", "Write", "--args", `{"file_path":"a"}`, "--session-id", "s1", "--tool-use-id",
			"t1", "--transcript-path", "/t.jsonl"}
		require.Equal(t, 0, binary.Run(t, own.dir, "", own.env,
			append([]string{binary.Path, "pre-tool"}, flags...)...).Code)
		require.Equal(t, 0, binary.Run(t, own.dir, "", own.env,
			append([]string{binary.Path, "post-tool", "--result", "done"}, flags...)...).Code)
		for event, more := range map[string]binary.Object{"pre-tool": {"hook_event_name": "PreToolUse"},
			"post-tool": {"hook_event_name": "PostToolUse", "tool_response": "done"}} {
			text, err := os.ReadFile(filepath.Join(own.dir, event))
			require.NoError(t, err)
			var call binary.Object
			require.NoError(t, json.Unmarshal(text, &call))
			want := binary.Object{"tool_name": "Write", "tool_input": binary.Object{"file_path": "a"},
				"tool_use_id": "t1", "session_id": "s1", "transcript_path": "/t.jsonl"}
			maps.Copy(want, more)
			for key, value := range want {
				require.Equal(t, value, call[key], "%s %s", event, key)
			}
		}
		// The names that the row has for a result, and for a failure, which hookrun and Claude Code do not send.
		script := `
import sys
sys.path.insert(0, ".hooks")
from guards import failed, result
for key in ("tool_response", "tool_result", "tool_output", "result", "error"):
    assert result({key: "x"}) == "x", key
assert result({"tool_response": None, "tool_result": ""}) == "" and result({}) is None
for call in ({"is_error": True}, {"hook_event_name": "PostToolUseFailure"}, {"tool_response": {"is_error": True}}, {"tool_result": {"error": "x"}}):
    assert failed(call), call
for call in ({}, {"tool_response": "error"}, {"is_error": False, "tool_response": {"error": None}}, {"tool_response": ["error"]}):
    assert not failed(call), call
`
		require.Equal(t, binary.Result{}, binary.Run(t, own.dir, "", own.env, "python3", "-B", "-c", script))
	})
	t.Run("U05 no opinion", func(t *testing.T) {
		for _, guard := range []string{"schema", "workspace", "disallowed"} {
			require.Equal(t, binary.Result{Stdout: "{}\n"},
				binary.Run(t, r.dir, r.claudeCall("Bash", binary.Object{"command": "ls"}), r.env, "python3", "-B",
					".hooks/"+guard+".py"))
		}
	})
	t.Run("U06 the form of a block", func(t *testing.T) {
		done := binary.Run(t, r.dir, r.claudeCall("WebSearch", binary.Object{}), r.env, "python3", "-B",
			".hooks/disallowed.py")
		reason := "Tool 'WebSearch' is disallowed for Primary Agent. Delegate with the Task tool, to " +
			"research-specialist for instance."
		require.JSONEq(t, binary.JSON(t, binary.Object{"decision": "block", "reason": reason,
			"systemMessage": "WebSearch is not available for the Primary Agent. Delegate with the Task tool, to " +
				"research-specialist for instance.",
			"hookSpecificOutput": binary.Object{"hookEventName": "PreToolUse", "permissionDecision": "deny",
				"permissionDecisionReason": reason}}), done.Stdout)
		// Either marker alone is a block.
		own := newGuardRoom(t, "schema")
		for _, marker := range []string{`{"decision":"block","reason":"no"}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"no"}}`} {
			binary.WriteFile(t, own.dir, ".tenex-hooks.json",
				binary.JSON(t, binary.Object{"hooks": []binary.Object{{"name": "one",
					"command": "echo '" + marker + "'", "events": []string{"pre-tool"}}}}))
			require.Equal(t, binary.Result{Code: 2, Stderr: "no\n"},
				binary.Run(t, own.dir, "", own.env, binary.Path, "pre-tool", "--tool", "x"), marker)
		}
		// At an event that does not know a deny there is none.
		require.Equal(t, binary.Result{Stdout: `{"decision": "block", "reason": "no"}` + "\n"},
			binary.Run(t, r.dir, `{"hook_event_name":"Stop"}`, r.env, "python3", "-B", "-c",
				"import sys; sys.path.insert(0, '.hooks'); from guards import *; serve(lambda call: block(call, "+
					"'no'))"))
	})
	t.Run("U07 the form of a rewrite", func(t *testing.T) {
		done := binary.Run(t, r.dir, r.claudeCall("Edit", binary.Object{"path": "a", "n": 1}), r.env, "python3", "-B",
			".hooks/workspace.py")
		require.JSONEq(t,
			binary.JSON(t, binary.Object{"hookSpecificOutput": binary.Object{"hookEventName": "PreToolUse",
				"updatedInput": binary.Object{"path": filepath.Join(r.dir, "a"), "n": 1}}}), done.Stdout)
		through := binary.Run(t, r.dir, r.claudeCall("Edit", binary.Object{"path": "a", "n": 1}), r.env, binary.Path,
			"fire", "-c", settings)
		require.Equal(t, 0, through.Code, through.Stderr)
		var a guardAnswer
		require.NoError(t, json.Unmarshal([]byte(through.Stdout), &a), through.Stdout)
		require.JSONEq(t, binary.JSON(t, binary.Object{"path": filepath.Join(r.dir, "a"), "n": 1}),
			string(a.HookSpecificOutput.UpdatedInput))
		require.Empty(t, a.HookSpecificOutput.PermissionDecision, "a rewrite approves nothing")
	})
	t.Run("U08 a message is no block", func(t *testing.T) {
		o := newGuardRoom(t, "bash_deps").pre("Bash", binary.Object{"command": "pip install x"})
		require.Equal(t, "continue", o.Decision)
		require.NotEmpty(t, o.SystemMessages)
		require.Equal(t, binary.Result{Stdout: `{"systemMessage": "careful"}` + "\n"},
			binary.Run(t, r.dir, `{}`, r.env, "python3", "-B", "-c",
				"import sys; sys.path.insert(0, '.hooks'); from guards import *; serve(lambda call: hint('careful'))"))
	})
	t.Run("U02 U09 the chain", func(t *testing.T) {
		// Whoever comes last sees what the guards before it made of the call, and nothing of one that is blocked.
		own := newGuardRoom(t)
		hooks := append(binary.HooksOf(t, filepath.Join(own.dir, ".tenex-hooks.json")),
			binary.Object{"name": "event", "command": "cat >>events", "events": []string{"pre-tool"}})
		binary.WriteFile(t, own.dir, ".tenex-hooks.json", binary.JSON(t, binary.Object{"hooks": hooks}))
		server := own.serve()
		events := func() string {
			text, _ := os.ReadFile(filepath.Join(own.dir, "events"))
			return string(text)
		}
		for _, c := range []struct {
			tool string
			args binary.Object
			hook string
			ran  int
		}{
			{"Write", binary.Object{"file_path": "a"}, "schema", 1},
			{"Edit", binary.Object{"file_path": "../a"}, "workspace", 2},
			{"WebSearch", binary.Object{}, "disallowed", 3},
			{"Bash", binary.Object{"command": "python -c 'import composio'"}, "bash-composio", 6},
		} {
			o := server.Call("pre-tool", binary.Object{"tool": c.tool, "args": c.args})
			require.Equal(t, []any{"block", c.hook}, []any{o.Decision, o.Hook})
			require.Len(t, o.Ran(), c.ran, c.tool)
			require.Empty(t, events(), c.tool)
		}
		o := server.Call("pre-tool", binary.Object{"tool": "Bash",
			"args": binary.Object{"command": "ls", "timeout": 5}})
		require.Equal(t, "continue", o.Decision, o.Reason)
		require.Equal(t, append(slices.Clone(wiredPre), "event"), o.Ran())
		want := fmt.Sprintf("export CURRENT_SESSION_WORKSPACE=%s; export UA_ARTIFACTS_DIR=%s; ls", own.dir,
			filepath.Join(own.root, "artifacts"))
		require.JSONEq(t, binary.JSON(t, binary.Object{"command": want, "timeout": 5}), string(o.UpdatedInput))
		require.Contains(t, events(), binary.JSON(t, want))
	})
	t.Run("U10 a guard that fails", func(t *testing.T) {
		own := newGuardRoom(t)
		own.change("schema", "tools", nil)
		binary.WriteFile(t, own.dir, ".hooks/guards.json", "{")
		for _, gate := range []string{"schema", "workspace", "disallowed", "bash_composio", "bash_playwright",
			"ledger"} {
			said := own.say(gate, own.claudeCall("Edit", binary.Object{"file_path": "a", "command": "ls"}))
			require.Equal(t, "deny", said[0].HookSpecificOutput.PermissionDecision, gate)
			require.NotEmpty(t, said[0].HookSpecificOutput.PermissionDecisionReason, gate)
		}
		require.Contains(t, own.say("schema", own.claudeCall("Edit", binary.Object{}))[0].Reason,
			"schema.py could not check this call: JSONDecodeError: ")
		o := own.pre("Edit", binary.Object{"file_path": "a"})
		require.Equal(t, []any{"block", "schema", "policy"}, []any{o.Decision, o.Hook, o.Cause})
		for _, hint := range []string{"bash_env", "bash_deps", "skill_hint"} {
			done := binary.Run(t, own.dir, own.claudeCall("Bash", binary.Object{"command": "pip install x; ls a.pdf"}),
				own.env, "python3", "-B", ".hooks/"+hint+".py")
			require.Equal(t, 0, done.Code, hint)
			require.NotContains(t, done.Stdout, "deny", hint)
			require.NotContains(t, done.Stdout, "block", hint)
		}
	})
	t.Run("U11 the parameters", func(t *testing.T) {
		other := filepath.Join(r.root, "AGENT_RUN_WORKSPACES", "session_2")
		require.NoError(t, os.MkdirAll(other, 0o755))
		own := r.with("UA_RUN_ID=run-7", "UA_RUNTIME_DB_PATH="+filepath.Join(r.root, "own.db"),
			"CURRENT_SESSION_WORKSPACE="+other)
		own.T = t
		o := own.pre("Edit", binary.Object{"file_path": "a"})
		require.Equal(t, "continue", o.Decision, o.Reason)
		// active_workspace
		require.JSONEq(t, binary.JSON(t, binary.Object{"file_path": filepath.Join(other, "a")}), string(o.UpdatedInput))
		done := binary.Run(t, own.dir, "", own.env, "python3", "-c",
			"import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('select run_id from "+
				"tool_calls').fetchall())", filepath.Join(r.root, "own.db"))
		require.Equal(t, binary.Result{Stdout: "[('run-7',)]\n"}, done) // run_id, tool_ledger, runtime_db_conn
		call := own.claudeCall("Bash", binary.Object{"command": "ls a.pdf"})
		require.Contains(t, binary.Run(t, own.dir, call, own.env, "python3", "-B", ".hooks/skill_hint.py").Stdout,
			"Skill Hint")
		// enable_skills
		require.Equal(t, binary.Result{Stdout: "{}\n"},
			binary.Run(t, own.dir, call, own.env, "python3", "-B", ".hooks/skill_hint.py", "--skills=false"))
	})
}

func TestGuardsBreakSafely(t *testing.T) {
	r := newGuardRoom(t)
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	big := strings.Repeat("a", 4<<20)
	for _, guard := range []string{"schema", "workspace", "disallowed"} {
		t.Run(guard, func(t *testing.T) {
			t.Parallel()
			own := *r
			own.T = t
			blocks := func(name string, said []guardAnswer) {
				require.Len(t, said, 1, name)
				require.Equal(t, []string{"block", "deny"},
					[]string{said[0].Decision, said[0].HookSpecificOutput.PermissionDecision}, name)
				require.Contains(t, said[0].Reason, guard+".py could not check this call: ", name)
			}
			unreadable := map[string]string{"cut": `{"tool_name":`}
			if guard == "schema" { // guards.py reads for all of them
				maps.Copy(unreadable, map[string]string{"nothing": "", "blank": "\n", "a list": "[]", "null": "null",
					"a text": `"x"`, "no UTF-8": "{\"tool_name\":\"\xff\"}",
					"deep": `{"tool_name":"Write","tool_input":` + deep + `}`, "after it": `{"tool_name":"Bash"} x`,
					"a mark of order": "\ufeff{}"})
			}
			for name, stdin := range unreadable {
				blocks(name, own.say(guard, stdin))
			}
			args := []string{`"x"`, `["x"]`, `null`, `1e999`, `{"command":"` + big + `"}`, `{"command":"\ud800"}`,
				`{"command":NaN}`}
			var calls []string
			for _, a := range args {
				calls = append(calls, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":`+a+`}`)
			}
			// no tool, and one that is none
			calls = append(calls, `{"tool_input":{}}`, `{"tool_name":{"a":1},"tool_input":{}}`)
			// What nobody can read is the last call that gets an answer, also where good ones follow.
			said := own.say(guard, strings.Join(calls, "\n")+"\n{}}\n"+calls[0])
			require.Len(t, said, len(calls)+1)
			for i := range args {
				require.Zero(t, said[i], "%.99s", args[i])
			}
			for i := len(args); i < len(said); i++ {
				blocks("after "+fmt.Sprint(i), said[i:i+1])
			}
			// A call over several lines, as a person writes one, and without a line feed at its end.
			require.Equal(t, []guardAnswer{{}}, own.say(guard,
				"{\n  \"tool_name\": \"Bash\",\n  \"tool_input\": {}\n}"))
			// Neither a pipe that is closed nor a module that somebody puts beside it makes it pass.
			closed := binary.Run(t, own.dir, "", own.env, "sh", "-c", "exec python3 -B .hooks/"+guard+".py <&-")
			require.Equal(t, 0, closed.Code)
			require.Contains(t, closed.Stdout, `"deny"`)
		})
	}
	t.Run("paths", func(t *testing.T) {
		var lines, want string
		for _, c := range [][2]string{
			{`\ud800/../../../x`, "block "}, {`a\u0000`, "block "}, {strings.Repeat("../", 1<<19) + "x", "block "},
			{strings.Repeat("a", 300), " "}, {`a\ud800`, "block "},
		} {
			lines, want = lines+`{"tool_name":"Edit","tool_input":{"path":"`+c[0]+`"}}`+"\n", want+c[1]
		}
		got := ""
		for _, said := range r.say("workspace", lines) {
			got += said.Decision + " "
		}
		require.Equal(t, want, got)
	})
	t.Run("modules of other people", func(t *testing.T) {
		own := newGuardRoom(t, "schema", "workspace", "disallowed")
		own.change("workspace", "artifacts_for", "all")
		for _, module := range []string{"json", "re", "os", "posixpath", "encodings"} {
			binary.WriteFile(t, own.dir, ".hooks/"+module+".py", "import os as o\no._exit(0)\n")
			binary.WriteFile(t, own.dir, module+".py", "import os as o\no._exit(0)\n")
		}
		for _, c := range [][2]string{{"schema", `Write`}, {"workspace", `Edit`}, {"disallowed", `WebSearch`}} {
			require.Equal(t, "block", own.say(c[0], own.claudeCall(c[1],
				binary.Object{"file_path": "/etc/x"}))[0].Decision, c)
		}
	})
	t.Run("prints and children", func(t *testing.T) {
		program := `
import sys
sys.path.insert(0, ".hooks")
from guards import *
import subprocess
def guard(call):
    print("stray"), sys.__stdout__.write("{}\n"), sys.__stdout__.flush()
    subprocess.run("echo child; cat", shell=True)
    if call.get("leave"): sys.exit(0)
    return block(call, "no")
serve(guard)
`
		done := binary.Run(t, r.dir, "{\"a\":1}\n{\"leave\":1}\n{\"a\":1}\n", r.env, "python3", "-B", "-c", program)
		require.Equal(t, 0, done.Code, done.Stderr)
		lines := strings.Split(strings.TrimSpace(done.Stdout), "\n")
		require.Len(t, lines, 3)
		for _, line := range lines {
			require.Contains(t, line, `"deny"`)
		}
		require.Contains(t, lines[1], "SystemExit")
	})
}

func TestGuardsAsRules(t *testing.T) {
	r := newGuardRoom(t)
	rules := []string{"-c", ".hooks/tenex-rules.json"}
	hooks := binary.HooksOf(t, filepath.Join(r.dir, ".hooks", "tenex-rules.json"))
	text, err := os.ReadFile(filepath.Join(r.dir, ".hooks", "guards.json"))
	require.NoError(t, err)
	var data struct {
		Disallowed struct{ Tools []string }
		Composio   []string `json:"bash_composio"`
		Deps       []string `json:"bash_deps"`
	}
	require.NoError(t, json.Unmarshal(text, &data))
	t.Run("U34 disallowed tools", func(t *testing.T) {
		require.Equal(t, "delegate", hooks[0]["name"])
		require.Equal(t, strings.Join(data.Disallowed.Tools, "|"), hooks[0]["matcher"],
			"the rule and guards.json have one list")
		o := r.pre("WebSearch", binary.Object{}, rules...)
		require.Equal(t, []string{"block", "policy", "delegate"}, []string{o.Decision, o.Cause, o.Hook})
		require.Contains(t, o.Reason, "is disallowed for Primary Agent. Delegate with the Task tool")
		require.Equal(t, "block", r.pre("mcp__composio__COMPOSIO_REMOTE_WORKBENCH", binary.Object{}, rules...).Decision)
		other := binary.Run(t, r.dir, "", r.env,
			append([]string{binary.Path, "pre-tool", "--tool", "websearch"}, rules...)...)
		require.Equal(t, 0, other.Code, "a tool of another name")
		require.Contains(t, other.Stderr, "which differs only in case or blanks")
	})
	t.Run("U35 not for subagents", func(t *testing.T) {
		require.Equal(t, "continue", r.pre("WebSearch", binary.Object{}, append(rules, "--agent-id", "a2")...).Decision)
	})
	t.Run("U48 the Composio SDK", func(t *testing.T) {
		require.NotEmpty(t, data.Composio)
		for _, words := range data.Composio {
			for _, command := range []string{words, strings.ToUpper(words), strings.ReplaceAll(words, " ", "  ")} {
				command += " x"
				require.Equal(t, "no-composio-sdk", r.pre("Bash",
					binary.Object{"command": "python -c '" + command + "'"}, rules...).Hook, command)
			}
		}
		require.Equal(t, "continue", r.pre("Bash", binary.Object{"command": "echo composio"}, rules...).Decision)
		require.Equal(t, "no-composio-sdk", r.pre("shell",
			binary.Object{"command": []string{"python", "-c", "import composio"}}, rules...).Hook)
	})
	t.Run("U49 PDF of HTML only", func(t *testing.T) {
		for command, want := range map[string]string{"playwright pdf a.md a.pdf": "block",
			"Playwright PDF 'a.docx'": "block", "playwright pdf a.html b.pdf": "continue",
			"playwright pdf a.md.html": "continue", "pandoc a.md a.pdf": "continue"} {
			require.Equal(t, want, r.pre("Bash", binary.Object{"command": command}, rules...).Decision, command)
		}
	})
	t.Run("U47 installations", func(t *testing.T) {
		for _, words := range data.Deps {
			o := r.pre("Bash", binary.Object{"command": strings.ToUpper(words) + " x"}, rules...)
			require.Equal(t, "continue", o.Decision)
			require.Contains(t, strings.Join(o.Texts(), ""), "PEP 723", words)
		}
		require.Empty(t, r.pre("Bash", binary.Object{"command": "pip list"}, rules...).Texts())
	})
}

// TestGuardFiles: the README names every file, each program is short, and needs nothing but Python.
func TestGuardFiles(t *testing.T) {
	binary.Needs(t, "python3")
	readme, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), "README.md"))
	require.NoError(t, err)
	wired, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), "claude-settings.json"))
	require.NoError(t, err)
	files, err := os.ReadDir(binary.GuardFiles(t))
	require.NoError(t, err)
	imports := "import ast, sys; print(*sorted({n.split('.')[0] for f in sys.argv[1:] for t in " +
		"ast.walk(ast.parse(open(f).read(), feature_version=(3, 9))) " +
		"for n in ([a.name for a in t.names] if isinstance(t, ast.Import) else [t.module] if isinstance(t, " +
		"ast.ImportFrom) else [])} - set(sys.stdlib_module_names)))"
	argv := []string{"python3", "-c", imports}
	for _, f := range files {
		if f.Name() != "README.md" {
			require.Contains(t, string(readme), "`"+f.Name()+"`")
		}
		info, err := f.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o002, "everybody may write to %s", f.Name())
		text, err := os.ReadFile(filepath.Join(binary.GuardFiles(t), f.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(text), "\r", f.Name())
		if filepath.Ext(f.Name()) != ".py" {
			require.Zero(t, info.Mode().Perm()&0o100, f.Name())
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		require.LessOrEqual(t, len(lines), 120, f.Name())
		program := strings.HasPrefix(lines[0], "#!")
		require.Equal(t, program, info.Mode().Perm()&0o100 != 0, "%s: a program is executable, a module is not",
			f.Name())
		if program {
			require.Equal(t, "#!/usr/bin/env python3", lines[0], f.Name())
			require.True(t, strings.HasPrefix(lines[1], "# ") && strings.HasPrefix(lines[2], "# Wire: {"), f.Name())
			require.Contains(t, string(wired)+"schema_nudge.py", f.Name(), "it is wired, or instead of another one")
		}
		argv = append(argv, f.Name())
	}
	done := binary.Run(t, binary.GuardFiles(t), "", nil, argv...)
	require.Equal(t, 0, done.Code, done.Stderr)
	for name := range strings.FieldsSeq(done.Stdout) {
		require.FileExists(t, filepath.Join(binary.GuardFiles(t), name+".py"))
	}
}

// TestGuardsReadme types what the README says, which runs the tests of guards.hooktest.json too.
func TestGuardsReadme(t *testing.T) {
	binary.Needs(t, "python3")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(binary.GuardFiles(t))))
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```console\n")
	require.True(t, found)
	console, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	var script, want strings.Builder
	for line := range strings.Lines(console) {
		if command, typed := strings.CutPrefix(line, "$ "); typed {
			script.WriteString(command)
		} else {
			want.WriteString(line)
		}
	}
	path := "PATH=" + strings.Join([]string{filepath.Dir(binary.Path), binary.Python(t), os.Getenv("PATH")}, ":")
	done := binary.Run(t, dir, script.String(), []string{path}, "sh", "-c", "exec sh 2>&1")
	require.Equal(t, want.String(), done.Stdout)
}
