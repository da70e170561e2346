package hookimport_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/hookimport"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

const (
	claude = ".claude/settings.json"
	codex  = ".codex/hooks.json"
	gemini = ".gemini/settings.json"
)

func parse(t testing.TB, path, doc string) *hookimport.Result {
	t.Helper()
	r, err := hookimport.Parse(path, []byte(doc), nil)
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

func entries(t testing.TB, r *hookimport.Result) string {
	t.Helper()
	doc, err := json.Marshal(r.Entries)
	require.NoError(t, err)
	return string(doc)
}

func TestEntries(t *testing.T) {
	pre := func(group string) string { return `{"hooks":{"PreToolUse":[` + group + `]}}` }
	before := func(group string) string { return `{"hooks":{"BeforeTool":[` + group + `]}}` }
	for name, test := range map[string]struct{ path, doc, entries, reported string }{
		"a plain gate": {claude,
			pre(`{"matcher":"Bash","hooks":[{"type":"command","command":"guard --strict","timeout":10}]}`),
			`[{"name":"guard","dialect":"claude","command":"guard --strict","events":["PreToolUse"],` +
				`"matcher":"Bash","timeout":10}]`,
			""},
		"the client's timeout": {claude, pre(`{"hooks":[{"type":"command","command":"guard"}]}`),
			`[{"name":"guard","dialect":"claude","command":"guard","events":["PreToolUse"]}]`,
			""},
		"a timeout as long as hookrun's": {codex, pre(`{"hooks":[{"type":"command","command":"guard","timeout":30}]}`),
			`[{"name":"guard","dialect":"codex","command":"guard","events":["PreToolUse"],"timeout":30}]`,
			""},
		"the folder": {claude,
			pre(`{"hooks":[{"type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no-push.sh",` +
				`"timeout":30}]}`),
			`[{"name":"no-push","dialect":"claude","c` +
				`ommand":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no-push.sh","events":["PreToolUse"],` +
				`"timeout":30}]`,
			""},
		"arguments": {claude,
			pre(`{"hooks":[{"type":"command","command":"node","args":["${CLAUDE_PROJECT_DIR}/a ` +
				`b.js","it's"],"timeout":30},{"type":"command","command":"node","args":["-v"],"timeout":30}]}`),
			`[{"name":"a","dialect":"claude","command":["node","${CLAUDE_PROJECT_DIR}/a b.js","it's"],` +
				`"events":["PreToolUse"],"timeout":30},{"name":"node","dialect":"claude","command":["node",` +
				`"-v"],"events":["PreToolUse"],"timeout":30}]`,
			""},
		"an argument without text": {claude,
			pre(`{"hooks":[{"type":"command","command":"a","args":["${CLAUDE_PROJECT_DIR}","","'b"],"timeout":30}]}`),
			`[{"name":"a","dialect":"claude","command":["a","${CLAUDE_PROJECT_DIR}","","'b"],` +
				`"events":["PreToolUse"],"timeout":30}]`,
			""},
		"hookrun itself": {claude,
			pre(`{"hooks":[{"type":"command","command":"/opt/hookrun fire --output claude || exit ` +
				`2"},{"type":"command","command":"hookrun fire -c other.json","timeout":30}]}`),
			`[{"name":"hookrun","dialect":"claude","command":"hookrun fire -c other.json",` +
				`"events":["PreToolUse"],"timeout":30}]`,
			`left_out this hook is not carried: it runs hookrun, which would run this hook again`},
		"hooks that never run": {claude,
			`{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"a","if":"Bash(x)"}]}],` +
				`"PreToolUse":[{"hooks":[{"type":"command","command":" ` +
				`\n"},{"type":"command","command":"b","if":"Bash(git"}]}]}}`,
			`null`,
			`left_out this hook is not carried: its if "Bash(x)" matches no call of this event, so it` +
				` never runs` + "\n" +
				`left_out this hook is not carried: its command is blank, so it lets everything pass` + "\n" +
				`left_out this hook is not carried: its if "Bash(git" matches no call of this event, so it` +
				` never runs`},
		"matchers": {claude, pre(`{"matcher":"Edit, Write","hooks":[{"type":"command","command":"a","timeout":30}]},
			{"matcher":"^(Edit|Write)$","hooks":[{"type":"command","command":"b","timeout":30}]},
			{"matcher":"^mcp__x__.*","hooks":[{"type":"command","command":"c","timeout":30}]},
			{"matcher":"mcp__[a-z]+__write","hooks":[{"type":"command","command":"d","timeout":30}]},
			{"matcher":"^(?!mcp)","hooks":[{"type":"command","command":"e","timeout":30}]},
			{"matcher":"[","hooks":[{"type":"command","command":"f","timeout":30}]},
			{"matcher":".*","hooks":[{"type":"command","command":"g","timeout":30}]}`),
			`[{"name":"a","dialect":"claude","command":"a","events":["PreToolUse"],"matcher":"Edit,` +
				` Write","timeout":30},{"name":"b","dialect":"claude","command":"b","events":["PreToolUse"],` +
				`"matcher":"^(Edit|Write)$","timeout":30},{"name":"c","dialect":"claude","command":"c",` +
				`"events":["PreToolUse"],"matcher":"^mcp__x__.*","timeout":30},{"name":"d",` +
				`"dialect":"claude","command":"d","events":["PreToolUse"],"matcher":"mcp__[a-z]+__write",` +
				`"timeout":30},{"name":"e","dialect":"claude","command":"e","events":["PreToolUse"],` +
				`"matcher":"^(?!mcp)","timeout":30},{"name":"g","dialect":"claude","command":"g",` +
				`"events":["PreToolUse"],"matcher":".*","timeout":30}]`,
			`left_out this hook is not carried: its matcher "[" is no regular expression and matches` +
				` nothing, so the hook never runs: unterminated [] set`},
		"tools with two names": {codex,
			pre(`{"matcher":"Write","hooks":[{"type":"command","command":"a","timeout":30}]}`),
			`[{"name":"a","dialect":"codex","command":"a","events":["PreToolUse"],"matcher":"Write",` +
				`"timeout":30}]`,
			""},
		"other events": {claude,
			`{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"a","timeout":30}]}],` +
				`"Stop":[{"hooks":[{"type":"command","command":"b"}]}],"Nope":[]}}`,
			`[{"name":"a","dialect":"claude","command":"a","events":["PostToolUse"],"timeout":30},` +
				`{"name":"b","dialect":"claude","command":"b","events":["Stop"]}]`,
			`left_out Claude Code has no event "Nope", so none of these hooks ever runs there`},
		"what is no command, or not waited for": {claude,
			pre(`{"hooks":[{"type":"prompt","prompt":"p"},{"type":"command","command":"a","async":true},` +
				`{"type":"command","command":"b","if":"Bash(git *)","once":true,"timeout":30}]}`),
			`[{"name":"a","dialect":"claude","command":"a","events":["PreToolUse"],"async":true},` +
				`{"name":"b","dialect":"claude","command":"b","events":["PreToolUse"],"if":"Bash(git *)",` +
				`"timeout":30}]`,
			`left_out this hook is not carried: an entry runs a command or posts to a url, and this is of` +
				` type prompt` + "\n" +
				`left_out "once" is not carried: a hook runs at each call here, not only at the first of a` +
				` session`},
		"a hook that posts": {claude,
			pre(`{"matcher":"Bash","hooks":[{"type":"http","url":"https://u:p@h:1/guard.v2?k=s",` +
				`"headers":{"X":"Bearer $T","A":"é"},"allowedEnvVars":["T"],"timeout":7}]}`),
			`[{"name":"guard.v2","dialect":"claude","url":"https://u:p@h:1/guard.v2?k=s",` +
				`"headers":{"X":"Bearer $T","A":"é"},"allowed_env_vars":["T"],"events":["PreToolUse"],` +
				`"matcher":"Bash","timeout":7}]`,
			""},
		"a hook that posts and fails closed": {claude,
			`{"env":{"T":"t"},"httpHookAllowedEnvVars":["T"],"hooks":{"PreToolUse":[{"hooks":[{"type":"http",` +
				`"url":"http://h","allowedEnvVars":["T","É","U"],"timeout":7,"onFailure":"block"}]}]}}`,
			`[{"name":"h","dialect":"claude","url":"http://h","allowed_env_vars":["T"],` +
				`"events":["PreToolUse"],"timeout":7,"on_failure":"block"}]`,
			`left_out the variables of "env" are not carried for hooks of type http: those that` +
				` "allowed_env_vars" names are of hookrun's own environment` + "\n" +
				`changed "httpHookAllowedEnvVars" is not carried as such: hooks that it forbids are left out,` +
				` and so are variables` + "\n" +
				`left_out "É" is not carried: no header can stand for it` + "\n" +
				`left_out "U" is not carried: no header can stand for it`},
		"a hook that may not post": {claude,
			`{"allowedHttpHookUrls":["https://*"],"hooks":{"PreToolUse":[{"hooks":[{"type":"http",` +
				`"url":"http://h"}]}]}}`, `null`,
			`changed "allowedHttpHookUrls" is not carried as such: hooks that it forbids are left out,` +
				` and so are variables` + "\n" +
				`left_out this hook is not carried: http://h is not among the "allowedHttpHookUrls" of the` +
				` settings, so it is never sent`},
		"settings": {claude,
			`{"model":"m","env":{"A":"1","B":2},"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a",` +
				`"timeout":30}]}]}}`,
			`[{"name":"a","dialect":"claude","command":"a","events":["PreToolUse"],"timeout":30,` +
				`"env":{"A":"1","B":"2"}}]`,
			""},
		"all hooks off": {claude,
			`{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a"}]}]}}`, `null`,
			`left_out "disableAllHooks" switches all hooks of Claude Code off, so none is carried; take` +
				` it out to import them`},
		"equal hooks": {claude,
			pre(`{"matcher":"Bash","hooks":[{"type":"command","command":"a","timeout":30},{"type":"command",` +
				`"command":"a","timeout":30}]},{"matcher":"Edit","hooks":[{"type":"command","command":"a",` +
				`"timeout":30}]},{"hooks":[{"type":"command","command":"a","timeout":30}]}`),
			`[{"name":"a","dialect":"claude","command":"a","events":["PreToolUse"],"matcher":"Bash",` +
				`"timeout":30},{"name":"a-2","dialect":"claude","command":"a","events":["PreToolUse"],` +
				`"matcher":"Edit","timeout":30},{"name":"a-3","dialect":"claude","command":"a",` +
				`"events":["PreToolUse"],"timeout":30}]`,
			`changed this hook is the same as that of .claude/settings.json:1, and is there once` + "\n" +
				`wider Claude Code runs this hook and that of .claude/settings.json:1 once where a call is` +
				` for both; here each of them runs`},
		"another client's": {gemini,
			before(`{"matcher":"write_file|replace","sequential":true,"hooks":[{"type":"command","name":"format",` +
				`"command":"fmt 'a;b'","timeout":5000,"env":{"T":"$HOME","U":"1"}}]}`),
			`[{"name":"format","dialect":"gemini","command":"fmt 'a;b'","events":["BeforeTool"],` +
				`"matcher":"write_file|replace","timeout":"5s","env":{"T":"$HOME","U":"1"}}]`,
			`changed 5000 is 5s here`},
		"hooks that are off": {gemini,
			`{"hooksConfig":{"disabled":["x","gone"]},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","name":"x",` +
				`"command":"a"}]}]}}`, `null`,
			`left_out "gone" switches off no hook of this file` + "\n" +
				`left_out this hook is not carried: "x" in the settings switches it off`},
		"TOML": {".codex/config.toml",
			"model = \"m\"\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = " +
				"\"command\"\ncommand = \"a\"\ntimeout = 30\nstatusMessage = \"s\"\n",
			`[{"name":"a","dialect":"codex","command":"a","events":["PreToolUse"],"matcher":"^Bash$",` +
				`"timeout":30}]`,
			`left_out "statusMessage" is not carried: it is shown to the user of the client while the` +
				` hook runs`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", "/nobody")
			r := parse(t, test.path, test.doc)
			require.Equal(t, test.entries, entries(t, r))
			require.Equal(t, test.reported, reported(r))
			text, added, err := hookimport.Add("f", nil, r.Entries)
			require.NoError(t, err, "what is imported loads")
			require.Len(t, added, len(r.Entries))
			if len(r.Entries) > 0 {
				cfg, err := parts.All().Parse("f", text)
				require.NoError(t, err)
				require.Len(t, cfg.Hooks, len(r.Entries))
				require.Empty(t, cfg.Warnings)
			}
		})
	}
}

// TestDroppedFile: hooks of a file that its client drops whole are left out, and somebody hears of it.
func TestDroppedFile(t *testing.T) {
	r := parse(t, ".qwen/settings.json", `{"hooks": {"PreToolUse": [`)
	require.Empty(t, r.Entries)
	require.False(t, r.Faithful())
	require.Contains(t, reported(r), "left_out parsing: the document ends too early")
}

// TestManyHooks: a megabyte of hooks, all of one name, takes no longer than a file may.
func TestManyHooks(t *testing.T) {
	n := testall.Of(3_000, 12_000)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"type":"command","command":"./a %d","timeout":30,"once":true}`, i)
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
		`.claude/settings.json:2:2: these hooks run once hookrun has an entry at Stop: run hookrun install claude `+
			`(again)`, r.Report[0].Error())
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
			`x.yaml is in the form of massgen, and not in that of ` + clients.All().ImportList()},
		{"x.yaml", "hooks:\n  PreToolUse:\n    - handler: a.py\n      type: command\n",
			`x.yaml is in the form of massgen, and not in that of ` + clients.All().ImportList()},
	} {
		_, err := hookimport.Parse(test.path, []byte(test.doc), nil)
		require.EqualError(t, err, test.want)
	}
}

// sources are all settings of the recorded cases, by the paths of their clients.
func sources(t testing.TB) (docs [][2]string) {
	for client, path := range map[string]string{"claude": claude, "codex": codex, "gemini": gemini} {
		files, err := filepath.Glob("../../../conformance/" + client + "/*.jsonl")
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
		if _, err := hookimport.Parse(doc[0], []byte(doc[1]), nil); err != nil ||
			json.Unmarshal([]byte(doc[1]), &top) != nil {
			continue // it is refused, with all its places
		}
		result := func() string {
			text, err := json.Marshal(top)
			require.NoError(t, err)
			r, err := hookimport.Parse(doc[0], text, nil)
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
