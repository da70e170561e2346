package hook_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// when is a rule with one condition, or more.
func when(t testing.TB, conditions string) *hook.Hook {
	t.Helper()
	cfg, err := parts.All().Parse("f",
		[]byte(`{"hooks":[{"name":"a","block":"no","events":["pre-execute","pre-tool","post-tool"],"when":[`+
			conditions+`]}]}`))
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	return &cfg.Hooks[0]
}

func TestWhen(t *testing.T) {
	const args = `{"command":"rm -rf ` +
		`\u002f\ud83d\ude42","n":7,"big":9007199254740993,"half":0.5,"yes":true,"none":null,"list":["a",{"b":"x"},` +
		`{"b":"y"},[1,2]],"o":{"a.b":{"#":1},"":2},"0":"zero","@x":"at"}`
	for condition, want := range map[string]bool{
		`{"path":"args.command","matches":"^rm"}`:                       true,
		`{"path":"args.command","matches":"rf /🙂$"}`:                    true,
		`{"path":"args.command","matches":"^rf"}`:                       false,
		`{"path":"args.command","matches":"(?i)RM"}`:                    true,
		`{"path":"args.command","matches":""}`:                          true,
		`{"path":"args.absent","matches":""}`:                           false,
		`{"path":"args.n","matches":"^7$"}`:                             true,
		`{"path":"args.o","matches":"\"a\\.b\":\\{"}`:                   true,
		`{"path":"args","matches":"rm -rf /🙂"}`:                         true,
		`{"path":"tool_input.command","matches":"^rm"}`:                 true,
		`{"path":"args.command","equals":"rm -rf /🙂"}`:                  true,
		`{"path":"args.command","equals":"rm"}`:                         false,
		`{"path":"args.n","equals":7}`:                                  true,
		`{"path":"args.n","equals":7.0}`:                                true,
		`{"path":"args.n","equals":70e-1}`:                              true,
		`{"path":"args.n","equals":"7"}`:                                false,
		`{"path":"args.n","equals":8}`:                                  false,
		`{"path":"args.big","equals":9007199254740993}`:                 true,
		`{"path":"args.big","equals":9007199254740992}`:                 false,
		`{"path":"args.half","equals":5e-1}`:                            true,
		`{"path":"args.yes","equals":true}`:                             true,
		`{"path":"args.yes","equals":false}`:                            false,
		`{"path":"args.yes","equals":"true"}`:                           false,
		`{"path":"args.none","equals":null}`:                            true,
		`{"path":"args.none","equals":false}`:                           false,
		`{"path":"args.absent","equals":null}`:                          false,
		`{"path":"args.none","exists":true}`:                            true,
		`{"path":"args.absent","exists":true}`:                          false,
		`{"path":"args.absent","exists":false}`:                         true,
		`{"path":"args.command.x","exists":false}`:                      true,
		`{"path":"args.list.0","equals":"a"}`:                           true,
		`{"path":"args.list.1.b","equals":"x"}`:                         true,
		`{"path":"args.list.01","exists":true}`:                         false,
		`{"path":"args.list.-1","exists":true}`:                         false,
		`{"path":"args.list.9","exists":true}`:                          false,
		`{"path":"args.0","equals":"zero"}`:                             true,
		`{"path":"args.list.#","equals":4}`:                             true,
		`{"path":"args.list.#.b","equals":"y"}`:                         true,
		`{"path":"args.list.#.b","equals":"z"}`:                         false,
		`{"path":"args.list.#.b","matches":"^(y|z)$"}`:                  true,
		`{"path":"args.list.#.#","equals":2}`:                           true,
		`{"path":"args.list.3","equals":[1,2]}`:                         true,
		`{"path":"args.list.3","equals":[2,1]}`:                         false,
		`{"path":"args.list.3","equals":[1]}`:                           false,
		`{"path":"args.list.3","equals":{}}`:                            false,
		`{"path":"args.o.#","exists":true}`:                             false,
		`{"path":"args.o.a\\.b.\\#","equals":1}`:                        true,
		`{"path":"args.o.a.b","exists":true}`:                           false,
		`{"path":"args.o","equals":{"":2.0,"a.b":{"\u0023":1}}}`:        true,
		`{"path":"args.o","equals":{"a.b":{"#":1}}}`:                    false,
		`{"path":"args.o","equals":{"":2,"a.b":{"#":1},"c":1}}`:         false,
		`{"path":"args.\\@x","equals":"at"}`:                            true,
		`{"path":"args.comm\\and","matches":"rm"}`:                      true,
		`{"path":"tool","equals":"shell"}`:                              true,
		`{"path":"tool_name","matches":"^sh"}`:                          true,
		`{"path":"event","equals":"pre-tool"}`:                          true,
		`{"path":"hook_event_name","equals":"PreToolUse"}`:              true,
		`{"path":"prompt","matches":"bug"}`:                             true,
		`{"path":"transcript_path","equals":null}`:                      true,
		`{"path":"agent_id","exists":false}`:                            true,
		`{"path":"result","exists":false}`:                              true,
		`{"path":"session_id","equals":"\u0073"}`:                       true,
		`{"path":"args.n","equals":7},{"path":"tool","equals":"shell"}`: true,
		`{"path":"args.n","equals":7},{"path":"tool","equals":"other"}`: false,
		`{"path":"args.list.#.nothing","matches":""}`:                   false,
		`{"path":"args.list.#","matches":"^4$"}`:                        true,
	} {
		h := when(t, condition)
		c := dialect.Call{Event: protocol.PreTool, Workspace: "/", Tool: "shell", Args: args, Prompt: "mend the bug",
			SessionID: "s"}
		require.Equal(t, want, runsAt(h, &c), condition)
		if want {
			require.Contains(t, whyAt(h, &c), " is met")
		} else {
			require.Contains(t, whyAt(h, &c), " is not met")
		}
	}
}

func TestWhenAtOtherEvents(t *testing.T) {
	post := dialect.Call{Event: protocol.PostTool, Tool: "shell", Args: "not JSON", Result: "a\xffb", Failed: true}
	client, _, err := clients.All().ParseInput(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},` +
		`"tool_response":{"stdout":"x"}}`)
	require.NoError(t, err)
	prompt := dialect.Call{Event: protocol.PreExecute, Prompt: "hello"}
	for _, test := range []struct {
		call      dialect.Call
		condition string
		want      bool
	}{
		{post, `{"path":"result","equals":"a\ufffdb"}`, true},
		{post, `{"path":"tool_response","matches":"b$"}`, true},
		{post, `{"path":"error","exists":true}`, true},
		{post, `{"path":"hook_event_name","equals":"PostToolUseFailure"}`, true},
		{post, `{"path":"args","equals":"not JSON"}`, true},
		{post, `{"path":"args.command","exists":false}`, true},
		{client, `{"path":"tool_response.stdout","equals":"x"}`, true},
		{client, `{"path":"error","exists":false}`, true},
		{prompt, `{"path":"prompt","matches":"^hel"}`, true},
		{prompt, `{"path":"args","exists":false}`, true},
		{prompt, `{"path":"tool","exists":true}`, false},
	} {
		require.Equal(t, test.want, runsAt(when(t, test.condition), &test.call), test.condition)
	}
}

// What no hook could be given is not the business of a rule: the call is refused, and the rule must not look like one
// that let it pass.
func TestWhenInDoubt(t *testing.T) {
	deep := dialect.Call{Event: protocol.PreTool, Tool: "shell",
		Args: strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)}
	require.True(t, runsAt(when(t, `{"path":"args.command","matches":"x"}`), &deep))
	unset := when(t, `{"path":"tool","exists":true}`)
	unset.When = []hook.Condition{{}}
	require.False(t, runsAt(unset, &deep), "the zero condition")
}

// The pattern of a project's rule does not move with the shell's cd; a relative path in the arguments does.
func TestIfStaysInTheWorkspace(t *testing.T) {
	testall.NotOnWindows(t, "the paths of its data are those of Unix")
	cfg, err := parts.All().Parse("f",
		[]byte(`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"if":"Edit(/secrets/**)"}]}`))
	require.NoError(t, err)
	for _, test := range []struct {
		dir, file string
		want      bool
	}{
		{"", "/ws/secrets/k", true}, {"/ws", "/ws/secrets/k", true}, {"/ws/sub", "/ws/secrets/k", true},
		{"/ws/secrets", "k", true}, {"/ws/sub", "secrets/k", false}, {"/ws/sub", "../secrets/k", true},
		{"/other", "/other/secrets/k", false},
	} {
		c := dialect.Call{Event: protocol.PreTool, Tool: "Edit", Workspace: "/ws", Dir: test.dir,
			Args: `{"file_path":"` + test.file + `"}`}
		require.Equal(t, test.want, runsAt(&cfg.Hooks[0], &c), test)
	}
}

// Arguments that are no JSON here may be some for the tool.
func TestWhenArgumentsAreTorn(t *testing.T) {
	h := when(t, `{"path":"args.command","matches":"^rm"}`)
	for args, want := range map[string]bool{
		`{"command":"rm x","n":NaN}`: true, `{"command":"rm x",}`: true, "\ufeff" + `{"command":"rm x"}`: true,
		`{'command':'rm x'}`: true, "{\"command\":\"rm\tx\"}": true,
		`"{\"command\":\"rm x\"}"`: true, "\u00a0[{": true, " \ufeff {": true, `"  [1"`: true,
		`rm x`: false, `"rm x"`: false, `3`: false, `null`: false, `[1]`: false, `{}`: false, ``: false,
		`not {}`: false,
	} {
		c := dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: args}
		require.Equal(t, want, runsAt(h, &c), args)
	}
	whole := dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: `{x`}
	require.False(t, runsAt(when(t, `{"path":"args","matches":"^y"}`), &whole), "the text itself is no doubt")
	client, _, err := clients.All().ParseInput(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},` +
		`"tool_response":"{\"a\":1}"}`)
	require.NoError(t, err)
	require.False(t, runsAt(when(t, `{"path":"tool_response.a","exists":true}`), &client), "no model wrote that")
}

// Many texts are as much work as one that is as long.
func TestPatternAndManyTexts(t *testing.T) {
	h := when(t, `{"path":"args.#.t","matches":"((a{0,10}){0,10}){0,10}[cd]$"}`)
	texts := func(n int) *dialect.Call {
		return &dialect.Call{Event: protocol.PreTool, Tool: "shell",
			Args: `[` + strings.Repeat(`{"t":"`+strings.Repeat("a", 100)+`"},`, n) + `{}]`}
	}
	require.False(t, runsAt(h, texts(1)))
	begin := time.Now()
	require.True(t, runsAt(h, texts(60_000)))
	require.Less(t, time.Since(begin), 20*time.Second)
}

// A pattern that could take minutes counts as found, and takes no time.
func TestHostilePattern(t *testing.T) {
	h := when(t, `{"path":"args","matches":"((a{0,10}){0,10}){0,10}((b?){0,10}){0,100}[cd]$"}`)
	c := dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"a":"` + strings.Repeat("a", 8<<20) + `"}`}
	begin := time.Now()
	require.True(t, runsAt(h, &c))
	require.Less(t, time.Since(begin), 20*time.Second)
	small := dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"a":"aaa"}`}
	require.False(t, runsAt(h, &small))
}

// A long text is no reason to run a gate where the pattern's own letters do not stand in it.
func TestLongText(t *testing.T) {
	testall.Alone(t)
	h := when(t, `{"path":"args","matches":"\\b(AKIA)+[0-9A-Z]{16}\\b.{0,90}"}`)
	// the last may match
	for tail, want := range map[string]bool{"x AKIB": false, "AKIA0123456789ABCDEF x": true, "AKIA": true} {
		c := dialect.Call{Event: protocol.PreTool, Tool: "shell",
			Args: `{"a":"` + strings.Repeat("x ", 8<<20) + tail + `"}`}
		require.Equal(t, want, runsAt(h, &c), tail)
	}
}

func TestIdleRules(t *testing.T) {
	for entry, want := range map[string]string{
		`"events":["pre-tool"],"when":[{"path":"result","exists":true}]`: "f:1:63: hook \"a\": its " +
			"events have no \"result\", so it never runs",
		`"events":["pre-execute"],"if":"Bash"`: "f:1:63: hook \"a\": \"if\" " +
			"needs a tool, and its events have none, so it never runs",
		`"events":["pre-execute"],"when":[{"path":"args.a","equals":1}]`: "f:1:66: hook \"a\": its " +
			"events have no \"args\", so it never runs",
		`"events":["pre-tool"],"if":"mcp__files__write(rm *)"`: "f:1:60: hook \"a\": \"if\" " +
			"has a pattern, and no pattern but * matches a tool of an MCP server, so it never runs; use \"matcher\" " +
			"and \"when\"",
		`"events":["pre-tool"],"if":"shell(rm *)|Bash(rm *)"`: "f:1:60: hook \"a\": \"if\" " +
			"looks like several rules, and is one that hardly matches; write an entry for each",
		`"events":["pre-tool"],"if":"shell(rm *), Bash(rm *)"`: "f:1:60: hook \"a\": \"if\" " +
			"looks like several rules, and is one that hardly matches; write an entry for each",
		`"events":["pre-tool"],"if":"shell(node -e f(a).g(b))"`: "",
		`"events":["pre-tool"],"if":"mcp__files__write(*)"`:     "",
		`"events":["pre-tool"],"if":"fs_write(~/x)"`:            "",
		`"events":["pre-tool"],"when":[{"path":"args.a","matches":"\bprod\b"}]`: `f:1:90: hook "a": condition 1 ` +
			`of "when": "matches" has a backspace, which is what \b means in JSON; write \\b for the edge of a word`,
		`"events":["pre-tool"],"when":[{"path":"args.a","matches":"\\bprod"}]`:       "",
		`"events":["pre-tool"],"when":[{"path":"result","exists":false}]`:            "",
		`"events":["pre-tool","post-tool"],"when":[{"path":"result","exists":true}]`: "",
		`"events":["pre-execute","post-tool"],"if":"Bash","when":[{"path":"error","exists":true},{"path":"agent_id",` +
			`"exists":true}]`: "",
	} {
		cfg, err := parts.All().Parse("f", []byte(`{"hooks":[{"name":"a","block":"no",`+entry+`}]}`))
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, cfg.Warnings, entry)
			continue
		}
		require.Len(t, cfg.Warnings, 1, entry)
		require.Equal(t, want[6:], cfg.Warnings[0].Error()[6:], entry)
	}
}

// FuzzWhen holds paths and values against another reader of both.
func FuzzWhen(f *testing.F) {
	f.Add(`{"a":[{"b":"x"},{"b":2}]}`, "args.a.#.b", "x", `"x"`)
	f.Add(`{"a.b":{"":[1,2.0]}}`, `args.a\.b.#`, "[", `{"a":null}`)
	f.Add(`"text"`, "args", "t.x", `"text"`)
	f.Add(`[[],[[1e3]]]`, "args.1.#.0", "1", `1000`)
	f.Fuzz(func(t *testing.T, args, path, pattern, wanted string) {
		quoted := func(s string) string {
			text, err := json.Marshal(s)
			require.NoError(t, err)
			return string(text)
		}
		c := dialect.Call{Event: protocol.PreTool, Tool: "t", Args: args}
		input, _, err := c.Input()
		if err != nil {
			return
		}
		var doc any
		d := json.NewDecoder(strings.NewReader(string(input)))
		d.UseNumber()
		require.NoError(t, d.Decode(&doc))
		steps, ok := split(path)
		all, there := []any{}, false
		if ok {
			all, there = follow(doc, steps), true
		}
		condition := func(test string) (runs, loads bool) {
			cfg, err := parts.All().Parse("f",
				[]byte(`{"hooks":[{"name":"a","block":"no","events":["pre-tool"],"when":[{"path":`+quoted(path)+`,`+
					test+`}]}]}`))
			if err != nil {
				return false, false
			}
			return runsAt(&cfg.Hooks[0], &c), true
		}
		exists, loads := condition(`"exists":true`)
		if !there || !loads {
			return // other fields than args, or no path
		}
		if text, is := doc.(string); is && len(steps) > 0 && strings.ContainsAny(text, "{[") {
			return // the arguments may be torn, and then all holds
		}
		require.Equal(t, len(all) > 0, exists)
		if re, err := regexp.Compile(pattern); err == nil {
			found, composite := false, false
			for _, v := range all {
				switch v := v.(type) {
				case string:
					found = found || re.MatchString(v)
				case map[string]any, []any: // the order of keys is lost here
					composite = true
				default:
					found = found || re.MatchString(strings.Replace(fmt.Sprint(v), "<nil>", "null", 1))
				}
			}
			if got, loads := condition(`"matches":` + quoted(pattern)); loads && !composite {
				require.Equal(t, found, got)
			}
		}
		var want any
		if w := json.NewDecoder(strings.NewReader(wanted)); func() bool {
			w.UseNumber()
			return w.Decode(&want) == nil
		}() {
			// large numbers are equal as floats are
			if got, loads := condition(`"equals":` + wanted); loads && !strings.ContainsAny(args+wanted, "eE.") {
				found := false
				for _, v := range all {
					found = found || reflect.DeepEqual(plain(v), plain(want))
				}
				require.Equal(t, found, got)
			}
		}
	})
}

// split is the oracle's reading of a path below args.
func split(path string) (steps []string, ok bool) {
	rest, ok := strings.CutPrefix(path, "args")
	if !ok || strings.ContainsAny(path, "\\") && strings.ContainsAny(path, "#\x01\x02") {
		return nil, false
	}
	rest = strings.ReplaceAll(rest, `\\`, "\x01")
	rest = strings.ReplaceAll(rest, `\.`, "\x02")
	if rest == "" {
		return nil, true
	}
	if !strings.HasPrefix(rest, ".") || strings.Contains(rest, `\`) {
		return nil, false
	}
	for _, s := range strings.Split(rest[1:], ".") {
		steps = append(steps, strings.NewReplacer("\x01", `\`, "\x02", ".").Replace(s))
	}
	return steps, true
}

func follow(v any, steps []string) (all []any) {
	if len(steps) == 0 {
		return []any{v}
	}
	switch v := v.(type) {
	case map[string]any:
		if member, ok := v[steps[0]]; ok && steps[0] != "#" {
			return follow(member, steps[1:])
		}
	case []any:
		if steps[0] == "#" && len(steps) == 1 {
			return []any{json.Number(strconv.Itoa(len(v)))}
		}
		for i, element := range v {
			if steps[0] == "#" || steps[0] == fmt.Sprint(i) {
				all = append(all, follow(element, steps[1:])...)
			}
		}
	}
	return all
}

// plain gives equal numbers one form.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		if f > -1<<53 && f < 1<<53 {
			return f + 0 // no -0
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
