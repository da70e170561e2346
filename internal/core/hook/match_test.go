package hook_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// rules parses entries that block at pre-tool: each text is what narrows one.
func rules(t testing.TB, narrowed ...string) *hookfile.Config {
	t.Helper()
	var entries []string
	for _, n := range narrowed {
		name, err := json.Marshal(n)
		require.NoError(t, err)
		entries = append(entries, `{"name":`+string(name)+`,"block":"no","events":["pre-tool"],`+n+`}`)
	}
	cfg, err := parts.All().Parse("f", []byte(`{"hooks":[`+strings.Join(entries, ",\n")+`]}`))
	require.NoError(t, err)
	return cfg
}

// clientCall is a call as a client makes it.
func clientCall(t testing.TB, input string) dialect.Call {
	t.Helper()
	c, _, err := clients.All().ParseInput(input)
	require.NoError(t, err)
	c.Workspace = "/ws"
	return c
}

// runs are the hooks that run at a call, by what narrows them.
func runs(cfg *hookfile.Config, c dialect.Call) (names []string, warnings []string) {
	call := dialect.NewCall(c)
	cfg.NameTool(call)
	match := hook.NewMatchContext(call)
	for i := range cfg.Hooks {
		if match.Runs(&cfg.Hooks[i]) {
			names = append(names, cfg.Hooks[i].Name)
		}
	}
	return names, match.Warnings()
}

// Of equal keys in the arguments the tool may read another one than a rule does: whatever looks at them holds.
func TestEqualKeysAreDoubt(t *testing.T) {
	cfg := rules(
		t,
		`"if":"shell(git push*)"`,
		`"if":"fs_read(*.env)"`,
		`"when":[{"path":"args.n","equals":1}]`,
		`"when":[{"path":"tool_input.n","exists":false}]`,
		`"when":[{"path":"args","matches":"zzz"}]`,
		`"when":[{"path":"prompt","matches":"zzz"}]`,
		`"matcher":"other"`,
	)
	asks := []string{
		`"if":"shell(git push*)"`,
		`"when":[{"path":"args.n","equals":1}]`,
		`"when":[{"path":"tool_input.n","exists":false}]`,
		`"when":[{"path":"args","matches":"zzz"}]`,
	}
	for _, args := range []string{`{"n":2,"command":"ls","command":"ls"}`,
		`{"n":2,"command":"ls","comm\u0061nd":"ls"}`, `{"n":2,"command":"ls","x":[{"a":1,"\u0061":1}]}`} {
		got, warnings := runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: args})
		require.Equal(t, asks, got, args)
		require.Len(t, warnings, 1)
		require.Contains(t, warnings[0], "is there twice in one object")

		got, _ = runs(cfg, clientCall(t, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":`+args+`}`))
		require.Equal(t, asks, got, args)
	}
	got, _ := runs(
		cfg,
		clientCall(
			t,
			`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"n":1},"tool_input":{"n":2,`+
				`"command":"ls"}}`,
		),
	)
	require.Equal(t, asks, got, "the arguments are there twice")
	got, warnings := runs(
		cfg,
		clientCall(
			t,
			`{"hook_event_name":"PreToolUse","x":{"a":1,"a":2},"tool_name":"Bash","tool_input":{"n":2,"command":"ls"}}`,
		),
	)
	require.Empty(t, got, "equal keys elsewhere")
	require.Empty(t, warnings)

	once := clientCall(t,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"n":1,"n":2,"command":"ls"}}`)
	once.Args, once.EqualKeys = `{"n":2,"command":"ls"}`, false
	got, _ = runs(cfg, once)
	require.Empty(t, got, "a rewrite without equal keys is no doubt")
}

// A hook for one of a client's names of a tool meets all of them.
func TestNamesOfOneTool(t *testing.T) {
	cfg := rules(
		t,
		`"matcher":"Task"`,
		`"matcher":"Agent"`,
		`"matcher":"delegate"`,
		`"if":"Task"`,
		`"if":"Agent"`,
		`"matcher":"Edit"`,
		`"matcher":"Write"`,
		`"if":"Edit(*.env)"`,
		`"if":"fs_write(*.env)"`,
	)
	task := []string{`"matcher":"Task"`, `"matcher":"Agent"`, `"matcher":"delegate"`, `"if":"Task"`, `"if":"Agent"`}
	for _, tool := range []string{"Agent", "Task"} {
		got, _ := runs(cfg, clientCall(t, `{"hook_event_name":"PreToolUse","tool_name":"`+tool+`","tool_input":{}}`))
		require.Equal(t, task, got, tool)
		got, _ = runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: tool, Workspace: "/ws"})
		require.Equal(t, task, got, "a loop's")
	}
	got, _ := runs(
		cfg,
		clientCall(
			t,
			`{"hook_event_name":"PreToolUse","turn_id":"t","tool_name":"apply_patch","tool_input":{"command":"*** `+
				`Begin Patch\n*** Add File: x/.env\n+a\n*** End Patch"}}`,
		),
	)
	require.Equal(
		t,
		[]string{`"matcher":"Edit"`, `"matcher":"Write"`, `"if":"Edit(*.env)"`, `"if":"fs_write(*.env)"`},
		got,
	)
}

// A tool's name that is nearly what a matcher means is no silence. A near name of a client's tool is such a tool.
func TestNearlyTheTool(t *testing.T) {
	cfg := rules(t, `"matcher":"ask|Ask"`, `"matcher":"fs_*"`, `"if":"ask(git *)"`, `"matcher":"*sk"`)
	const matcher, suffix = `its matcher "ask|Ask" does not match`, `its matcher "*sk" does not match`
	const rule = `its if "ask(git *)" is not for`
	for tool, hooks := range map[string][]string{
		"ASk": {matcher, rule}, " ask": {matcher, rule}, "ask\n": {matcher, rule, suffix}, "\ufeffASK": {matcher},
		"FS_zip": {`its matcher "fs_*" does not match`}, "ask": nil, "Ask": {rule}, "other": nil, "fs_x": nil,
		"Shell": nil, " SHELL": nil, "shell\n": nil, "functions.Bash": nil,
	} {
		_, warnings := runs(
			cfg,
			dialect.Call{Event: protocol.PreTool, Tool: tool, Args: `{"note":"ls"}`, Workspace: "/ws"},
		)
		all := strings.Join(warnings, "\n")
		for _, hook := range hooks {
			require.Contains(t, all, hook, tool)
		}
		blanks := hooks != nil && strings.Trim(tool, " \n\ufeff") != tool
		require.Equal(t, blanks, strings.Contains(all, "has blanks around it"), "%q", tool)
		require.Equal(t, hooks == nil, len(warnings) == 0, tool)
	}
}

// However many globs a file has, and however long a name a model gives, a call is decided in little time. What could
// not be matched in it matches, and a warning says so.
func TestBoundOnMatchers(t *testing.T) {
	testall.Alone(t)
	globs := make([]string, testall.Of(20_000, 50_000))
	for i := range globs {
		globs[i] = "*a*b*c"
	}
	cfg := rules(t, `"matcher":"`+strings.Join(globs, "|")+`"`, `"matcher":"other"`, `"matcher":"*"`, `"if":"shell(x)"`)
	begin := time.Now()
	got, warnings := runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: strings.Repeat("ab", 30_000)})
	require.Len(t, got, 3, "but not the rule for another tool")
	require.Contains(t, warnings[0], "has 60000 bytes, more than the 1024")

	got, warnings = runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: strings.Repeat("ab", 500)})
	require.Len(t, got, 3)
	require.Contains(t, warnings[0], "too many to be compared with the name")
	require.Less(t, time.Since(begin), 60*time.Second)

	got, warnings = runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: strings.Repeat("ab", 10)})
	require.Equal(t, []string{`"matcher":"*"`}, got)
	require.Empty(t, warnings)
}

// So are many conditions on a large value.
func TestBoundOnConditions(t *testing.T) {
	narrowed := make([]string, testall.Of(40, 2000))
	for i := range narrowed {
		narrowed[i] = testall.Of(
			`"when":[{"path":"args.t","matches":"^(x{0,10}){0,10}[cd]$"}]`, // fails at once, but counts in full
			fmt.Sprintf(`"when":[{"path":"args.a%d","matches":"((x{0,10}){0,10}){0,10}[cd]$"},`+
				`{"path":"args.t","matches":"%d[cd]$"}]`, i, i))
	}
	cfg := rules(t, narrowed...)
	begin := time.Now()
	got, warnings := runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: "shell",
		Args: `{"t":"` + strings.Repeat("x", 1<<20) + `"}`})
	require.NotEmpty(t, got)
	require.Less(t, len(got), len(narrowed))
	require.Contains(t, strings.Join(warnings, "\n"), "the conditions are too many")
	require.Less(t, time.Since(begin), 120*time.Second)
	got, warnings = runs(cfg, dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"t":"x"}`})
	require.Empty(t, got)
	require.Empty(t, warnings)
}

func TestMatchersByHabit(t *testing.T) {
	_, err := parts.All().Parse("f", []byte(`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],
"matcher":"^(shell|Bash)$"}]}`))
	require.EqualError(
		t,
		err,
		`f:2:11: hook "a": the matcher "^(shell|Bash)$" has a ^, which no name of a tool has, so it would never `+
			`match; matchers are globs: shell|Bash`,
	)
	for matcher, warned := range map[string]bool{".*": true, "shell.*": true, "Shell": true, "shell": false,
		"mine": false, "my.tool": false, "MINE": true, "theirs": false, "Theirs": true} {
		cfg, err := parts.All().Parse(
			"f",
			[]byte(
				`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"matcher":"`+matcher+
					`"}],"tools":{"theirs":"mine"}}`,
			),
		)
		require.NoError(t, err)
		require.Equal(t, warned, len(cfg.Warned()) == 1, matcher)
	}
	cfg := rules(t, `"if":"Shell(git *)"`, `"if":"fs_write(domain:x)"`, `"if":"get(domain:x)"`, `"if":"mine(x)"`)
	require.Len(t, cfg.Warned(), 2)
	require.ErrorContains(t, cfg.Warned()[0], `has a pattern for hosts`)
	require.ErrorContains(t, cfg.Warned()[1], `did you mean "shell"?`)
}

// Fields that only a client's input has can be asked for.
func TestWhenOfAClient(t *testing.T) {
	c := clientCall(
		t,
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"x",`+
			`"agent_type":"research","is_error":true,"tool_output":{"a":[1]},"parent_tool_use_id":null}`,
	)
	own := dialect.Call{Event: protocol.PostTool, Tool: "shell"}
	for condition, want := range map[string][2]bool{
		`{"path":"agent_type","equals":"research"}`:         {true, false},
		`{"path":"is_error","equals":true}`:                 {true, false},
		`{"path":"tool_output.a.0","equals":1}`:             {true, false},
		`{"path":"parent_tool_use_id","exists":true}`:       {true, false},
		`{"path":"permission_mode","exists":false}`:         {true, true},
		`{"path":"agent_type","matches":"^re"}`:             {true, false},
		`{"path":"tool_output","exists":true}`:              {true, false},
		`{"path":"args.command","exists":false}`:            {true, true},
		`{"path":"is_error","exists":false}`:                {false, true},
		`{"path":"is_interrupt","exists":true}`:             {false, false},
		`{"path":"tool_output.b","exists":true}`:            {false, false},
		`{"path":"agent_type","equals":"explore"}`:          {false, false},
		`{"path":"tool_output","matches":"^\\{\"a\":\\[1"}`: {true, false},
	} {
		h := when(t, condition)
		require.Equal(t, want, [2]bool{runsAt(h, &c), runsAt(h, &own)}, condition)
	}
	_, err := parts.All().Parse(
		"f",
		[]byte(`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"when":[{"path":"agent_typ",`+
			`"exists":true}]}]}`),
	)
	require.ErrorContains(t, err, `did you mean "agent_type"?`)
}

// A tool has several names, and a matcher or an if may differ in case from one of them. If the call's tool is a known
// one, so the file has the mistake, and the hook runs. Otherwise the call has a warning.
func TestNamesOfAToolThatDifferInCase(t *testing.T) {
	const here = "only in case or blanks"
	for _, c := range []struct {
		narrowed, tool string
		client, runs   bool
		near           string // "": no warning
	}{
		{`"matcher":"deploy"`, "Deploy", false, false, here},
		{`"matcher":"deploy"`, "Deploy", true, false, here},

		// Names that are nearly a client's are names of such a tool.
		{`"matcher":"Task"`, "AGENT", true, true, ""},
		{`"matcher":"Agent"`, " Task", false, true, ""},
		{`"matcher":"Edit"`, "Apply_patch", false, true, ""},
		{`"matcher":"shell"`, "bAsh", true, true, ""},
		{`"matcher":"shell"`, "SHELL", false, true, ""},
		{`"if":"Task(x*)"`, "AGENT", false, true, ""},
		{`"matcher":"shell"`, "bAsh", false, true, ""},

		{`"matcher":"Task"`, "agent", false, true, ""},
		{`"matcher":"Tas?"`, "agent", true, true, ""},
		{`"matcher":"task"`, "Agent", false, true, ""},
		{`"matcher":"Shell"`, "Bash", true, true, ""},
		{`"matcher":"BASH"`, "Bash", true, true, ""},
		{`"matcher":"bash"`, "Bash", true, true, ""},
		{`"if":"Task(x*)"`, "agent", false, true, ""},
		{`"if":"task"`, "Agent", false, true, ""},
		{`"if":"SHELL(x*)"`, "Bash", true, true, ""},
		{`"if":"bash(y*)"`, "Bash", true, false, ""},
		{`"if":"Shell(x*)"`, "shell", false, true, ""},
		{`"if":"shel(x*)"`, "shell", false, true, ""},
		{`"if":"shel(y*)"`, "shell", false, false, ""},

		// What was probably meant.
		{`"matcher":"Bash,Write"`, "Write", true, true, ""},
		{`"matcher":"{Bash,Write}"`, "Write", true, true, ""},
		{`"matcher":"\"Bash\", \"Write\""`, "Write", true, true, ""},
		{`"matcher":"Bash+Write"`, "Write", true, true, ""},
		{`"if":"shell(^x .*$)"`, "shell", false, true, ""},
		{`"if":"shell(^x)"`, "shell", false, true, ""},
		{`"if":"shell(\\b1$)"`, "shell", false, true, ""},
		{`"if":"shell(^y)"`, "shell", false, false, ""},
		{`"if":"shell(^x$)"`, "shell", false, false, ""},
		{`"matcher":"shel|Bsah"`, "shell", false, true, ""},
		{`"matcher":"'shell'"`, "shell", false, true, ""},
		{`"matcher":".*"`, "shell", false, true, ""},
		{`"matcher":"shell:*"`, "shell", false, true, ""},
		{`"matcher":"mcp__github"`, "mcp__github__create", false, true, ""},
		{`"matcher":"mcp__github"`, "mcp__gitlab__create", false, false, ""},
		{`"matcher":"!shell"`, "shell", false, false, ""},

		{`"matcher":"Read"`, "agent", true, false, ""},
		{`"if":"shell(x*)"`, "Bash", true, true, ""},
	} {
		call := dialect.Call{Event: protocol.PreTool, Tool: c.tool, Workspace: "/ws"}
		input := "{}"
		if strings.HasPrefix(c.narrowed, `"if"`) {
			input = `{"command":"x 1"}`
			call.Args = input
		}
		if c.client {
			call = clientCall(t, `{"hook_event_name":"PreToolUse","tool_name":"`+c.tool+`","tool_input":`+input+`}`)
		}
		cfg := rules(t, c.narrowed)
		names, warnings := runs(cfg, call)
		require.Equal(t, c.runs, len(names) > 0, c)
		warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.HasPrefix(w, "the tool's name") })
		if c.near == "" {
			require.Empty(t, warnings, c)
			continue
		}
		require.Len(t, warnings, 1, c)
		require.Contains(t, warnings[0], "which differs only in case or blanks")
		require.Contains(t, warnings[0], c.near)
	}
}
