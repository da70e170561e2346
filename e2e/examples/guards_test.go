//go:build unix

package examples

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

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

func TestGuardsBreakSafely(t *testing.T) {
	r := newGuardRoom(t)
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	big := strings.Repeat("a", 4<<20)
	for _, guard := range testall.Part(3, []string{"schema", "workspace", "disallowed"}) {
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
