package hookimport_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/hookimport"
	"github.com/hookrun/hookrun/internal/testall"
	"github.com/hookrun/hookrun/protocol"
)

const (
	claude = ".claude/settings.json"
	codex  = ".codex/hooks.json"
	gemini = ".gemini/settings.json"
)

func parse(t testing.TB, path, doc string) *hookimport.Result {
	t.Helper()
	r, err := hookimport.Parse(path, []byte(doc), nil, hookimport.Project)
	require.NoError(t, err)
	return r
}

// reported is the report without its notes, an item a line, and without what differs with every file.
func reported(r *hookimport.Result) string {
	var lines []string
	for _, i := range r.Report {
		if i.Kind != hookimport.Note && i.Line > 0 {
			lines = append(lines, fmt.Sprintf("%s %s", i.Kind, i.Text))
		}
	}
	return strings.Join(lines, "\n")
}

// JSON of nobody's words is silent in every client, and text for the model here: the report says so wherever a hook is
// carried.
func TestForeignJSON(t *testing.T) {
	for path, client := range map[string]string{claude: "Claude Code", codex: "Codex", gemini: "Gemini CLI"} {
		event := map[string]string{gemini: "BeforeTool"}[path]
		if event == "" {
			event = "PreToolUse"
		}
		r := parse(t, path, `{"hooks":{"`+event+
			`":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]}]}}`)
		require.False(t, r.Faithful())
		var found []hookimport.Item
		for _, i := range r.Report {
			if i.Kind == hookimport.Differs && i.Line == 0 {
				found = append(found, i)
			}
		}
		require.Len(t, found, 1, "once for each file")
		require.Equal(t, path+": JSON without a key of an answer, at exit 0, is ignored by "+client+
			", and here it is text for the model: let the hooks print answers and nothing else", found[0].Error())
		require.Equal(t, []string{"hooks." + event + ".0.hooks.0.command", "hooks." + event + ".0.hooks.1.command"},
			found[0].Paths)
	}
	none := parse(t, claude, `{"model":"m"}`)
	require.True(t, none.Faithful(), "there is no hook that could print anything")
}

// Gemini CLI writes its variables into the text of a command, also where no shell would expand one.
func TestVariablesInTheText(t *testing.T) {
	for command, differs := range map[string]bool{`grep x '$GEMINI_PROJECT_DIR/a'`: true,
		`grep 'x' $GEMINI_CWD/a`: true, `grep x \"$GEMINI_CWD\"/a`: false, `grep 'x' a`: false} {
		r := parse(t, gemini, `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"`+command+`"}]}]}}`)
		require.Equal(t, differs, strings.Contains(reported(r), "also between single quotes"), command)
	}
}

func entries(t testing.TB, r *hookimport.Result) string {
	t.Helper()
	doc, err := json.Marshal(r.Entries)
	require.NoError(t, err)
	return string(doc)
}

// open is what clients make of failures.
const open = `"on_failure":{"output":"continue","signal":"continue","unstarted":"continue"}`

// The report of a matcher names the tools of other clients that the entry is for too.
func TestToolsOfOtherClients(t *testing.T) {
	r := parse(t, claude, `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"}]}]}}`)
	_, others, found := strings.Cut(reported(r), `"Bash|shell" here, and holds by the names that a project has for `+
		"tools, whatever client or loop they are of; it is also for ")
	require.True(t, found, reported(r))
	others, _, _ = strings.Cut(others, "\n")
	require.Subset(t, strings.Split(others, ", "), []string{"PowerShell", "exec_command", "run_shell_command", "bash",
		"Execute", "Shell"})
	require.NotContains(t, others, "write_file")
}

func TestEntries(t *testing.T) {
	pre := func(group string) string { return `{"hooks":{"PreToolUse":[` + group + `]}}` }
	before := func(group string) string { return `{"hooks":{"BeforeTool":[` + group + `]}}` }
	const words = "\ndiffers an answer of the hook must be in hookrun's words: \"block\" for \"deny\", " +
		"\"permissionDecision\": \"ask\" for \"ask\", \"updatedInput\" for \"tool_input\"; another one is " +
		"unreadable, and blocks a tool call with a reason of hookrun's own"
	// The other names of a tool are those of all clients. They are looked at in a test of their own.
	others := regexp.MustCompile(`; it is also for [^\n]*`)
	wide := func(matcher, here string) string {
		return fmt.Sprintf("wider the matcher %q is %q here, and holds by the names that a project has for tools, "+
			"whatever client or loop they are of", matcher, here)
	}
	const unread = "differs an answer without a key of an answer is ignored by Claude Code, and is unreadable " +
		"here: let the server answer {} or nothing"
	const exit = `an exit code holds nothing up here, and in Claude Code 2 does: let the hook print {"decision": ` +
		`"block", "reason": "…"} and end with 0`
	for name, test := range map[string]struct{ path, doc, entries, reported string }{
		"a plain gate": {claude,
			pre(`{"matcher":"Bash","hooks":[{"type":"command","command":"guard --strict","timeout":10}]}`),
			`[{"name":"guard","command":"guard --strict","events":["pre-tool"],"matcher":"Bash|shell","timeout":10,` +
				open + `}]`, wide("Bash", "Bash|shell")},
		"the client's timeout": {claude, pre(`{"hooks":[{"type":"command","command":"guard"}]}`),
			`[{"name":"guard","command":"guard","events":["pre-tool"],"timeout":"10m",` + open + `}]`, ""},
		"a timeout as long as hookrun's": {codex, pre(`{"hooks":[{"type":"command","command":"guard","timeout":30}]}`),
			`[{"name":"guard","command":"guard","events":["pre-tool"],"timeout":30,` + open + `}]`, ""},
		"the folder": {claude,
			pre(`{"hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no-push.sh",` +
				`"timeout":30}]}`),
			`[{"name":"no-push","command":"export CLAUDE_PROJECT_DIR=\"$HOOKRUN_WORKSPACE\"; ` +
				`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no-push.sh","events":["pre-tool"],"timeout":30,` + open + `}]`,
			`changed the line sets the client's variables first: export CLAUDE_PROJECT_DIR="$HOOKRUN_WORKSPACE"`},
		"arguments": {claude,
			pre(`{"hooks":[{"type":"command","command":"node","args":["${CLAUDE_PROJECT_DIR}/a ` +
				`b.js","it's"],"timeout":30},{"type":"command","command":"node","args":["-v"],"timeout":30}]}`),
			`[{"name":"a","command":"export CLAUDE_PROJECT_DIR=\"$HOOKRUN_WORKSPACE\"; exec node ` +
				`\"$CLAUDE_PROJECT_DIR\"'/a b.js' 'it'\\''s'","events":["pre-tool"],"timeout":30,` + open + `},` +
				`{"name":"node","command":["node","-v"],"events":["pre-tool"],"timeout":30,` + open + `}]`,
			`changed it is a line for sh here, which sets the client's variables: export ` +
				`CLAUDE_PROJECT_DIR="$HOOKRUN_WORKSPACE"`},
		"an argument without text": {claude,
			pre(`{"hooks":[{"type":"command","command":"a","args":["${CLAUDE_PROJECT_DIR}","","'b"],"timeout":30}]}`),
			`[{"name":"a","command":"export CLAUDE_PROJECT_DIR=\"$HOOKRUN_WORKSPACE\"; exec a ` +
				`\"$CLAUDE_PROJECT_DIR\"'' '' \\''b'","events":["pre-tool"],"timeout":30,` + open + `}]`,
			`changed it is a line for sh here, which sets the client's variables: export ` +
				`CLAUDE_PROJECT_DIR="$HOOKRUN_WORKSPACE"`},
		"hookrun itself": {claude,
			pre(`{"hooks":[{"type":"command","command":"/opt/hookrun fire --output claude || exit ` +
				`2"},{"type":"command","command":"hookrun fire -c other.json","timeout":30}]}`),
			`[{"name":"hookrun","command":"hookrun fire -c other.json","events":["pre-tool"],"timeout":30,` + open +
				`}]`,
			`left_out this hook is not carried: it runs hookrun, which would run this hook again`},
		"hooks that never run": {claude,
			`{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a","if":"Bash(x)"}]}],` +
				`"PreToolUse":[{"hooks":[{"type":"command","command":" ` +
				`\n"},{"type":"command","command":"b","if":"Bash(git"}]}]}}`,
			`null`,
			`left_out this hook is not carried: its if "Bash(x)" holds of no call of this event, so it never runs
left_out this hook is not carried: its command is blank, so it lets everything pass
left_out this hook is not carried: its if "Bash(git" holds of no call of this event, so it never runs`},
		"matchers": {claude, pre(`{"matcher":"Edit, Write","hooks":[{"type":"command","command":"a","timeout":30}]},
			{"matcher":"^(Edit|Write)$","hooks":[{"type":"command","command":"b","timeout":30}]},
			{"matcher":"^mcp__x__.*","hooks":[{"type":"command","command":"c","timeout":30}]},
			{"matcher":"mcp__[a-z]+__write","hooks":[{"type":"command","command":"d","timeout":30}]},
			{"matcher":"^(?!mcp)","hooks":[{"type":"command","command":"e","timeout":30}]},
			{"matcher":"[","hooks":[{"type":"command","command":"f","timeout":30}]},
			{"matcher":".*","hooks":[{"type":"command","command":"g","timeout":30}]}`),
			`[{"name":"a","command":"a","events":["pre-tool"],"matcher":"Edit|Write|fs_edit|fs_write","timeout":30,` +
				open + `},` +
				`{"name":"b","command":"b","events":["pre-tool"],"matcher":"Edit|Write|fs_edit|fs_write",` +
				`"timeout":30,` + open + `},` +
				`{"name":"c","command":"c","events":["pre-tool"],"matcher":"mcp__x__*","timeout":30,` + open + `},` +
				`{"name":"d","command":"d","events":["pre-tool"],"when":[{"path":"tool_name",` +
				`"matches":"mcp__[a-z]+__write"}],"timeout":30,` + open + `},` +
				`{"name":"g","command":"g","events":["pre-tool"],"timeout":30,` + open + `}]`,
			wide("Edit, Write", "Edit|Write|fs_edit|fs_write") + "\n" + wide("^(Edit|Write)$",
				"Edit|Write|fs_edit|fs_write") + `
changed the matcher "^mcp__x__.*" is "mcp__x__*" here
changed the matcher "mcp__[a-z]+__write" is a condition in "when" here, for the names that tools have in Claude Code
left_out this hook is not carried: its matcher "^(?!mcp)" uses JavaScript that neither a glob nor RE2 can express
left_out this hook is not carried: its matcher "[" matches nothing in Claude Code, so it never runs: unterminated [] set
changed the matcher ".*" is for every tool, so the entry has none`},
		"tools with two names": {codex,
			pre(`{"matcher":"Write","hooks":[{"type":"command","command":"a","timeout":30}]}`),
			`[{"name":"a","command":"a","events":["pre-tool"],"matcher":"Write|apply_patch|fs_write","timeout":30,` +
				open + `}]`,
			wide("Write", "Write|apply_patch|fs_write")},
		"other events": {claude,
			`{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"a","timeout":30}]}],` +
				`"Stop":[{"hooks":[{"type":"command","command":"b"}]}],"Nope":[]}}`,
			`[{"name":"a","command":"a","events":["post-tool"],"when":[{"path":"hook_event_name",` +
				`"equals":"PostToolUse"}],"timeout":30}]`,
			`changed PostToolUse is post-tool with a condition in "when" here: that event is for tools that ran and for those that failed
differs at post-tool ` + exit + `
left_out .tenex-hooks.json has no event for hooks of Stop; supported are pre-execute, pre-tool, post-tool
left_out Claude Code has no event "Nope", so none of these hooks ever runs there`},
		"what is no command, or not waited for": {claude,
			pre(`{"hooks":[{"type":"prompt","prompt":"p"},{"type":"command","command":"a","async":true},` +
				`{"type":"command","command":"b","if":"Bash(git *)","once":true,"timeout":30}]}`),
			`[{"name":"b","command":"b","events":["pre-tool"],"if":"shell(git *)","timeout":30,` + open + `}]`,
			`left_out this hook is not carried: an entry runs a command or posts to a url, and this is of type prompt
left_out this hook is not carried: it is async, and entries are waited for; end its command with & and give it /dev/null for its output
wider the if "Bash(git *)" is "shell(git *)" here, as a project calls the tool, so it holds in other clients and loops
differs the if "shell(git *)" is weighed word by word here: of a line that Claude Code cannot read only what may be meant runs the hook, where the client runs it for every such line; and it is also held against what env, xargs and the like run
left_out "once" is not carried: a hook runs at each call here, not only at the first of a session`},
		"a hook that posts": {claude,
			pre(`{"matcher":"Bash","hooks":[{"type":"http","url":"https://u:p@h:1/guard.v2?k=s",` +
				`"headers":{"X":"Bearer $T","A":"é"},"allowedEnvVars":["T"],"timeout":7}]}`),
			`[{"name":"guard.v2","url":"https://u:p@h:1/guard.v2?k=s","headers":{"X":"Bearer ` +
				`$T","A":"é"},"allowed_env_vars":["T"],"events":["pre-tool"],"matcher":"Bash|shell","timeout":7,` +
				`"on_failure":{"exit":"continue","output":"continue","timeout":"continue","unstarted":"continue"}}]`,
			wide("Bash", "Bash|shell") + "\n" + unread},
		"a hook that posts and fails closed": {claude,
			`{"env":{"T":"t"},"httpHookAllowedEnvVars":["T"],"hooks":{"PreToolUse":[{"hooks":[{"type":"http",` +
				`"url":"http://h","allowedEnvVars":["T","É","U"],"timeout":7,"onFailure":"block"}]}]}}`,
			`[{"name":"h","url":"http://h","allowed_env_vars":["T"],"events":["pre-tool"],"timeout":7}]`,
			`left_out the variables of "env" are not carried for hooks of type http: those that "allowed_env_vars" names are of hookrun's own environment
changed "httpHookAllowedEnvVars" is not carried as such: hooks that it forbids are left out, and so are variables
` + unread + `
left_out "É" is not carried: no header can stand for it
left_out "U" is not carried: no header can stand for it`},
		"a hook that may not post": {claude,
			`{"allowedHttpHookUrls":["https://*"],"hooks":{"PreToolUse":[{"hooks":[{"type":"http",` +
				`"url":"http://h"}]}]}}`, `null`,
			`changed "allowedHttpHookUrls" is not carried as such: hooks that it forbids are left out, and so are variables
left_out this hook is not carried: http://h is not among the "allowedHttpHookUrls" of the settings, so it is never sent`},
		"settings": {claude,
			`{"model":"m","env":{"A":"1","B":2},"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a",` +
				`"timeout":30}]}]}}`,
			`[{"name":"a","command":"a","events":["pre-tool"],"timeout":30,` + open + `,"env":{"A":"1","B":"2"}}]`, ""},
		"all hooks off": {claude,
			`{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}`, `null`,
			`left_out "disableAllHooks" switches all hooks of Claude Code off, so none is carried; take it out to ` +
				`import them`},
		"equal hooks": {claude,
			pre(`{"matcher":"Bash","hooks":[{"type":"command","command":"a","timeout":30},{"type":"command",` +
				`"command":"a","timeout":30}]},{"matcher":"Edit","hooks":[{"type":"command","command":"a",` +
				`"timeout":30}]},{"hooks":[{"type":"command","command":"a","timeout":30}]}`),
			`[{"name":"a","command":"a","events":["pre-tool"],"matcher":"Bash|shell","timeout":30,` + open +
				`},{"name":"a-2","command":"a","events":["pre-tool"],"matcher":"Edit|fs_edit","timeout":30,` + open +
				`},{"name":"a-3","command":"a","events":["pre-tool"],"timeout":30,` + open + `}]`,
			wide("Bash", "Bash|shell") + `
changed this hook is the same as that of .claude/settings.json:1, and is there once
` + wide("Edit", "Edit|fs_edit") + `
differs Claude Code runs this hook and that of .claude/settings.json:1 once where a call is for both; here each of them runs`},
		"another client's": {gemini,
			before(`{"matcher":"write_file|replace","sequential":true,"hooks":[{"type":"command","name":"format",` +
				`"command":"fmt 'a;b'","timeout":5000,"env":{"T":"$HOME","U":"1"}}]}`),
			`[{"name":"format","command":["bash","-c","fmt ` +
				`'a;b'"],"events":["pre-tool"],"matcher":"*write_file*|*replace*|fs_write|fs_edit","timeout":"5s",` +
				`"on_failure":{"signal":"continue"},"env":{"U":"1"}}]`,
			"changed BeforeTool is pre-tool here\n" + wide("write_file|replace",
				"*write_file*|*replace*|fs_write|fs_edit") + `
changed Gemini CLI runs it with bash, so the entry names it` + words + `
changed 5000 is 5s here
left_out the variable "T" is not carried: "$HOME" has another variable in it, and entries have texts alone`},
		"hooks that are off": {gemini,
			`{"hooksConfig":{"disabled":["x","gone"]},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","name":"x",` +
				`"command":"a"}]}]}}`, `null`,
			`left_out "gone" switches off no hook of this file
changed BeforeTool is pre-tool here
left_out this hook is not carried: "x" in the settings switches it off`},
		"TOML": {".codex/config.toml",
			"model = \"m\"\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = " +
				"\"command\"\ncommand = \"a\"\ntimeout = 30\nstatusMessage = \"s\"\n",
			`[{"name":"a","command":"a","events":["pre-tool"],"matcher":"Bash|shell","timeout":30,` + open + `}]`,
			wide("^Bash$", "Bash|shell") + `
left_out "statusMessage" is not carried: it is shown to the user of the client while the hook runs`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", "/nobody")
			r := parse(t, test.path, test.doc)
			require.Equal(t, test.entries, entries(t, r))
			require.Equal(t, test.reported, others.ReplaceAllString(reported(r), ""))
			text, added, err := hookimport.Add("f", nil, r.Entries)
			require.NoError(t, err, "what is imported loads")
			require.Len(t, added, len(r.Entries))
			if len(r.Entries) > 0 {
				cfg, err := hookfile.Parse("f", text)
				require.NoError(t, err)
				require.Len(t, cfg.Hooks, len(r.Entries))
				require.Empty(t, cfg.Warnings)
			}
		})
	}
}

// TestManyHooks: a megabyte of hooks, all of one name, takes no longer than a file may.
func TestManyHooks(t *testing.T) {
	n := testall.Of(3_000, 12_000)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"type":"command","command":"a","timeout":%d,"once":true}`, i+1)
	}
	start := time.Now()
	r := parse(t, claude, `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[`+b.String()[1:]+`]}]}}`)
	require.Len(t, r.Entries, n)
	var all hookimport.Result
	all.Append(r)
	all.Append(r)
	require.Len(t, all.Entries, n)
	require.Less(t, time.Since(start), 20*time.Second)
}

// A timeout in somebody's other unit is carried as its client takes it, and reported.
func TestOtherUnits(t *testing.T) {
	for _, test := range []struct{ path, doc, want string }{
		{gemini, `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"a","timeout":30}]}]}}`,
			"were these seconds?"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a","timeout":30000}]}]}}`,
			"were these milliseconds?"},
	} {
		i := slices.IndexFunc(parse(t, test.path, test.doc).Report, func(i hookimport.Item) bool {
			return strings.Contains(i.Text, test.want)
		})
		require.GreaterOrEqual(t, i, 0)
	}
}

func TestPlaces(t *testing.T) {
	r := parse(t, ".codex/config.toml",
		"[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"a\"\nstatusMessage = "+
			"\"s\"\n")
	require.Equal(t, 5, r.Report[0].Line)
	r = parse(t, claude, "{\"hooks\":{\n \"Stop\":[]}}")
	require.Equal(t,
		`.claude/settings.json:2:2: .tenex-hooks.json has no event for hooks of Stop; supported are pre-execute, `+
			`pre-tool, post-tool`, r.Report[0].Error())
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ path, doc, want string }{
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}],}}`,
			`.claude/settings.json:1:56: parsing: a comma before '}'; remove it`},
		{codex, `{"hooks":{"PreToolUse":[{}]}}`,
			`.codex/hooks.json:1:25: PreToolUse 1: has no "hooks"; Codex finds nothing to run there, without a word`},
		{"x.json", `{"hooks":[]}`, `x.json is in the form of .tenex-hooks.json already; there is nothing to import`},
		{"x.json", `{}`, `x.json is in the form of .tenex-hooks.json already; there is nothing to import`},
		{"x.yaml", "agents: []\n",
			`x.yaml is in the form of massgen, and not in that of ` + all.ImportList()},
		{"x.yaml", "hooks:\n  PreToolUse:\n    - handler: a.py\n      type: command\n",
			`x.yaml is in the form of massgen, and not in that of ` + all.ImportList()},
	} {
		_, err := hookimport.Parse(test.path, []byte(test.doc), nil, hookimport.Project)
		require.EqualError(t, err, test.want)
	}
}

// sources are all settings of the recorded cases, by the paths of their clients.
func sources(t testing.TB) (docs [][2]string) {
	for client, path := range map[string]string{"claude": claude, "codex": codex, "gemini": gemini} {
		files, err := filepath.Glob("../../e2e/testdata/" + client + "/*.jsonl")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			doc, err := os.ReadFile(file)
			require.NoError(t, err)
			for line := range strings.Lines(string(doc)) {
				c := gjson.Parse(line)
				text := c.Get("config").Raw
				if c.Get("config_text").Exists() {
					text = c.Get("config_text").String()
				}
				if text != "" {
					docs = append(docs, [2]string{path, text})
				}
			}
		}
	}
	return docs
}

// TestEveryValue changes one value of a file after the other: each is in an entry, or in the report with its path, or
// else the change is seen in one of them.
func TestEveryValue(t *testing.T) {
	docs := append(sources(t),
		[2]string{claude,
			`{"$schema":"s","x-a":[1],"model":"m","permissions":{"allow":["a"]},"disableAllHooks":false,"env":{"A":"b","N":1},"allowedHttpHookUrls":["u"],"httpHookAllowedEnvVars":["v"],
			"hooks":{"x-n":1,"PreToolUse":[{"matcher":"Bash","x-g":1,"note":{"a":1},"hooks":[{"type":"command","command":"a","x-h":{"a":[1]},"args":["b"],"shell":"bash","if":"Bash(a)","timeout":5,
			"onFailure":"block","async":false,"once":true,"statusMessage":"s","asyncRewake":true,"rewakeMessage":"m","rewakeSummary":"s","holdsTools":[1],"cloud":"skip","new":1},
			{"type":"http","url":"http://h","headers":{"a":"b"},"allowedEnvVars":["X"]},{"type":"mcp_tool","server":"s","tool":"t","input":{"a":1}},{"type":"agent","prompt":"p","model":"m"}]}],
			"PostToolUseFailure":[{"matcher":"^[A-Z]x$","hooks":[{"type":"command","command":"a"}]}],"UserPromptSubmit":[{"matcher":"m","hooks":[{"type":"command","command":"a"}]}],
			"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"a","timeout":1}]}],"Unknown":[{"a":1}]}}`},
		[2]string{claude, `{"env":{"A":"b"},"hooks":{}}`},
		[2]string{codex,
			`{"description":"d","hooks":{"PreToolUse":[{"matcher":"a.b","new":1,"hooks":[{"type":"command",` +
				`"command":"a","commandWindows":"b","timeout":0,"statusMessage":"s","additionalContextLimit":1,` +
				`"if":"x","async":false},{"type":"prompt","prompt":"p"}]}]}}`},
		[2]string{gemini,
			`{"theme":"t","hooksConfig":{"enabled":true,"disabled":["n","other"],"notifications":true},"hooks":{"enabled":true,"BeforeTool":[{"matcher":" a ","sequential":false,"hooks":[{"type":"command","name":"n","command":"a"},
			{"type":"command","name":"m","command":"$GEMINI_SESSION_ID/b","description":"d","timeout":5,"env":{"A":"1","B":"$PATH"},"args":["x"]}]}],"AfterModel":[{"hooks":[{"type":"command","command":"a"}]}]}}`},
	)
	values := 0
	for _, doc := range docs {
		var top any
		if _, err := hookimport.Parse(doc[0], []byte(doc[1]), nil, hookimport.Project); err != nil ||
			json.Unmarshal([]byte(doc[1]), &top) != nil {
			continue // it is refused, with all its places
		}
		result := func() string {
			text, err := json.Marshal(top)
			require.NoError(t, err)
			r, err := hookimport.Parse(doc[0], text, nil, hookimport.Project)
			if err != nil {
				return err.Error()
			}
			var b strings.Builder
			b.WriteString(entries(t, r))
			for _, i := range r.Report {
				fmt.Fprintln(&b, i.Kind, i.Text, i.Paths)
			}
			return b.String()
		}
		before := result()
		var covered []string
		for _, i := range parse(t, doc[0], doc[1]).Report {
			covered = append(covered, i.Paths...)
		}
		eachLeaf(top, "", func(path string, value any, set func(any)) {
			values++
			for _, c := range covered {
				if path == c || strings.HasPrefix(path, c+".") {
					return
				}
			}
			switch v := value.(type) {
			case string:
				set(v + "x")
			case float64:
				set(v + 1)
			case bool:
				set(!v)
			default:
				return // null is as good as nothing
			}
			require.NotEqual(t, before, result(), "%s of %s was dropped without a word", path, doc[1])
			set(value)
		})
	}
	require.Greater(t, values, 1500)
}

func eachLeaf(v any, path string, yield func(path string, value any, set func(any))) {
	in := func(key string) string {
		key = strings.NewReplacer(`\`, `\\`, ".", `\.`).Replace(key)
		if path == "" {
			return key
		}
		return path + "." + key
	}
	inside := func(key string, member any, set func(any)) {
		switch member.(type) {
		case map[string]any, []any:
			eachLeaf(member, in(key), yield)
		default:
			yield(in(key), member, set)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			inside(key, member, func(to any) { v[key] = to })
		}
	case []any:
		for i, member := range v {
			inside(strconv.Itoa(i), member, func(to any) { v[i] = to })
		}
	}
}

// FuzzMatcher: an entry is for the same tools as the hook that it was made of.
func FuzzMatcher(f *testing.F) {
	for _, matcher := range []string{"Bash", "Edit|Write", "^(Edit|Write)$", "mcp__x__.*", ".*", "^Bas", "a.c",
		"^.+x$", "[Bb]ash", "(a|b)(c|d)e?", `\bBash\b`, "^$", "a{2,}", "$^", "a|^b$|", "Task", ".*_write$", `^\w+$`,
		"x(?=y)", `a\\(b\\)`, `^a\\$$`, `a,b$`, "[^]", "[]a]", "^a*", "(?i)bash", "a|", "|", ",", "**", `\x41`, "()"} {
		for _, name := range []string{"Bash", "mcp__x__y", "Edit", "a_write", "Agent", "apply_patch", "ace"} {
			f.Add(matcher, name)
		}
	}
	projects := map[string]bool{} // which the entry may have too
	for _, tool := range all.ClientTools() {
		for _, name := range all.ToolNames(tool) {
			projects[name] = true
		}
	}
	f.Fuzz(func(t *testing.T, matcher, name string) {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/") != "" ||
			name == "" {
			t.Skip("no tool is called like this")
		}
		for _, test := range []struct {
			path, event string
		}{{claude, "PreToolUse"}, {codex, "PreToolUse"}, {gemini, "BeforeTool"}} {
			text, err := json.Marshal(
				map[string]any{"hooks": map[string]any{test.event: []any{map[string]any{"matcher": matcher,
					"hooks": []any{map[string]any{"type": "command", "command": "a"}}}}}})
			require.NoError(t, err)
			source, err := hookfile.Parse(test.path, text)
			if err != nil {
				continue
			}
			r := parse(t, test.path, string(text))
			if len(r.Entries) == 0 {
				continue
			}
			doc, _, err := hookimport.Add("f", nil, r.Entries)
			require.NoError(t, err)
			cfg, err := hookfile.Parse("f", doc)
			require.NoError(t, err, "%s", doc)
			for _, name := range []string{name, "Agent", "apply_patch", "Bash", "mcp__x__y"} {
				wanted := runs(source, protocol.Event(test.event), name)
				got := runs(cfg, protocol.PreTool, name)
				// A hook for one name of a tool is for its other names here, and the report says so.
				also := slices.ContainsFunc(all.ToolAliases(name), func(other string) bool {
					return strings.Contains(reported(r), "it is also for") && runs(cfg, protocol.PreTool, other)
				})
				if !got && wanted || got != wanted && !also && !strings.Contains(reported(r), "for every tool") &&
					!projects[name] {
					t.Fatalf("%s: %q at %q: %v, and %v in %s", test.path, matcher, name, wanted, got, doc)
				}
			}
		}
	})
}

func TestAdd(t *testing.T) {
	r := parse(t, claude,
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a `+
			`<x>","timeout":30},{"type":"command","command":"b","timeout":30}]}]}}`)
	const there = `{"name":"own","command":["x"],"events":["pre-tool"]}`
	for name, old := range map[string]string{
		"nothing in it":          "{}",
		"no hooks key":           "{\n\t\"x-a\": \"{\"\n}\n",
		"an empty list":          `{"hooks":[]}`,
		"an empty list in lines": "{\n  \"hooks\": [\n  ]\n}\n",
		"in one line":            `{"hooks":[` + there + `]}`,
		"in lines":               "{\n    \"hooks\": [\n        " + there + "\n    ],\n    \"x-after\": 1\n}",
		"with CRLF":              "{\r\n  \"hooks\": [\r\n    " + there + "\r\n  ]\r\n}\r\n",
		"with a mark":            "\ufeff{\"hooks\": [" + there + " ] }",
		"the same name":          `{"hooks":[{"name":"a","command":"other","events":["pre-tool"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			text, added, err := hookimport.Add("f", []byte(old), r.Entries)
			require.NoError(t, err)
			require.Len(t, added, 2)
			if name == "the same name" {
				require.Equal(t, []string{"a-2", "b"}, added)
			}
			// Something was put in, and nothing else.
			i := 0
			for i < len(old) && old[i] == text[i] {
				i++
			}
			require.True(t, strings.HasSuffix(string(text), old[i:]), "%s", text)
			require.Equal(t, strings.Count(old, "\r\n") > 0,
				strings.Count(string(text), "\n") == strings.Count(string(text), "\r\n") &&
					strings.Contains(string(text), "\n"))
			again, added, err := hookimport.Add("f", text, r.Entries)
			require.NoError(t, err)
			require.Empty(t, added)
			require.Equal(t, string(text), string(again))
		})
	}
	t.Run("what its owner changed is the owner's", func(t *testing.T) {
		text, _, err := hookimport.Add("f", nil, r.Entries)
		require.NoError(t, err)
		text = []byte(strings.Replace(string(text), `"timeout": 30`, `"timeout": "1h", "env": {"A": "b"}`, 1))
		_, added, err := hookimport.Add("f", text, r.Entries)
		require.NoError(t, err)
		require.Empty(t, added)
	})
	for _, test := range []struct{ old, want string }{
		{`{"hooks":[{}]}`, `f:1:11: hook 1 has no "name", no "command", no "events"`},
		{`{"hooks":{}}`,
			`f is in Claude Code's form, to which no entries can be added; import it as well, into another file`},
	} {
		_, _, err := hookimport.Add("f", []byte(test.old), r.Entries)
		require.EqualError(t, err, test.want)
	}
}

func TestWrite(t *testing.T) {
	testall.NotOnWindows(t, "files have no mode bits")
	r := parse(t, claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}`)
	dir := t.TempDir()
	path := filepath.Join(dir, hookfile.FileName)
	added, err := hookimport.Write(path, r.Entries)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, added)
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	added, err = hookimport.Write(path, r.Entries)
	require.NoError(t, err)
	require.Empty(t, added)
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, first, second)

	broken := filepath.Join(dir, "broken.json")
	require.NoError(t, os.WriteFile(broken, []byte(`{"hooks":[}`), 0o600))
	_, err = hookimport.Write(broken, r.Entries)
	require.ErrorContains(t, err, "broken.json:1:11: ")

	large := filepath.Join(dir, "large.json")
	text := `{"x-a":"` + strings.Repeat("x", 1<<20-50) + `"}`
	require.NoError(t, os.WriteFile(large, []byte(text), 0o600))
	_, err = hookimport.Write(large, r.Entries)
	require.ErrorContains(t, err, "would be larger than 1 MiB")
	still, err := os.ReadFile(large)
	require.NoError(t, err)
	require.Equal(t, text, string(still))

	private := filepath.Join(dir, "private.json")
	require.NoError(t, os.WriteFile(private, []byte(`{}`), 0o600))
	_, err = hookimport.Write(private, r.Entries)
	require.NoError(t, err)
	info, err := os.Stat(private)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)

	link := filepath.Join(dir, "link.json")
	if os.Symlink(private, link) == nil {
		_, err = hookimport.Write(link, r.Entries)
		require.ErrorContains(t, err, "is a symbolic link")
	}
	_, err = hookimport.Write(filepath.Join(dir, "missing", "f"), r.Entries)
	require.Error(t, err)
	left, err := filepath.Glob(filepath.Join(dir, ".*json.*"))
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file stays")
}

// runs reports whether the first hook of a file runs at a call of a tool.
func runs(cfg *hookfile.Config, event protocol.Event, tool string) bool {
	return hookfile.NewMatchContext(dialect.NewCall(protocol.Call{Event: event, Tool: tool})).Runs(&cfg.Hooks[0])
}
