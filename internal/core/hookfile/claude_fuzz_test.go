package hookfile_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// FuzzParseClaude reads what Parse accepts in Claude Code's form with encoding/json, which must see the same hooks.
func FuzzParseClaude(f *testing.F) {
	for _, test := range slices.Concat(claudeFaults, claudeWarnings) {
		f.Add([]byte(test.doc))
	}
	for _, doc := range claudeGood {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		cfg, err := parts.All().Parse("f", doc)
		text := strings.TrimPrefix(string(doc), bom)
		if err != nil {
			require.Nil(t, cfg)
			requirePlaces(t, text, err)
			return
		}
		requirePlaces(t, text, hook.Diagnostics(cfg.Warnings))
		require.True(t, json.Valid([]byte(text)), "accepted what is no JSON")
		require.True(t, utf8.ValidString(text), "accepted what is no UTF-8")
		var file map[string]any // not a struct: that would take Hooks for hooks
		require.NoError(t, unmarshal(text, &file))
		events, ok := file["hooks"].(map[string]any)
		if !ok {
			return // another form, which has a target of its own
		}
		count := 0
		for _, event := range claude.Dialect.Events.Names() {
			var hooks []*hook.Hook // of the event, in the order of the file
			for i := range cfg.Hooks {
				if slices.Equal(cfg.Hooks[i].Events, []protocol.Event{event}) {
					hooks = append(hooks, &cfg.Hooks[i])
				}
			}
			count += len(hooks)
			groups, _ := events[string(event)].([]any)
			for _, group := range groups {
				group := group.(map[string]any)
				for _, handler := range group["hooks"].([]any) {
					require.NotEmpty(t, hooks, "a hook of %s was lost", event)
					requireHandler(t, group, handler.(map[string]any), hooks[0])
					hooks = hooks[1:]
				}
			}
			require.Empty(t, hooks, "hooks of %s that nobody wrote", event)
		}
		require.Len(t, cfg.Hooks, count)
	})
}

// requireHandler compares a hook with what encoding/json made of its entry.
func requireHandler(t *testing.T, group, entry map[string]any, h *hook.Hook) {
	require.Same(t, claude.Dialect, h.Dialect)
	if matcher, ok := group["matcher"]; ok {
		require.Equal(t, matcher, h.Matcher.String())
	} else {
		require.Nil(t, h.Matcher)
	}
	text := func(key string) string { s, _ := entry[key].(string); return s }
	require.Equal(t, text("if"), h.IfText())
	require.Equal(t, entry["timeout"] != nil, h.Timeout > 0)
	require.Equal(t, entry["async"] == true && text("type") == "command", h.Async)
	require.NotContains(t, h.Name, "\n")
	_, policy := entry["onFailure"]
	require.Equal(t, policy && text("type") != "prompt" && text("type") != "agent", h.OnFailure != nil)
	switch text("type") {
	case "command":
		require.Empty(t, h.Unsupported())
		require.Nil(t, h.Request())
		require.NotEmpty(t, h.DedupKey)
		if args, ok := entry["args"].([]any); ok {
			require.Equal(t, append([]any{text("command")}, args...), anys(h.Process().Argv))
			require.Empty(t, h.Process().Shell)
		} else {
			isPowerShell := text("shell") == "powershell"
			require.Equal(t, hook.Command{Shell: text("command"), PowerShell: isPowerShell, ByPath: !isPowerShell},
				h.Process().Command)
		}
		require.NotEmpty(t, text("command"))
	case "http":
		require.Empty(t, h.Unsupported())
		require.Equal(t, hook.Command{}, h.Process().Command)
		require.Equal(t, text("url"), h.Request().URL)
		headers, _ := entry["headers"].(map[string]any)
		require.Len(t, h.Request().Headers, len(headers))
		for _, header := range h.Request().Headers {
			require.Equal(t, headers[header.Name], header.Value)
		}
		require.NoError(t, h.Request().Check())
	default:
		require.Equal(t, text("type"), h.Unsupported())
		require.Contains(t, []string{"mcp_tool", "prompt", "agent"}, h.Unsupported())
		require.Empty(t, h.DedupKey)
	}
}

// claudeHook starts a good file up to one more field of its only hook.
const claudeHook = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"a",`

// hostileClaude are files in Claude Code's form made to be slow, as those of hostile.
var hostileClaude = []struct {
	name  string
	good  bool
	build func() string
}{
	{"groups never closed", false, func() string { return repeat(`{"hooks":{"PreToolUse":`, "[", "") }},
	{"a deep value in what nobody reads", true, func() string {
		return repeat(`{"hooks":{},"permissions":{"a":[0`, ","+strings.Repeat("[", 60)+strings.Repeat("]", 60), "]}}")
	}},
	{"deep values in an unknown field", true, func() string {
		return repeat(claudeHook+`"x":[0`, ","+strings.Repeat(`{"a":`, 50)+"0"+strings.Repeat("}", 50), "]}]}]}}")
	}},
	{"groups", true, func() string { return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`, `,{"hooks":[]}`, "]}}") }},
	{"groups in lines", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`, ",\n{\"hooks\":[]}", "]}}")
	}},
	{"groups without hooks", false, func() string { return repeat(`{"hooks":{"PreToolUse":[{}`, `,{}`, "]}}") }},
	{"groups that are none", false, func() string { return repeat(`{"hooks":{"PreToolUse":[0`, `,0`, "]}}") }},
	{"hooks", true, func() string {
		return repeat(claudeHook+`"timeout":1}`, `,{"type":"command","command":"a"}`, "]}]}}")
	}},
	{"hooks in lines", true, func() string {
		return repeat(claudeHook+`"timeout":1}`, ",\n{\"type\":\"command\",\"command\":\"a\"}", "]}]}}")
	}},
	{"empty hooks", false, func() string { return repeat(`{"hooks":{"PreToolUse":[{"hooks":[{}`, `,{}`, "]}]}}") }},
	{"hooks that are none", false, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[0`, `,0`, "]}]}}")
	}},
	{"hooks with many faults", false, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[0`,
			`,{"nane":1,"type":"command","shell":"x","args":1,"timeout":-1,"onFailure":"x","if":1}`, "]}]}}")
	}},
	{"hooks of no known type", false, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[0`, `,{"type":"comand"}`, "]}]}}")
	}},
	{"hooks that are warned of", true, func() string {
		return repeat(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}`,
			`,{"x":1,"type":"command","command":" ","if":"a","timeout":9999}`, "]}]}}")
	}},
	{"fields of an object instead of hooks", false, func() string {
		return count(`{"hooks":{"PreToolUse":[{"hooks":{`, `"%x":0,`, `"a":1}}]}}`)
	}},
	{"unknown events", true, func() string { return count(`{"hooks":{`, `"%x":0,`, `"Stop":[]}}`) }},
	{"near misses of events", true, func() string { return count(`{"hooks":{`, `"PreToolUse%x":0,`, `"Stop":[]}}`) }},
	{"unknown fields", true, func() string { return count(claudeHook, `"%x":0,`, `"x":1}]}]}}`) }},
	{"unknown fields in lines", true, func() string { return count(claudeHook, "\"%x\":0,\n", `"x":1}]}]}}`) }},
	{"near misses of fields", true, func() string { return count(claudeHook, `"comand%x":0,`, `"x":1}]}]}}`) }},
	{"unknown settings", true, func() string { return count(`{`, `"%x":0,`, `"hooks":{}}`) }},
	{"near misses of settings", true, func() string { return count(`{`, `"hook%x":0,`, `"hooks":{}}`) }},
	{"variables", true, func() string { return count(`{"env":{`, `"%x":"",`, `"A":""},"hooks":{}}`) }},
	{"variables of no name", false, func() string { return count(`{"env":{`, `"=%x":"",`, `"A":""},"hooks":{}}`) }},
	{"variables of no text", false, func() string { return count(`{"env":{`, `"%x":[],`, `"A":""},"hooks":{}}`) }},
	{"allowed addresses", true, func() string {
		return repeat(`{"allowedHttpHookUrls":["*"`, `,"*a*a*a*a*b"`,
			`],"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://h"}]}]}}`)
	}},
	{"headers", true, func() string {
		return count(`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://h","headers":{`, `"%x":"",`,
			`"Z":""}}]}]}}`)
	}},
	{"headers of no text", false, func() string {
		return count(`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://h","headers":{`, `"%x":0,`,
			`"A":""}}]}]}}`)
	}},
	{"a long address", true, func() string {
		return repeat(`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://h/`, "%20", `"}]}]}}`)
	}},
	{"a long address that is none", false, func() string {
		return repeat(`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"`, "a/", `"}]}]}}`)
	}},
	{"arguments", true, func() string { return repeat(claudeHook+`"args":["a"`, `,""`, `]}]}]}}`) }},
	{"arguments that nobody can be given", false, func() string {
		return repeat(claudeHook+`"args":["a"`, `,"\u0000"`, `]}]}]}}`)
	}},
	{"arguments of a wrong type", false, func() string { return repeat(claudeHook+`"args":["a"`, `,0`, `]}]}]}}`) }},
	{"a long command", true, func() string {
		return repeat(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`, "a ", `"}]}]}}`)
	}},
	{"a long blank command", true, func() string {
		return repeat(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`, `\n`, `"}]}]}}`)
	}},
	{"a long if", true, func() string { return repeat(claudeHook+`"if":"Bash(`, "*a", `)"}]}]}}`) }},
	{"a long timeout", true, func() string { return repeat(claudeHook+`"timeout":1.`, "0", `}]}]}}`) }},
	{"a long shell", false, func() string { return repeat(claudeHook+`"shell":"`, "bash", `"}]}]}}`) }},
	{"a long matcher", false, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"matcher":"`, "(a*)*", `","hooks":[]}]}}`)
	}},
	{"long matchers", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`,
			`,{"matcher":"`+strings.Repeat("(a*)*", hostileSize/17/5)+`","hooks":[]}`, "]}}")
	}},
	{"long matchers of names", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`,
			`,{"matcher":"`+strings.Repeat("a|", hostileSize/17/2)+`","hooks":[]}`, "]}}")
	}},
	{"long matchers of sets", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`,
			`,{"matcher":"[`+strings.Repeat("a-z", hostileSize/17/3)+`]","hooks":[]}`, "]}}")
	}},
	{"matchers with large counts", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`,
			`,{"matcher":"((a{999999}){999999}){999999}","hooks":[]}`, "]}}")
	}},
	{"matchers that are no expressions", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`, `,{"matcher":"[","hooks":[]}`, "]}}")
	}},
	{"hooks with hostile matchers", true, func() string {
		return repeat(`{"hooks":{"PreToolUse":[{"hooks":[]}`,
			`,{"matcher":"^(a+)+$","hooks":[{"type":"command","command":"a"}]}`, "]}}")
	}},
	{"hooks with rules", true, func() string {
		return repeat(claudeHook+`"timeout":1}`, `,{"type":"command","command":"a","if":"Bash(*a*a*a*b)"}`, "]}]}}")
	}},
}

// TestHostileClaudeFiles is what TestHostileFiles is for the other form.
func TestHostileClaudeFiles(t *testing.T) {
	testall.Only(t, "takes seconds")
	for _, test := range hostileClaude {
		t.Run(test.name, func(t *testing.T) {
			doc := test.build()
			require.LessOrEqual(t, len(doc), hostileSize)
			require.Greater(t, len(doc), hostileSize*9/10)
			var err error
			var text string
			quick(t, func() {
				cfg, e := parts.All().Parse("f", []byte(doc))
				if err = e; err != nil {
					text = err.Error()
				} else {
					text = hook.Diagnostics(cfg.Warnings).Error()
				}
			})
			require.Equal(t, test.good, err == nil, "%.1000s", text)
			require.Less(t, len(text), 150*hostileSize)
		})
	}
}

// quick requires that something takes no time that is quadratic in a file: that would be minutes. On an idle machine it
// takes under half a second.
func quick(t *testing.T, f func()) {
	start := time.Now()
	f()
	require.Less(t, time.Since(start), 30*time.Second)
}

// TestHostileSettings: nor may it be quadratic to put one file over another.
func TestHostileSettings(t *testing.T) {
	testall.Only(t, "takes seconds")
	for _, list := range []string{
		count(`{"env":{`, `"variable_%x":"",`, `"A":""},"hooks":{}}`),
		count(`{"httpHookAllowedEnvVars":[`, `"%x",`, `"A"],"hooks":{}}`),
		count(`{"hooks":{"Stop":[{"hooks":[`, `{"type":"command","command":"%x"},`,
			`{"type":"command","command":"a"}]}]}}`),
	} {
		one, err := parts.All().Parse("1", []byte(list))
		require.NoError(t, err)
		two, err := parts.All().Parse("2", []byte(list))
		require.NoError(t, err)
		quick(t, func() {
			var all hookfile.Config
			all.Add(one)
			all.Add(two)
			require.Len(t, all.Hooks, len(one.Hooks)+len(two.Hooks))
		})
	}
}
