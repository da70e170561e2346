package hookfile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// TestClaudeSame: of equal hooks the client runs one. Equal are those of one command with the same arguments and rule.
func TestClaudeSame(t *testing.T) {
	const a = `"type":"command","command":"a"`
	equal := [][]string{
		{a, a + `,"timeout":5`, a + `,"statusMessage":"s","once":true`, a + `,"async":true`,
			a + `,"onFailure":"block"`, `"command":"\u0061","type":"command"`, a + `,"if":""`},
		{a + `,"args":[]`},
		{a + `,"args":["x"]`, a + `,"args":["x"],"timeout":5`},
		{a + `,"args":["x",""]`},
		{a + `,"args":["x "]`},
		{`"type":"command","command":"a "`},
		{`"type":"command","command":"a x"`}, // not the same as a with x
		{a + `,"if":"Bash"`, a + `,"if":"Bash","timeout":5`},
		{a + `,"if":"Bash(*)"`},
		{`"type":"http","url":"http://a"`, `"type":"http","url":"http://a","timeout":5`},
		{`"type":"http","url":"http://a/"`},
		{`"type":"http","url":"http://a","if":"Bash"`},
		{`"type":"command","command":"http://a"`},
		{a + `,"args":["x","y"]`},
		{a + `,"args":["x\",\"y"]`},
	}
	seen := map[string]int{}
	for i, group := range equal {
		for _, fields := range group {
			same := one(t, pre("{"+fields+"}")).DedupKey
			require.NotEmpty(t, same)
			if first, ok := seen[same]; ok {
				require.Equal(t, i, first, "%s is equal to %s", fields, equal[first][0])
			}
			seen[same] = i
		}
		require.Len(t, seen, i+1, "%q are equal", group)
	}
	t.Run("whatever event, group and file", func(t *testing.T) {
		cfg, err := parts.All().Parse("g", []byte(`{"hooks":{"PostToolUse":[{"matcher":"B","hooks":[{`+a+`}]}]}}`))
		require.NoError(t, err)
		require.Equal(t, one(t, pre("{"+a+"}")).DedupKey, cfg.Hooks[0].DedupKey)
	})
	t.Run("but not of two plugins", func(t *testing.T) { // whose folder the command depends on
		one, err := parts.All().Parse("one/hooks/hooks.json", []byte(pre("{"+a+"}")))
		require.NoError(t, err)
		two, err := parts.All().Parse("two/hooks/hooks.json", []byte(pre("{"+a+"}")))
		require.NoError(t, err)
		require.NotEqual(t, one.Hooks[0].DedupKey, two.Hooks[0].DedupKey)
	})
}

func TestClaudePlugins(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	dir, err := os.Getwd()
	require.NoError(t, err)
	for path, root := range map[string]string{
		filepath.Join(dir, "plugin", "hooks", "hooks.json"): filepath.Join(dir, "plugin"),
		filepath.Join("plugin", "hooks", "hooks.json"):      filepath.Join(dir, "plugin"),
		"hooks.json":                                 dir,
		filepath.Join("plugin", "hooks.json"):        filepath.Join(dir, "plugin"),
		filepath.Join("hooks", "settings.json"):      "",
		filepath.Join("hooks", "plugin-hooks.json"):  "",
		filepath.Join(dir, ".claude/settings.json"):  "",
		filepath.Join("plugin/hooks", "hooks.jsonc"): "",
	} {
		for _, hook := range []string{`{"type":"command","command":"a"}`, `{"type":"command","command":"a","args":[]}`,
			`{"type":"http","url":"http://h"}`} {
			cfg, err := parts.All().Parse(path, []byte(pre(hook)))
			require.NoError(t, err)
			if root == "" {
				require.Empty(t, cfg.Hooks[0].Environment(), path)
			} else {
				require.Equal(t, []string{"CLAUDE_PLUGIN_ROOT=" + root}, cfg.Hooks[0].Environment(), path)
			}
		}
	}
}

// recordedCase is one of those that were recorded from the client itself.
type recordedCase struct {
	ID, Event  string
	Config     json.RawMessage
	ConfigText string `json:"config_text"`
	Matrix     struct {
		Field    string
		Patterns []*string
	}
	Stdin  json.RawMessage
	Expect struct {
		Matched     []*string
		NotMatched  []*string `json:"not_matched"`
		ConfigError bool      `json:"config_error"`
	}
}

func recordedCases(t *testing.T, names ...string) (cases []recordedCase) {
	for _, name := range names {
		f, err := os.Open(filepath.Join("..", "..", "..", "conformance", "claude", name))
		require.NoError(t, err)
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var c recordedCase
			require.NoError(t, json.Unmarshal(lines.Bytes(), &c), name)
			cases = append(cases, c)
		}
		require.NoError(t, lines.Err())
	}
	return cases
}

// TestRecordedConfigs: hookrun refuses those files of which the client drops something, and no others.
func TestRecordedConfigs(t *testing.T) {
	refused := 0
	cases := recordedCases(t, "config.jsonl", "matcher.jsonl", "multi.jsonl", "pre.jsonl", "proc.jsonl",
		"onfailure.jsonl", "if-misc.jsonl")
	for _, c := range cases {
		doc := string(c.Config)
		if c.ConfigText != "" {
			doc = c.ConfigText
		}
		if doc == "" {
			continue // a matrix
		}
		_, err := parts.All().Parse("settings.json", []byte(doc))
		require.Equal(t, c.Expect.ConfigError, err != nil, "%s: %v", c.ID, err)
		if err != nil {
			refused++
		}
	}
	require.GreaterOrEqual(t, refused, 20)
	require.Greater(t, len(cases), 150)
}

// claudeConfig adds files, in their order.
func claudeConfig(t *testing.T, docs ...string) *hookfile.Config {
	t.Helper()
	var all hookfile.Config
	for i, doc := range docs {
		cfg, err := parts.All().Parse(strconv.Itoa(i+1), []byte(doc))
		require.NoError(t, err)
		all.Add(cfg)
	}
	return &all
}

func input(t *testing.T, doc string) *dialect.Call {
	t.Helper()
	c, warnings, err := clients.All().ParseInput(doc)
	require.NoError(t, err)
	require.Empty(t, warnings)
	return &c
}

func TestClaudeRuns(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	bash := func(command string) string {
		return `{"hook_event_name":"PreToolUse","cwd":"/repo","tool_name":"Bash","tool_input":{"command":` +
			strconv.Quote(command) + `}}`
	}
	for _, test := range []struct {
		event, matcher, rule string
		input                string
		runs                 bool
		why                  string
	}{
		{"PreToolUse", "", "", bash("ls"), true, `it subscribes to PreToolUse`},
		{"PreToolUse", "*", "", bash("ls"), true,
			`it subscribes to PreToolUse, and its matcher "*" matches the tool "Bash"`},
		{"PreToolUse", "Edit, Bash", "", bash("ls"), true,
			`it subscribes to PreToolUse, and its matcher "Edit, Bash" matches the tool "Bash"`},
		{"PreToolUse", "Ba", "", bash("ls"), false, `its matcher "Ba" does not match the tool "Bash"`},
		{"PreToolUse", "Edit", "Bash", bash("ls"), false, `its matcher "Edit" does not match the tool "Bash"`},
		{"PostToolUse", "Bash", "", bash("ls"), false, `it does not subscribe to PreToolUse`},

		{"PreToolUse", "Bash", "Bash(git *)", bash("cd x && git push"), true,
			`it subscribes to PreToolUse, and its matcher "Bash" matches the tool "Bash", and its if "Bash(git *)" ` +
				`matches the command "git push"`},
		{"PreToolUse", "", "Bash(git *)", bash("ls"), false, `its if "Bash(git *)" matches no command of the line`},
		{"PreToolUse", "", "Bash(git *)", bash(`"$GIT" push`), true,
			`it subscribes to PreToolUse, and its if "Bash(git *)" cannot see through the line (a variable in double ` +
				`quotes), so the hook runs`},
		{"PreToolUse", "", "Bash", bash("ls"), true,
			`it subscribes to PreToolUse, and its if "Bash" matches every call of Bash`},
		{"PreToolUse", "", "bash", bash("ls"), false, `its if "bash" is for another tool`},
		{"PreToolUse", "", "Bash|Edit", bash("ls"), false,
			`its if "Bash|Edit" is no rule of the form Tool or Tool(pattern), so it matches nothing`},
		{"PreToolUse", "", "Task", `{"hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":{}}`, true,
			`it subscribes to PreToolUse, and its if "Task" matches every call of Agent`},
		// Paths are those of the session's current directory.
		{"PreToolUse", "", "Edit(src/**)",
			`{"hook_event_name":"PreToolUse","cwd":"/repo","tool_name":"Edit",` +
				`"tool_input":{"file_path":"/repo/src/a.go"}}`, true,
			`it subscribes to PreToolUse, and its if "Edit(src/**)" matches the path "/repo/src/a.go"`},
		{"PreToolUse", "", "Edit(src/**)",
			`{"hook_event_name":"PreToolUse","cwd":"/repo/src","tool_name":"Edit",` +
				`"tool_input":{"file_path":"/repo/src/a.go"}}`, false,
			`its if "Edit(src/**)" does not match the path "/repo/src/a.go"`},
		{"PostToolUse", "", "Bash(ls)",
			`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{}}`,
			true, `it subscribes to PostToolUse, and its if "Bash(ls)" matches the command "ls"`},
		{"PostToolUseFailure", "", "Bash(ls)",
			`{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"ls"},"error":"x"}`,
			true, `it subscribes to PostToolUseFailure, and its if "Bash(ls)" matches the command "ls"`},
		{"PostToolUse", "", "",
			`{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{},"error":"x"}`, false,
			`it does not subscribe to PostToolUseFailure`},
		{"PermissionRequest", "Bash", "Bash(ls)",
			`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm"}}`, false,
			`its if "Bash(ls)" matches no command of the line`},
		{"PermissionDenied", "Edit", "", `{"hook_event_name":"PermissionDenied","tool_name":"Bash","tool_input":{}}`,
			false, `its matcher "Edit" does not match the tool "Bash"`},
		// At an event without a tool no rule lets a hook run, but an empty one is none.
		{"UserPromptSubmit", "", "Bash", `{"hook_event_name":"UserPromptSubmit","prompt":"x"}`, false,
			`its if "Bash" needs a tool, and this event has none`},
		{"UserPromptSubmit", "", "Bash",
			`{"hook_event_name":"UserPromptSubmit","prompt":"x","tool_name":"Bash","tool_input":{}}`, false,
			`its if "Bash" needs a tool, and this event has none`},

		// What matchers are held against depends on the event.
		{"SessionStart", "startup", "", `{"hook_event_name":"SessionStart","source":"startup"}`, true,
			`it subscribes to SessionStart, and its matcher "startup" matches the source "startup"`},
		{"SessionStart", "resume|clear", "", `{"hook_event_name":"SessionStart","source":"startup"}`, false,
			`its matcher "resume|clear" does not match the source "startup"`},
		{"SessionStart", "startup", "", `{"hook_event_name":"SessionStart"}`, false,
			`its matcher "startup" is compared with the source, which only a client's hook input has`},
		{"SessionEnd", "other", "", `{"hook_event_name":"SessionEnd","reason":"other"}`, true,
			`it subscribes to SessionEnd, and its matcher "other" matches the reason "other"`},
		{"Notification", "permission_prompt", "",
			`{"hook_event_name":"Notification","notification_type":"idle_prompt"}`, false,
			`its matcher "permission_prompt" does not match the notification type "idle_prompt"`},
		{"Notification", "^idle", "", `{"hook_event_name":"Notification","notification_type":"idle_prompt"}`, true,
			`it subscribes to Notification, and its matcher "^idle" matches the notification type "idle_prompt"`},
		{"PreCompact", "manual", "", `{"hook_event_name":"PreCompact","trigger":"auto"}`, false,
			`its matcher "manual" does not match the trigger "auto"`},
		{"PreCompact", "auto", "", `{"hook_event_name":"PreCompact","trigger":"auto"}`, true,
			`it subscribes to PreCompact, and its matcher "auto" matches the trigger "auto"`},
		{"SubagentStop", "general-purpose", "", `{"hook_event_name":"SubagentStop","agent_type":"general-purpose"}`,
			true, `it subscribes to SubagentStop, and its matcher "general-purpose" matches the agent type ` +
				`"general-purpose"`},
		{"FileChanged", `\.env$`, "", `{"hook_event_name":"FileChanged","file_path":"/repo/.env"}`, true,
			`it subscribes to FileChanged, and its matcher "\\.env$" matches the file path "/repo/.env"`},
		// Or there is nothing for them to look at, and they mean nothing.
		{"Stop", "Bash", "", `{"hook_event_name":"Stop"}`, true, `it subscribes to Stop`},
		{"UserPromptSubmit", "nobody", "", `{"hook_event_name":"UserPromptSubmit","prompt":"x"}`, true,
			`it subscribes to UserPromptSubmit`},
	} {
		fields := `"type":"command","command":"a"`
		if test.rule != "" {
			fields += `,"if":` + strconv.Quote(test.rule)
		}
		cfg := claudeConfig(t, `{"hooks":{"`+test.event+`":[{"matcher":`+strconv.Quote(test.matcher)+`,"hooks":[{`+
			fields+`}]}]}}`)
		h := &cfg.Hooks[0]
		c := input(t, test.input)
		require.Equal(t, test.why, why(h, c), test.input)
		require.Equal(t, test.runs, runs(h, c), test.input)
	}
	t.Run("calls of a loop with TENEX's names", func(t *testing.T) {
		pre, fail := one(t, pre(`{"type":"command","command":"a"}`)), one(t,
			claudeForm("PostToolUseFailure", `{"type":"command","command":"a"}`))
		require.True(t, runs(pre, &dialect.Call{Event: protocol.PreTool, Tool: "shell"}))
		require.False(t, runs(fail, &dialect.Call{Event: protocol.PostTool, Tool: "shell"}))
		require.True(t, runs(fail, &dialect.Call{Event: protocol.PostTool, Tool: "shell", Failed: true}))
	})
	t.Run("an input that no rule can be held against", func(t *testing.T) {
		h := one(t, pre(`{"type":"command","command":"a","if":"Bash(git *)"}`))
		deep := &dialect.Call{Event: protocol.PreTool, Tool: "Bash",
			Args: strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)}
		require.True(t, runs(h, deep), "a gate had better run")
		require.Equal(t,
			`it subscribes to PreToolUse, and its if "Bash(git *)" cannot be compared with the input, so the hook runs`,
			why(h, deep))
	})
}

// TestDisableAllHooks: the last file that says something of it wins, for the hooks of all files, whatever their order.
func TestDisableAllHooks(t *testing.T) {
	const own = `{"hooks":[{"name":"a","command":"a","events":["pre-tool"]}]}`
	file := func(off string) string {
		return `{` + off + `"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}`
	}
	none, on, off := file(""), file("\n\"disableAllHooks\":false,"), file("\n\n\"disableAllHooks\":true,")
	c := &dialect.Call{Event: protocol.PreTool, Tool: "shell"}
	for _, test := range []struct {
		files []string
		by    string // "" if the hooks run
	}{
		{[]string{none}, ""},
		{[]string{on}, ""},
		{[]string{off}, "1:3"},
		{[]string{off, none}, "1:3"},
		{[]string{none, off}, "2:3"},
		{[]string{off, on}, ""},
		{[]string{on, off}, "2:3"},
		{[]string{off, off}, "2:3"},
		{[]string{off, on, none}, ""},
		{[]string{off, on, off, none}, "3:3"},
		{[]string{off, none, on}, ""},
		{[]string{own, off, own, none}, "2:3"},
		{[]string{none, own, `{"disableAllHooks":true,"hooks":{}}`}, "3:1"}, // a file without hooks counts as well
	} {
		cfg := claudeConfig(t, test.files...)
		for i := range cfg.Hooks {
			h := &cfg.Hooks[i]
			want := "it subscribes to " + string(h.Dialect.EventOf(c))
			if test.by != "" && h.Dialect == claude.Dialect {
				want = `all hooks of its client are switched off by "disableAllHooks" in ` + test.by
			}
			require.Equal(t, want, why(h, c))
			require.Equal(t, test.by == "" || h.Dialect == tenex.Dialect, runs(h, c))
		}
		// It is said once, and not where a later file takes it back.
		var said []string
		for _, w := range cfg.Warned()[len(cfg.Warnings):] {
			said = append(said, fmt.Sprintf("%s:%d", w.File, w.Line))
		}
		require.Equal(t, test.by, strings.Join(said, " "))
	}
	// Files that were read are not changed by what others say.
	first, err := parts.All().Parse("1", []byte(on))
	require.NoError(t, err)
	second, err := parts.All().Parse("2", []byte(off))
	require.NoError(t, err)
	var all hookfile.Config
	all.Add(first)
	all.Add(second)
	require.False(t, runs(&all.Hooks[0], c))
	require.True(t, runs(&first.Hooks[0], c))
}

// TestClaudeEnvironment: later files win, one variable at a time, for the hooks of all files.
func TestClaudeEnvironment(t *testing.T) {
	cfg := claudeConfig(t,
		`{"env":{"A":"1","B":"1","AB":"1"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
		`{"hooks":[{"name":"t","command":"t","events":["pre-tool"],"env":{"T":"t"}}]}`,
		`{"env":{"B":"2=","C":""},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"b"}]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://h"}]}]}}`,
	)
	for i, want := range [][]string{{"A=1", "AB=1", "B=2=", "C="}, {"T=t"}, {"A=1", "AB=1", "B=2=", "C="},
		{"A=1", "AB=1", "B=2=", "C="}} {
		require.Equal(t, want, cfg.Hooks[i].Environment(), i)
	}
	// A plugin's own folder is for its hooks alone.
	plugin, err := parts.All().Parse(filepath.Join("plugin", "hooks", "hooks.json"),
		[]byte(pre(`{"type":"command","command":"a"}`)))
	require.NoError(t, err)
	root, err := filepath.Abs("plugin")
	require.NoError(t, err)
	cfg.Add(plugin)
	require.Equal(t, []string{"A=1", "AB=1", "B=2=", "C=", "CLAUDE_PLUGIN_ROOT=" + root}, cfg.Hooks[4].Environment())
	require.Equal(t, []string{"A=1", "AB=1", "B=2=", "C="}, cfg.Hooks[0].Environment())
}

// TestClaudeEqualNames: in this form a name is the command, and equal ones are no mistake.
func TestClaudeEqualNames(t *testing.T) {
	doc := pre(`{"type":"command","command":"a"},{"type":"command","command":"a"}`)
	require.Empty(t, claudeConfig(t, doc, doc,
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}`).Warnings)
}

func TestLoadClaude(t *testing.T) {
	command := func(name string) string { return `{"type":"command","command":"` + name + `"}` }
	setUp := func(t *testing.T) (home, project string, write func(path, doc string) string) {
		home, project = t.TempDir(), t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		t.Setenv("CLAUDE_CONFIG_DIR", "")
		return home, project, func(path, doc string) string {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			require.NoError(t, os.WriteFile(path, []byte(doc), 0o666))
			return path
		}
	}
	load := func(t *testing.T, workspace string) (names, files []string) {
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: workspace, Claude: true})
		require.NoError(t, err)
		for _, h := range cfg.Hooks {
			names = append(names, h.Name)
		}
		return names, cfg.Paths()
	}
	t.Run("none", func(t *testing.T) {
		home, project, write := setUp(t)
		names, files := load(t, project)
		require.Empty(t, names)
		require.Empty(t, files)
		write(filepath.Join(home, ".claude", "settings.local.json"), "broken") // there is none of the user's
		write(filepath.Join(project, "settings.json"), "broken")
		names, files = load(t, project)
		require.Empty(t, names)
		require.Empty(t, files)
	})
	t.Run("all three", func(t *testing.T) {
		home, project, write := setUp(t)
		local := write(filepath.Join(project, ".claude", "settings.local.json"), pre(command("local")))
		shared := write(filepath.Join(project, ".claude", "settings.json"), pre(command("shared")))
		user := write(filepath.Join(home, ".claude", "settings.json"), pre(command("user")))
		names, files := load(t, project)
		require.Equal(t, []string{"user", "shared", "local"}, names, "the file that wins is the last")
		require.Equal(t, []string{user, shared, local}, files)
		require.NoError(t, os.Remove(shared))
		names, _ = load(t, project)
		require.Equal(t, []string{"user", "local"}, names)
		// Only the workspace itself is looked at.
		sub := filepath.Join(project, "sub")
		require.NoError(t, os.Mkdir(sub, 0o777))
		names, _ = load(t, sub)
		require.Equal(t, []string{"user"}, names)
	})
	t.Run("settings go by precedence", func(t *testing.T) {
		home, project, write := setUp(t)
		write(filepath.Join(home, ".claude", "settings.json"),
			`{"disableAllHooks":true,"env":{"A":"user"},"hooks":{"PreToolUse":[{"hooks":[`+command("user")+`]}]}}`)
		write(filepath.Join(project, ".claude", "settings.json"), `{"env":{"A":"shared"}}`)
		call := &dialect.Call{Event: protocol.PreTool, Tool: "Bash"}
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, Claude: true})
		require.NoError(t, err)
		require.False(t, runs(&cfg.Hooks[0], call))
		require.Equal(t, []string{"A=shared"}, cfg.Hooks[0].Environment())
		write(filepath.Join(project, ".claude", "settings.local.json"), `{"disableAllHooks":false}`)
		cfg, err = hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, Claude: true})
		require.NoError(t, err)
		require.True(t, runs(&cfg.Hooks[0], call))
	})
	t.Run("the user's in another folder", func(t *testing.T) {
		home, project, write := setUp(t)
		write(filepath.Join(home, ".claude", "settings.json"), "broken")
		other := t.TempDir()
		write(filepath.Join(other, "settings.json"), pre(command("other")))
		write(filepath.Join(project, ".claude", "settings.json"), pre(command("shared")))
		t.Setenv("CLAUDE_CONFIG_DIR", other)
		names, _ := load(t, project)
		require.Equal(t, []string{"other", "shared"}, names)
		t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(other, "missing"))
		names, _ = load(t, project)
		require.Equal(t, []string{"shared"}, names)
	})
	t.Run("in the home directory", func(t *testing.T) {
		home, _, write := setUp(t)
		user := write(filepath.Join(home, ".claude", "settings.json"), pre(command("user")))
		local := write(filepath.Join(home, ".claude", "settings.local.json"), pre(command("local")))
		names, files := load(t, home)
		require.Equal(t, []string{"user", "local"}, names, "the project's file is the user's")
		require.Equal(t, []string{user, local}, files)
	})
	t.Run("through a link to the home directory", func(t *testing.T) {
		home, project, write := setUp(t)
		write(filepath.Join(home, ".claude", "settings.json"), pre(command("user")))
		link := filepath.Join(project, "link")
		symlink(t, home, link)
		names, _ := load(t, link)
		require.Equal(t, []string{"user"}, names)
	})
	t.Run("errors of all", func(t *testing.T) {
		home, project, write := setUp(t)
		user := write(filepath.Join(home, ".claude", "settings.json"), `{"model":5}`)
		shared := write(filepath.Join(project, ".claude", "settings.json"), pre(command("good")))
		local := write(filepath.Join(project, ".claude", "settings.local.json"), "{\n\"hooks\":{\"Stop\":[{}]},}")
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, Claude: true})
		require.EqualError(t, err, user+`:1:10: "model" must be a string, not a number`+whole+"\n"+local+
			`:2:22: parsing: a comma before '}'; remove it`)
		require.IsType(t, hook.Diagnostics{}, err)
		require.Nil(t, cfg, shared+" alone is not what the user set up")
	})
	t.Run("a link to nothing", func(t *testing.T) { // a gate that got lost
		_, project, _ := setUp(t)
		path := filepath.Join(project, ".claude", "settings.json")
		require.NoError(t, os.Mkdir(filepath.Dir(path), 0o777))
		symlink(t, "nowhere", path)
		_, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, Claude: true})
		require.EqualError(t, err, path+": reading the hooks file: no such file or directory")
	})
	t.Run("a folder of that name", func(t *testing.T) {
		home, project, _ := setUp(t)
		path := filepath.Join(home, ".claude", "settings.json")
		require.NoError(t, os.MkdirAll(path, 0o777))
		_, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, Claude: true})
		require.EqualError(t, err, path+": reading the hooks file: not a regular file but a directory")
	})
	t.Run("warnings of all", func(t *testing.T) {
		home, project, write := setUp(t)
		user := write(filepath.Join(home, ".claude", "settings.json"), `{"hooks":{"Stopp":[]}}`)
		shared := write(filepath.Join(project, ".claude", "settings.json"), `{"hook":{}}`)
		cfg, err := hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: project, Claude: true})
		require.NoError(t, err)
		require.Equal(t, user+`:1:11: unknown event "Stopp": none of its hooks will ever run; did you mean "Stop"?`+
			"\n"+
			shared+`:1:2: unknown field "hook", which is passed over; did you mean "hooks"?`,
			hook.Diagnostics(cfg.Warnings).Error())
	})
}

// TestClaudeOddities are files that load in the client, or might, and that mean something else here.
func TestClaudeOddities(t *testing.T) {
	for name, test := range map[string]struct{ path, doc, want string }{
		"a list of hooks in the client's own folder": {"p/.claude/settings.json", `{"hooks":[]}`,
			`p/.claude/settings.json:1:10: "hooks" must be an object, not an array; Claude Code drops the whole file ` +
				`for that, without a word`},
		"hookrun's own variables": {"f", `{"env":{"HOOKRUN":"/x","HOOKRUN_DEPTH":"0"},"hooks":{}}`,
			"f:1:9: \"env\": HOOKRUN is set by hookrun, also for these hooks\nf:1:24: \"env\": HOOKRUN_DEPTH is set " +
				"by hookrun, also for these hooks"},
		"two headers of one name": {"f", pre(`{"type":"http","url":"http://u:secret@h","headers":{"a":"","A":""}}`),
			`f:2:22: PreToolUse 1, hook 1: no request can be sent: the header A is there twice, in different letters`},
	} {
		_, err := parts.All().Parse(test.path, []byte(test.doc))
		require.EqualError(t, err, test.want, name)
	}
	cfg, err := parts.All().Parse("f", []byte(claudeForm("Stop",
		`{"type":"command","command":"a","onFailure":"block"},{"type":"command","command":"  ","$schema":"","x-y":1}`)))
	require.NoError(t, err)
	require.Len(t, cfg.Warnings, 2)
	require.Contains(t, cfg.Warnings[0].Text, `"onFailure" means nothing at Stop`)
	require.Contains(t, cfg.Warnings[1].Text, "the command is blank")
	require.Equal(t, "hook of line 2", cfg.Hooks[1].Name)

	h := one(t, pre(`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/bin/true","args":[]}`))
	_, _, err = launch.Program(h, t.TempDir(), nil)
	require.ErrorContains(t, err, "no such file", "a folder that is not known is not the root")

	_, err = hookfile.Load(hookfile.Options{Parts: parts.All(), Workspace: t.TempDir() + "/gone", Claude: true})
	require.ErrorContains(t, err, "loading the Claude Code settings")
}
