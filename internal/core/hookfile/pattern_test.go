package hookfile_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/protocol"
)

// TestRecordedMatchers holds the matchers to what Claude Code 2.1.329 ran its hooks for.
func TestRecordedMatchers(t *testing.T) {
	matrices := map[string]int{}
	for _, c := range recordedCases(t, "matcher.jsonl") {
		if c.Matrix.Field == "" {
			continue // a configuration that the client refuses
		}
		call := input(t, string(c.Stdin))
		for ran, patterns := range map[bool][]*string{true: c.Expect.Matched, false: c.Expect.NotMatched} {
			for _, pattern := range patterns {
				matcher, name := "", "no matcher"
				if pattern != nil {
					matcher, name = `"matcher":`+strconv.Quote(*pattern)+",", strconv.Quote(*pattern)
				}
				cfg, err := parts.All().Parse("f", []byte(`{"hooks":{"`+c.Event+`":[{`+matcher+
					`"hooks":[{"type":"command","command":"a"}]}]}}`))
				require.NoError(t, err, name)
				require.Equal(t, ran, runs(&cfg.Hooks[0], call), "%s: %s", c.ID, name)
				if subject, ok := claude.Dialect.MatcherSubject(call); ok && pattern != nil {
					require.Equal(t, ran, claude.Dialect.Files.Pattern(*pattern, "tool_name").Match(subject),
						"%s: %s", c.ID, name)
				}
				matrices[c.ID]++
			}
		}
		require.Equal(t, len(c.Matrix.Patterns), matrices[c.ID], c.ID)
	}
	require.Equal(t, map[string]int{"matcher-agent": 4, "matcher-bash": 58, "matcher-mcp-hyphen": 58,
		"matcher-sessionend": 6, "matcher-stop": 5}, matrices)
}

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		matcher string
		matches []string
		misses  []string
	}{
		// Everything.
		{"", []string{"Bash", "", "é", "a\nb", "\xff"}, nil},
		{"*", []string{"Bash", "", "é", "a\nb", "\xff"}, nil},

		// Lists of whole names.
		{"Bash", []string{"Bash"}, []string{"bash", "Bash2", "MyBash", " Bash", ""}},
		{"Edit|Write", []string{"Edit", "Write"}, []string{"MultiEdit", "Edit|Write", "EditWrite"}},
		{"Edit,Write|Read , LS", []string{"Edit", "Write", "Read", "LS"}, []string{"Edit,Write", " LS", "L"}},
		{"  Edit  |  Write  ", []string{"Edit", "Write"}, []string{"  Edit  ", ""}},
		// blanks inside are part of the name
		{"My Tool|a  b", []string{"My Tool", "a  b"}, []string{"My", "Tool", "MyTool", "a b"}},
		// an empty part is no name
		{"Bash||Edit,,|", []string{"Bash", "Edit"}, []string{"", "|", ","}},
		{"|", nil, []string{"", "|", "Bash"}},
		{" ", nil, []string{"", " ", "Bash"}},
		{" , | ,", nil, []string{"", " ", ",", "Bash"}},
		{"-", []string{"-"}, []string{"", "a-b"}},
		{"mcp__brave-search__q", []string{"mcp__brave-search__q"},
			[]string{"mcp__brave-search__q2", "mcp__brave_search__q"}},
		{"mcp__x", []string{"mcp__x"}, []string{"mcp__x__y"}}, // a server is not its tools
		{"a_1|B-2", []string{"a_1", "B-2"}, []string{"a", "B"}},

		// Regular expressions, anywhere in the name.
		{"mcp__x__.*", []string{"mcp__x__y", "mcp__x__", "a mcp__x__"}, []string{"mcp__x", "mcp__xx"}},
		{"mcp__.*__(read|get)", []string{"mcp__a__read", "mcp__a__get_all"}, []string{"mcp__a__write"}},
		{"Bash.", []string{"Bash2", "MyBash2"}, []string{"Bash", "bash2"}},
		{"^Edit|Write$", []string{"Editor", "MyWrite"}, []string{"MyEdit", "Writer"}}, // ^ binds tighter than |
		{"^(Edit|Write)$", []string{"Edit", "Write"}, []string{"Editor", "MyWrite"}},
		{"^(?!mcp__)", []string{"Bash", ""}, []string{"mcp__x__y"}},
		{"(?<=mcp__)x", []string{"mcp__x"}, []string{"x"}},
		{`^(\w)\1`, []string{"aab", "aba"}, nil}, // a back reference is doubt, and the hook runs
		{"[A-Z]{2}", []string{"LSP", "LS"}, []string{"Bash"}},
		{"é", []string{"é", "café"}, []string{"e", "É"}}, // no name has letters of its own, so this is one
		{".", []string{"a", "é", "🙂"}, []string{"", "\n"}},
		{"^..$", []string{"ab", "🙂"}, []string{"a"}}, // JavaScript counts in UTF-16
		{"()", []string{"", "Bash"}, nil},
		{"a|", []string{"a"}, []string{"", "b"}}, // a list still
		{"a.|", []string{"ab", "", "b"}, nil},    // an empty alternative is in every name
		{"]", []string{"]"}, []string{"["}},      // as on the web, it stands for itself
		{"x{", []string{"x{"}, []string{"x"}},
		{"Bash(echo *)", []string{"Bashecho ", "Bashecho"}, []string{"Bash"}}, // no rule but a group
		{"/Bash/", []string{"/Bash/"}, []string{"Bash"}},
		{"!Edit", []string{"!Edit"}, []string{"Bash", "Edit"}},
		{"Bash;Edit", []string{"Bash;Edit"}, []string{"Bash", "Edit"}},
		{"fs_*", []string{"fs", "fs_read", "fs___"}, []string{"f"}}, // no glob
		{"mcp__**x", nil, []string{"mcp__**x", "mcp__x"}},

		// None of them is an expression, and they match nothing: not even themselves.
		{"[", nil, []string{"[", "", "Bash"}},
		{"(", nil, []string{"(", ""}},
		{"a)", nil, []string{"a)", "a"}},
		{"**", nil, []string{"**", ""}},
		{"+", nil, []string{"+", ""}},
		{"?", nil, []string{"?", "a"}},
		{`\`, nil, []string{`\`, ""}},
		{"x{2,1}", nil, []string{"x{2,1}", "xx", "x"}},
		{"[b-a]", nil, []string{"a", "b"}},
		{"(?i)bash", nil, []string{"bash", "Bash"}},
		{"(?<n", nil, []string{"n", ""}},

		// The Agent tool was called Task before.
		{"Task", []string{"Task", "Agent"}, []string{"Agents", "Bash"}},
		{"Bash|Task", []string{"Agent", "Task", "Bash"}, []string{"Edit"}},
		{"Agent", []string{"Agent"}, []string{"Task"}},
		{"task", nil, []string{"Agent", "Task"}},
		{"Tas", nil, []string{"Agent", "Task"}},
	} {
		p := claude.Dialect.Files.Pattern(test.matcher, "tool_name")
		require.Equal(t, test.matcher, p.String())
		for _, name := range test.matches {
			require.True(t, p.Match(name), "%q %q", test.matcher, name)
		}
		for _, name := range test.misses {
			require.False(t, p.Match(name), "%q %q", test.matcher, name)
		}
	}
	require.True(t, dialect.Pattern{}.Match("Bash"), "the zero value guards every tool")
}

// TestBrokenMatcher: one that is no expression takes no other group with it.
func TestBrokenMatcher(t *testing.T) {
	cfg, err := parts.All().Parse("f",
		[]byte(`{"hooks":{"PreToolUse":[{"matcher":"[","hooks":[{"type":"command","command":"a"}]},{"matcher":"Bash",`+
			`"hooks":[{"type":"command","command":"b"}]}]}}`))
	require.NoError(t, err)
	require.Len(t, cfg.Warnings, 1, "the client says nothing")
	c := &dialect.Call{Event: protocol.PreTool, Tool: "Bash"}
	require.False(t, runs(&cfg.Hooks[0], c))
	require.Equal(t, `its matcher "[" does not match the tool "Bash"`, why(&cfg.Hooks[0], c))
	require.True(t, runs(&cfg.Hooks[1], c))
}

// TestDoubtfulMatcher: a hook whose matcher hookrun reads otherwise than JavaScript runs, and somebody hears of it.
func TestDoubtfulMatcher(t *testing.T) {
	cfg, err := parts.All().Parse("f", []byte(`{"hooks":{"PreToolUse":[{"matcher":"^(a)\\1$",`+
		`"hooks":[{"type":"command","command":"a"}]}]}}`))
	require.NoError(t, err)
	require.EqualError(t, hook.Diagnostics(cfg.Warnings), `f:1:36: PreToolUse 1: the matcher "^(a)\\1$" is a regular `+
		`expression that hookrun cannot read, so the hook always runs: it refers back to a group, or has a group with `+
		`an unusual or repeated name`)
	require.True(t, runs(&cfg.Hooks[0], &dialect.Call{Event: protocol.PreTool, Tool: "b"}))
}

// TestHostilePatterns: an expression that takes for ever must neither hold up the call nor let it pass. The limit is
// for a busy machine; without an end to its time each takes years.
func TestHostilePatterns(t *testing.T) {
	start := time.Now()
	name := strings.Repeat("a", 200) + "!"
	for _, matcher := range []string{"^(a+)+$", "^(a|a?)*$", "^(a|aa)+$", "^(.*a){50}$", "^((a*)*)*$", "(?=(a+)+$)a",
		"^(.*)*[a-c]$"} {
		h := one(t, `{"hooks":{"PreToolUse":[{"matcher":`+strconv.Quote(matcher)+
			`,"hooks":[{"type":"command","command":"a"}]}]}}`)
		require.True(t, runs(h, &dialect.Call{Event: protocol.PreTool, Tool: name}), matcher)
	}
	require.Less(t, time.Since(start), time.Minute)
	// What was decided before the time ran out is what counts.
	p := claude.Dialect.Files.Pattern("^(a+)+$", "tool_name")
	require.True(t, p.Match("aaaaaaaa"))
	require.False(t, p.Match("aaaaaaaa!"))
	require.True(t, p.Match(name))
}

// TestLongMatcher: what can be compiled in reasonable time is long enough for any list of names.
func TestLongMatcher(t *testing.T) {
	for matcher, wanted := range map[string]bool{
		strings.Repeat("Bash|", 13106) + "Edit": true, // a list of names
		strings.Repeat("Bash.", 13106) + "Edit": false,
		strings.Repeat("a*", 32767):             true,
	} {
		doc := func(more string) string {
			return `{"hooks":{"PreToolUse":[{"matcher":"` + matcher + more +
				`","hooks":[{"type":"command","command":"a"}]}]}}`
		}
		require.Equal(t, wanted, runs(one(t, doc("")), &dialect.Call{Event: protocol.PreTool, Tool: "Edit"}))
		_, err := parts.All().Parse("f", []byte(doc("x")))
		require.EqualError(t, err, `f:1:36: PreToolUse 1: the matcher is longer than 64 KiB`)
	}
}
